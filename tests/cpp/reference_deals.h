// Random deals, contracts and house rules for comparing an engine with the slow reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "tests/cpp/reference_rules.h"

namespace schafkopf::reference {

using Random = std::mt19937_64;

inline int draw(Random& random, int count) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(count));
}

template <class T>
const T& pick(Random& random, const std::vector<T>& values) {
  return values[static_cast<std::size_t>(draw(random, static_cast<int>(values.size())))];
}

inline int pick(Random& random, const std::set<int>& values) {
  return *std::next(values.begin(), draw(random, static_cast<int>(values.size())));
}

/// Four hands of eight cards, uniformly dealt.
inline std::vector<Cards> random_hands(Random& random) {
  Cards deck;
  for (int card = 0; card < 32; ++card) deck.push_back(card);
  for (int last = 31; last > 0; --last) {
    std::swap(deck[static_cast<std::size_t>(last)],
              deck[static_cast<std::size_t>(draw(random, last + 1))]);
  }
  std::vector<Cards> hands(4);
  for (std::size_t i = 0; i < deck.size(); ++i) hands[i / 8].push_back(deck[i]);
  return hands;
}

/// Hands in which one seat holds all Ober and Unter.
inline std::vector<Cards> sie_hands(Random& random, int declarer) {
  const Cards pictures = cards_from("EO GO HO SO EU GU HU SU");
  Cards others;
  for (const Cards& hand : random_hands(random)) {
    for (const int card : hand) {
      if (!contains(pictures, card)) others.push_back(card);
    }
  }
  std::vector<Cards> hands(4);
  for (int seat = 0; seat < 4; ++seat) {
    Cards& hand = hands[static_cast<std::size_t>(seat)];
    if (seat == declarer) hand = pictures;
    while (hand.size() < 8) {
      hand.push_back(others.back());
      others.pop_back();
    }
  }
  return hands;
}

/// Deals a game of the named class with a random declarer, suit and callable ace.
///
/// hands  set to the deal; `name` is a class of RULES D.1 without its Tout form, or "RAMSCH"
inline FixedContract random_contract(Random& random, const ReferenceRules& rules,
                                     const std::string& name, bool tout,
                                     std::vector<Cards>& hands) {
  FixedContract fixed;
  fixed.contract.name = name;
  fixed.contract.tout = tout;
  hands = random_hands(random);
  if (name == "RAMSCH") return fixed;
  fixed.declarer = draw(random, 4);
  if (needs_suit(name)) {
    fixed.contract.suit = kSuitLetters[static_cast<std::size_t>(draw(random, 4))];
  }
  if (name == "SIE") hands = sie_hands(random, fixed.declarer);
  while (name == "RUF") {
    const Cards aces =
        callable_aces(hands[static_cast<std::size_t>(fixed.declarer)], rules.partner_trump_suit);
    if (!aces.empty()) {
      fixed.called_card = pick(random, aces);
      break;
    }
    hands = random_hands(random);
  }
  return fixed;
}

/// Random values for every switch of ReferenceRules except deck, seats and Renonce.
inline ReferenceRules random_rules(Random& random) {
  using Names = std::vector<std::string>;
  ReferenceRules rules;
  const auto coin = [&random] { return draw(random, 2) == 0; };
  rules.partner_trump_suit = draw(random, 4) == 0 ? 'S' : 'H';
  rules.contracts =
      pick(random, std::vector<Names>{{"RUF", "SOLO", "WENZ"}, {"RUF", "SOLO"}, {"RUF"}, {"WENZ"}});
  rules.tout_enabled = coin();
  rules.sie_enabled = coin();
  rules.auction_style = pick(random, Names{"two_stage", "direct"});
  rules.all_pass = pick(random, Names{"throw_in", "ramsch"});
  rules.called_discard_window = 1 + draw(random, 2);
  rules.runaway_enabled = draw(random, 4) != 0;
  rules.runaway_min_others = 1 + draw(random, 4);
  rules.early_termination = coin();
  rules.kontra_window =
      pick(random, Names{"off", "before_first_card", "before_second_card", "full_hand"});
  rules.kontra_ask_before_first = rules.kontra_window != "off" && coin();
  rules.max_doublings_partner = draw(random, 9);
  rules.max_doublings_solo = draw(random, 9);
  rules.max_doublings_per_seat = draw(random, 3);
  rules.kontra_takeover = coin();
  rules.kontra_scope = pick(random, Names{"all", "no_laufende", "base_only"});
  rules.solo_schneider_schwarz = coin();
  rules.laufende_min_ober = 1 + draw(random, 4);
  rules.laufende_min_wenz = 1 + draw(random, 4);
  rules.laufende_cap = pick(random, Names{"all", "pictures"});
  rules.ramsch_trumps = pick(random, Names{"herz", "no_herz"});
  rules.ramsch_payers = 1 + draw(random, 2);
  rules.ramsch_virgin =
      pick(random, Names{"off", "receives_double", "all_double", "all_double_per_virgin"});
  rules.ramsch_march = pick(random, Names{"off", "all_tricks", "points_91"});
  rules.ramsch_shift = coin();
  return rules;
}

}  // namespace schafkopf::reference
