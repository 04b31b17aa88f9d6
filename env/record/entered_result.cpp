#include "env/record/entered_result.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <utility>

#include "env/base/nearest.h"
#include "env/base/wrong_argument.h"
#include "env/price/result_limits.h"
#include "env/record/input_check.h"

namespace schafkopf {
namespace {

using PerSeat = std::array<std::uint8_t, kNumSeats>;

void check_range(const char* argument, int value, int most, std::string_view because = {}) {
  if (value >= 0 && value <= most) return;
  refuse_argument(argument, fmt::format(" = {}, allowed: 0..{}{}", value, most,
                                        because.empty() ? "" : fmt::format(" ({})", because)));
}

int seat_of(const char* argument, int seat, int seats) {
  if (seat < 0 || seat >= seats) {
    refuse_argument(argument, fmt::format(" = {}, allowed: a seat 0..{}", seat, seats - 1));
  }
  return seat;
}

PerSeat bytes_of(const std::vector<int>& numbers) {
  PerSeat bytes{};
  std::ranges::transform(numbers, bytes.begin(),
                         [](int n) { return static_cast<std::uint8_t>(n); });
  return bytes;
}

NamedContract named_contract(const std::string& name) {
  const NamedContract named = parse_contract(name);
  if (named.row != nullptr) return named;
  constexpr auto kNames = names_of(ContractClass{});
  refuse_argument("contract",
                  fmt::format(" {}, allowed: {}; a single game for all tricks has _TOUT "
                              "behind its name{}",
                              name, fmt::join(kNames, ", "), nearest_hint(name, kNames)));
}

/// Makes the outcomes that fit what was entered. They differ in what was left out.
class ResultReader {
 public:
  ResultReader(const EnteredResult& entered, const CompiledRules& rules)
      : entered_(entered),
        rules_(rules),
        named_(named_contract(entered.contract)),
        row_(*named_.row),
        seats_(rules.seats()),
        tricks_(rules.cards_per_hand()) {}

  [[nodiscard]] std::vector<Outcome> outcomes() {
    read_contract();
    base_.declarer_party = static_cast<std::uint8_t>(
        declarer_party(base_.contract, entered_.partner.value_or(-1), rules_));
    check_limits();
    read_specials();
    read_laufende();
    base_.forehand = seat_of("forehand", entered_.forehand, seats_);
    std::vector<Outcome> found = everyone() ? everyones_outcomes() : party_outcomes();
    if (!guesses_last_doubler()) return found;
    const std::size_t sure = found.size();
    for (std::size_t i = 0; i < sure; ++i) {
      found.push_back(found[i]);
      found.back().defenders_doubled_last = !found[i].defenders_doubled_last;
    }
    return found;
  }
  /// Where both partners may double (F.4), their number does not tell who doubled last: the second
  /// half of the outcomes has the other party.
  [[nodiscard]] bool guesses_last_doubler() const {
    return row_.parties == Parties::kOppositeSeats && base_.contract.declarer >= 0 &&
           rules_.rules().kreuz_each_partner_doubles && entered_.doublings >= 2;
  }
  [[nodiscard]] bool everyone() const { return row_.parties == Parties::kEveryone; }
  /// What is said about a run of which not all cards count.
  [[nodiscard]] std::vector<std::string> notes() const {
    const bool fixed = row_.laufende == LaufendeGroup::kAlwaysEight;
    if (base_.laufende == entered_.laufende || fixed) return {};
    return {fmt::format("a run of {}: {} Laufende count (minimum, cap; R-163, R-164)",
                        entered_.laufende, base_.laufende)};
  }

 private:
  /// Its price asks neither for the suit nor for the called card: any will do.
  void read_contract() {
    if (entered_.declarer && !everyone()) (void)seat_of("declarer", *entered_.declarer, seats_);
    Contract& contract = base_.contract;
    contract.contract = row_.contract;
    contract.tout = named_.tout;
    contract.suit = row_.trump_suit == TrumpSuit::kAnnounced ? Suit::kEichel : Suit::kHerz;
    contract.called =
        row_.parties == Parties::kCalledCard ? make_card(Suit::kEichel, Rank::kAss) : kNoCard;
    contract.declarer = entered_.declarer.value_or(-1);
    contract.bid = entered_.bid;
  }

