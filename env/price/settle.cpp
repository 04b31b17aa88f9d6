#include "env/price/settle.h"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "env/price/settle_parts.h"
#include "env/rules/compiled_rules.h"

namespace schafkopf {
namespace {

constexpr int kMajority = 61, kSchneider = 91;

/// kMostPrice, where the factors of two lead beyond it.
std::int32_t in_range(std::int64_t price) {
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(price, -kMostPrice, kMostPrice));
}

}  // namespace

void add_trumps_taken(Outcome& outcome, std::size_t seat, CardSet won, const TrumpList& trumps) {
  outcome.trumps_taken[seat] = static_cast<std::uint8_t>(won.count());
  const auto ordered = trumps.cards_in_order();
  const auto highest =
      std::ranges::find_if(ordered, [won](Card card) { return won.contains(card); });
  outcome.highest_trump[seat] = highest == ordered.end() ? kNoCard : *highest;
}

// Normal, Steigern bid, Muss "sixty", Kontra takeover.
PointLimits point_limits(const Outcome& outcome, const RuleSet& rules) {
  const ContractRow& row = contract_row(outcome.contract.contract);
  PointLimits limits{.win = kMajority, .schneider_won = kSchneider, .schneider_lost = 30};
  if (outcome.contract.bid > 0) {
    limits.win = std::min(outcome.contract.bid + 1, kTotalPoints);
    return limits;
  }
  const bool sixty = row.by_duty && rules.muss_threshold == MussThreshold::kSixty;
  const bool taken_over = rules.kontra_takeover && outcome.defenders_doubled_last;
  if (sixty || taken_over) limits = {kMajority - 1, kSchneider - 1, 29};
  return limits;
}

