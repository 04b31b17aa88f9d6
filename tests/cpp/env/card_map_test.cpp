// Contract-relative card indices: permutations, inverses, and the symmetries that they remove.
#include "env/cards/card_map.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

#include "env/base/random.h"
#include "env/cards/contract.h"

namespace schafkopf {
namespace {

CardSet trump_ranks(const ContractRow& row) {
  return trumps_of(row, Suit::kEichel) & trumps_of(row, Suit::kGras);
}

std::string canonical(std::string_view cards, int map) {
  return to_string(CardSet(to_canonical(parse_cards(cards).bits(), map)));
}

/// Plain cards (those of no trump rank) of suit s become those of suit names[s].
std::uint32_t rename_plain(std::uint32_t cards, CardSet ranks, const std::array<int, 4>& names) {
  std::uint32_t renamed = cards & ranks.bits();
  for (const Card card : CardSet(cards) - ranks) {
    renamed |= 1u << (8 * names[card >> 3] + (card & 7));
  }
  return renamed;
}

TEST(CardMap, every_row_is_a_permutation_and_from_is_its_inverse) {
  ASSERT_EQ(card_maps().size(), static_cast<std::size_t>(num_card_maps()) * kNumCards);
  std::set<std::array<std::uint8_t, kNumCards>> rows;
  for (int map = 0; map < num_card_maps(); ++map) {
    std::array<std::uint8_t, kNumCards> row{};
    std::uint32_t seen = 0;
    for (int card = 0; card < kNumCards; ++card) {
      const auto action = static_cast<Action>(card);
      const std::uint8_t target = card_maps()[static_cast<std::size_t>(map * kNumCards + card)];
      row[static_cast<std::size_t>(card)] = target;
      seen |= 1u << target;
      EXPECT_EQ(to_canonical(1u << card, map), 1u << target) << map;
      EXPECT_EQ(from_canonical(1u << target, map), 1u << card) << map;
      EXPECT_EQ(to_canonical_action(action, map), target);
      EXPECT_EQ(from_canonical_action(target, map), action);
    }
    EXPECT_EQ(seen, 0xFFFFFFFFu) << map;
    rows.insert(row);
  }
  EXPECT_EQ(rows.size(), 24u + 5u * 23u);  // the identity is there once per structure
}

TEST(CardMap, map_0_is_the_identity_and_other_actions_stay) {
  EXPECT_EQ(to_canonical(0x12345678u, 0), 0x12345678u);
  for (int action = kNumCards; action < kNumActions; ++action) {
    EXPECT_EQ(to_canonical_action(static_cast<Action>(action), 77), action);
    EXPECT_EQ(from_canonical_action(static_cast<Action>(action), 77), action);
  }
  ActionMask mask = ActionMask::cards(parse_cards("EA").bits());
  mask.add(kActionPass);
  mask.add(kLastContractAction);
  const int map = choose_card_map(CardSet(), 4, 4, parse_cards("SA S10 EK"));
  const ActionMask moved = to_canonical(mask, map);
  EXPECT_TRUE(moved.contains(kActionPass) && moved.contains(kLastContractAction));
  EXPECT_EQ(moved.count(), 3);
  EXPECT_TRUE(moved.contains(to_canonical_action(*parse_action("EA"), map)));
}

TEST(CardMap, trump_suit_comes_first_then_the_called_suit_then_the_longer_holding) {
  const CardSet ranks = trump_ranks(contract_row(ContractClass::kRuf));
  const int map = choose_card_map(ranks, 2, 3, parse_cards("EO SU HA H9 S7 GA EK E9"));
  EXPECT_EQ(canonical("EO SU", map), "EO SU");
  EXPECT_EQ(canonical("HA H10 HK H9 H8 H7", map),
            canonical("HA", map) == "EA" ? "E7 E8 E9 EK E10 EA" : "");
  EXPECT_EQ(canonical("S7 SA", map), "G7 GA");
  EXPECT_EQ(canonical("GA", map), "HA");  // an ace sorts before King and 9
  EXPECT_EQ(canonical("EK E9", map), "S9 SK");
}

TEST(CardMap, wenz_moves_the_ober_with_its_suit) {
  const CardSet ranks = trump_ranks(contract_row(ContractClass::kWenz));
  const int map = choose_card_map(ranks, 4, 4, parse_cards("GU SA SO E10 EO"));
  EXPECT_EQ(canonical("GU", map), "GU");
  EXPECT_EQ(canonical("SA SO", map), "EO EA");
  EXPECT_EQ(canonical("E10 EO", map), "GO G10");
}

TEST(CardMap, renaming_plain_suits_gives_the_same_canonical_cards) {
  Rng rng(7);
  for (const ContractRow& row : contract_table()) {
    const CardSet ranks = trump_ranks(row);
    for (int round = 0; round < 200; ++round) {
      std::uint32_t hand = 0;
      while (std::popcount(hand) < 8) hand |= 1u << rng.next_below(kNumCards);
      std::array<int, 4> names = {0, 1, 2, 3};
      for (int i = 3; i > 0; --i)
        std::swap(names[static_cast<std::size_t>(i)],
                  names[static_cast<std::size_t>(rng.next_below(i + 1))]);
      const int trump = row.trump_suit == TrumpSuit::kNone ? 4 : rng.next_below(4);
      int called = row.parties == Parties::kCalledCard ? rng.next_below(4) : 4;
      if (called == trump) called = 4;
      const auto renamed = [&](int suit) {
        return suit == 4 ? 4 : names[static_cast<std::size_t>(suit)];
      };
      const int map = choose_card_map(ranks, trump, called, CardSet(hand));
      const std::uint32_t other = rename_plain(hand, ranks, names);
      const int other_map = choose_card_map(ranks, renamed(trump), renamed(called), CardSet(other));
      EXPECT_EQ(to_canonical(hand, map), to_canonical(other, other_map)) << row.name;
      // suits with different cards in the hand have one place: everything else moves along too
      std::set<std::uint32_t> suits;
      for (int s = 0; s < 4; ++s) suits.insert(((hand & ~ranks.bits()) >> (8 * s)) & 0xFFu);
      if (suits.size() < 4) continue;
      for (int card = 0; card < kNumCards; ++card) {
        EXPECT_EQ(to_canonical(1u << card, map),
                  to_canonical(rename_plain(1u << card, ranks, names), other_map));
      }
    }
  }
}

TEST(CardMap, cards_that_are_not_trump_in_every_suit_keep_their_rank) {
  for (int map = 0; map < num_card_maps(); ++map) {
    for (int card = 0; card < kNumCards; ++card) {
      EXPECT_EQ(card_maps()[static_cast<std::size_t>(map * kNumCards + card)] & 7, card & 7);
    }
  }
}

}  // namespace
}  // namespace schafkopf
