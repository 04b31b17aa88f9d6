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

#include "tests/cpp/reference/reference_rules.h"

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

/// The special rounds of RULES C.20, and none.
inline const std::vector<std::string>& special_rounds() {
  static const std::vector<std::string> modes = {
      "none",     "bock",   "ramsch", "kreuzbock", "kreuzrunde", "solo_wenz_ramsch", "soli_only",
      "schieber", "teufel", "hadsch", "allgaeuer", "strixner",   "zupf_solo"};
  return modes;
}

/// True if RULES J does not reject the round under the rules.
inline bool round_fits(const ReferenceRules& rules, const std::string& mode) {
  return !rules.short_deck || (mode != "schieber" && mode != "teufel");
}

/// Random values for the switches of RULES J that concern a deal, all systems included.
inline ReferenceRules random_house_rules(Random& random) {
  using Names = std::vector<std::string>;
  ReferenceRules rules = random_rules(random);
  const auto coin = [&random] { return draw(random, 2) == 0; };
  rules.players = pick(random, std::vector<int>{3, 4, 4, 4, 5});
  rules.short_deck = rules.players == 3 || draw(random, 4) == 0;
  rules.three_player_contracts = pick(random, Names{"all_single", "solo_wenz"});
  rules.contracts = {"RUF", "SOLO"};
  for (const ClassRow& row : kClassRows) {
    const bool other = row.action > kNameRuf && row.action != kNameSie && row.action != kNameSolo;
    if (other && !row.tout && coin()) rules.contracts.emplace_back(row.name);
  }
  rules.sie_short_deck = pick(random, Names{"none", "six_highest"});
  rules.herz_solo_precedence = coin();
  rules.hochzeit = pick(random, Names{"off", "before_auction", "after_all_pass"});
  rules.hochzeit_return_nontrump = coin();
  rules.hochzeit_solo_override = coin();
  rules.bauernhochzeit = coin();
  rules.doppelte_hochzeit = coin();
  rules.renonce = pick(random, Names{"off", "announced", "unannounced"});
  if (rules.auction_style == "two_stage" && coin()) rules.solo_contest = "steigern";
  rules.steigern_jump = coin();
  rules.suit_public_when_named = coin();
  rules.all_pass = pick(random, Names{"throw_in", "bock_game", "bock_round", "stock", "ramsch",
                                      "last_chooses", "muss_spiel", "kreuzbock"});
  rules.last_chooses_options = {"ramsch", "stock", "throw_in"};
  rules.muss_threshold = pick(random, Names{"normal", "sixty"});
  rules.muss_blocked = pick(random, Names{"ten_cascade", "renonce_then_ten"});
  rules.muss_solo_allowed = coin();
  rules.muss_kontra = coin();
  rules.claims_enabled = coin();
  rules.legen = pick(random, Names{"off", "free", "sequential", "forehand_only"});
  rules.kreuz_each_partner_doubles = coin();
  rules.ramsch_kontra = coin();
  rules.laufende_by_claim = coin();
  rules.schwarz_by_claim = coin();
  rules.ramsch_virgin_announced = coin();
  if (rules.players == 3) rules.ramsch_payers = 1;
  rules.stock_games = pick(random, Names{"partner", "solo", "both"});
  rules.stock_owner = pick(random, Names{"declarer", "party"});
  rules.reuegeld = draw(random, 3);
  rules.schieber_variant = pick(random, Names{"take_or_push", "forehand_only"});
  rules.schieber_cards = 2 + draw(random, 3);
  return rules;
}

namespace detail {

/// What is dealt in a round: the packet of a Schieber and the fixed cards of a Teufel stay out.
inline Cards dealt_deck(const ReferenceRules& rules, const std::string& mode) {
  Cards out;
  if (mode == "schieber") out = high_packet(rules);
  if (mode == "teufel") out = cards_from("EO GO SO EU");
  Cards deck;
  for (int card = 0; card < 32; ++card) {
    const bool low = rank_text(card) == "7" || rank_text(card) == "8";
    if (!contains(out, card) && !(rules.short_deck && low)) deck.push_back(card);
  }
  return deck;
}

}  // namespace detail

/// A random deal for the round, each half in the order received.
inline ReferenceDeal random_round_deal(Random& random, const ReferenceRules& rules, int dealer,
                                       const std::string& mode) {
  Cards deck = detail::dealt_deck(rules, mode);
  for (int last = static_cast<int>(deck.size()) - 1; last > 0; --last) {
    std::swap(deck[static_cast<std::size_t>(last)],
              deck[static_cast<std::size_t>(draw(random, last + 1))]);
  }
  const auto seats = static_cast<std::size_t>(active_seats(rules));
  const std::size_t full = (rules.short_deck ? 24U : 32U) / seats;
  ReferenceDeal deal;
  deal.first.resize(seats);
  deal.second.resize(seats);
  const auto forehand = static_cast<std::size_t>((dealer + 1) % static_cast<int>(seats));
  for (std::size_t seat = 0; seat < seats; ++seat) {
    std::size_t count = full;
    if (mode == "schieber" && static_cast<int>(seat) == dealer) {
      count -= static_cast<std::size_t>(rules.schieber_cards);
    }
    if (mode == "teufel" && seat == forehand) {
      count = 4;
      deal.second[seat] = cards_from("EO GO SO EU");
    }
    for (std::size_t i = 0; i < count; ++i) {
      (i < full / 2 ? deal.first : deal.second)[seat].push_back(deck.back());
      deck.pop_back();
    }
  }
  deal.zupf = draw(random, static_cast<int>(full));
  return deal;
}

/// A random context of the round; in an Allgaeuer somebody owes something.
inline ReferenceContext random_context(Random& random, const std::string& mode) {
  ReferenceContext context;
  context.special_round = mode;
  context.bock = draw(random, 3);
  context.stock = 40 * draw(random, 3);
  bool somebody = false;
  while (mode == "allgaeuer" && !somebody) {
    for (std::set<std::string>& owed : context.owed) {
      owed.clear();
      for (const char* name : {"RUF", "WENZ", "SOLO"}) {
        if (draw(random, 3) == 0) owed.insert(name);
      }
      somebody = somebody || !owed.empty();
    }
  }
  return context;
}

}  // namespace schafkopf::reference
