#include "env/cards/card_map.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "env/base/assert.h"
#include "env/cards/kept_ranks.h"

namespace schafkopf {
namespace {

constexpr int kNumOrders = 24;
constexpr int kNoSuitIndex = 4;

constexpr int kNumStructures = static_cast<int>(std::size(kKeptRanks));
constexpr int kNumMaps = kNumStructures * kNumOrders;
static_assert(kNumMaps <= 256, "a view holds the number of a map in eight bits");

/// Slot of each suit.
using Order = std::array<std::uint8_t, kNumSuits>;

struct Tables {
  std::array<Order, kNumOrders> orders{};  // lexicographic, 0 = identity
  std::array<Order, kNumOrders> inverses{};
  std::array<std::uint8_t, 256> order_of{};  // by 2-bit slots of the suits, E lowest
  std::array<std::uint8_t, std::size_t{kNumMaps} * kNumCards> to{};
  std::array<std::uint8_t, std::size_t{kNumMaps} * kNumCards> from{};
};

constexpr std::size_t key_of(const Order& order) {
  return static_cast<std::size_t>(order[0] | (order[1] << 2) | (order[2] << 4) | (order[3] << 6));
}

constexpr Tables make_tables() {
  Tables tables;
  Order order = {0, 1, 2, 3};
  for (std::size_t i = 0; i < kNumOrders; ++i) {
    tables.orders[i] = order;
    tables.order_of[key_of(order)] = static_cast<std::uint8_t>(i);
    for (std::size_t suit = 0; suit < kNumSuits; ++suit) {
      tables.inverses[i][order[suit]] = static_cast<std::uint8_t>(suit);
    }
    std::ranges::next_permutation(order);
  }
  for (std::size_t map = 0; map < kNumMaps; ++map) {
    const std::uint32_t kept = kKeptRanks[map / kNumOrders];
    for (std::size_t card = 0; card < kNumCards; ++card) {
      const bool stays = ((kept >> card) & 1u) != 0;
      const std::size_t slot = tables.orders[map % kNumOrders][card / kNumRanks];
      const std::size_t target = stays ? card : slot * kNumRanks + card % kNumRanks;
      tables.to[map * kNumCards + card] = static_cast<std::uint8_t>(target);
      tables.from[map * kNumCards + target] = static_cast<std::uint8_t>(card);
    }
  }
  return tables;
}
constexpr Tables kTables = make_tables();

/// Moves byte `suit` of the cards that do not stay to byte order[suit].
std::uint32_t permute(std::uint32_t cards, std::uint32_t kept, const Order& order) {
  const std::uint32_t rest = cards & ~kept;
  return (cards & kept) | ((rest & 0xFFu) << (8 * order[0])) |
         (((rest >> 8) & 0xFFu) << (8 * order[1])) | (((rest >> 16) & 0xFFu) << (8 * order[2])) |
         ((rest >> 24) << (8 * order[3]));
}

std::size_t structure_of(CardSet trump_ranks) {
  const auto* found = std::ranges::find(kKeptRanks, trump_ranks.bits());
  SCHAFKOPF_ASSERT(found != std::end(kKeptRanks));
  return static_cast<std::size_t>(found - std::begin(kKeptRanks));
}

}  // namespace

int num_card_maps() { return kNumMaps; }

std::span<const std::uint8_t> card_maps() { return kTables.to; }

namespace {

/// A number of each seat: hands are ordered side by side.
using Seats = std::int32_t __attribute__((vector_size(16)));
static_assert(sizeof(Seats) == kNumSeats * sizeof(std::int32_t));

/// What comes first in a hand, by suit: larger is earlier, no two are alike.
template <class W>
using Priorities = std::array<W, kNumSuits>;

/// Bit by bit which suit of a pair comes first: six bits name an order. A vector's comparison is all ones.
template <class W>
constexpr W comparisons_of(const Priorities<W>& p) {
  return (W(p[0] > p[1]) & 1) | (W(p[0] > p[2]) & 1) << 1 | (W(p[0] > p[3]) & 1) << 2 |
         (W(p[1] > p[2]) & 1) << 3 | (W(p[1] > p[3]) & 1) << 4 | (W(p[2] > p[3]) & 1) << 5;
}

constexpr std::array<std::uint8_t, 64> make_order_of_comparisons() {
  std::array<std::uint8_t, 64> orders{};
  for (std::size_t i = 0; i < kNumOrders; ++i) {
    Priorities<int> priorities{};
    for (std::size_t suit = 0; suit < kNumSuits; ++suit) {
      priorities[suit] = 3 - kTables.orders[i][suit];
    }
    orders[static_cast<std::size_t>(comparisons_of(priorities))] = static_cast<std::uint8_t>(i);
  }
  return orders;
}
constexpr std::array<std::uint8_t, 64> kOrderOfComparisons = make_order_of_comparisons();

/// Of a suit by its role in the contract.
constexpr int role_of(int suit, int trump_suit, int called_suit) {
  return (suit == trump_suit ? 4096 : 0) + (suit == called_suit ? 2048 : 0) + kNumSuits - 1 - suit;
}

}  // namespace

std::array<std::uint8_t, kNumSeats> choose_card_maps(CardSet trump_ranks, int trump_suit,
                                                     int called_suit,
                                                     std::span<const std::uint32_t> hands) {
  SCHAFKOPF_ASSERT(trump_suit >= 0 && trump_suit <= kNoSuitIndex);
  SCHAFKOPF_ASSERT(called_suit >= 0 && called_suit <= kNoSuitIndex);
  const int first_map = static_cast<int>(structure_of(trump_ranks)) * kNumOrders;
  const auto plain = static_cast<std::int32_t>(~trump_ranks.bits());
  Seats held{};
  std::memcpy(&held, hands.data(), std::min(hands.size_bytes(), sizeof held));
  held &= plain;
  Priorities<Seats> priorities;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    priorities[static_cast<std::size_t>(suit)] =
        4 * ((held >> (8 * suit)) & 0xFF) + role_of(suit, trump_suit, called_suit);
  }
  const Seats orders = comparisons_of(priorities);
  std::array<std::uint8_t, kNumSeats> maps{};
  for (std::size_t seat = 0; seat < hands.size(); ++seat) {
    const auto order = kOrderOfComparisons[static_cast<std::size_t>(orders[seat])];
    maps[seat] = static_cast<std::uint8_t>(first_map + order);
  }
  return maps;
}

