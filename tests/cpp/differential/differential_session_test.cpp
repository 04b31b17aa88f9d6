// Sessions of the engine against the slow reference: dealers, accounts, Stock, kitty, Bock and
// special rounds after every deal, under random rules (RULES C.20, G.7-G.9, H).
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "env/session/session.h"
#include "tests/cpp/differential/differential_rules.h"
#include "tests/cpp/reference/reference_session.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::test {
namespace {

reference::SessionRules session_rules(const RuleSet& rules) {
  reference::SessionRules slow;
  slow.players = rules.players;
  slow.scale = rules.tariff.scale;
  slow.all_pass = detail::text(rules.all_pass);
  slow.thrown_in_counts = rules.thrown_in_counts;
  for (int i = 0; i < kNumValues<RoundEvent>; ++i) {
    const auto event = static_cast<RoundEvent>(i);
    if (rules.bock_triggers.contains(event)) slow.bock_triggers.insert(detail::text(event));
    const SpecialRound mode = rules.special_round_triggers[static_cast<std::size_t>(i)];
    if (mode != SpecialRound::kNone) {
      slow.special_round_triggers[detail::text(event)] = detail::text(mode);
    }
  }
  slow.bock_length = detail::text(rules.bock_length);
  slow.bock_stacking = detail::text(rules.bock_stacking);
  slow.special_round = detail::text(rules.special_round);
  slow.special_round_games = rules.special_round_games;
  slow.session_tables = rules.session_tables;
  slow.session_rounds = rules.session_rounds;
  slow.last_round_dealer_old_one = rules.last_round_dealer_old_one;
  slow.last_round_mode = detail::text(rules.last_round_mode);
  slow.participation_bonus = rules.participation_bonus;
  slow.participation_min_games = rules.participation_min_games;
  return slow;
}

reference::FinishedDeal finished(const Game& game) {
  const Outcome outcome = game.outcome();
  const Settlement settlement = game.settlement();
  reference::FinishedDeal deal;
  const auto seats = static_cast<std::size_t>(game.seats());
  for (std::size_t seat = 0; seat < seats; ++seat) {
    deal.payoffs.push_back(settlement.payoffs[seat]);
    deal.stock_payoffs.push_back(settlement.stock_payoffs[seat]);
    const bool declarer = ((outcome.declarer_party >> seat) & 1) != 0;
    (declarer ? deal.declarer_points : deal.opponent_points) += outcome.points[seat];
    const int index = static_cast<int>(seat);
    if (game.start_hand(index).contains(*parse_card("EO"))) deal.eichel_ober = index;
  }
  deal.reuegeld = settlement.reuegeld;
  deal.thrown_in = outcome.thrown_in;
  deal.all_passed = outcome.all_passed;
  deal.level = outcome.level;
  deal.won = settlement.won;
  deal.schwarz = settlement.schwarz_paid;
  if (outcome.thrown_in) return deal;
  deal.contract = detail::text(outcome.contract.contract);
  deal.tout = outcome.contract.tout;
  deal.suit = name_of(outcome.contract.suit)[0];
  deal.declarer = outcome.contract.declarer;
  return deal;
}

/// Differences between the two sides before a deal, or none.
std::string differences(const Session& session, const reference::ReferenceSession& slow) {
  std::string text;
  const auto compare = [&](const std::string& what, long engine, long reference) {
    if (engine != reference) {
      text += what + ": engine " + std::to_string(engine) + ", reference " +
              std::to_string(reference) + "\n";
    }
  };
  compare("over", session.is_over(), slow.is_over());
  for (std::size_t place = 0; place < slow.totals().size(); ++place) {
    compare("account " + std::to_string(place), session.totals()[place], slow.totals()[place]);
  }
  compare("stock", session.stock(), slow.stock());
  compare("kitty", session.kitty(), slow.kitty());
  if (slow.is_over()) return text;
  compare("dealer", session.dealer(), slow.dealer());
  const DealContext& context = session.state().context;
  compare("bock", context.bock, slow.bock());
  const std::string mode = detail::text(context.mode());
  if (mode != slow.special_round()) {
    text += "round: engine " + mode + ", reference " + slow.special_round() + "\n";
  }
  const reference::ReferenceContext owed = reference_context(context);
  for (int seat = 0; seat < seats_of(session.rules().rules()); ++seat) {
    const auto index = static_cast<std::size_t>(seat);
    if (mode == "allgaeuer" && owed.owed[index] != slow.owed(slow.place_of(seat))) {
      text += "debts of seat " + std::to_string(seat) + "\n";
    }
  }
  return text;
}

/// A deal in one line: its round, game and events.
std::string logged(const reference::FinishedDeal& deal, const Session& session) {
  const DealContext& context = session.state().context;
  std::string text = "  deal by " + std::to_string(session.dealer()) + " in " +
                     detail::text(context.mode()) + ", bock " + std::to_string(context.bock) +
                     ": " + (deal.thrown_in ? "thrown in" : deal.contract) + ", ";
  for (const std::string& event : reference::events_of(deal)) text += event + ' ';
  return text + '\n';
}

/// Plays a session; returns what is wrong.
std::string play_session(std::uint64_t seed) {
  RuleSet rules = random_rules(seed);
  Rng random(seed);
  rules.session_tables = 1 + random.next_below(2);
  rules.session_rounds = 1 + random.next_below(4);
  rules.special_round_games = random.next_below(2) == 0 ? 0 : 1 + random.next_below(6);
  const auto compiled = std::make_shared<const CompiledRules>(checked(rules), "random");
  Session session(compiled, seed);
  reference::ReferenceSession slow(session_rules(compiled->rules()), session.dealer());
  std::string log;
  while (true) {
    const std::string text = differences(session, slow);
    if (!text.empty()) {
      return "seed " + std::to_string(seed) + " before deal " + std::to_string(slow.num_deals()) +
             "\n" + log + text + to_string(compiled->rules());
    }
    if (session.is_over() || slow.bock() >= kMaxBocks) return {};  // the engine's limit
    Game game = session.next_game();
    while (!game.is_terminal()) {
      const ActionMask mask = without_claims(game.legal_actions());
      const bool pass = mask.contains(kActionPass) && random.next_below(2) == 0;
      game.apply(pass ? kActionPass : mask.nth(random.next_below(mask.count())));
    }
    log += logged(finished(game), session);
    slow.finish(finished(game));
    session.finish(game);
  }
}

TEST(DifferentialSession, G_8_H_random_sessions_agree_with_the_reference) {
  const int count = scaled(200, 1'000, 10'000, 200'000);
  for (int number = 0; number < count; ++number) {
    ASSERT_EQ(play_session(static_cast<std::uint64_t>(number)), "");
  }
}

}  // namespace
}  // namespace schafkopf::test
