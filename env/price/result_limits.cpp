#include "env/price/result_limits.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "env/base/wrong_argument.h"

namespace schafkopf {
namespace {

std::string switch_text(std::string_view key, bool on) {
  return std::string(key) + (on ? " = true" : " = false");
}

bool begins_doubled(const CompiledRules& rules, const DealContext& context) {
  return rules.may_begin_doubled() ||
         special_round_row(context.mode()).opening == Opening::kForehandPlays;
}

Limit limit_of_doublings(const ContractRow& row, const CompiledRules& compiled,
                         const DealContext& context) {
  const RuleSet& rules = compiled.rules();
  const int most = compiled.max_doublings(row);
  if (row.parties == Parties::kEveryone) {
    if (most > 0 && !compiled.has_windows()) return {0, "kontra_window = \"off\""};
    return {most, switch_text("ramsch_kontra", rules.ramsch_kontra)};
  }
  if (row.by_duty && !rules.muss_kontra) return {0, switch_text("muss_kontra", false)};
  if (!row.doubling && !row.by_duty) return {0, std::string(row.name) + " cannot be doubled"};
  const bool doubled = row.doubling && begins_doubled(compiled, context);
  if (!compiled.has_windows() && !doubled) return {0, "kontra_window = \"off\""};
  const bool alone = row.is_single();
  if (doubled && most < 1) return {1, "the Kontra that stands in a Hadsch"};
  return {most,
          (alone ? "max_doublings_solo = " : "max_doublings_partner = ") + std::to_string(most)};
}

Limit limit_of_legen(const CompiledRules& rules) {
  const Legen legen = rules.rules().legen;
  const int most = legen == Legen::kOff ? 0 : legen == Legen::kForehandOnly ? 1 : rules.seats();
  return {most, "legen = \"" + std::string(name_of(legen)) + "\""};
}

/// Bids are those of the contest for points, where it decides.
Limit limit_of_bids(const CompiledRules& rules) {
  const SoloContest contest = rules.rules().solo_contest;
  return {contest == SoloContest::kSteigern ? kTotalPoints : 0,
          "solo_contest = \"" + std::string(name_of(contest)) + "\""};
}

void require_seat(const char* what, int seat, int seats) {
  const std::string allowed = ", allowed: a seat 0.." + std::to_string(seats - 1);
  if (seat == -1) refuse_argument(what, " is missing" + allowed);
  if (seat < 0 || seat >= seats) refuse_argument(what, " = " + std::to_string(seat) + allowed);
}

}  // namespace

ResultLimits result_limits(const Contract& contract, const CompiledRules& rules,
                           const DealContext& context) {
  const ContractRow& row = contract_row(contract.contract);
  ResultLimits limits;
  limits.tricks = rules.cards_per_hand();
  limits.doublings = limit_of_doublings(row, rules, context);
  limits.legen = limit_of_legen(rules);
  limits.bid = limit_of_bids(rules);
  const TrumpList& trumps = rules.trumps(contract.contract, contract.suit);
  if (trumps.count > 0) limits.highest_trump = trumps.cards[0];
  return limits;
}

std::pair<int, int> points_in_tricks(int tricks, const CompiledRules& rules) {
  std::array<int, kNumCards> points{};
  int count = 0;
  for (const Card card : rules.deck()) points[static_cast<std::size_t>(count++)] = points_of(card);
  std::sort(points.begin(), points.begin() + count);
  const int number = std::clamp(tricks * rules.seats(), 0, count);
  int least = 0, most = 0;
  for (int i = 0; i < number; ++i) {
    least += points[static_cast<std::size_t>(i)];
    most += points[static_cast<std::size_t>(count - 1 - i)];
  }
  return {least, most};
}

void check_bid(const ContractRow& row, int bid) {
  const bool step = bid == 0 || (bid >= 70 && bid <= 120 && bid % 10 == 0);
  const std::string given = " = " + std::to_string(bid);
  if (!step) refuse_argument("bid", given + ", allowed: 0, 70, 80, ... 120 (R-098)");
  if (bid == 0 || row.takes_bid()) return;
  refuse_argument("bid", given + ", allowed: 0 in " + std::string(row.name) +
                             ": only single games have a bid, negative ones none (D.5, R-098)");
}

unsigned declarer_party(const Contract& contract, int partner, const CompiledRules& rules) {
  const ContractRow& row = contract_row(contract.contract);
  const std::string name(contract_name(row.contract, contract.tout));
  const int declarer = contract.declarer, seats = rules.seats();
  if (row.parties == Parties::kEveryone) {
    if (declarer != -1)
      refuse_argument("declarer", " does not belong here: " + name + " has no declarer");
    if (partner != -1)
      refuse_argument("partner", " does not belong here: " + name + " has no declarer");
    return 0;
  }
  require_seat("declarer", declarer, seats);
  if (row.is_single()) {
    if (partner != -1)
      refuse_argument("partner", " does not belong here: " + name + " is played alone");
    return 1u << declarer;
  }
  if (seats < kNumSeats)
    refuse_argument("contract", ": " + name + " is a partner game and needs four players (R-006)");
  const int opposite = (declarer + 2) % seats;
  if (row.parties == Parties::kOppositeSeats && partner == -1) partner = opposite;
  require_seat("partner", partner, seats);
  if (partner == declarer) {
    refuse_argument("partner", " = " + std::to_string(partner) + " is the declarer's own seat");
  }
  if (row.parties == Parties::kOppositeSeats && partner != opposite) {
    refuse_argument("partner",
                    ": in " + name + " he sits opposite, seat " + std::to_string(opposite));
  }
  return 1u << declarer | 1u << partner;
}

}  // namespace schafkopf