int choose_card_map(CardSet trump_ranks, int trump_suit, int called_suit, CardSet hand) {
  const std::uint32_t bits = hand.bits();
  return choose_card_maps(trump_ranks, trump_suit, called_suit, std::span(&bits, 1))[0];
}

const std::array<std::uint8_t, kNumSuits>& suit_slots(int map) {
  SCHAFKOPF_ASSERT(map >= 0 && map < kNumMaps);
  return kTables.orders[static_cast<std::size_t>(map % kNumOrders)];
}

std::uint32_t kept_cards(int map) {
  SCHAFKOPF_ASSERT(map >= 0 && map < kNumMaps);
  return kKeptRanks[map / kNumOrders];
}

std::uint32_t to_canonical(std::uint32_t cards, int map) {
  return permute(cards, kept_cards(map), suit_slots(map));
}

std::uint32_t from_canonical(std::uint32_t cards, int map) {
  return permute(cards, kept_cards(map),
                 kTables.inverses[static_cast<std::size_t>(map % kNumOrders)]);
}

Action to_canonical_action(Action action, int map) {
  SCHAFKOPF_ASSERT(map >= 0 && map < kNumMaps);
  if (action >= kNumCards) return action;
  return kTables.to[static_cast<std::size_t>(map) * kNumCards + action];
}

Action from_canonical_action(Action action, int map) {
  SCHAFKOPF_ASSERT(map >= 0 && map < kNumMaps);
  if (action >= kNumCards) return action;
  return kTables.from[static_cast<std::size_t>(map) * kNumCards + action];
}

ActionMask to_canonical(const ActionMask& mask, int map) {
  const std::uint64_t others = mask.words[0] & ~std::uint64_t{0xFFFFFFFFu};
  return {{others | to_canonical(static_cast<std::uint32_t>(mask.words[0]), map), mask.words[1]}};
}

ActionMask from_canonical(const ActionMask& mask, int map) {
  const std::uint64_t others = mask.words[0] & ~std::uint64_t{0xFFFFFFFFu};
  return {{others | from_canonical(static_cast<std::uint32_t>(mask.words[0]), map), mask.words[1]}};
}

}  // namespace schafkopf
