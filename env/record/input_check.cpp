#include "env/record/input_check.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string>

#include "env/base/refuse.h"
#include "env/base/wrong_argument.h"
#include "env/price/result_limits.h"

namespace schafkopf {
namespace {

std::string of_seat(std::size_t seat) { return "[" + std::to_string(seat) + "]"; }

bool pays_into_stock(const RuleSet& rules) {
  return rules.all_pass == AllPass::kStock ||
         (rules.all_pass == AllPass::kLastChooses &&
          rules.last_chooses_options.contains(LastChoice::kStock));
}

void check_party(const Outcome& outcome, const ContractRow& row, int seats) {
  const unsigned party = outcome.declarer_party;
  const int declarer = outcome.contract.declarer;
  const std::string name(row.name);
  const int needed = row.parties == Parties::kEveryone ? 0 : row.is_single() ? 1 : 2;
  if (std::popcount(party) != needed || (party >> seats) != 0) {
    refuse_argument("declarer_party", ": " + name + " needs " + std::to_string(needed) +
                                          " seats of 0.." + std::to_string(seats - 1));
  }
  if (needed > 0 && declarer >= 0 && ((party >> declarer) & 1u) == 0) {
    refuse_argument("declarer_party",
                    ": the declarer, seat " + std::to_string(declarer) + ", is missing");
  }
}

void check_tricks(const Outcome& outcome, const CompiledRules& rules) {
  const int seats = rules.seats(), hand = rules.cards_per_hand();
  const int points = std::accumulate(outcome.points.begin(), outcome.points.end(), 0);
  const int tricks = std::accumulate(outcome.tricks.begin(), outcome.tricks.end(), 0);
  if (points > kTotalPoints) {
    refuse_argument("points", ": " + std::to_string(points) + " in all, allowed: at most " +
                                  std::to_string(kTotalPoints));
  }
  if (tricks > hand) {
    refuse_argument("tricks", ": " + std::to_string(tricks) + " in all, allowed: at most " +
                                  std::to_string(hand));
  }
  for (std::size_t seat = 0; seat < outcome.points.size(); ++seat) {
    const int own = outcome.tricks[seat];
    if (static_cast<int>(seat) >= seats && (outcome.points[seat] != 0 || own != 0)) {
      refuse("points and tricks: the rules have " + std::to_string(seats) + " seats");
    }
    // after an infraction the tricks that were not played count in points only
    if (outcome.infraction != Infraction::kNone || (own == 0 && tricks < hand)) continue;
    const auto [least, most] = points_in_tricks(own, rules);
    if (outcome.points[seat] >= least && outcome.points[seat] <= most) continue;
    refuse_argument("points", of_seat(seat) + " = " + std::to_string(outcome.points[seat]) +
                                  ", allowed: " + std::to_string(least) + ".." +
                                  std::to_string(most) + " in " + std::to_string(own) + " tricks");
  }
}

/// Payable numbers are those of some top run; 0 may stand for "left out".
void check_laufende(const Outcome& outcome, const CompiledRules& rules) {
  const Contract& contract = outcome.contract;
  const int trumps = rules.trumps(contract.contract, contract.suit).count;
  std::string allowed = "0";
  for (int run = 0, last = 0; run <= trumps; ++run) {
    const int paid = payable_run(contract, run, rules);
    if (paid == outcome.laufende) return;
    if (paid != last) allowed += ", " + std::to_string(paid);
    last = paid;
  }
  if (outcome.laufende == 0) return;
  refuse_argument("laufende", " = " + std::to_string(outcome.laufende) + ", allowed: in " +
                                  std::string(contract_row(contract.contract).name) + ": " +
                                  allowed + " (G.4)");
}

void check_limit(const char* what, int value, const Limit& limit, const std::string& where) {
  if (value >= 0 && value <= limit.most) return;
  refuse_argument(what, " = " + std::to_string(value) + ", allowed: 0.." +
                            std::to_string(limit.most) + where + ": " + limit.because + ")");
}

/// Trumps in the tricks of a Ramsch: as many as there are, in so many tricks. Those of seats without
/// a tie may be left out, and so may the highest.
void check_numbers_of_trumps(const Outcome& outcome, CardSet trumps, const CompiledRules& rules) {
  const auto& taken = outcome.trumps_taken;
  const int sum = std::accumulate(taken.begin(), taken.end(), 0);
  if (sum == 0) return;
  if (sum > trumps.count()) {
    refuse_argument("trumps_taken", ": " + std::to_string(sum) + " in all, allowed: at most " +
                                        std::to_string(trumps.count()));
  }
  const bool with_tricks = std::accumulate(outcome.tricks.begin(), outcome.tricks.end(), 0) > 0;
  for (std::size_t seat = 0; seat < taken.size(); ++seat) {
    const int most = outcome.tricks[seat] * rules.seats();
    if (with_tricks && taken[seat] > most) {
      refuse_argument("trumps_taken", of_seat(seat) + " = " + std::to_string(taken[seat]) +
                                          ", allowed: 0.." + std::to_string(most) + " in " +
                                          std::to_string(outcome.tricks[seat]) + " tricks");
    }
  }
}

/// What decides ties of the Ramsch: other games have none, and a card is won by one seat.
void check_trumps(const Outcome& outcome, const ContractRow& row, const CompiledRules& rules) {
  const CardSet trumps(rules.play(row.contract, outcome.contract.suit).trumps);
  CardSet seen;
  for (std::size_t seat = 0; seat < outcome.highest_trump.size(); ++seat) {
    const Card card = outcome.highest_trump[seat];
    if (card == kNoCard && outcome.trumps_taken[seat] == 0) continue;
    if (row.goal != Goal::kFewestPoints) {
      refuse_argument("trumps_taken",
                      ", highest_trump: they decide ties of the Ramsch only (C.6, R-045)");
    }
    if (card == kNoCard) continue;
    const std::string which = of_seat(seat) + " = " + card_name(card);
    if (!trumps.contains(card))
      refuse_argument("highest_trump", which + ", allowed: a trump: " + to_string(trumps));
    if (seen.contains(card)) refuse_argument("highest_trump", which + " comes twice");
    seen.add(card);
  }
  check_numbers_of_trumps(outcome, trumps, rules);
}

/// What was announced, claimed or done wrong at the table (C.6, G.5, E.6).
void check_events(const Outcome& outcome, const CompiledRules& rules) {
  const int seats = rules.seats();
  const auto between = [](const char* what, int value, int least, int most) {
    if (value >= least && value <= most) return;
    refuse_argument(what, " = " + std::to_string(value) + ", allowed: " + std::to_string(least) +
                              ".." + std::to_string(most));
  };
  if ((outcome.announced >> seats) != 0) {
    refuse_argument("announced", ", allowed: seats 0.." + std::to_string(seats - 1));
  }
  between("claimed_laufende", outcome.claimed_laufende, -1, kMostClaimed);
  between("claimed_schwarz", outcome.claimed_schwarz, -1, 1);
  between("infraction", static_cast<int>(outcome.infraction), 0, kNumValues<Infraction> - 1);
  const bool somebody = outcome.infraction != Infraction::kNone;
  between("offender", outcome.offender, somebody ? 0 : -1, seats - 1);
}

}  // namespace

void check_outcome(const Outcome& outcome, const CompiledRules& rules, const DealContext& context) {
  if (outcome.stock_deposit && !pays_into_stock(rules.rules())) {
    refuse_argument("stock_deposit", ": these rules have no Stock (D.6, all_pass)");
  }
  if (outcome.forehand >= rules.seats()) {
    refuse_argument("forehand", " = " + std::to_string(outcome.forehand) + ", allowed: seats 0.." +
                                    std::to_string(rules.seats() - 1));
  }
  if (outcome.thrown_in) return;
  check_contract(outcome.contract, rules);
  check_events(outcome, rules);
  const ContractRow& row = contract_row(outcome.contract.contract);
  check_party(outcome, row, rules.seats());
  check_tricks(outcome, rules);
  check_trumps(outcome, row, rules);
  check_laufende(outcome, rules);
  const ResultLimits limits = result_limits(outcome.contract, rules, context);
  check_limit("doublings", outcome.level, limits.doublings,
              " in " + std::string(row.name) + " (F.3");
  check_limit("legen", outcome.legen, limits.legen, " (F.1");
  check_limit("contract.bid", outcome.contract.bid, limits.bid, " (D.5");
}

bool plays_tout(const ContractRow& row, const CompiledRules& rules) {
  return rules.single_classes().contains(row.tout_action) ||
         (row.family != Family::kNone && rules.classes_of(row.family).contains(row.tout_action));
}

void check_contract(const Contract& contract, const CompiledRules& rules) {
  check_numbers(contract.contract, contract.suit);
  const ContractRow& row = contract_row(contract.contract);
  if (!rules.can_be_played(row.contract)) {
    refuse_argument("contract", ": " + std::string(row.name) +
                                    " is not played under these rules (J.1, contracts; " +
                                    std::string(row.source) + ")");
  }
  if (contract.tout && row.tout_action != 0 && !plays_tout(row, rules)) {
    refuse_argument("contract", ": the Tout of " + std::string(row.name) +
                                    " is not played under these rules (J.1, tout_enabled)");
  }
}

void check_position(const Position& position, const CompiledRules& rules) {
  const Contract& contract = position.contract;
  check_contract(contract, rules);
  const ContractRow& row = contract_row(contract.contract);
  const bool declared = contract.declarer >= 0 && contract.declarer < rules.seats();
  if (row.parties != Parties::kCalledCard || !declared) return;
  const CardSet hand = position.hands[static_cast<std::size_t>(contract.declarer)];
  CardSet cards;
  if (hand.count() == rules.cards_per_hand()) {  // all that he had when he called
    cards = CardSet(row.by_duty ? rules.duty_calls(hand.bits(), rules.rules().muss_blocked)
                                : rules.callable(hand.bits()));
  } else {
    cards = rules.deck() - rules.partner_trumps() - hand;
    if (!row.by_duty) cards = cards & CardSet::rank(Rank::kAss);
  }
  if (contract.called < kNumCards && cards.contains(contract.called)) return;
  refuse(std::string(row.name) + ": called card " + card_name(contract.called) +
         " is not callable (" + (row.by_duty ? "C.4, R-040" : "C.1, R-027") +
         "); callable: " + (cards.empty() ? std::string("none") : to_string(cards)));
}

}  // namespace schafkopf
