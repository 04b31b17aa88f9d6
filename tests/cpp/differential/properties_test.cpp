// What must hold in every deal: it does not matter who sits where, nor which of two equal suits is
// which; every card is played once and the points are 120; bytes rebuild a game at any moment; an
// endgame goes on like the deal it was taken from.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "tests/cpp/differential/differential_bridge.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::test {
namespace {

std::vector<BothRules> random_rule_sets(int number) {
  reference::Random random(31);
  std::vector<BothRules> list;
  while (static_cast<int>(list.size()) < number) {
    list.push_back(random_both_rules(random, {"RUF", "SOLO", "WENZ"}));
  }
  return list;
}

/// The deal with every seat moved on by `places`.
Deal rotated(const Deal& deal, int places) {
  Deal result;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const auto from = static_cast<std::size_t>(seat);
    const auto to = static_cast<std::size_t>((seat + places) % kNumSeats);
    result.first[to] = deal.first[from];
    result.second[to] = deal.second[from];
  }
  return result;
}

/// Views of corresponding seats are equal but for the absolute seat number.
bool same_view(const Game& game, const Game& moved, int places) {
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const PlayerView left = game.view(seat);
    PlayerView right = moved.view((seat + places) % kNumSeats);
    right.cards.seat_trick =
        static_cast<std::uint8_t>((right.cards.seat_trick & ~3) | (left.cards.seat_trick & 3));
    if (std::memcmp(&left, &right, sizeof(left)) != 0) return false;
  }
  return true;
}

TEST(Properties, seats_can_be_renumbered) {
  Rng random(1);
  const auto rules = random_rule_sets(20);
  const int deals = scaled(200, 4'000, 40'000);
  for (int i = 0; i < deals; ++i) {
    const CompiledRules& house = *rules[static_cast<std::size_t>(i) % rules.size()].engine;
    const Deal deal = random_deal(random.next());
    const int dealer = random.next_below(4), places = 1 + random.next_below(3);
    Game game(house, deal, dealer), moved(house, rotated(deal, places), (dealer + places) % 4);
    while (!game.is_terminal()) {
      ASSERT_EQ((game.current_player() + places) % 4, moved.current_player());
      ASSERT_EQ(game.legal_actions(), moved.legal_actions());
      ASSERT_TRUE(same_view(game, moved, places));
      const Action action = random_action(game, random);
      game.apply_unchecked(action);
      moved.apply_unchecked(action);
    }
    ASSERT_TRUE(moved.is_terminal());
    for (int seat = 0; seat < kNumSeats; ++seat) {
      ASSERT_EQ(game.payoffs()[static_cast<std::size_t>(seat)],
                moved.payoffs()[static_cast<std::size_t>((seat + places) % 4)]);
    }
  }
}

/// Exchanges the plain cards of equal suits; trumps stay.
struct SuitMap {
  std::array<int, kNumSuits> to = {0, 1, 2, 3};
  CardSet trumps;

  [[nodiscard]] Card operator()(Card card) const {
    if (trumps.contains(card)) return card;
    return static_cast<Card>(8 * to[static_cast<std::size_t>(card >> 3)] + (card & 7));
  }
  [[nodiscard]] CardSet operator()(CardSet set) const {
    CardSet result;
    for (const Card card : set) result.add((*this)(card));
    return result;
  }
};

/// Random permutation of the suits that are no trump suit.
SuitMap random_suit_map(CardSet trumps, Rng& random) {
  SuitMap map;
  map.trumps = trumps;
  std::vector<int> plain;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    if (!trumps.contains(make_card(static_cast<Suit>(suit), Rank::kAss))) plain.push_back(suit);
  }
  std::vector<int> images = plain;
  for (std::size_t i = images.size(); i > 1; --i) {
    std::swap(images[i - 1],
              images[static_cast<std::size_t>(random.next_below(static_cast<int>(i)))]);
  }
  for (std::size_t i = 0; i < plain.size(); ++i) {
    map.to[static_cast<std::size_t>(plain[i])] = images[i];
  }
  return map;
}

void expect_plain_suits_equal(const std::string& name, reference::Random& deals, Rng& random,
                              const BothRules& rules) {
  std::vector<reference::Cards> hands;
  const reference::FixedContract fixed =
      reference::random_contract(deals, rules.reference, name, false, hands);
  Contract contract = contract_of(fixed);
  const Deal deal = deal_of(hands);
  Game game = Game::with_contract(*rules.engine, deal, 0, contract);
  const SuitMap map = random_suit_map(CardSet(game.play_state().trumps), random);
  Deal image;
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    image.first[seat] = map(deal.first[seat]);
    image.second[seat] = map(deal.second[seat]);
  }
  if (contract.called != kNoCard) contract.called = map(contract.called);
  Game other = Game::with_contract(*rules.engine, image, 0, contract);
  while (!game.is_terminal()) {
    ASSERT_EQ(game.phase(), other.phase());
    ASSERT_EQ(game.current_player(), other.current_player());
    Action action = random_action(game, random);
    if (game.phase() == Phase::kPlay) {
      const CardSet legal(static_cast<std::uint32_t>(game.legal_actions().words[0]));
      ASSERT_EQ(map(legal).bits(), without_claims(other.legal_actions()).words[0]) << name;
      game.apply_unchecked(action);
      action = map(action);
    } else {
      game.apply_unchecked(action);
    }
    other.apply_unchecked(action);
  }
  ASSERT_EQ(game.payoffs(), other.payoffs()) << name;
}

