// Deals that the exact solver is measured on, kept as data (tests/data/solver_deals.txt): which
// deals the rule agent declares changes with the agent.
//
//   SOLO H  declarer 1  dealer 3  points 66 : EO EA ... | ... | ... | ...
//
// One line per deal: class, trump suit or called card or -, seats, what the declarer's party
// reaches with open cards and best play, and the hands of seats 0 to 3. Lines with # are comments.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "env/cards/card.h"
#include "env/cards/contract.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf::test {

/// A game at its first card, and the points that the declarer's party reaches.
struct SolverDeal {
  Game game;
  int points = 0;
};

[[nodiscard]] inline std::string to_line(const SolverDeal& deal) {
  const Contract contract = deal.game.contract();
  const ContractRow& row = contract_row(contract.contract);
  std::string named = "-";
  if (contract.called != kNoCard) named = card_name(contract.called);
  if (row.trump_suit == TrumpSuit::kAnnounced) named = to_string(contract.suit);
  std::string line = fmt::format("{} {}  declarer {}  dealer {}  points {} :", row.name, named,
                                 contract.declarer, deal.game.dealer(), deal.points);
  for (int seat = 0; seat < kNumSeats; ++seat) {
    line += (seat == 0 ? " " : " | ") + to_string(deal.game.hand(seat));
  }
  return line;
}

/// Inverse of to_line. Throws std::invalid_argument that quotes the line.
[[nodiscard]] inline SolverDeal parse_solver_deal(std::string_view line,
                                                  const CompiledRules& rules) {
  const auto wrong = [line] {
    return std::invalid_argument("no deal of the solver: " + std::string(line));
  };
  std::istringstream words{std::string(line)};
  std::string name, named, declarer, dealer, points, colon;
  Contract contract;
  int forehand_right = 0, reached = 0;
  words >> name >> named >> declarer >> contract.declarer >> dealer >> forehand_right >> points >>
      reached >> colon;
  const ContractRow* row = parse_contract(name).row;
  if (!words || row == nullptr || colon != ":") throw wrong();
  contract.contract = row->contract;
  if (row->trump_suit == TrumpSuit::kAnnounced) {
    contract.suit = suit_of(parse_card(named + "A").value());
  } else if (named != "-") {
    contract.called = parse_card(named).value();
  }
  std::array<std::vector<Card>, kNumSeats> hands;
  std::size_t seat = 0;
  for (std::string word; words >> word;) {
    if (word == "|" && ++seat == hands.size()) throw wrong();
    if (word != "|") hands[seat].push_back(parse_card(word).value());
  }
  const std::vector<std::span<const Card>> spans(hands.begin(), hands.end());
  return {
      Game::with_contract(rules, deal_from_hands(spans, rules.rules()), forehand_right, contract),
      reached};
}

/// All deals of a class in the order of the file. Throws std::runtime_error if it cannot be read.
[[nodiscard]] inline std::vector<SolverDeal> read_solver_deals(const std::string& path,
                                                               const CompiledRules& rules,
                                                               std::string_view name) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<SolverDeal> deals;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(std::string(name) + " ")) deals.push_back(parse_solver_deal(line, rules));
  }
  return deals;
}

}  // namespace schafkopf::test
