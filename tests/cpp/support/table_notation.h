// A table whose questions are compared as text: who is asked, in which phase, with which actions;
// and actions that name the seat that has to be asked. On top of table.h.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "env/game/game.h"
#include "tests/cpp/support/table.h"

namespace schafkopf::notation {

/// Lines of a rule file on top of `preset`; without claims unless a line asks for them.
inline std::shared_ptr<const CompiledRules> rules_of(const Lines& lines,
                                                     const std::string& preset = "official_1989") {
  std::string text = "preset = \"" + preset + "\"\n";
  bool claims = false;
  for (const std::string& line : lines) {
    text += line + '\n';
    claims = claims || line.starts_with("claims_enabled");
  }
  if (!claims) text += "claims_enabled = false\n";
  return std::make_shared<const CompiledRules>(parse_rules(text, "test.toml"), "test");
}

/// "EO GO | H7 H8 | ..." = cards that are left; all others lie in the tricks of seat `taker`.
inline Position endgame(const Contract& contract, const std::string& hands, int leader, int taker) {
  Position position;
  position.contract = contract;
  position.leader = leader;
  CardSet rest = CardSet::all();
  std::stringstream seats(hands);
  std::string seat;
  for (std::size_t i = 0; std::getline(seats, seat, '|'); ++i) {
    position.hands.at(i) = parse_cards(seat);
    rest = rest - position.hands[i];
  }
  position.captured.at(static_cast<std::size_t>(taker)) = rest;
  return position;
}

// What many rows are about; the first four cards of a seat are its first half. Callable: seat 0 EA
// SA, seat 1 none, seat 2 EA GA, seat 3 GA. Seat 2 holds the GO, seat 3 SA and three more Schellen.
inline constexpr const char* kDeal =
    "EO HO EU HA H9 E9 S9 S8 | EA E10 EK GA G10 GK SU H7 |"
    " GO GU HU HK E8 E7 G9 G8 | SO H10 H8 SA S10 SK S7 G7";
inline constexpr const char* kAllPass = "0:PASS 1:PASS 2:PASS 3:PASS";

/// One deal that is played in notation.
struct NotedTable {
  std::shared_ptr<const CompiledRules> rules;
  Game game;

  NotedTable(const Lines& lines, const std::string& hands, int dealer = 3,
             const DealContext& context = {}, const std::string& preset = "official_1989")
      : rules(rules_of(lines, preset)),
        game(*rules, deal_text(*rules, hands, dealer, context), dealer, context) {}
  /// An endgame.
  NotedTable(const Lines& lines, const Position& position)
      : rules(rules_of(lines)), game(Game::from_position(*rules, position)) {}

  /// "0:PLAY 1:PASS EO": actions in order; the number is the seat that must be asked.
  NotedTable& play(const std::string& actions) {
    std::stringstream words(actions);
    for (std::string word; words >> word;) {
      if (const std::size_t colon = word.find(':'); colon != std::string::npos) {
        EXPECT_EQ(std::to_string(game.current_player()), word.substr(0, colon))
            << "asked before " << word << " of " << actions << "\n  now: " << asks();
        word = word.substr(colon + 1);
      }
      game.apply(parse_action(word).value());
    }
    return *this;
  }

  /// "0 AUCTION_ROUND: PASS PLAY"; cards by their bare names, actions by their number.
  [[nodiscard]] std::string asks() const {
    if (game.is_terminal()) return "done";
    std::string text = std::to_string(game.current_player());
    text += ' ';
    text += phase_name(game.phase());
    text += ':';
    const ActionMask mask = game.legal_actions();
    for (int action = 0; action < kNumActions; ++action) {
      if (!mask.contains(static_cast<Action>(action))) continue;
      text +=
          ' ' + (action < kNumCards ? card_name(static_cast<Card>(action)) : action_name(action));
    }
    return text;
  }

  /// "SOLO_TOUT G by 0", "RUF SA by 1 renonce", "WENZ by 2 with 80", "RAMSCH", "none".
  [[nodiscard]] std::string contract() const {
    if (!game.has_contract()) return "none";
    const Contract fixed = game.contract();
    const ContractRow& row = contract_row(fixed.contract);
    std::string text(contract_name(fixed.contract, fixed.tout));
    if (row.trump_suit == TrumpSuit::kAnnounced) text += " " + std::string(to_string(fixed.suit));
    if (fixed.called != kNoCard) text += " " + card_name(fixed.called);
    if (fixed.declarer >= 0) text += " by " + std::to_string(fixed.declarer);
    if (fixed.renonce) text += " renonce";
    if (fixed.bid > 0) text += " with " + std::to_string(fixed.bid);
    return text;
  }

  /// Public events as a seat sees them: "0:PLAY 1:PASS 0:C_RUF 0:SA".
  [[nodiscard]] std::string events(int seat) const { return events_seen_by(game, seat); }
};

/// "30 -10 -10 -10"
template <typename Amounts>
std::string amounts(const Amounts& payoffs) {
  std::string text;
  for (const auto amount : payoffs) text += (text.empty() ? "" : " ") + std::to_string(amount);
  return text;
}

inline std::string payoffs(const NotedTable& table) { return amounts(table.game.payoffs()); }

}  // namespace schafkopf::notation