namespace {

constexpr int kPenalty = 10, kSinglePenalty = 20;  // units to each other player (004 4)

std::uint32_t four_bytes(const std::array<std::uint8_t, kNumSeats>& numbers) {
  return std::bit_cast<std::uint32_t>(numbers);
}
/// Byte s: all ones where bit s is set.
constexpr std::uint32_t bytes_of_seats(std::uint8_t seats) {
  return ((seats & 0xFu) * 0x00204081u & 0x01010101u) * 0xFFu;
}
static_assert(bytes_of_seats(0b0101) == 0x00FF00FFu && bytes_of_seats(0b1010) == 0xFF00FF00u);
constexpr int sum_of_bytes(std::uint32_t bytes) {
  const std::uint32_t pairs = (bytes & 0x00FF00FFu) + (bytes >> 8 & 0x00FF00FFu);
  return static_cast<int>((pairs & 0xFFFFu) + (pairs >> 16));
}
static_assert(sum_of_bytes(0xFFFFFFFFu) == 4 * 255);

void judge(Settlement& result, const Outcome& outcome, const ContractRow& row,
           const RuleSet& rules) {
  // who is in the party cannot be foretold: sums over its bytes, never a branch
  const std::uint32_t party = bytes_of_seats(outcome.declarer_party);
  const int tricks = sum_of_bytes(four_bytes(outcome.tricks) & party);
  const int defender_tricks = sum_of_bytes(four_bytes(outcome.tricks) & ~party);
  result.declarer_points = sum_of_bytes(four_bytes(outcome.points) & party);
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
  const PointLimits limits = point_limits(outcome, rules);
  result.won = result.declarer_points >= limits.win;
  result.schwarz = (result.won ? defender_tricks : tricks) == 0;
  result.schneider =
      result.schwarz || (result.won ? result.declarer_points >= limits.schneider_won
                                    : result.declarer_points <= limits.schneider_lost);
}

/// The offender's party has lost (E.6).
void judge_offence(Settlement& result, const Outcome& outcome, const ContractRow& row,
                   Verdict verdict) {
  const bool has_schwarz = !outcome.contract.tout && row.goal == Goal::kMajority;
  result.won = ((outcome.declarer_party >> outcome.offender) & 1) == 0;
  result.schneider = result.schwarz = has_schwarz && verdict == Verdict::kLostSchwarz;
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

void pay_parties(Settlement& result, const Outcome& outcome, const ContractRow& row, int seats) {
  const std::int32_t others = result.won ? -result.price : result.price;
  const std::int32_t own = -others * (row.is_single() ? seats - 1 : 1);
  for (int seat = 0; seat < seats; ++seat) {
    const int declarer = (outcome.declarer_party >> seat) & 1;
    result.payoffs[static_cast<std::size_t>(seat)] = others + ((own - others) & -declarer);
  }
}

// RAMSCH (C.6)

/// What a seat has after Schieberramsch has passed the tricks on, and its place in the tie chain.
struct RamschSeat {
  bool failed = false;  // announced the Jungfrau and took a trick
  int points = 0, tricks = 0, trumps = 0, highest = 0, nearness = 0, seat = 0;

  /// Order of the tie chain: the first to lose is the largest. A failed announcement loses
  /// whatever the points (OPEN-21).
  [[nodiscard]] auto key() const {
    return std::array<int, 6>{static_cast<int>(failed), points, tricks, trumps, highest, nearness};
  }
};

/// Place of a trump among the trumps of the row: larger = stronger, 0 = no card.
int trump_strength(const ContractRow& row, Card card) {
  if (card == kNoCard) return 0;
  const auto ranks =
      std::span(row.trump_ranks).first(static_cast<std::size_t>(row.num_trump_ranks));
  const auto rank = std::ranges::find(ranks, rank_of(card));
  if (rank == ranks.end()) return 1 + static_cast<int>(rank_of(card));  // of the trump suit
  const auto higher = kNumSuits * (rank - ranks.begin()) + static_cast<int>(suit_of(card));
  return 2 * kNumCards - static_cast<int>(higher);
}

std::array<RamschSeat, kNumSeats> ramsch_seats(const Outcome& outcome, const RuleSet& rules,
                                               int seats) {
  const ContractRow& row = contract_row(outcome.contract.contract);
  std::array<RamschSeat, kNumSeats> list{};
  for (int seat = 0; seat < seats; ++seat) {
    const auto from =
        static_cast<std::size_t>(rules.ramsch_shift ? (seat + seats - 1) % seats : seat);
    const int position = (seat - outcome.forehand + seats) % seats;
    const bool announced = ((outcome.announced >> seat) & 1) != 0;
    list[static_cast<std::size_t>(seat)] = {announced && outcome.tricks[from] > 0,
                                            outcome.points[from],
                                            outcome.tricks[from],
                                            outcome.trumps_taken[from],
                                            trump_strength(row, outcome.highest_trump[from]),
                                            seats - position,
                                            seat};
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

/// OPEN-54: an offender simply loses the Ramsch, without Jungfrau and Durchmarsch.
void settle_ramsch_offence(Settlement& result, const Outcome& outcome, const RuleSet& rules,
                           int seats) {
  result.loser = static_cast<std::int8_t>(outcome.offender);
  result.price = in_range(std::int64_t{rules.tariff[TariffKey::kRamsch]} * result.multiplier);
  for (int seat = 0; seat < seats; ++seat) {
    if (seat != outcome.offender) transfer(result, outcome.offender, seat, result.price);
  }
}

/// 004 4, "verspielt": fixed amounts to all others, the partner too (OPEN-55; R-131).
void settle_fixed(Settlement& result, const Outcome& outcome, const ContractRow& row,
                  const RuleSet& rules, int seats) {
  result.multiplier = 1;
  const bool everyones = row.goal == Goal::kFewestPoints;
  if (everyones) result.loser = static_cast<std::int8_t>(outcome.offender);
  result.won = !everyones && ((outcome.declarer_party >> outcome.offender) & 1) == 0;
  result.price = (row.is_single() ? kSinglePenalty : kPenalty) * rules.tariff.scale;
  for (int seat = 0; seat < seats; ++seat) {
    if (seat != outcome.offender) transfer(result, outcome.offender, seat, result.price);
  }
}

void settle_ramsch(Settlement& result, const Outcome& outcome, const RuleSet& rules, int seats) {
  if (outcome.announced != 0) result.multiplier *= 2;
  auto all = ramsch_seats(outcome, rules, seats);
  // the bound tells the compiler that no sort of more is needed
  const std::span<RamschSeat> list(all.data(),
                                   static_cast<std::size_t>(std::min(seats, kNumSeats)));
  result.march = static_cast<std::int8_t>(march_seat(list, rules));
  int virgins = 0;
  for (const RamschSeat& seat : list) {
    if (seat.tricks != 0) continue;
    result.virgins = static_cast<std::uint8_t>(result.virgins | (1 << seat.seat));
    ++virgins;
  }
  if (result.march >= 0) {
    result.price = in_range(std::int64_t{rules.tariff[TariffKey::kMarch]} * result.multiplier);
    for (const RamschSeat& seat : list) {
      if (seat.seat != result.march) transfer(result, seat.seat, result.march, result.price);
    }
    return;
  }
  // at most four entries; GCC 12 warns about the long-range part of std::sort
  for (std::size_t i = 1; i < list.size(); ++i) {
    for (std::size_t j = i; j > 0 && list[j].key() > list[j - 1].key(); --j) {
      std::swap(list[j], list[j - 1]);
    }
  }
  result.loser = static_cast<std::int8_t>(list[0].seat);
  if (rules.ramsch_virgin == RamschVirgin::kAllDouble && virgins > 0) result.multiplier *= 2;
  if (rules.ramsch_virgin == RamschVirgin::kAllDoublePerVirgin) result.multiplier <<= virgins;
  result.price = in_range(std::int64_t{rules.tariff[TariffKey::kRamsch]} * result.multiplier);
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

// Stock and Reuegeld (G.7)

/// Whether the game can win the Stock: RAMSCH, MUSS and a Kreuzbock never can.
bool plays_for_stock(const Outcome& outcome, const ContractRow& row, const RuleSet& rules) {
  if (outcome.contract.declarer < 0 || row.by_duty) return false;
  if (row.is_single()) return rules.stock_games != StockGames::kPartner;
  return row.is_partner_game() && rules.stock_games != StockGames::kSolo;
}

/// The pot goes to the declarer or to his party in equal parts, or is doubled by them; what cannot
/// be split is the declarer's.
void settle_stock(Settlement& result, const Outcome& outcome, const ContractRow& row,
                  const RuleSet& rules, std::int32_t stock) {
  if (stock <= 0 || !plays_for_stock(outcome, row, rules)) return;
  const int amount = result.won ? stock : -std::min(stock, kMaxStock - stock);
  const unsigned all = rules.stock_owner == StockOwner::kParty ? outcome.declarer_party : 0u;
  const unsigned partners = all & ~(1u << outcome.contract.declarer);
  const int share = amount / (1 + std::popcount(partners));
  auto& payoffs = result.stock_payoffs;
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    if (((partners >> seat) & 1) != 0) payoffs[seat] = share;
  }
  payoffs[static_cast<std::size_t>(outcome.contract.declarer)] =
      amount - share * std::popcount(partners);
}

/// A pot that is full takes nothing more.
Settlement settle_thrown_in(const Outcome& outcome, const RuleSet& rules, int seats,
                            std::int32_t stock) {
  Settlement result;
  const std::int32_t unit = rules.tariff[TariffKey::kStockUnit];
  if (!outcome.stock_deposit || stock > kMaxStock - seats * unit) return result;
  for (int seat = 0; seat < seats; ++seat) {
    result.stock_payoffs[static_cast<std::size_t>(seat)] = -unit;
  }
  return result;
}

}  // namespace

bool counts_schneider(const ContractRow& row, bool tout, const RuleSet& rules) {
  if (tout || row.goal != Goal::kMajority) return false;
  return !row.is_single() || rules.solo_schneider_schwarz || rules.deck == Deck::kShort24;
}

Verdict verdict_of(const Outcome& outcome, const RuleSet& rules) {
  const Infraction infraction = outcome.infraction;
  const InfractionPolicy policy = rules.infraction_policy;
  if (infraction == Infraction::kNone) return Verdict::kPlayed;
  if (policy == InfractionPolicy::kGameLoss) return Verdict::kLostSimple;
  if (infraction == Infraction::kTalk) return Verdict::kPlayed;
  const bool tournament = policy == InfractionPolicy::kTournament;
  if (tournament && infraction == Infraction::kRevoke) return Verdict::kPlayed;
  if (infraction == Infraction::kRevokeLate || infraction == Infraction::kCardCount) {
    const bool fixed = tournament && infraction == Infraction::kRevokeLate;
    return fixed ? Verdict::kFixed : Verdict::kLostSchwarz;
  }
  const bool by_points = contract_row(outcome.contract.contract).goal == Goal::kMajority;
  return by_points ? Verdict::kPlayed : Verdict::kLostSimple;
}

std::int32_t PriceParts::total() const {
  const std::int64_t times = kontra;
  std::int64_t value = 0;
  switch (scope) {
    case KontraScope::kAll:
      value = (base + schneider + schwarz + laufende) * times;
      break;
    case KontraScope::kNoLaufende:
      value = (base + schneider + schwarz) * times + laufende;
      break;
    case KontraScope::kBaseOnly:
      value = base * times + schneider + schwarz + laufende;
      break;
  }
  return in_range(value * factor * outer);
}

PriceParts price_parts(const Outcome& outcome, const Settlement& result, const RuleSet& rules,
                       const DealContext& context) {
  const ContractRow& row = contract_row(outcome.contract.contract);
  const Tariff& tariff = rules.tariff;
  PriceParts parts;
  parts.base = tariff[row.price];
  if (counts_schneider(row, outcome.contract.tout, rules)) {
    parts.schneider = result.schneider ? tariff[TariffKey::kSchneider] : 0;
    const bool asked = outcome.claimed_schwarz != 0;
    const bool wrong = outcome.claimed_schwarz > 0 && !result.schwarz;
    const int schwarz = tariff[TariffKey::kSchwarz];
    parts.schwarz = (result.schwarz && asked ? schwarz : 0) - (wrong ? schwarz : 0);
  }
  parts.laufende = result.laufende_paid * tariff[TariffKey::kLaufende];
  parts.kontra = 1 << outcome.level;
  parts.factor = price_factor(row, outcome.contract.tout, tariff);
  parts.outer = 1 << (outcome.legen + context.bock);
  parts.scope = rules.kontra_scope;
  return parts;
}

namespace {

/// A game that was played. One result, made where it is returned.
Settlement settle_game(const Outcome& outcome, const RuleSet& rules, const DealContext& context,
                       int seats) {
  Settlement result;
  const ContractRow& row = contract_row(outcome.contract.contract);
  const Verdict verdict = verdict_of(outcome, rules);
  result.multiplier = 1 << (outcome.level + outcome.legen + context.bock);
  if (verdict == Verdict::kFixed) {
    settle_fixed(result, outcome, row, rules, seats);
    return result;
  }
  if (row.goal == Goal::kFewestPoints) {
    const bool offence = verdict != Verdict::kPlayed;
    (offence ? settle_ramsch_offence : settle_ramsch)(result, outcome, rules, seats);
    return result;
  }
  judge(result, outcome, row, rules);
  if (verdict != Verdict::kPlayed) judge_offence(result, outcome, row, verdict);
  if (row.laufende != LaufendeGroup::kNone) result.laufende = outcome.laufende;
  if (row.laufende == LaufendeGroup::kAlwaysEight) result.laufende = 8;
  result.laufende_paid = outcome.claimed_laufende < 0
                             ? result.laufende
                             : laufende_after_claim(result.laufende, outcome.claimed_laufende);
  const PriceParts parts = price_parts(outcome, result, rules, context);
  result.schwarz_paid = result.schwarz && parts.schwarz > 0;
  result.price = parts.total();
  pay_parties(result, outcome, row, seats);
  settle_stock(result, outcome, row, rules, context.stock);
  if (!result.won && outcome.contract.declarer >= 0) {
    result.reuegeld = rules.reuegeld * rules.tariff.scale;
  }
  return result;
}

}  // namespace

Settlement settle(const Outcome& outcome, const RuleSet& rules, const DealContext& context) {
  const int seats = seats_of(rules);
  return outcome.thrown_in ? settle_thrown_in(outcome, rules, seats, context.stock)
                           : settle_game(outcome, rules, context, seats);
}

Settlement settle(const Outcome& outcome, const CompiledRules& rules, const DealContext& context) {
  return settle(outcome, rules.rules(), context);
}

int top_run(const TrumpList& trumps, CardSet party) {
  if (trumps.count == 0) return 0;
  const bool held = party.contains(trumps.cards[0]);
  const std::uint32_t others = held ? ~party.bits() : party.bits();
  // where it ends cannot be foretold: eight cards at once, which few runs are longer than
  constexpr std::size_t kStep = 8;
  int run = 0;
  for (std::size_t first = 0; first < trumps.up_to.size(); first += kStep) {
    int more = 0;
    for (std::size_t k = first; k < first + kStep; ++k) {
      more += static_cast<int>((trumps.up_to[k] & others) == 0);
    }
    run += more;
    if (more < static_cast<int>(kStep)) break;
  }
  return std::min(run, trumps.count);
}

int payable_run(const Contract& contract, int run, const CompiledRules& rules) {
  const RuleSet& switches = rules.rules();
  const bool pictures = switches.laufende_cap == LaufendeCap::kPictures;
  int minimum = 0, cap = kNumCards;
  switch (contract_row(contract.contract).laufende) {
    case LaufendeGroup::kNone:
      return 0;
    case LaufendeGroup::kAlwaysEight:
      return 8;
    case LaufendeGroup::kOber:
      minimum = switches.laufende_min_ober;
      if (pictures) cap = 8;
      break;
    case LaufendeGroup::kWenz:
      minimum = switches.laufende_min_wenz;
      if (pictures) cap = 4;
      break;
  }
  return run >= minimum ? std::min(run, cap) : 0;
}

int payable_laufende(const Contract& contract, CardSet declarer_party, const CompiledRules& rules) {
  const int run = top_run(rules.trumps(contract.contract, contract.suit), declarer_party);
  return payable_run(contract, run, rules);
}

}  // namespace schafkopf
