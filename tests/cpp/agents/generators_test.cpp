// Contract generators: only contracts that the engine accepts, every class, plausible declarers.
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>
#include <string>

#include "agents/maxims/hand_strength.h"
#include "agents/registry.h"
#include "env/game/game.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"

namespace schafkopf {
namespace {

/// Class name -> number of deals, over deals 1..n; every contract passes Game::with_contract.
std::map<std::string, int> generated(const std::string& spec, const std::string& preset_name,
                                     int deals) {
  const auto rules = CompiledRules::load(preset_name);
  const auto generator = make_generator(spec);
  std::map<std::string, int> counts;
  for (int i = 0; i < deals; ++i) {
    const auto seed = static_cast<std::uint64_t>(i + 1);
    const Deal deal = random_deal(seed);
    const int dealer = i % 4;
    const Contract contract = generator->generate(*rules, deal, dealer, RngKey{1, seed});
    EXPECT_NO_THROW((void)Game::with_contract(*rules, deal, dealer, contract))
        << spec << " deal " << seed;
    ++counts[std::string(contract_name(contract.contract, contract.tout))];
  }
  return counts;
}

TEST(Generators, contracts_are_valid_on_ten_thousand_deals_of_every_preset) {
  const int deals = test::scaled(500, 10000, 100000);
  for (const char* spec : {"heuristic", "heuristic:noise=1", "mixed"}) {
    for (const char* name : {"research", "tournament_2024", "wikipedia_extended"}) {
      EXPECT_FALSE(generated(spec, name, deals).empty());
    }
  }
}

TEST(Generators, mixed_brings_every_contract_of_the_rules) {
  std::map<std::string, int> counts = generated("mixed", "research", 10000);
  EXPECT_GT(counts["RUF"], 3000);
  EXPECT_GT(counts["SOLO"], 1500);
  EXPECT_GT(counts["WENZ"], 800);
  EXPECT_GT(counts["SOLO_TOUT"] + counts["WENZ_TOUT"], 10);
  EXPECT_EQ(counts.count("RAMSCH"), 0u);  // these rules throw in
  EXPECT_GT(generated("mixed", "tournament_2024", 10000)["RAMSCH"], 1000);
}

TEST(Generators, heuristic_brings_every_plain_contract) {
  std::map<std::string, int> counts = generated("heuristic", "research", 10000);
  EXPECT_GT(counts["RUF"], 4000);
  EXPECT_GT(counts["SOLO"], 500);
  EXPECT_GT(counts["WENZ"], 300);
  EXPECT_GT(generated("heuristic", "tournament_2024", 10000)["RAMSCH"], 200);
}

/// Class name -> number of deals under rules with this line.
std::map<std::string, int> generated_under(const char* all_pass, const char* spec) {
  const auto rules = house({all_pass});
  const auto generator = make_generator(spec);
  std::map<std::string, int> counts;
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    const Deal deal = random_deal(seed);
    const Contract contract = generator->generate(*rules, deal, 3, RngKey{1, seed});
    EXPECT_NO_THROW((void)Game::with_contract(*rules, deal, 3, contract)) << all_pass << seed;
    if (contract_row(contract.contract).by_duty) {
      EXPECT_TRUE(deal.hand(contract.declarer).contains(rules->rules().muss_card));
    }
    ++counts[std::string(contract_name(contract.contract, contract.tout))];
  }
  return counts;
}

// D.6: what is played when all pass belongs to the game like what is announced.
TEST(Generators, D_6_every_game_that_is_played_when_all_pass_comes) {
  const std::pair<const char*, const char*> games[] = {
      {"all_pass = \"ramsch\"", "RAMSCH"},
      {"all_pass = \"last_chooses\"", "RAMSCH"},
      {"all_pass = \"kreuzbock\"", "KREUZ"},
      {"all_pass = \"muss_spiel\"", "MUSS"},
  };
  for (const auto& [all_pass, name] : games) {
    EXPECT_GT(generated_under(all_pass, "heuristic:noise=0")[name], 50) << all_pass;
    EXPECT_GT(generated_under(all_pass, "mixed")[name], 40) << all_pass;
    EXPECT_EQ(generated_under(all_pass, "mixed:all_pass=0")[name], 0) << all_pass;
  }
  const std::map<std::string, int> thrown_in = generated_under("all_pass = \"stock\"", "mixed");
  for (const char* name : {"RAMSCH", "KREUZ", "MUSS"}) EXPECT_EQ(thrown_in.count(name), 0u) << name;
}

TEST(Generators, touts_are_never_hopeless) {
  const auto rules = CompiledRules::load("research");
  const auto generator = make_generator("mixed:single=1,tout=1,all_pass=0");
  int touts = 0;
  for (std::uint64_t seed = 1; seed <= 20000; ++seed) {
    const Deal deal = random_deal(seed);
    const Contract contract = generator->generate(*rules, deal, 3, RngKey{1, seed});
    if (!contract.tout) continue;
    ++touts;
    const CardSet hand = deal.hand(contract.declarer);
    const PlayConstants& play = rules->play(contract.contract, contract.suit);
    EXPECT_TRUE(hand_features(play, hand, false).best) << to_string(hand);
    EXPECT_LE(hand_features(play, hand, false).losers, 1) << to_string(hand);
  }
  EXPECT_GT(touts, 100);
}

TEST(Generators, contracts_fit_every_deck_and_table) {
  int generated_contracts = 0;
  for (std::uint64_t set = 0; set < 300; ++set) {
    const CompiledRules rules(test::random_rules(set));
    for (const char* spec : {"heuristic", "mixed"}) {
      const auto generator = make_generator(spec);
      for (std::uint64_t seed = 0; seed < 10; ++seed) {
        const int dealer = static_cast<int>(seed) % rules.seats();
        const Deal deal = deal_for(seed, rules.rules(), dealer, DealContext{});
        try {
          const Contract contract = generator->generate(rules, deal, dealer, RngKey{1, seed});
          EXPECT_NO_THROW((void)Game::with_contract(rules, deal, dealer, contract))
              << spec << ", rule set " << set << ", deal " << seed;
          ++generated_contracts;
        } catch (const std::invalid_argument& error) {
          // only where these rules name no contract for any hand
          EXPECT_NE(std::string(error.what()).find("no contract"), std::string::npos);
          EXPECT_TRUE(rules.single_classes().empty()) << error.what();
        }
      }
    }
  }
  EXPECT_GT(generated_contracts, 5900);
}

// C.1: who has a suit to call has its ace, and who has not the ace has no card of the suit.
TEST(Generators, R_028_where_nobody_can_call_all_play_the_ramsch_or_no_contract_fits) {
  const char* const suits =
      "EA E10 EK E9 E8 E7 H7 H8 | GA G10 GK G9 G8 G7 H9 HK | SA S10 SK S9 S8 S7 H10 HA |"
      " EO GO HO SO EU GU HU SU";
  for (const char* all_pass : {"ramsch", "throw_in"}) {
    const auto rules = house({"contracts = [\"RUF\"]", "sie_enabled = false",
                              "all_pass = \"" + std::string(all_pass) + "\""});
    const Deal deal = deal_text(*rules, suits, 3, {});
    for (const char* spec : {"heuristic", "mixed"}) {
      const auto generator = make_generator(spec);
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        std::string result;
        try {
          const Contract contract = generator->generate(*rules, deal, 3, RngKey{1, seed});
          result = contract_name(contract.contract, contract.tout);
        } catch (const std::invalid_argument& error) {
          result = error.what();
        }
        EXPECT_EQ(result, all_pass == std::string("ramsch")
                              ? "RAMSCH"
                              : "contract generator: no contract of the rules test fits this deal: "
                                "nobody can call a card, and `contracts` has no single game (C.1, "
                                "R-028)")
            << spec;
      }
    }
  }
}

TEST(Generators, are_pure_functions_of_their_arguments) {
  const auto rules = CompiledRules::load("research");
  const auto generator = make_generator("heuristic");
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Deal deal = random_deal(seed);
    const RngKey key{7, seed, 3};
    EXPECT_EQ(generator->generate(*rules, deal, 1, key), generator->generate(*rules, deal, 1, key));
  }
}

}  // namespace
}  // namespace schafkopf
