// Engine against the slow reference under random house rules over all switches: any deck, number of
// players, contract, auction, special round, claims (RULES C-G as a whole). Its long form:
// ./run long. Each disagreement prints seed, rules, deal and history.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "tests/cpp/differential/differential_bridge.h"
#include "tests/cpp/support/parallel.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::test {
namespace {

constexpr int kDealsPerRules = 5;

/// Plays deals under one random rule set; returns what is wrong.
std::string play_under_random_rules(
    std::uint64_t seed, Coverage& coverage,
    void (*change)(reference::ReferenceRules&) = [](reference::ReferenceRules&) {}) {
  const RuleSet rules = random_rules(seed);
  const CompiledRules compiled(rules, "random");
  reference::Random random(seed);
  for (int number = 0; number < kDealsPerRules; ++number) {
    const std::uint64_t deal_seed = mix64(seed) + static_cast<unsigned>(number);
    const DealContext context = random_context(deal_seed, rules);
    const int dealer = reference::draw(random, seats_of(rules));
    const Deal deal = strange_deal(deal_seed, rules, dealer, context);
    const Game game(compiled, deal, dealer, context);
    reference::ReferenceRules switches = reference_rules(rules);
    change(switches);
    const reference::ReferenceGame slow(switches, reference_deal(deal, seats_of(rules)), dealer,
                                        reference_context(context));
    SideBySide both(game, slow);
    const bool agreed = both.play(random, number % 2 == 1);  // every second deal with offences
    coverage.phases.merge(std::set<std::string>(both.coverage().phases));
    coverage.contracts.merge(std::set<std::string>(both.coverage().contracts));
    coverage.claims += both.coverage().claims;
    coverage.offences += both.coverage().offences;
    coverage.forced += both.coverage().forced;
    if (agreed) continue;
    return "seed " + std::to_string(seed) + ", deal " + std::to_string(number) + " in round " +
           std::string(name_of(context.mode())) + " under " + to_string(rules) + "\n" +
           both.report();
  }
  return {};
}

TEST(DifferentialHouse, C_to_G_games_under_random_rules_agree_with_the_reference) {
  Coverage coverage;
  std::mutex mutex;
  const int games = scaled(1'000, 3'000, 100'000, 10'000'000);
  const std::string problem = for_blocks(games / kDealsPerRules, [&](int block) {
    Coverage own;
    std::string text = play_under_random_rules(static_cast<std::uint64_t>(block), own);
    const std::lock_guard lock(mutex);
    coverage.phases.merge(own.phases);
    coverage.contracts.merge(own.contracts);
    coverage.claims += own.claims;
    coverage.offences += own.offences;
    coverage.forced += own.forced;
    return text;
  });
  ASSERT_EQ(problem, "");  // what follows counts whole runs
  std::string seen;
  for (const std::string& phase : coverage.phases) seen += phase + ' ';
  for (const std::string& contract : coverage.contracts) seen += contract + ' ';
  RecordProperty("seen", seen);
  EXPECT_EQ(coverage.phases.size(), 22U) << seen;  // all of RULES D.1 but DONE
  EXPECT_GE(coverage.contracts.size(), 25U) << seen;
  EXPECT_GT(coverage.claims, games / 20);
  EXPECT_GT(coverage.offences, games / 20);
}

/// The comparison itself: a reference with one other switch must be noticed.
TEST(DifferentialHouse, J_a_reference_under_another_rule_disagrees) {
  using Change = void (*)(reference::ReferenceRules&);
  const Change changes[] = {
      [](reference::ReferenceRules& rules) { rules.tariff.schneider += 1; },
      [](reference::ReferenceRules& rules) { rules.tariff.ramsch += 1; },
      [](reference::ReferenceRules& rules) { rules.called_discard_window ^= 3; },
      [](reference::ReferenceRules& rules) { rules.kontra_takeover = !rules.kontra_takeover; },
      [](reference::ReferenceRules& rules) { rules.bauernhochzeit = !rules.bauernhochzeit; },
      [](reference::ReferenceRules& rules) { rules.muss_kontra = !rules.muss_kontra; },
      [](reference::ReferenceRules& rules) { rules.stock_owner += "x"; },
  };
  for (const Change& change : changes) {
    int disagreements = 0;
    for (std::uint64_t seed = 0; seed < 400 && disagreements == 0; ++seed) {
      Coverage coverage;
      disagreements += play_under_random_rules(seed, coverage, change).empty() ? 0 : 1;
    }
    EXPECT_GT(disagreements, 0) << "change " << &change - changes;
  }
}

}  // namespace
}  // namespace schafkopf::test