  /// What the rule set allows of contracts and doublings.
  void check_limits() {
    const ResultLimits limits = result_limits(base_.contract, rules_);
    check_range("doublings", entered_.doublings, limits.doublings.most, limits.doublings.because);
    check_range("legen", entered_.legen, limits.legen.most, limits.legen.because);
    check_range("bock", entered_.bock, limits.bock);
    check_bid(row_, entered_.bid);
    if (entered_.bid > limits.bid.most) {
      refuse_argument("bid", fmt::format(" = {}, allowed: {} ({})", entered_.bid, limits.bid.most,
                                         limits.bid.because));
    }
    const RuleSet& rules = rules_.rules();
    if (row_.nameable && !rules.contracts.contains(row_.contract)) {
      refuse_argument("contract",
                      fmt::format(": {} is not played under these rules (contracts)", row_.name));
    }
    if (named_.tout && !rules.tout_enabled) {
      refuse_argument("contract",
                      fmt::format(": {} is not played (tout_enabled = false)", entered_.contract));
    }
    base_.level = entered_.doublings;
    base_.defenders_doubled_last = entered_.doublings % 2 == 1;  // the sides double in turn (F.3)
    base_.legen = entered_.legen;
  }

  void read_specials() {
    const RuleSet& rules = rules_.rules();
    if (entered_.claimed_laufende) {
      if (!rules.laufende_by_claim) {
        refuse_argument("claimed_laufende", " needs laufende_by_claim = true (R-165)");
      }
      check_range("claimed_laufende", *entered_.claimed_laufende, kNumCards);
      base_.claimed_laufende = *entered_.claimed_laufende;
    }
    if (entered_.claimed_schwarz) {
      if (!rules.schwarz_by_claim) {
        refuse_argument("claimed_schwarz", " needs schwarz_by_claim = true (R-167)");
      }
      base_.claimed_schwarz = *entered_.claimed_schwarz ? 1 : 0;
    }
    if (!entered_.announced.empty() && !(everyone() && rules.ramsch_virgin_announced)) {
      refuse_argument("announced", " needs a Ramsch with ramsch_virgin_announced = true (R-051)");
    }
    for (const int seat : entered_.announced) {
      base_.announced |= static_cast<std::uint8_t>(1u << seat_of("announced", seat, seats_));
    }
    if ((entered_.infraction == Infraction::kNone) == entered_.offender.has_value()) {
      refuse_argument(entered_.offender ? "offender" : "infraction",
                      ": the infraction and its offender belong together (R-127..R-131)");
    }
    if (!entered_.offender) return;
    base_.infraction = entered_.infraction;
    base_.offender = seat_of("offender", *entered_.offender, seats_);
  }

  void read_laufende() {
    const int trumps = rules_.trumps(row_.contract, base_.contract.suit).count;
    check_range("laufende", entered_.laufende, trumps,
                fmt::format("{} has {} trumps", row_.name, trumps));
    base_.laufende = payable_run(base_.contract, entered_.laufende, rules_);
  }

  [[nodiscard]] bool possible(int points, int tricks) const {
    const auto [least, most] = points_in_tricks(tricks, rules_);
    return points >= least && points <= most;
  }

  /// The one number of the declarer party; else all that it can be.
  [[nodiscard]] static std::vector<int> of_the_party(const char* argument,
                                                     const std::optional<std::vector<int>>& numbers,
                                                     int most) {
    if (!numbers) {
      std::vector<int> all(static_cast<std::size_t>(most) + 1);
      std::iota(all.begin(), all.end(), 0);
      return all;
    }
    if (numbers->size() != 1) {
      refuse_argument(argument, fmt::format(": {} numbers, allowed: one, of the declarer party",
                                            numbers->size()));
    }
    check_range(argument, numbers->front(), most);
    return *numbers;
  }

  /// Alone each number is possible, so where a result is not, both were given.
  [[nodiscard]] static int stated(const std::optional<std::vector<int>>& numbers) {
    return numbers ? numbers->front() : 0;
  }

  [[nodiscard]] std::vector<Outcome> party_outcomes() const {
    for (const auto& [argument, given] :
         {std::pair{"trumps_taken", entered_.trumps_taken.has_value()},
          std::pair{"highest_trump", entered_.highest_trump.has_value()}}) {
      if (given) refuse_argument(argument, " decides ties of the Ramsch only (R-045)");
    }
    const unsigned party = base_.declarer_party;
    const auto own = static_cast<std::size_t>(std::countr_zero(party));
    const auto other = static_cast<std::size_t>(std::countr_one(party));
    std::vector<Outcome> outcomes;
    for (const int points : of_the_party("points", entered_.points, kTotalPoints)) {
      for (const int tricks : of_the_party("tricks", entered_.tricks, tricks_)) {
        if (!possible(points, tricks)) continue;
        Outcome outcome = base_;
        outcome.points[own] = static_cast<std::uint8_t>(points);
        outcome.points[other] = static_cast<std::uint8_t>(kTotalPoints - points);
        outcome.tricks[own] = static_cast<std::uint8_t>(tricks);
        outcome.tricks[other] = static_cast<std::uint8_t>(tricks_ - tricks);
        outcomes.push_back(outcome);
      }
    }
    if (!outcomes.empty()) return outcomes;
    refuse_argument("points", fmt::format(": {} points in {} of {} tricks cannot be: points come "
                                          "from tricks, and all tricks are {} points",
                                          stated(entered_.points), stated(entered_.tricks), tricks_,
                                          kTotalPoints));
  }

