// Card play on a word of four lanes is bit-equal to four games with one word each: play.h asks
// nothing of its word type but the operators and functions below.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "env/cards/play.h"
#include "tests/cpp/differential/differential_bridge.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::test {
namespace {

constexpr std::size_t kLanes = 4;

/// Four 32-bit words that are worked on together.
struct Lanes {
  std::uint32_t lane[kLanes];
};

template <class Operation>
constexpr Lanes each(Operation operation) {
  Lanes result{};
  for (std::size_t i = 0; i < kLanes; ++i) result.lane[i] = operation(i);
  return result;
}

constexpr Lanes operator&(Lanes a, Lanes b) {
  return each([&](std::size_t i) { return a.lane[i] & b.lane[i]; });
}
constexpr Lanes operator|(Lanes a, Lanes b) {
  return each([&](std::size_t i) { return a.lane[i] | b.lane[i]; });
}
constexpr Lanes operator^(Lanes a, Lanes b) {
  return each([&](std::size_t i) { return a.lane[i] ^ b.lane[i]; });
}
constexpr Lanes operator+(Lanes a, Lanes b) {
  return each([&](std::size_t i) { return a.lane[i] + b.lane[i]; });
}
constexpr Lanes operator-(Lanes a, Lanes b) {
  return each([&](std::size_t i) { return a.lane[i] - b.lane[i]; });
}
constexpr Lanes operator~(Lanes a) {
  return each([&](std::size_t i) { return ~a.lane[i]; });
}
constexpr Lanes operator>>(Lanes a, int bits) {
  return each([&](std::size_t i) { return a.lane[i] >> bits; });
}

constexpr Lanes all_if(Lanes x) {
  return each([&](std::size_t i) { return schafkopf::all_if(x.lane[i]); });
}
constexpr Lanes all_equal(Lanes a, Lanes b) {
  return each([&](std::size_t i) { return schafkopf::all_equal(a.lane[i], b.lane[i]); });
}
constexpr Lanes all_at_least(Lanes a, Lanes b) {
  return each([&](std::size_t i) { return schafkopf::all_at_least(a.lane[i], b.lane[i]); });
}
constexpr Lanes count(Lanes x) {
  return each([&](std::size_t i) { return schafkopf::count(x.lane[i]); });
}
constexpr Lanes word_like(Lanes, std::uint32_t value) {
  return each([&](std::size_t) { return value; });
}
constexpr bool any(Lanes x) { return (x.lane[0] | x.lane[1] | x.lane[2] | x.lane[3]) != 0; }
constexpr Lanes pick(const Lanes (&words)[4], Lanes seat) {
  return each([&](std::size_t i) { return words[seat.lane[i]].lane[i]; });
}
constexpr void change(Lanes (&words)[4], Lanes seat, Lanes off, Lanes on) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    std::uint32_t& word = words[seat.lane[i]].lane[i];
    word = (word & ~off.lane[i]) | on.lane[i];
  }
}

using OneState = PlayState<std::uint32_t>;
using LaneState = PlayState<Lanes>;
constexpr std::size_t kWords = sizeof(OneState) / sizeof(std::uint32_t);
using OneWords = std::array<std::uint32_t, kWords>;
using LaneWords = std::array<std::array<std::uint32_t, kLanes>, kWords>;
static_assert(sizeof(LaneWords) == sizeof(LaneState));

LaneState together(const std::array<OneState, kLanes>& games) {
  LaneWords words{};
  for (std::size_t i = 0; i < kLanes; ++i) {
    const auto one = std::bit_cast<OneWords>(games[i]);
    for (std::size_t w = 0; w < kWords; ++w) words[w][i] = one[w];
  }
  return std::bit_cast<LaneState>(words);
}

bool same(const LaneState& lanes, const std::array<OneState, kLanes>& games) {
  return std::bit_cast<LaneWords>(lanes) == std::bit_cast<LaneWords>(together(games));
}

/// Four deals of four contracts under four sets of house rules.
std::array<OneState, kLanes> random_games(reference::Random& random,
                                          const std::vector<BothRules>& rule_sets) {
  const char* const names[] = {"RUF", "SOLO", "WENZ", "RAMSCH"};
  std::array<OneState, kLanes> games{};
  const int first = reference::draw(random, 4);
  for (std::size_t i = 0; i < kLanes; ++i) {
    const BothRules& rules = reference::pick(random, rule_sets);
    std::vector<reference::Cards> hands;
    const reference::FixedContract fixed = reference::random_contract(
        random, rules.reference, names[(static_cast<std::size_t>(first) + i) % 4], false, hands);
    games[i] = Game::with_contract(*rules.engine, deal_of(hands), reference::draw(random, 4),
                                   contract_of(fixed))
                   .play_state();
  }
  return games;
}

TEST(Lanes, E_1_E_3_four_lanes_play_like_four_games) {
  reference::Random random(41);
  std::vector<BothRules> rule_sets;
  for (int i = 0; i < 20; ++i) {
    rule_sets.push_back(random_both_rules(random, {"RUF", "SOLO", "WENZ"}));
  }
  const int rounds = scaled(500, 5'000, 50'000);
  for (int round = 0; round < rounds; ++round) {
    std::array<OneState, kLanes> games = random_games(random, rule_sets);
    LaneState lanes = together(games);
    for (int ply = 0; ply < 32; ++ply) {
      const Lanes legal = legal_cards(lanes);
      Lanes cards{};
      for (std::size_t i = 0; i < kLanes; ++i) {
        ASSERT_EQ(legal.lane[i], legal_cards(games[i])) << "lane " << i << ", ply " << ply;
        const ActionMask mask = ActionMask::cards(legal.lane[i]);
        cards.lane[i] = CardSet::of(mask.nth(reference::draw(random, mask.count()))).bits();
        play_card(games[i], cards.lane[i]);
      }
      play_card(lanes, cards);
      ASSERT_TRUE(same(lanes, games)) << "round " << round << ", ply " << ply;
    }
  }
}

}  // namespace
}  // namespace schafkopf::test
