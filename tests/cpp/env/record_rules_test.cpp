// Records of games under random rule sets over all switches, with special rounds, claims and
// infractions: JSON lines and text are exact inverses, and a replay rebuilds the game bit for bit.
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "env/record/record.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf {
namespace {

using Json = nlohmann::ordered_json;

/// A game and everything that was done in it.
struct DrawnGame {
  std::shared_ptr<const CompiledRules> rules;
  Deal deal;
  int dealer = 0;
  DealContext context;
  std::vector<Action> actions;
  std::set<Phase> phases;
  Game game;
  bool one_question = true;  // nobody doubled at a second question before the same card
};

/// Follows the questions of the doubling windows: a record says before which card a seat doubled,
/// not at which of two questions.
class Questions {
 public:
  void answer(const Game& game, Action action, DrawnGame& played) {
    if (game.phase() != Phase::kDouble) return;
    if (game.num_plays() != card_) silent_ = 0;
    card_ = game.num_plays();
    const unsigned seat = 1U << game.current_player();
    if (action == kActionNoDouble) {
      silent_ |= seat;
      return;
    }
    if ((silent_ & seat) != 0) played.one_question = false;
    silent_ = 0;
  }

 private:
  int card_ = -1;
  unsigned silent_ = 0;
};

Action wild_action(const Game& game, Rng& random) {
  const ActionMask mask = game.legal_actions();
  const bool claims = game.phase() == Phase::kPlay && random.next_below(60) == 0;
  if (claims && mask.contains(kActionClaimRest)) return kActionClaimRest;
  if (claims && mask.contains(kActionConcedeRest)) return kActionConcedeRest;
  // rare hands and answers that lead on
  for (const Action action : {kActionHzOffer1, kActionHzOffer2, kActionHzAccept}) {
    if (mask.contains(action) && random.next_below(4) != 0) return action;
  }
  return test::random_action(game, random);
}

DrawnGame drawn_game(std::uint64_t seed, int max_actions = 1000) {
  Rng random(seed);
  const RuleSet set = test::random_rules(seed);
  const auto rules = std::make_shared<const CompiledRules>(set, "random");
  const int dealer = random.next_below(rules->seats());
  const DealContext context = test::random_context(seed, set);
  const Deal deal = deal_for(seed, set, dealer, context);
  DrawnGame played{rules, deal, dealer, context, {}, {}, Game(*rules, deal, dealer, context)};
  Questions questions;
  const int infraction_at = random.next_below(4) == 0 ? random.next_below(40) : 1000;
  for (int i = 0; i < max_actions && !played.game.is_terminal(); ++i) {
    Game& game = played.game;
    played.phases.insert(game.phase());
    if (i >= infraction_at && game.phase() == Phase::kPlay && game.has_contract()) {
      game.infract(random.next_below(rules->seats()),
                   static_cast<Infraction>(1 + random.next_below(5)));
      if (game.is_terminal()) break;
    }
    const Action action = wild_action(game, random);
    questions.answer(game, action, played);
    game.apply(action);
    played.actions.push_back(action);
  }
  return played;
}

/// The same deal and actions; of a Zupf-Solo without a drawn card the number is not recorded.
Game same_game(const DrawnGame& played, const ReplayedGame& replayed) {
  Deal deal = played.deal;
  const bool drawn = played.phases.contains(Phase::kZupfGive);
  EXPECT_TRUE(!drawn || played.game.phase() == Phase::kZupfGive || replayed.deal.zupf == deal.zupf);
  deal.zupf = replayed.deal.zupf;
  Game game(*replayed.rules, deal, played.dealer, played.context);
  for (const Action action : played.actions) game.apply(action);
  if (played.game.infraction() != Infraction::kNone) {
    game.infract(played.game.offender(), played.game.infraction());
  }
  EXPECT_EQ(replayed.deal, deal);
  return game;
}

TEST(RecordRules, text_and_record_are_exact_inverses_at_every_moment) {
  const auto games = static_cast<std::uint64_t>(test::scaled(50, 200, 5000));
  for (std::uint64_t seed = 0; seed < games; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DrawnGame played = drawn_game(seed, static_cast<int>(seed * 7 % 60));
    GameRecord record = record_of(played.game, played.deal);
    record.session.queued = {{SpecialRound::kHadsch, 4}};
    record.session.round_position = 1;
    ASSERT_EQ(parse_record(to_json(record)), record) << to_json(record);
    const std::string text = to_text(record);
    ASSERT_EQ(parse_text(text), record) << text;
    ASSERT_EQ(to_text(parse_text(text)), text);
    const std::string shown = display(played.game);
    const std::string phase(phase_name(played.game.phase()));
    EXPECT_NE(shown.find(played.game.is_terminal() ? "over, payoffs: " : phase + ": seat "),
              std::string::npos)
        << shown;
  }
}

// G.8, H.4: eight Bocks run at most, and a last round that doubles comes on top of them.
TEST(RecordRules, R_177_nine_factors_of_a_session_are_replayed) {
  const auto rules = CompiledRules::load("official_1989");
  DealContext context;
  context.special_round = static_cast<std::uint8_t>(SpecialRound::kBock);
  context.games_left = 2;
  context.bock = 9;
  const Deal deal = random_deal(4);
  Game game(*rules, deal, 3, context);
  while (!game.is_terminal()) game.apply(without_claims(game.legal_actions()).lowest());
  const ReplayedGame replayed = replay_game(parse_record(to_json(record_of(game, deal))));
  EXPECT_EQ(replayed.game.payoffs(), game.payoffs());
  EXPECT_EQ(replayed.game.context().bock, 9);
}

TEST(RecordRules, a_game_that_stops_early_stops_there) {
  int stops = 0;
  const auto games = static_cast<std::uint64_t>(test::scaled(50, 200, 5000));
  for (std::uint64_t seed = 0; seed < games; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DrawnGame played = drawn_game(seed, static_cast<int>(seed * 7 % 60));
    const Game& game = played.game;
    // questions that are answered silently or by force are answered by the replay
    if (game.phase() == Phase::kDouble || game.phase() == Phase::kLegen) continue;
    if (game.legal_actions().count() == 1 || !played.one_question) continue;
    const ReplayedGame replayed = replay_game(record_of(game, played.deal));
    ASSERT_EQ(replayed.game.phase(), game.phase());
    ASSERT_EQ(replayed.game.serialize(), same_game(played, replayed).serialize());
    ++stops;
  }
  EXPECT_GT(stops, static_cast<int>(games / 4));
}

TEST(RecordRules, a_replay_under_random_rules_rebuilds_the_game_bit_for_bit) {
  std::set<Phase> phases;
  std::map<std::string, int> ends;
  int exact = 0;
  const auto games = static_cast<std::uint64_t>(test::scaled(100, 600, 20000));
  for (std::uint64_t seed = 0; seed < games; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DrawnGame played = drawn_game(seed);
    const GameRecord record = record_of(played.game, played.deal);
    ASSERT_EQ(parse_record(to_json(record)), record) << to_json(record);
    const ReplayedGame replayed = replay_game(record);
    ASSERT_EQ(replayed.game.settlement().payoffs, played.game.settlement().payoffs)
        << to_json(record);
    ASSERT_EQ(replayed.result.finished, true);
    if (played.one_question) {
      ASSERT_EQ(replayed.game.serialize(), same_game(played, replayed).serialize())
          << to_json(record);
      ++exact;
    }
    ASSERT_EQ(record_of(replayed.game, replayed.deal), record);
    phases.insert(played.phases.begin(), played.phases.end());
    ++ends[replayed.result.ended.substr(0, 10)];
  }
  EXPECT_GT(exact, static_cast<int>(games * 9 / 10));
  // a quick run misses the rarest ones
  EXPECT_GE(phases.size(),
            static_cast<std::size_t>(test::scaled(18, kNumPhases - 1, kNumPhases - 1)));
  for (const char* end : {"CLAIM_REST", "CONCEDE_RE", "INF_REVOKE", "thrown in"}) {
    EXPECT_GT(ends[end], 0) << end;
  }
}

}  // namespace
}  // namespace schafkopf