  [[nodiscard]] PerSeat per_seat(const char* argument,
                                 const std::optional<std::vector<int>>& numbers, int total) const {
    if (!numbers || static_cast<int>(numbers->size()) != seats_) {
      refuse_argument(argument, fmt::format(": {}, allowed: one per seat ({})",
                                            numbers ? fmt::format("{} numbers", numbers->size())
                                                    : std::string("missing"),
                                            seats_));
    }
    for (const int number : *numbers) check_range(argument, number, total);
    return bytes_of(*numbers);
  }
  [[nodiscard]] PerSeat sharing(const char* argument,
                                const std::optional<std::vector<int>>& numbers, int total) const {
    const PerSeat shares = per_seat(argument, numbers, total);
    const int sum = std::accumulate(shares.begin(), shares.end(), 0);
    if (sum == total) return shares;
    refuse_argument(argument,
                    fmt::format(": the numbers add up to {}, allowed: {} in all", sum, total));
  }

  /// An offence may decide alone: then each seat as the loser.
  [[nodiscard]] std::vector<Outcome> offended_outcomes() const {
    constexpr int kHalf = kTotalPoints / 2;
    std::vector<Outcome> outcomes;
    for (std::size_t loser = 0; std::cmp_less(loser, seats_); ++loser) {
      Outcome outcome = base_;
      for (std::size_t seat = 0; std::cmp_less(seat, seats_); ++seat) {
        outcome.points[seat] =
            static_cast<std::uint8_t>(seat == loser ? kHalf : kHalf / (seats_ - 1));
        outcome.tricks[seat] = 1;
      }
      outcomes.push_back(outcome);
    }
    return outcomes;
  }

  [[nodiscard]] std::vector<Outcome> everyones_outcomes() const {
    if (entered_.offender && !entered_.points && !entered_.tricks) return offended_outcomes();
    Outcome shared = base_;
    shared.points = sharing("points", entered_.points, kTotalPoints);
    shared.tricks = sharing("tricks", entered_.tricks, tricks_);
    for (std::size_t seat = 0; std::cmp_less(seat, seats_); ++seat) {
      if (possible(shared.points[seat], shared.tricks[seat])) continue;
      refuse_argument("points",
                      fmt::format(": seat {}: {} points in {} of {} tricks cannot be", seat,
                                  shared.points[seat], shared.tricks[seat], tricks_));
    }
    std::vector<Outcome> outcomes;
    for (const PerSeat& trumps : trumps_of_seats(shared)) {
      for (const auto& cards : highest_of_seats()) {
        outcomes.push_back(shared);
        outcomes.back().trumps_taken = trumps;
        outcomes.back().highest_trump = cards;
      }
    }
    return outcomes;
  }
  /// Where they are left out, each seat that took a trick as the one that a tie decides against.
  [[nodiscard]] std::vector<PerSeat> trumps_of_seats(const Outcome& shared) const {
    if (entered_.trumps_taken) {
      return {per_seat("trumps_taken", entered_.trumps_taken, kNumCards)};
    }
    std::vector<PerSeat> all(static_cast<std::size_t>(seats_), PerSeat{});
    const bool with_tricks = entered_.tricks.has_value();
    for (std::size_t seat = 0; seat < all.size(); ++seat) {
      all[seat][seat] = !with_tricks || shared.tricks[seat] > 0 ? 1 : 0;
    }
    return all;
  }
  [[nodiscard]] std::vector<std::array<Card, kNumSeats>> highest_of_seats() const {
    std::array<Card, kNumSeats> none{};
    none.fill(kNoCard);
    std::vector<std::array<Card, kNumSeats>> all;
    if (entered_.highest_trump) {
      if (static_cast<int>(entered_.highest_trump->size()) != seats_) {
        refuse_argument("highest_trump", fmt::format(": {} cards, allowed: one per seat, - = none",
                                                     entered_.highest_trump->size()));
      }
      std::ranges::copy(*entered_.highest_trump, none.begin());
      return {none};
    }
    const Card best = result_limits(base_.contract, rules_).highest_trump;
    for (std::size_t seat = 0; std::cmp_less(seat, seats_); ++seat) {
      all.push_back(none);
      all.back()[seat] = best;
    }
    return all;
  }

