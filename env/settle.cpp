#include "env/settle.h"

#include <fmt/format.h>

#include <algorithm>

#include "env/compiled_rules.h"

namespace schafkopf {
namespace {

constexpr int kMajority = 61, kSchneider = 91;

struct Thresholds {
  int win = kMajority;             // declarer party needs
  int schneider_won = kSchneider;  // from here the defenders are Schneider
  int schneider_lost = 30;         // up to here the declarer party is Schneider
};

/// G.1: normal, Steigern bid, Muss "sixty", Kontra takeover.
Thresholds thresholds_of(const Outcome& outcome, const ContractRow& row, const RuleSet& rules) {
  Thresholds limits;
  if (outcome.contract.bid > 0) {
    limits.win = std::min(outcome.contract.bid + 1, kTotalPoints);
    return limits;
  }
  const bool sixty = row.by_duty && rules.muss_threshold == MussThreshold::kSixty;
  const bool taken_over = rules.kontra_takeover && outcome.defenders_doubled_last;
  if (sixty || taken_over) limits = {kMajority - 1, kSchneider - 1, 29};
  return limits;
}

void judge(Settlement& result, const Outcome& outcome, const ContractRow& row,
           const RuleSet& rules) {
  int tricks = 0, defender_tricks = 0;
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    const bool declarer = ((outcome.declarer_party >> seat) & 1) != 0;
    if (declarer) result.declarer_points += outcome.points[seat];
    (declarer ? tricks : defender_tricks) += outcome.tricks[seat];
  }
  if (outcome.contract.tout) {
    result.won = defender_tricks == 0;
    return;
  }
  if (row.goal == Goal::kFixedHand) {
    result.won = true;
    return;
  }
  if (row.goal == Goal::kNoTrick) {
    result.won = tricks == 0;
    return;
  }
  const Thresholds limits = thresholds_of(outcome, row, rules);
  result.won = result.declarer_points >= limits.win;
  result.schwarz = (result.won ? defender_tricks : tricks) == 0;
  result.schneider =
      result.schwarz || (result.won ? result.declarer_points >= limits.schneider_won
                                    : result.declarer_points <= limits.schneider_lost);
}

bool counts_schneider(const ContractRow& row, bool tout, const RuleSet& rules) {
  if (tout || row.goal != Goal::kMajority) return false;
  return !row.is_single() || rules.solo_schneider_schwarz || rules.deck == Deck::kShort24;
}

int price_factor(const ContractRow& row, bool tout, const Tariff& tariff) {
  if (tout) return tariff.tout_factor;
  switch (row.factor) {
    case PriceFactor::kOne:
      return 1;
    case PriceFactor::kHochzeit:
      return tariff.hochzeit_factor;
    case PriceFactor::kSie:
      return tariff.sie_factor;
  }
  return 1;
}

/// The parts of G.3, per payer.
struct PriceParts {
  int base = 0, schneider = 0, schwarz = 0, laufende = 0, kontra = 1, factor = 1, outer = 1;
  KontraScope scope = KontraScope::kAll;

  [[nodiscard]] int total() const {
    int value = 0;
    switch (scope) {
      case KontraScope::kAll:
        value = (base + schneider + schwarz + laufende) * kontra;
        break;
      case KontraScope::kNoLaufende:
        value = (base + schneider + schwarz) * kontra + laufende;
        break;
      case KontraScope::kBaseOnly:
        value = base * kontra + schneider + schwarz + laufende;
        break;
    }
    return value * factor * outer;
  }
};

PriceParts price_parts(const Outcome& outcome, const Settlement& result, const ContractRow& row,
                       const RuleSet& rules, const DealContext& context) {
  const Tariff& tariff = rules.tariff;
  PriceParts parts;
  parts.base = tariff[row.price];
  if (counts_schneider(row, outcome.contract.tout, rules)) {
    parts.schneider = result.schneider ? tariff[TariffKey::kSchneider] : 0;
    parts.schwarz = result.schwarz ? tariff[TariffKey::kSchwarz] : 0;
  }
  parts.laufende = result.laufende * tariff[TariffKey::kLaufende];
  parts.kontra = 1 << outcome.level;
  parts.factor = price_factor(row, outcome.contract.tout, tariff);
  parts.outer = 1 << (outcome.legen + context.bock);
  parts.scope = rules.kontra_scope;
  return parts;
}

void pay_parties(Settlement& result, const Outcome& outcome, const ContractRow& row, int seats) {
  const int sign = result.won ? 1 : -1;
  for (int seat = 0; seat < seats; ++seat) {
    const bool declarer = ((outcome.declarer_party >> seat) & 1) != 0;
    const int share = declarer && row.is_single() ? seats - 1 : 1;
    result.payoffs[static_cast<std::size_t>(seat)] =
        (declarer ? sign : -sign) * share * result.price;
  }
}

// RAMSCH (C.6)

/// What a seat has after Schieberramsch has passed the tricks on, and its place in the tie chain.
struct RamschSeat {
  int points = 0, tricks = 0, trumps = 0, highest = 0, nearness = 0, seat = 0;