TEST(Properties, E_1_plain_suits_are_equal_among_each_other) {
  Rng random(2);
  reference::Random deals(2);
  const auto rules = random_rule_sets(20);
  const int number = scaled(100, 2'000, 20'000);
  for (int i = 0; i < number; ++i) {
    for (const char* name : {"RUF", "SOLO", "WENZ", "RAMSCH"}) {
      expect_plain_suits_equal(name, deals, random, rules[static_cast<std::size_t>(i) % 20]);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(Properties, A_3_every_card_is_played_once_and_the_points_are_120) {
  Rng random(3);
  const auto rules = random_rule_sets(20);
  const int deals = scaled(200, 5'000, 50'000);
  int played_out = 0;
  for (int i = 0; i < deals; ++i) {
    Game game(*rules[static_cast<std::size_t>(i) % 20].engine, random_deal(random.next()), i % 4);
    while (!game.is_terminal()) {
      game.apply_unchecked(random_action(game, random));
      game.check_invariants();
    }
    int points = 0;
    CardSet captured;
    std::int32_t paid = 0;
    for (int seat = 0; seat < kNumSeats; ++seat) {
      ASSERT_TRUE((captured & game.captured(seat)).empty());
      captured = captured | game.captured(seat);
      points += points_of(game.captured(seat));
      paid += game.payoffs()[static_cast<std::size_t>(seat)];
    }
    ASSERT_EQ(paid, 0);
    ASSERT_EQ(captured.count(), game.num_plays());
    if (game.num_plays() < 32) continue;
    ++played_out;
    ASSERT_EQ(points, kTotalPoints);
  }
  EXPECT_GT(played_out, deals / 4);
}

TEST(Properties, bytes_rebuild_a_game_at_every_decision) {
  Rng random(4);
  const auto rules = random_rule_sets(10);
  const int deals = scaled(30, 300, 3'000);
  for (int i = 0; i < deals; ++i) {
    const CompiledRules& house = *rules[static_cast<std::size_t>(i) % 10].engine;
    Game game(house, random_deal(random.next()), i % 4);
    Game twin = game;
    while (!game.is_terminal()) {
      const std::vector<std::uint8_t> bytes = game.serialize();
      twin = Game::deserialize(house, bytes);
      ASSERT_EQ(twin.serialize(), bytes);
      ASSERT_EQ(twin.legal_actions(), game.legal_actions());
      ASSERT_TRUE(same_view(game, twin, 0));
      const Action action = random_action(game, random);
      game.apply_unchecked(action);
      twin.apply_unchecked(action);
      ASSERT_EQ(twin.serialize(), game.serialize());
    }
    ASSERT_EQ(twin.payoffs(), game.payoffs());
  }
}

/// The rest of a deal as an endgame: same cards, tricks and parties.
Position position_of(const Game& game) {
  Position position;
  position.contract = game.contract();
  for (int seat = 0; seat < kNumSeats; ++seat) {
    position.hands[static_cast<std::size_t>(seat)] = game.hand(seat);
    position.captured[static_cast<std::size_t>(seat)] = game.captured(seat);
    const bool in_party = ((game.declarer_party() >> seat) & 1) != 0;
    if (in_party && seat != game.contract().declarer) position.partner = seat;
  }
  position.leader = game.current_player();
  position.dealer = game.dealer();
  return position;
}

TEST(Properties, an_endgame_goes_on_like_the_deal_it_was_taken_from) {
  Rng random(5);
  reference::Random deals(5);
  const auto rules = random_rule_sets(20);
  const int number = scaled(50, 1'000, 10'000);
  for (int i = 0; i < number; ++i) {
    for (const char* name : {"RUF", "SOLO", "WENZ", "RAMSCH"}) {
      const BothRules& house = rules[static_cast<std::size_t>(i) % 20];
      std::vector<reference::Cards> hands;
      const reference::FixedContract fixed =
          reference::random_contract(deals, house.reference, name, false, hands);
      Game game = Game::with_contract(*house.engine, deal_of(hands), 0, contract_of(fixed));
      const int cards = 4 * (1 + random.next_below(7));
      while (game.num_plays() < cards) game.apply_unchecked(random_action(game, random));
      if (game.partner_known() && fixed.called_card != reference::kNoCalledCard &&
          game.contract().called != kNoCard && game.play_state().bound == 0 &&
          (game.hand(0) | game.hand(1) | game.hand(2) | game.hand(3))
              .contains(game.contract().called)) {
        continue;  // the owner has run away: an endgame has no history to say so
      }
      Position position = position_of(game);
      const bool ace_is_out = game.play_state().bound == 0;
      if (!ace_is_out) position.partner = -1;  // still to be found out from the hands
      Game endgame = Game::from_position(*house.engine, position);
      while (!game.is_terminal()) {
        ASSERT_EQ(endgame.current_player(), game.current_player()) << name;
        ASSERT_EQ(endgame.legal_actions(), game.legal_actions()) << name;
        const Action action = random_action(game, random);
        game.apply_unchecked(action);
        endgame.apply_unchecked(action);
      }
      ASSERT_TRUE(endgame.is_terminal());
      ASSERT_EQ(endgame.outcome().points, game.outcome().points);
      ASSERT_EQ(endgame.declarer_party(), game.declarer_party());
    }
  }
}

}  // namespace
}  // namespace schafkopf::test
