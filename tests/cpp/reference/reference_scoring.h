// Slow second reading of the rules, part 3: Laufende, settlement, Ramsch, Stock, penalties
// (RULES C.6, E.6, G).
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tests/cpp/reference/reference_switches.h"

namespace schafkopf::reference {

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

/// Laufende of a game by the switches. `declarer_party` = cards of the declarer party at the start
/// of play.
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
  int laufende = 0;                     // payable
  int laufende_claimed = -1;            // -1 = paid unasked (G.5)
  int schwarz_claimed = -1;             // -1 = paid unasked, 0 = not claimed, 1 = claimed
  bool lost_by_offence = false;         // E.6: lost simple by the party below, whatever the points
  bool schwarz_by_offence = false;      // E.6: lost Schwarz instead of simple
  bool offence_by_declarer = false;     // which party offended
  int level = 0;                        // doublings
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
  if (end.lost_by_offence) {
    verdict.declarer_won = !end.offence_by_declarer;
    const bool positive = !contract.tout && !is_negative_game(contract.name);
    verdict.schneider = verdict.schwarz = end.schwarz_by_offence && positive;
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

/// True if Schneider and Schwarz count in this game (G.3).
inline bool counts_schneider(const Contract& contract, const ReferenceRules& rules) {
  if (contract.tout || contract.name == "SIE" || contract.name == "RAMSCH") return false;
  if (is_negative_game(contract.name)) return false;
  return is_partner_game(contract.name) || rules.solo_schneider_schwarz || rules.short_deck;
}

/// True if Laufende count in this game other than the fixed eight of SIE (G.3, G.4).
inline bool counts_laufende(const Contract& contract) {
  return contract.name != "SIE" && contract.name != "RAMSCH" && !is_negative_game(contract.name);
}

/// What is paid of `right` units when `claimed` are claimed: too much goes back double (G.5).
inline int after_claim(int right, int claimed) {
  return claimed > right ? claimed - 2 * (claimed - right) : claimed;
}

/// Who won and what one payer pays (RULES G.1, G.3, G.5).
inline Verdict settle_declarer_game(const Contract& contract, const ReferenceRules& rules,
                                    const Ending& end) {
  Verdict verdict;
  detail::judge(contract, rules, end, verdict);
  const ReferenceTariff& tariff = rules.tariff;
  const int base = detail::base_price(contract.name, tariff);
  int extra = 0;
  if (counts_schneider(contract, rules)) {
    int schwarz = verdict.schwarz ? 1 : 0;
    if (end.schwarz_claimed >= 0) schwarz = after_claim(schwarz, end.schwarz_claimed);
    extra = (verdict.schneider ? tariff.schneider : 0) + schwarz * tariff.schwarz;
  }
  int row = is_negative_game(contract.name) ? 0 : end.laufende;
  if (end.laufende_claimed >= 0) row = after_claim(row, end.laufende_claimed);
  const int laufende = row * tariff.laufende;
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
  int highest_trump = 0;   // strength: larger is stronger, 0 = none
  int position = 0;        // 0 = forehand
  bool announced = false;  // said Jungfrau
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

/// Ramsch payoffs per seat (RULES C.6). `multiplier` = factors of Legen, Kontra and Bock.
///
/// offender  seat that loses by an offence (E.6), or -1
inline std::vector<int> settle_ramsch(const std::vector<RamschTake>& takes,
                                      const ReferenceRules& rules, int multiplier,
                                      int offender = -1) {
  const std::size_t seats = takes.size();
  std::vector<int> payoffs(seats, 0);
  for (const RamschTake& take : takes) {
    if (take.announced && offender < 0) {
      multiplier *= 2;  // once, however many announced
      break;
    }
  }
  const int march = offender < 0 ? detail::march_seat(takes, rules.ramsch_march) : -1;
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
  if (offender >= 0) virgins = 0;
  if (rules.ramsch_virgin == "all_double" && virgins > 0) price *= 2;
  if (rules.ramsch_virgin == "all_double_per_virgin") price *= detail::power_of_two(virgins);
  std::vector<std::size_t> worst_first;
  for (std::size_t seat = 0; seat < seats; ++seat) worst_first.push_back(seat);
  // A seat that announced Jungfrau and took a trick stands worse than all who did not.
  const auto failed = [&](std::size_t seat) {
    if (offender >= 0) return static_cast<int>(seat) == offender;
    return takes[seat].announced && takes[seat].tricks > 0;
  };
  std::sort(worst_first.begin(), worst_first.end(), [&](std::size_t a, std::size_t b) {
    if (failed(a) != failed(b)) return failed(a);
    return detail::stands_worse(takes[a], takes[b]);
  });
  const auto pay = [&](std::size_t payer, std::size_t receiver) {
    const bool doubled =
        rules.ramsch_virgin == "receives_double" && takes[receiver].tricks == 0 && offender < 0;
    payoffs[payer] -= doubled ? 2 * price : price;
    payoffs[receiver] += doubled ? 2 * price : price;
  };
  if (rules.ramsch_payers == 2 && offender < 0) {
    pay(worst_first[0], worst_first[seats - 1]);
    pay(worst_first[1], worst_first[seats - 2]);
    return payoffs;
  }
  for (std::size_t i = 1; i < seats; ++i) pay(worst_first[0], worst_first[i]);
  return payoffs;
}

/// True if a game of this class can win or double the Stock (G.7). `declarer` = seat or -1.
inline bool plays_for_stock(const std::string& name, int declarer, const ReferenceRules& rules) {
  if (name == "RAMSCH" || name == "MUSS" || declarer < 0) return false;
  if (is_partner_game(name)) return rules.stock_games != "solo";
  return rules.stock_games != "partner";
}

/// What each seat gets out of the Stock (G.7); positive = receives. Whoever owns it wins the pot,
/// or doubles it after a lost game, half each if the party owns it.
inline std::vector<int> settle_stock(int pot, bool declarer_won, int declarer,
                                     const std::vector<bool>& in_party,
                                     const ReferenceRules& rules) {
  std::vector<int> moved(in_party.size(), 0);
  const int members = static_cast<int>(std::count(in_party.begin(), in_party.end(), true));
  const int owners = rules.stock_owner == "party" ? members : 1;
  const int amount = declarer_won ? pot : -pot;
  for (std::size_t seat = 0; seat < in_party.size(); ++seat) {
    const bool is_declarer = static_cast<int>(seat) == declarer;
    if (owners > 1 && in_party[seat]) moved[seat] = amount / owners;
    if (is_declarer) moved[seat] = amount - (owners - 1) * (amount / owners);
  }
  return moved;
}

/// Verspielt of the tournament (E.6): the offender pays each of the others, without multipliers.
inline std::vector<int> verspielt(const std::string& name, std::size_t seats, int offender,
                                  int scale) {
  const int each = (name == "RAMSCH" || is_partner_game(name) ? 10 : 20) * scale;
  std::vector<int> payoffs(seats, each);
  payoffs[static_cast<std::size_t>(offender)] = -each * (static_cast<int>(seats) - 1);
  return payoffs;
}

/// A second misdeal in a row (B.3.6): the dealer pays `each` to every other player.
inline std::vector<int> second_misdeal(std::size_t seats, int dealer, int each) {
  std::vector<int> payoffs(seats, each);
  payoffs[static_cast<std::size_t>(dealer)] = -each * (static_cast<int>(seats) - 1);
  return payoffs;
}

/// Position of the player party of a Kreuzbock, 0 or 1 (C.5); -1 = did not happen.
inline int kreuz_player_party(int last_kontra_party, int first_legen_party, int eo_party) {
  if (last_kontra_party >= 0) return last_kontra_party;
  return first_legen_party >= 0 ? first_legen_party : eo_party;
}

}  // namespace schafkopf::reference