  /// Order of the tie chain: the first to lose is the largest.
  [[nodiscard]] auto key() const {
    return std::array<int, 5>{points, tricks, trumps, highest, nearness};
  }
};

std::array<RamschSeat, kNumSeats> ramsch_seats(const Outcome& outcome, const RuleSet& rules,
                                               int seats) {
  std::array<RamschSeat, kNumSeats> list{};
  for (int seat = 0; seat < seats; ++seat) {
    const auto from =
        static_cast<std::size_t>(rules.ramsch_shift ? (seat + seats - 1) % seats : seat);
    const int position = (seat - outcome.forehand + seats) % seats;
    list[static_cast<std::size_t>(seat)] = {outcome.points[from],       outcome.tricks[from],
                                            outcome.trumps_taken[from], outcome.highest_trump[from],
                                            seats - position,           seat};
  }
  return list;
}

int march_seat(std::span<const RamschSeat> list, const RuleSet& rules) {
  int tricks = 0;
  for (const RamschSeat& seat : list) tricks += seat.tricks;
  for (const RamschSeat& seat : list) {
    const bool all = seat.tricks == tricks;
    if (rules.ramsch_march == RamschMarch::kAllTricks && all) return seat.seat;
    if (rules.ramsch_march == RamschMarch::kPoints91 && seat.points >= kSchneider) return seat.seat;
  }
  return -1;
}

void transfer(Settlement& result, int from, int to, int amount) {
  result.payoffs[static_cast<std::size_t>(from)] -= amount;
  result.payoffs[static_cast<std::size_t>(to)] += amount;
}

void settle_ramsch(Settlement& result, const Outcome& outcome, const RuleSet& rules, int seats) {
  auto all = ramsch_seats(outcome, rules, seats);
  const std::span<RamschSeat> list(all.data(), static_cast<std::size_t>(seats));
  result.march = static_cast<std::int8_t>(march_seat(list, rules));
  int virgins = 0;
  for (const RamschSeat& seat : list) {
    if (seat.tricks != 0) continue;
    result.virgins = static_cast<std::uint8_t>(result.virgins | (1 << seat.seat));
    ++virgins;
  }
  if (result.march >= 0) {
    result.price = rules.tariff[TariffKey::kMarch] * result.multiplier;
    for (const RamschSeat& seat : list) {
      if (seat.seat != result.march) transfer(result, seat.seat, result.march, result.price);
    }
    return;
  }
  std::sort(list.begin(), list.end(),
            [](const RamschSeat& a, const RamschSeat& b) { return a.key() > b.key(); });
  result.loser = static_cast<std::int8_t>(list[0].seat);
  if (rules.ramsch_virgin == RamschVirgin::kAllDouble && virgins > 0) result.multiplier *= 2;
  if (rules.ramsch_virgin == RamschVirgin::kAllDoublePerVirgin) result.multiplier <<= virgins;
  result.price = rules.tariff[TariffKey::kRamsch] * result.multiplier;
  const auto pay = [&](const RamschSeat& from, const RamschSeat& to) {
    const bool twice = rules.ramsch_virgin == RamschVirgin::kReceivesDouble && to.tricks == 0;
    transfer(result, from.seat, to.seat, twice ? 2 * result.price : result.price);
  };
  if (rules.ramsch_payers == 2) {
    pay(list[0], list[3]);
    pay(list[1], list[2]);
    return;
  }
  for (std::size_t i = 1; i < list.size(); ++i) pay(list[0], list[i]);
}

std::string amount_text(int amount, int scale) {
  if (amount % scale == 0) return fmt::format("{}", amount / scale);
  return fmt::format("{:.1f}", static_cast<double>(amount) / scale);
}

}  // namespace