  const EnteredResult& entered_;
  const CompiledRules& rules_;
  NamedContract named_;
  const ContractRow& row_;
  int seats_, tricks_;
  Outcome base_;
};

/// The first number that is missing, as the price depends on one.
[[noreturn]] void refuse_missing(const EnteredResult& entered, bool everyone) {
  const char* const missing = !entered.tricks         ? "tricks"
                              : !entered.points       ? "points"
                              : !entered.trumps_taken ? "trumps_taken"
                                                      : "highest_trump";
  const bool tie = everyone && entered.tricks && entered.points;
  refuse_argument(missing, tie ? " is missing: two seats are tied, and it decides (R-045)"
                               : " is missing: the price depends on it");
}

/// Any of the outcomes, if all are paid alike.
const Outcome& only_price(const std::vector<Outcome>& outcomes, const EnteredResult& entered,
                          const ResultReader& reader, const CompiledRules& rules,
                          const DealContext& context) {
  const std::size_t sure = reader.guesses_last_doubler() ? outcomes.size() / 2 : outcomes.size();
  std::optional<Settlement> first;
  for (const Outcome& outcome : outcomes) {
    check_outcome(outcome, rules, context);
    const Settlement paid = settle(outcome, rules, context);
    if (!first) first = paid;
    const bool same = paid.payoffs == first->payoffs &&
                      paid.stock_payoffs == first->stock_payoffs &&
                      paid.reuegeld == first->reuegeld;
    if (same) continue;
    if (&outcome >= &outcomes.front() + sure) {
      refuse_argument("doublings",
                      fmt::format(" = {}: who doubled last decides (F.4, F.5), allowed: 0 or 1, or "
                                  "an Outcome, which says it",
                                  entered.doublings));
    }
    refuse_missing(entered, reader.everyone());
  }
  return outcomes.front();
}

/// What belongs to a game that was played.
void check_thrown_in(const EnteredResult& e) {
  const std::pair<const char*, bool> given[] = {
      {"tricks", e.tricks.has_value()},
      {"points", e.points.has_value()},
      {"trumps_taken", e.trumps_taken.has_value()},
      {"highest_trump", e.highest_trump.has_value()},
      {"declarer", e.declarer.has_value()},
      {"partner", e.partner.has_value()},
      {"laufende", e.laufende != 0},
      {"doublings", e.doublings != 0},
      {"legen", e.legen != 0},
      {"bid", e.bid != 0},
      {"forehand", e.forehand != 0},
      {"announced", !e.announced.empty()},
      {"claimed_laufende", e.claimed_laufende.has_value()},
      {"claimed_schwarz", e.claimed_schwarz.has_value()},
      {"infraction", e.infraction != Infraction::kNone},
      {"offender", e.offender.has_value()},
  };
  for (const auto& [argument, present] : given) {
    if (present) refuse_argument(argument, " does not belong to a deal that was thrown in");
  }
}

DealContext context_of(const EnteredResult& entered, const CompiledRules& rules) {
  const int most = kMaxStock / rules.tariff_scale();
  check_range("stock", entered.stock, most);
  check_range("bock", entered.bock, kMaxBock);
  DealContext context;
  context.stock = entered.stock * rules.tariff_scale();
  context.bock = static_cast<std::uint8_t>(entered.bock);
  return context;
}

}  // namespace

PricedResult price_result(const EnteredResult& entered, const CompiledRules& rules) {
  PricedResult priced;
  if (entered.contract.empty()) {
    check_thrown_in(entered);
    priced.context = context_of(entered, rules);
    priced.outcome.thrown_in = true;
    priced.outcome.stock_deposit = entered.stock_deposit;
    check_outcome(priced.outcome, rules);
  } else {
    if (entered.stock_deposit) {
      refuse_argument("stock_deposit", " belongs to a deal that was thrown in, without a contract");
    }
    ResultReader reader(entered, rules);
    const std::vector<Outcome> outcomes = reader.outcomes();
    priced.context = context_of(entered, rules);
    priced.outcome = only_price(outcomes, entered, reader, rules, priced.context);
    priced.steps = reader.notes();
  }
  for (std::string& step : settlement_steps(priced.outcome, rules, priced.context)) {
    priced.steps.push_back(std::move(step));
  }
  return priced;
}

}  // namespace schafkopf
