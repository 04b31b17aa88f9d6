// Observation v4: the row of v3 as it is, and what a seat can prove from its view, held against what
// then happens and against the hidden hands.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "env/cards/card_map.h"
#include "env/game/game.h"
#include "env/rules/rule_fields.h"
#include "env/view/encoder.h"
#include "tests/cpp/support/observation_rows.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf {
namespace {

using test::kV3;
using test::kV4;
using test::row_of_view;
using test::section;
using Row = std::vector<std::uint8_t>;

/// The row of an acting seat by absolute cards, read by section.
class Reader {
 public:
  explicit Reader(const PlayerView& view) : row_(row_of_view({kV4, CardIndex::kAbsolute}, view)) {}
  [[nodiscard]] int number(std::string_view name, int index = 0) const {
    return row_[static_cast<std::size_t>(section(kV4, name).offset + index)];
  }
  [[nodiscard]] bool is(std::string_view name, int index) const { return number(name, index) != 0; }
  /// The 32 bits from an index on as cards.
  [[nodiscard]] CardSet cards(std::string_view name, int first = 0) const {
    CardSet set;
    for (int card = 0; card < kNumCards; ++card) {
      if (is(name, first + card)) set.add(static_cast<Card>(card));
    }
    return set;
  }

 private:
  Row row_;
};

Action any_action(const Game& game, Rng& random) {
  const ActionMask mask = without_claims(game.legal_actions());
  return mask.nth(random.next_below(mask.count()));
}

/// Every decision of card play of random deals under random rules, some with rules of the presets.
template <class Visit>
void for_each_decision(int rule_sets, Visit&& visit) {
  for (int set = 0; set < rule_sets; ++set) {
    const auto seed = static_cast<std::uint64_t>(set);
    const auto rules = set % 4 == 0
                           ? CompiledRules::load("research")
                           : std::make_shared<const CompiledRules>(test::random_rules(seed));
    const DealContext context =
        set % 4 == 0 ? DealContext{} : test::random_context(seed, rules->rules());
    Rng random(seed);
    const int dealer = set % rules->seats();
    Game game(*rules, deal_for(seed + 500, rules->rules(), dealer, context), dealer, context);
    while (!game.is_terminal()) {
      if (game.phase() == Phase::kPlay && game.has_contract()) {
        visit(game, random);
        if (testing::Test::HasFatalFailure()) return;
      }
      game.apply(any_action(game, random));
    }
  }
}

int relative_to(const Game& game, int viewer, int seat) {
  return (seat - viewer + game.seats()) % game.seats();
}

TEST(EncoderV4, begins_with_the_sections_of_v3_and_ends_with_the_rules) {
  const auto v3 = observation_sections(kV3), v4 = observation_sections(kV4);
  ASSERT_GT(v4.size(), v3.size());
  for (std::size_t i = 0; i + 1 < v3.size(); ++i) {
    EXPECT_EQ(v4[i].name, v3[i].name);
    EXPECT_EQ(v4[i].offset, v3[i].offset);
  }
  EXPECT_EQ(v4.back().name, "rules");
  EXPECT_EQ(v4.back().length, rule_feature_size(kV4));
  EXPECT_EQ(observation_size(kV3), 1594);
  EXPECT_EQ(observation_size(kV4), 1940);
}

TEST(EncoderV4, shows_what_v3_shows_and_nothing_more_outside_card_play) {
  const int first = section(kV4, "best_seat").offset, end = section(kV4, "rules").offset;
  for (int set = 0; set < test::scaled(100, 200, 2000); ++set) {
    const auto seed = static_cast<std::uint64_t>(set);
    const CompiledRules rules(test::random_rules(seed));
    std::vector<float> features(static_cast<std::size_t>(rule_feature_size(kV4)));
    write_rule_features(rules, kV4, features);
    const DealContext context = test::random_context(seed, rules.rules());
    Rng random(seed);
    const int dealer = set % rules.seats();
    Game game(rules, deal_for(seed + 500, rules.rules(), dealer, context), dealer, context);
    for (; !game.is_terminal(); game.apply(any_action(game, random))) {
      const PlayerView view = game.view(game.current_player());
      const Row v3 = row_of_view({kV3, CardIndex::kCanonical}, view, features);
      const Row v4 = row_of_view({kV4, CardIndex::kCanonical}, view, features);
      const auto added = std::span(v4).subspan(static_cast<std::size_t>(first),
                                               static_cast<std::size_t>(end - first));
      ASSERT_TRUE(std::equal(v4.begin(), v4.begin() + first, v3.begin()));
      ASSERT_TRUE(std::equal(v4.begin() + end, v4.end(), v3.begin() + first));
      const bool shows = std::ranges::any_of(added, [](std::uint8_t value) { return value != 0; });
      ASSERT_EQ(shows, game.phase() == Phase::kPlay && game.has_contract())
          << phase_name(game.phase());
    }
  }
}

TEST(EncoderV4, E_1_cards_that_take_the_trick_take_it) {
  std::map<std::string, int> met;
  for_each_decision(test::scaled(60, 200, 2000), [&](const Game& game, Rng&) {
    const int me = game.current_player();
    const PlayerView view = game.view(me);
    const Reader row(view);
    const bool leads = view.cards_on_table() == 0;
    ASSERT_EQ(row.cards("best_card").count(), leads ? 0 : 1);
    if (leads) {
      ASSERT_TRUE(row.cards("takes").empty());
    }
    if (view.cards_on_table() + 1 != game.seats()) return;  // who plays last sees what happens
    for (const Card card : CardSet(view.cards.legal)) {
      Game after = game;
      after.apply(card);
      int winner = 0;
      while (!after.captured(winner).contains(card)) ++winner;
      ASSERT_EQ(row.is("takes", card), winner == me) << card_name(card);
      ASSERT_EQ(row.is("sure", card), winner == me) << card_name(card);
      ASSERT_TRUE(winner == me || row.is("best_seat", relative_to(game, me, winner)));
      ++met[winner == me ? "mine" : "theirs"];
    }
  });
  EXPECT_GT(met["mine"], 100);
  EXPECT_GT(met["theirs"], 100);
}

TEST(EncoderV4, sure_cards_take_the_trick_however_the_others_play) {
  int tried = 0, early = 0;
  for_each_decision(test::scaled(60, 200, 2000), [&](const Game& game, Rng& random) {
    const int me = game.current_player();
    const PlayerView view = game.view(me);
    const CardSet sure = Reader(view).cards("sure");
    ASSERT_TRUE((sure - CardSet(view.cards.legal)).empty());
    for (const Card card : sure) {
      Game after = game;
      after.apply(card);
      const int trick = view.trick_number();
      while (!after.is_terminal() && after.num_plays() < (trick + 1) * after.seats()) {
        after.apply(any_action(after, random));
      }
      if (after.num_plays() < (trick + 1) * after.seats()) continue;  // ended before the cards did
      ASSERT_TRUE(after.captured(me).contains(card)) << card_name(card);
      ++tried;
      early += view.cards_on_table() + 1 < game.seats() ? 1 : 0;
    }
  });
  EXPECT_GT(tried, 300);
  EXPECT_GT(early, 100);
}

TEST(EncoderV4, who_cannot_hold_a_card_does_not_and_who_alone_can_does) {
  int lacking = 0, only = 0;
  for_each_decision(test::scaled(60, 200, 2000), [&](const Game& game, Rng&) {
    const int me = game.current_player();
    const Reader row(game.view(me));
    const CardSet unseen = row.cards("unseen");
    for (int seat = 0; seat < game.seats(); ++seat) {
      if (seat == me) continue;
      const int first = kNumCards * (relative_to(game, me, seat) - 1);
      const CardSet lacks = row.cards("lacks", first), alone = row.cards("only", first);
      const CardSet held = game.hand(seat);
      ASSERT_TRUE((lacks & held).empty());
      ASSERT_TRUE((alone - held).empty());
      ASSERT_TRUE(((lacks | alone) - unseen).empty());
      ASSERT_TRUE((lacks & alone).empty());
      lacking += lacks.count();
      only += alone.count();
    }
  });
  EXPECT_GT(lacking, 1000);
  EXPECT_GT(only, 100);
}

TEST(EncoderV4, proven_sides_are_those_of_the_hidden_hands) {
  std::array<int, 2> proven{};
  int open = 0;
  for_each_decision(test::scaled(60, 200, 2000), [&](const Game& game, Rng&) {
    const int me = game.current_player();
    const Reader row(game.view(me));
    const bool everyone = contract_row(game.contract().contract).parties == Parties::kEveryone;
    const unsigned party = game.full_view(me).declarer_party;
    for (int seat = 0; seat < game.seats(); ++seat) {
      const bool ours = row.is("sides", 2 * seat), theirs = row.is("sides", 2 * seat + 1);
      ASSERT_FALSE(ours && theirs);
      if (!ours && !theirs) {
        ++open;
        continue;
      }
      const bool same = seat == 0 || (!everyone && ((party >> seat) & 1u) == (party & 1u));
      ASSERT_EQ(ours, same) << seat;
      ++proven[ours ? 0 : 1];
      if (!row.is("best_seat", seat)) continue;
      ASSERT_EQ(row.is("best_side", 0), ours);
      ASSERT_EQ(row.is("best_side", 1), theirs);
    }
  });
  EXPECT_GT(proven[0], 300);
  EXPECT_GT(proven[1], 300);
  EXPECT_GT(open, 30);
}

TEST(EncoderV4, above_counts_unseen_cards_that_take_a_trick_of_the_suit) {
  int met = 0;
  for_each_decision(test::scaled(24, 80, 800), [&](const Game& game, Rng&) {
    const int me = game.current_player();
    const PlayerView view = game.view(me);
    if (view.cards_on_table() != 0) return;
    const Reader row(view);
    const Contract contract = game.contract();
    const int suit = view.cards.trump_suit;
    if (suit >= kNumSuits) return;  // trick_winner asks for a suit
    const RuleSet& rules = game.rules().rules();
    const CardSet unseen = row.cards("unseen");
    for (const Card card : CardSet(view.cards.hand)) {
      const std::array led = {card};
      const CardSet group = legal(CardSet::all() - CardSet::of(card), led, contract.contract,
                                  static_cast<Suit>(suit), kNoCard, true, rules);
      int above = 0;
      for (const Card other : unseen& group) {
        const std::array trick = {card, other};
        above += trick_winner(trick, contract.contract, static_cast<Suit>(suit), rules);
      }
      ASSERT_EQ(row.number("above", card), above) << card_name(card);
      met += above;
    }
  });
  EXPECT_GT(met, 500);
}

TEST(EncoderV4, reached_points_are_those_of_the_proven_parties) {
  int met = 0;
  for_each_decision(test::scaled(60, 200, 2000), [&](const Game& game, Rng&) {
    const int me = game.current_player();
    const Reader row(game.view(me));
    for (int side = 0; side < 2; ++side) {
      int points = 0;
      for (int seat = 0; seat < game.seats(); ++seat) {
        if (row.is("sides", 2 * seat + side)) points += row.number("points", seat);
      }
      constexpr std::array kNeeded = {30, 31, 60, 61, 90, 91};
      for (int i = 0; i < 6; ++i) {
        const bool reached = points >= kNeeded[static_cast<std::size_t>(i)];
        ASSERT_EQ(row.is("reached", 6 * side + i), reached) << points;
        met += reached ? 1 : 0;
      }
    }
  });
  EXPECT_GT(met, 300);
}

TEST(EncoderV4, cards_are_counted_by_the_map_and_floats_are_bytes_times_scale) {
  for_each_decision(test::scaled(40, 100, 1000), [&](const Game& game, Rng&) {
    const PlayerView view = game.view(game.current_player());
    const Row absolute = row_of_view({kV4, CardIndex::kAbsolute}, view);
    const Row canonical = row_of_view({kV4, CardIndex::kCanonical}, view);
    std::vector<float> floats(canonical.size());
    expand({kV4, CardIndex::kCanonical}, {&view.cards, &view.order, &view.events}, {},
           floats.data());
    for (const std::string_view name : {"best_seat", "best_card", "sides", "best_side", "takes",
                                        "sure", "above", "lacks", "only", "reached"}) {
      const Section& found = section(kV4, name);
      const bool of_cards = found.length % kNumCards == 0;
      for (int i = 0; i < found.length; ++i) {
        const int moved = of_cards ? i - i % kNumCards +
                                         to_canonical_action(static_cast<Action>(i % kNumCards),
                                                             view.order.card_map)
                                   : i;
        const auto from = static_cast<std::size_t>(found.offset + i);
        const auto to = static_cast<std::size_t>(found.offset + moved);
        ASSERT_EQ(canonical[to], absolute[from]) << name << " " << i;
        ASSERT_EQ(floats[to], static_cast<float>(canonical[to]) * found.scale) << name << " " << i;
      }
    }
  });
}

}  // namespace
}  // namespace schafkopf