Settlement settle(const Outcome& outcome, const CompiledRules& compiled,
                  const DealContext& context) {
  Settlement result;
  if (outcome.thrown_in) return result;
  const RuleSet& rules = compiled.rules();
  const ContractRow& row = contract_row(outcome.contract.contract);
  result.multiplier = 1 << (outcome.level + outcome.legen + context.bock);
  if (row.goal == Goal::kFewestPoints) {
    settle_ramsch(result, outcome, rules, compiled.seats());
    return result;
  }
  judge(result, outcome, row, rules);
  if (row.laufende != LaufendeGroup::kNone) result.laufende = outcome.laufende;
  if (row.laufende == LaufendeGroup::kAlwaysEight) result.laufende = 8;
  result.price = price_parts(outcome, result, row, rules, context).total();
  pay_parties(result, outcome, row, compiled.seats());
  return result;
}

std::vector<std::string> settlement_steps(const Outcome& outcome, const CompiledRules& compiled,
                                          const DealContext& context) {
  const Settlement result = settle(outcome, compiled, context);
  if (outcome.thrown_in) return {"all passed: thrown in, nobody pays"};
  const RuleSet& rules = compiled.rules();
  const ContractRow& row = contract_row(outcome.contract.contract);
  const int scale = compiled.tariff_scale();
  const auto text = [scale](int amount) { return amount_text(amount, scale); };
  std::vector<std::string> steps;
  const std::string_view name = contract_name(outcome.contract.contract, outcome.contract.tout);
  if (row.goal == Goal::kFewestPoints) {
    if (result.march >= 0) {
      steps.push_back(fmt::format("{}: Durchmarsch of seat {}", name, result.march));
    } else {
      steps.push_back(fmt::format("{}: seat {} loses", name, result.loser));
    }
    if (result.virgins != 0) {
      steps.push_back(fmt::format("Jungfrau: {} without a trick", std::popcount(result.virgins)));
    }
  } else {
    const PriceParts parts = price_parts(outcome, result, row, rules, context);
    steps.push_back(fmt::format("{} {} with {} points", name, result.won ? "won" : "lost",
                                result.declarer_points));
    steps.push_back(fmt::format("base {}", text(parts.base)));
    if (parts.schneider != 0) steps.push_back(fmt::format("Schneider +{}", text(parts.schneider)));
    if (parts.schwarz != 0) steps.push_back(fmt::format("Schwarz +{}", text(parts.schwarz)));
    if (parts.laufende != 0) {
      steps.push_back(fmt::format("{} Laufende +{}", result.laufende, text(parts.laufende)));
    }
    if (parts.factor != 1) steps.push_back(fmt::format("factor x{}", parts.factor));
  }
  if (outcome.level > 0)
    steps.push_back(fmt::format("doubled {} times x{}", outcome.level, 1 << outcome.level));
  if (outcome.legen > 0)
    steps.push_back(fmt::format("laid {} times x{}", outcome.legen, 1 << outcome.legen));
  if (context.bock > 0) steps.push_back(fmt::format("Bock x{}", 1 << context.bock));
  steps.push_back(fmt::format("price {} {} per payer", text(result.price), rules.tariff.unit));
  std::string payoffs = "payoffs";
  for (int seat = 0; seat < compiled.seats(); ++seat) {
    payoffs += ' ' + text(result.payoffs[static_cast<std::size_t>(seat)]);
  }
  steps.push_back(payoffs);
  return steps;
}

int top_run(const TrumpList& trumps, CardSet party) {
  if (trumps.count == 0) return 0;
  const bool held = party.contains(trumps.cards[0]);
  int run = 1;
  while (run < trumps.count &&
         party.contains(trumps.cards[static_cast<std::size_t>(run)]) == held) {
    ++run;
  }
  return run;
}

int payable_run(const Contract& contract, int run, const CompiledRules& compiled) {
  const RuleSet& rules = compiled.rules();
  const bool pictures = rules.laufende_cap == LaufendeCap::kPictures;
  int minimum = 0, cap = kNumCards;
  switch (contract_row(contract.contract).laufende) {
    case LaufendeGroup::kNone:
      return 0;
    case LaufendeGroup::kAlwaysEight:
      return 8;
    case LaufendeGroup::kOber:
      minimum = rules.laufende_min_ober;
      if (pictures) cap = 8;
      break;
    case LaufendeGroup::kWenz:
      minimum = rules.laufende_min_wenz;
      if (pictures) cap = 4;
      break;
  }
  return run >= minimum ? std::min(run, cap) : 0;
}

int payable_laufende(const Contract& contract, CardSet party, const CompiledRules& compiled) {
  return payable_run(contract, top_run(compiled.trumps(contract.contract, contract.suit), party),
                     compiled);
}

}  // namespace schafkopf
