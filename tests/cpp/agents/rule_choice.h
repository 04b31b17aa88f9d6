// What the rule agent does in a position given in game notation. Seat 3 deals, seat 0 leads.
#pragma once

#include <cstddef>
#include <sstream>
#include <string>

#include "agents/maxims/rule_agent.h"
#include "agents/maxims/situation.h"
#include "env/game/game.h"

namespace schafkopf::rule_choice {

inline const CompiledRules& research() {
  static const auto rules = CompiledRules::load("research");
  return *rules;
}

/// "EO GO ... | ... | ... | ..." = hands of seats 0..3, eight cards each.
inline Deal deal_of(const std::string& text) {
  Deal deal;
  std::stringstream parts(text);
  std::string part;
  for (std::size_t seat = 0; std::getline(parts, part, '|'); ++seat) {
    deal.second[seat] = parse_cards(part);
    for (int i = 0; i < 4; ++i) deal.first[seat].add(deal.second[seat].pop_lowest());
  }
  return deal;
}

inline Contract contract_of(const std::string& name, int declarer, Suit suit, Card called) {
  const NamedContract named = parse_contract(name);
  return {.contract = named.row->contract,
          .tout = named.tout,
          .suit = suit,
          .called = called,
          .declarer = declarer};
}
inline Contract ruf(int declarer, const char* called) {
  return contract_of("RUF", declarer, Suit::kHerz, *parse_card(called));
}
inline Contract single(const char* name, int declarer, Suit suit = Suit::kHerz) {
  return contract_of(name, declarer, suit, kNoCard);
}

/// The card that the rule agent plays and the maxim that chose it: "E8 (search_called_card)".
inline std::string choice(const Game& game, RuleVersion version = kNewestRules) {
  std::string_view reason;
  const Action action =
      RuleAgent::choose(game.view(game.current_player()), game.rules(), version, &reason);
  return action_name(action).substr(5) + " (" + std::string(reason) + ")";
}

/// The position after the cards of `cards`.
inline Game after(const std::string& hands, const Contract& contract, const std::string& cards) {
  Game game = Game::with_contract(research(), deal_of(hands), 3, contract);
  std::stringstream words(cards);
  for (std::string word; words >> word;) game.apply(*parse_card(word));
  return game;
}
inline Situation situation(const Game& game) {
  return {game.view(game.current_player()), game.rules()};
}

/// The agent's choice after the cards of `cards`.
inline std::string plays(const std::string& hands, const Contract& contract,
                         const std::string& cards, RuleVersion version = kNewestRules) {
  return choice(after(hands, contract, cards), version);
}

}  // namespace schafkopf::rule_choice
