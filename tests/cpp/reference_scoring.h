// Slow second reading of the rules, part 2: switches, Laufende, settlement, Ramsch (RULES C.6, G).
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/cpp/reference_cards.h"

namespace schafkopf::reference {

/// A tariff (RULES G.2); the amounts are those of `official_pfennig`.
struct ReferenceTariff {
  int ruf = 10, hochzeit = 20, solo = 50, schneider = 10, schwarz = 10, laufende = 10;
  int bettel = 30, bettel_brett = 60, ramsch_tout = 60, bettel_mix = 30;
  int ramsch = 20, march = 70;
  int tout_factor = 2, sie_factor = 4, hochzeit_factor = 1;
  std::vector<std::pair<std::string, int>> overrides;  // base of a class that differs
};

/// The switches of RULES J that this implementation reads, under the same names.
struct ReferenceRules {
  int players = 4;
  bool short_deck = false;  // deck
  char partner_trump_suit = 'H';
  std::vector<std::string> contracts = {"RUF", "SOLO", "WENZ"};
  bool tout_enabled = true;
  bool sie_enabled = true;
  std::string renonce = "off";              // off | announced | unannounced
  std::string auction_style = "two_stage";  // two_stage | direct
  std::string all_pass = "throw_in";        // throw_in | ramsch
  int called_discard_window = 1;
  bool runaway_enabled = true;
  int runaway_min_others = 3;
  bool early_termination = true;
  std::string kontra_window = "before_second_card";  // off | before_first_card | full_hand
  bool kontra_ask_before_first = false;
  int max_doublings_partner = 4;
  int max_doublings_solo = 4;
  int max_doublings_per_seat = 0;
  bool kontra_takeover = false;
  std::string kontra_scope = "all";  // all | no_laufende | base_only
  ReferenceTariff tariff;
  bool solo_schneider_schwarz = true;
  int laufende_min_ober = 3;
  int laufende_min_wenz = 2;
  std::string laufende_cap = "all";    // all | pictures
  std::string ramsch_trumps = "herz";  // herz | no_herz
  int ramsch_payers = 1;
  std::string ramsch_virgin = "receives_double";  // off | all_double | all_double_per_virgin
  std::string ramsch_march = "all_tricks";        // off | all_tricks | points_91
  bool ramsch_shift = false;
};

inline OrderOptions order_options(const ReferenceRules& rules) {
  return {rules.partner_trump_suit, rules.ramsch_trumps == "herz", rules.short_deck};
}

/// Unbroken row of highest trumps on one side, with or without (G.4); `cap` 0 = no cap.
inline int count_laufende(const Cards& trumps, const Cards& one_party, int minimum, int cap) {
  int row = 0;
  const bool with = !trumps.empty() && contains(one_party, trumps[0]);
  for (const int trump : trumps) {
    if (contains(one_party, trump) != with) break;
    ++row;
  }
  if (row < minimum) return 0;
  return cap > 0 ? std::min(row, cap) : row;
}

/// Laufende of a game by the switches. `declarer_party` = cards dealt to the declarer party.
inline int payable_laufende(const Contract& contract, const ReferenceRules& rules,
                            const Cards& declarer_party) {
  if (contract.name == "SIE") return 8;
  if (contract.name == "RAMSCH" || is_negative_game(contract.name)) return 0;
  const bool one_rank = is_one_rank_game(contract.name);
  const int pictures = one_rank ? 4 : 8;
  return count_laufende(orders_of(contract, order_options(rules)).trumps, declarer_party,
                        one_rank ? rules.laufende_min_wenz : rules.laufende_min_ober,
                        rules.laufende_cap == "pictures" ? pictures : 0);
}

/// How a game with a declarer party ended.
struct Ending {
  int declarer_points = 0;
  int declarer_tricks = 0;
  int opponent_tricks = 0;
  bool threshold_sixty = false;         // Muss threshold of C.4
  int steigern_bid = 0;                 // D.5
  bool last_doubler_defending = false;  // only read with `kontra_takeover`
  int laufende = 0;
  int level = 0;  // doublings
  int legen = 0;
  int bock = 0;
};

struct Verdict {
  bool declarer_won = false;
  bool schneider = false;
  bool schwarz = false;
  int price = 0;  // per payer
};

namespace detail {

inline int base_price(const std::string& name, const ReferenceTariff& tariff) {
  for (const auto& [override_name, amount] : tariff.overrides) {
    if (override_name == name) return amount;
  }
  if (name == "RUF" || name == "KREUZ" || name == "MUSS") return tariff.ruf;
  if (name == "HOCHZEIT") return tariff.hochzeit;
  if (name == "BETTEL") return tariff.bettel;
  if (name == "BETTEL_BRETT") return tariff.bettel_brett;
  if (name == "RAMSCH_TOUT") return tariff.ramsch_tout;
  if (name == "BETTEL_MIX") return tariff.bettel_mix;
  return tariff.solo;
}

inline int power_of_two(int exponent) {
  int value = 1;
  for (int i = 0; i < exponent; ++i) value *= 2;
  return value;
}

/// G.1: winner, Schneider and Schwarz.
inline void judge(const Contract& contract, const ReferenceRules& rules, const Ending& end,
                  Verdict& verdict) {
  if (contract.name == "SIE") {
    verdict.declarer_won = true;
    return;
  }
  if (contract.tout || is_negative_game(contract.name)) {
    verdict.declarer_won = contract.tout ? end.opponent_tricks == 0 : end.declarer_tricks == 0;
    return;
  }
  const int points = end.declarer_points;
  const bool exchanged =
      rules.kontra_takeover && end.last_doubler_defending && end.steigern_bid == 0;
  int to_win = 61, to_win_schneider = 91, schneider_free = 31;
  if (exchanged || end.threshold_sixty) {
    to_win = 60;
    to_win_schneider = 90;
    schneider_free = 30;
  }
  if (end.steigern_bid > 0) to_win = std::min(end.steigern_bid + 1, 120);
  verdict.declarer_won = points >= to_win;
  if (verdict.declarer_won) {
    verdict.schwarz = end.opponent_tricks == 0;
    verdict.schneider = verdict.schwarz || points >= to_win_schneider;
  } else {
    verdict.schwarz = end.declarer_tricks == 0;
    verdict.schneider = verdict.schwarz || points < schneider_free;
  }
}

}  // namespace detail

/// Who won and what one payer pays (RULES G.1, G.3).
inline Verdict settle_declarer_game(const Contract& contract, const ReferenceRules& rules,
                                    const Ending& end) {
  Verdict verdict;
  detail::judge(contract, rules, end, verdict);
  const ReferenceTariff& tariff = rules.tariff;
  const bool counts_schneider =
      is_partner_game(contract.name) || rules.solo_schneider_schwarz || rules.short_deck;
  const int base = detail::base_price(contract.name, tariff);
  int extra = 0;
  if (counts_schneider && verdict.schneider) extra += tariff.schneider;
  if (counts_schneider && verdict.schwarz) extra += tariff.schwarz;
  const int laufende = is_negative_game(contract.name) ? 0 : end.laufende * tariff.laufende;
  const int kontra = detail::power_of_two(end.level);
  int value = (base + extra + laufende) * kontra;
  if (rules.kontra_scope == "no_laufende") value = (base + extra) * kontra + laufende;
  if (rules.kontra_scope == "base_only") value = base * kontra + extra + laufende;
  if (contract.tout) value *= tariff.tout_factor;
  if (contract.name == "SIE") value *= tariff.sie_factor;
  if (contract.name == "HOCHZEIT") value *= tariff.hochzeit_factor;
  verdict.price = value * detail::power_of_two(end.legen) * detail::power_of_two(end.bock);
  return verdict;
}

/// Payoffs per seat: every seat of the losing side pays, as G.3 says for partner and single games.
/// `in_party[seat]` tells who belongs to the declarer party.
inline std::vector<int> share(const Verdict& verdict, const std::vector<bool>& in_party) {
  const int sign = verdict.declarer_won ? 1 : -1;
  const int seats = static_cast<int>(in_party.size());
  const int members = static_cast<int>(std::count(in_party.begin(), in_party.end(), true));
  const int per_member = members == 1 ? seats - 1 : 1;  // a single declarer plays against each
  std::vector<int> payoffs;
  for (const bool member : in_party) {
    payoffs.push_back(member ? sign * per_member * verdict.price : -sign * verdict.price);
  }
  return payoffs;
}

/// What a seat has in front of it at the end of a Ramsch.
struct RamschTake {
  int points = 0;
  int tricks = 0;
  int trumps = 0;
  int highest_trump = 0;  // strength: larger is stronger, 0 = none
  int position = 0;       // 0 = forehand
};

namespace detail {

/// True if `a` stands worse than `b`: the tie chain of C.6.
inline bool stands_worse(const RamschTake& a, const RamschTake& b) {
  if (a.points != b.points) return a.points > b.points;
  if (a.tricks != b.tricks) return a.tricks > b.tricks;
  if (a.trumps != b.trumps) return a.trumps > b.trumps;
  if (a.highest_trump != b.highest_trump) return a.highest_trump > b.highest_trump;
  return a.position < b.position;
}

/// Seat of the Durchmarsch, or -1.
inline int march_seat(const std::vector<RamschTake>& takes, const std::string& mode) {
  int all_tricks = 0;
  for (const RamschTake& take : takes) all_tricks += take.tricks;
  for (std::size_t seat = 0; seat < takes.size(); ++seat) {
    const bool by_tricks = mode == "all_tricks" && takes[seat].tricks == all_tricks;
    const bool by_points = mode == "points_91" && takes[seat].points >= 91;
    if (by_tricks || by_points) return static_cast<int>(seat);
  }
  return -1;
}

}  // namespace detail

/// Ramsch payoffs per seat (RULES C.6). `multiplier` = factors of Legen and Bock.
inline std::vector<int> settle_ramsch(const std::vector<RamschTake>& takes,
                                      const ReferenceRules& rules, int multiplier) {
  const std::size_t seats = takes.size();
  std::vector<int> payoffs(seats, 0);
  const int march = detail::march_seat(takes, rules.ramsch_march);
  if (march >= 0) {
    for (std::size_t seat = 0; seat < seats; ++seat) {
      const bool winner = static_cast<int>(seat) == march;
      payoffs[seat] = (winner ? static_cast<int>(seats) - 1 : -1) * rules.tariff.march * multiplier;
    }
    return payoffs;
  }
  int price = rules.tariff.ramsch * multiplier;
  int virgins = 0;
  for (const RamschTake& take : takes) virgins += take.tricks == 0 ? 1 : 0;
  if (rules.ramsch_virgin == "all_double" && virgins > 0) price *= 2;
  if (rules.ramsch_virgin == "all_double_per_virgin") price *= detail::power_of_two(virgins);
  std::vector<std::size_t> worst_first;
  for (std::size_t seat = 0; seat < seats; ++seat) worst_first.push_back(seat);
  std::sort(worst_first.begin(), worst_first.end(),
            [&](std::size_t a, std::size_t b) { return detail::stands_worse(takes[a], takes[b]); });
  const auto pay = [&](std::size_t payer, std::size_t receiver) {
    const bool doubled = rules.ramsch_virgin == "receives_double" && takes[receiver].tricks == 0;
    payoffs[payer] -= doubled ? 2 * price : price;
    payoffs[receiver] += doubled ? 2 * price : price;
  };
  if (rules.ramsch_payers == 2) {
    pay(worst_first[0], worst_first[seats - 1]);
    pay(worst_first[1], worst_first[seats - 2]);
    return payoffs;
  }
  for (std::size_t i = 1; i < seats; ++i) pay(worst_first[0], worst_first[i]);
  return payoffs;
}

}  // namespace schafkopf::reference
