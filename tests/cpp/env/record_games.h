// Games for the tests of records: random ones under many rule sets, and a Wenz to change by hand.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/record/record.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"

namespace schafkopf::test {

using Json = nlohmann::ordered_json;

struct Rules {
  std::string preset;
  std::map<std::string, PlainValue> switches;
};

/// Shipped rule sets, and house rules with every doubling window, direct auction and Ramsch.
inline std::vector<Rules> many_rules() {
  std::vector<Rules> list;
  for (const std::string_view name : preset_names()) list.push_back({std::string(name), {}});
  for (const char* window : {"before_first_card", "full_hand", "before_second_card"}) {
    list.push_back({"official_1989",
                    {{"kontra_window", window},
                     {"kontra_ask_before_first", true},
                     {"auction_style", "direct"},
                     {"all_pass", "ramsch"},
                     {"tariff", "5/20 half Laufende"}}});
  }
  list.push_back({"", {{"contracts", PlainList{"RUF"}}, {"sie_enabled", false}}});
  list.push_back({"",
                  {{"partner_trump_suit", "S"},
                   {"ramsch_shift", true},
                   {"all_pass", "ramsch"},
                   {"tariff", PlainTable{{"base", "10/20"}, {"laufende", 2.5}}}}});
  list.push_back({"", {{"suit_public_when_named", true}, {"early_termination", false}}});
  return list;
}

inline std::shared_ptr<const CompiledRules> compile(const Rules& rules) {
  return CompiledRules::make(make_rules(rules.preset, rules.switches));
}

struct Played {
  std::shared_ptr<const CompiledRules> rules;
  Deal deal;
  Game game;
};

/// A random game, stopped after `max_actions`; doublings are said now and then.
inline Played random_game(const std::shared_ptr<const CompiledRules>& compiled, std::uint64_t seed,
                          int max_actions = 1000) {
  std::mt19937_64 random(seed);
  const Deal deal = random_deal(seed);
  Game game(*compiled, deal, static_cast<int>(seed % 4));
  for (int i = 0; i < max_actions && !game.is_terminal(); ++i) {
    const ActionMask legal = without_claims(game.legal_actions());
    const auto n = static_cast<int>(random() % static_cast<std::uint64_t>(legal.count()));
    game.apply(legal.nth(n));
  }
  return {compiled, deal, game};
}

inline void for_many_games(const std::function<void(const Played&)>& check,
                           int max_actions = 1000) {
  const auto games = static_cast<std::uint64_t>(scaled(4, 20, 400));
  for (const Rules& rules : many_rules()) {
    const auto compiled = compile(rules);
    for (std::uint64_t seed = 0; seed < games; ++seed) {
      SCOPED_TRACE("rules " + rules.preset + ", seed " + std::to_string(seed));
      check(random_game(compiled, seed, max_actions));
      if (testing::Test::HasFailure()) return;
    }
  }
}

/// Seat 1 holds the four Unter and three aces; every other suit is shared out.
inline Json wenz_record() {
  return Json::parse(R"({"rules": "official_1989",
    "hands": [["EO","GO","HO","SO","E10","EK","E9","E8"],
              ["EU","GU","HU","SU","EA","GA","HA","S7"],
              ["E7","G10","GK","G9","G8","G7","H10","HK"],
              ["H9","H8","H7","SA","S10","SK","S9","S8"]],
    "contract": {"class": "WENZ"}, "declarer": 1, "plays": []})");
}

inline std::string error_of(const Json& json) {
  return error_of<std::invalid_argument>([&] { (void)replay(parse_record(json.dump(), 3)); });
}

}  // namespace schafkopf::test
