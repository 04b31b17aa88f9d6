// Engine against the slow reference on random deals: legal actions and actor at every decision,
// winners, points, parties and payoffs (RULES C-G as a whole). Each disagreement prints seed, deal
// and history.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "tests/cpp/differential/differential_bridge.h"
#include "tests/cpp/support/parallel.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::test {
namespace {

using reference::Random;
using reference::ReferenceGame;

constexpr int kDealsPerBlock = 250;  // under one random set of house rules

int blocks_of(int deals) { return (deals + kDealsPerBlock - 1) / kDealsPerBlock; }

/// Plays one block of deals of a given contract; returns what is wrong.
std::string play_contract_block(const std::string& name, bool tout, int deals, std::uint64_t seed) {
  Random random(seed);
  BothRules rules = random_both_rules(random, {"RUF", "SOLO", "WENZ"});
  while (name == "SIE" && !rules.reference.sie_enabled) {
    rules = random_both_rules(random, {"RUF", "SOLO", "WENZ"});
  }
  for (int deal = 0; deal < deals; ++deal) {
    std::vector<reference::Cards> hands;
    reference::FixedContract fixed =
        reference::random_contract(random, rules.reference, name, tout, hands);
    fixed.with_doubling = true;
    const int dealer = reference::draw(random, 4);
    const Game game =
        Game::with_contract(*rules.engine, deal_of(hands), dealer, contract_of(fixed));
    const ReferenceGame slow(rules.reference, hands, dealer, fixed);
    SideBySide both(game, slow);
    if (both.play(random)) continue;
    return "seed " + std::to_string(seed) + ", deal " + std::to_string(deal) + " under " +
           to_string(rules.engine->rules()) + "\n" + both.report();
  }
  return {};
}

std::string play_contract(const std::string& name, bool tout, int deals) {
  return for_blocks(blocks_of(deals), [&](int block) {
    const std::uint64_t seed = 1'000'000U * static_cast<unsigned>(name[0]) +
                               (tout ? 500'000U : 0U) + static_cast<unsigned>(block);
    return play_contract_block(name, tout, kDealsPerBlock, seed);
  });
}

TEST(Differential, E_G_RUF_agrees_with_the_reference) {
  EXPECT_EQ(play_contract("RUF", false, scaled(1'000, 6'000, 200'000, 1'000'000)), "");
}
TEST(Differential, E_G_SOLO_agrees_with_the_reference) {
  EXPECT_EQ(play_contract("SOLO", false, scaled(1'000, 6'000, 200'000, 1'000'000)), "");
}
TEST(Differential, E_G_WENZ_agrees_with_the_reference) {
  EXPECT_EQ(play_contract("WENZ", false, scaled(1'000, 6'000, 200'000, 1'000'000)), "");
}
TEST(Differential, C_6_RAMSCH_agrees_with_the_reference) {
  EXPECT_EQ(play_contract("RAMSCH", false, scaled(1'000, 6'000, 200'000, 1'000'000)), "");
}
TEST(Differential, C_18_SOLO_TOUT_agrees_with_the_reference) {
  EXPECT_EQ(play_contract("SOLO", true, scaled(1'000, 6'000, 100'000)), "");
}
TEST(Differential, C_18_WENZ_TOUT_agrees_with_the_reference) {
  EXPECT_EQ(play_contract("WENZ", true, scaled(1'000, 6'000, 100'000)), "");
}
TEST(Differential, C_19_SIE_agrees_with_the_reference) {
  EXPECT_EQ(play_contract("SIE", false, scaled(1'000, 3'000, 50'000)), "");
}

/// What the random auctions of a test have led to: a test that sees nothing must not pass.
struct Tally {
  std::array<std::atomic<int>, 32> contracts{};  // by class
  std::atomic<int> touts{0}, thrown_in{0}, doubled{0};
};

/// One deal with everything from the auction on. Every fourth deal gives one seat all Ober and
/// Unter, so that SIE can be named.
std::string play_auction_block(const std::string& style, std::uint64_t seed, Tally& seen) {
  Random random(seed);
  BothRules rules = random_both_rules(random, {});
  while (rules.reference.auction_style != style) rules = random_both_rules(random, {});
  for (int deal = 0; deal < kDealsPerBlock; ++deal) {
    const int dealer = reference::draw(random, 4);
    const std::vector<reference::Cards> hands =
        deal % 4 == 3 ? reference::sie_hands(random, reference::draw(random, 4))
                      : reference::random_hands(random);
    const Game game(*rules.engine, deal_of(hands), dealer);
    const ReferenceGame slow(rules.reference, hands, dealer);
    SideBySide both(game, slow);
    const bool agreed = both.play(random);
    const Game& end = both.engine();
    if (!agreed) {
      return "seed " + std::to_string(seed) + ", deal " + std::to_string(deal) + " under " +
             to_string(rules.engine->rules()) + "\n" + both.report();
    }
    for (int i = 0; i < end.num_events(); ++i) {
      if (end.event(i).action == kActionDouble) ++seen.doubled;
    }
    if (!end.has_contract()) {
      ++seen.thrown_in;
      continue;
    }
    ++seen.contracts[static_cast<std::size_t>(end.contract().contract)];
    if (end.contract().tout) ++seen.touts;
  }
  return {};
}

void expect_auctions_agree(const std::string& style, std::uint64_t first_seed) {
  Tally seen;
  const std::string problem =
      for_blocks(blocks_of(scaled(2'000, 12'000, 200'000, 1'000'000)), [&](int block) {
        return play_auction_block(style, first_seed + static_cast<unsigned>(block), seen);
      });
  EXPECT_EQ(problem, "");
  for (const ContractClass contract :
       {ContractClass::kRuf, ContractClass::kSolo, ContractClass::kWenz, ContractClass::kSie,
        ContractClass::kRamsch}) {
    EXPECT_GT(seen.contracts[static_cast<std::size_t>(contract)], 0)
        << contract_name(contract, false);
  }
  EXPECT_GT(seen.touts, 0);
  EXPECT_GT(seen.thrown_in, 0);
  EXPECT_GT(seen.doubled, 0);
}

TEST(Differential, D_3_two_stage_auctions_under_random_house_rules_agree) {
  expect_auctions_agree("two_stage", 7'000'000'000U);
}
TEST(Differential, D_4_direct_auctions_under_random_house_rules_agree) {
  expect_auctions_agree("direct", 8'000'000'000U);
}

// The comparison itself: a wrong reference must be noticed.
TEST(Differential, a_reference_with_another_rule_disagrees) {
  Random random(5);
  BothRules rules = random_both_rules(random, {"RUF", "SOLO", "WENZ"});
  rules.reference.laufende_min_ober = rules.reference.laufende_min_ober % 4 + 1;
  rules.reference.runaway_min_others = rules.reference.runaway_min_others % 4 + 1;
  int disagreements = 0;
  for (int deal = 0; deal < 400; ++deal) {
    std::vector<reference::Cards> hands;
    const reference::FixedContract fixed =
        reference::random_contract(random, rules.reference, "RUF", false, hands);
    const Game game = Game::with_contract(*rules.engine, deal_of(hands), 0, contract_of(fixed));
    reference::FixedContract doubled = fixed;
    doubled.with_doubling = true;
    const ReferenceGame slow(rules.reference, hands, 0, doubled);
    SideBySide both(game, slow);
    if (!both.play(random)) ++disagreements;
  }
  EXPECT_GT(disagreements, 5);
}

}  // namespace
}  // namespace schafkopf::test
