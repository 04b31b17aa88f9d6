// Settlement of the engine against the slow reference on random outcomes: every class, random rules
// and contexts, claims, Kontra, Legen, Stock and Reuegeld (RULES C.6, G).
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "env/price/settle.h"
#include "env/rules/compiled_rules.h"
#include "tests/cpp/differential/differential_rules.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::test {
namespace {

using Amounts = std::vector<int>;

Amounts list(const std::array<std::int32_t, kNumSeats>& amounts, std::size_t seats) {
  return {amounts.begin(), amounts.begin() + static_cast<std::ptrdiff_t>(seats)};
}

/// A random division of points and tricks among the seats; who has no trick has no points.
void draw_takes(Rng& random, const RuleSet& rules, Outcome& outcome) {
  const int seats = seats_of(rules);
  const TrumpList trumps =
      ordered_trumps(contract_row(ContractClass::kRamsch), rules.partner_trump_suit);
  const int favourite = random.next_below(2) == 0 ? random.next_below(seats) : -1;
  for (int trick = 0; trick < hand_size(rules); ++trick) {
    const bool his = favourite >= 0 && random.next_below(6) != 0;
    ++outcome.tricks[static_cast<std::size_t>(his ? favourite : random.next_below(seats))];
  }
  for (int point = 0; point < 12; ++point) {
    while (true) {
      const auto seat = static_cast<std::size_t>(random.next_below(seats));
      if (outcome.tricks[seat] == 0) continue;
      outcome.points[seat] = static_cast<std::uint8_t>(outcome.points[seat] + 10);
      break;
    }
  }
  for (int swap = 0; swap < 4; ++swap) {  // odd points too
    const auto giver = static_cast<std::size_t>(random.next_below(seats));
    const auto taker = static_cast<std::size_t>(random.next_below(seats));
    if (outcome.points[giver] == 0 || outcome.tricks[taker] == 0) continue;
    --outcome.points[giver];
    ++outcome.points[taker];
  }
  for (std::size_t seat = 0; seat < static_cast<std::size_t>(seats); ++seat) {
    if (outcome.tricks[seat] == 0) continue;
    outcome.trumps_taken[seat] = static_cast<std::uint8_t>(random.next_below(3));
    if (outcome.trumps_taken[seat] > 0) {  // each seat another one
      const bool long_list = rules.ramsch_trumps != RamschTrumps::kNoHerz;
      const std::size_t row = static_cast<std::size_t>(random.next_below(long_list ? 3 : 2));
      outcome.highest_trump[seat] = trumps.cards[4 * row + seat];
    }
  }
}

/// A random end of a random game under the rules.
Outcome draw_outcome(Rng& random, const RuleSet& rules) {
  Outcome outcome;
  const int seats = seats_of(rules);
  const ContractRow* row = &contract_row(ContractClass::kRamsch);
  do {
    row = &contract_table()[static_cast<std::size_t>(random.next_below(kNumContractClasses))];
  } while (seats == 3 && row->is_partner_game());
  outcome.contract.contract = row->contract;
  outcome.contract.tout = row->tout_action != 0 && random.next_below(3) == 0;
  outcome.forehand = random.next_below(seats);
  draw_takes(random, rules, outcome);
  outcome.legen = random.next_below(3);
  outcome.level = random.next_below(4);
  if (row->parties == Parties::kEveryone) {
    outcome.announced =
        static_cast<std::uint8_t>(random.next_below(1 << seats) & random.next_below(1 << seats));
    return outcome;
  }
  outcome.contract.declarer = random.next_below(seats);
  int party = 1 << outcome.contract.declarer;
  if (row->parties == Parties::kOppositeSeats) {
    party |= 1 << (outcome.contract.declarer ^ 2);
    if (random.next_below(2) == 0) outcome.contract.declarer = -1;
  } else if (row->is_partner_game()) {
    party |= 1 << ((outcome.contract.declarer + 1 + random.next_below(seats - 1)) % seats);
  } else if (row->goal == Goal::kMajority && !outcome.contract.tout && random.next_below(4) == 0) {
    outcome.contract.bid = 70 + 10 * random.next_below(6);
  }
  outcome.declarer_party = static_cast<std::uint8_t>(party);
  outcome.defenders_doubled_last = outcome.level > 0 && random.next_below(2) == 0;
  if (row->laufende == LaufendeGroup::kAlwaysEight) {
    outcome.laufende = 8;
  } else if (row->laufende != LaufendeGroup::kNone) {
    outcome.laufende = random.next_below(5);
    if (rules.laufende_by_claim) outcome.claimed_laufende = random.next_below(15);
  }
  const bool counts =
      row->goal == Goal::kMajority && !outcome.contract.tout &&
      (row->is_partner_game() || rules.solo_schneider_schwarz || rules.deck == Deck::kShort24);
  if (rules.schwarz_by_claim && counts) outcome.claimed_schwarz = random.next_below(2);
  return outcome;
}

struct Expected {
  Amounts payoffs, stock;
  int reuegeld = 0;
};

/// Larger = stronger, 0 = no card.
int strength_in(const reference::Cards& trumps, Card card) {
  const auto place = std::ranges::find(trumps, int{card});
  return static_cast<int>(trumps.end() - place);
}

Expected expected_ramsch(const Outcome& outcome, const reference::ReferenceRules& slow,
                         const DealContext& context, int seats) {
  std::vector<reference::RamschTake> takes;
  const reference::Cards trumps =
      reference::orders_of({"RAMSCH", false, '-'}, reference::order_options(slow)).trumps;
  for (int seat = 0; seat < seats; ++seat) {
    // The engine is given what was won, the reference what lies there after the shift.
    const auto from =
        static_cast<std::size_t>(slow.ramsch_shift ? (seat + seats - 1) % seats : seat);
    reference::RamschTake take;
    take.points = outcome.points[from];
    take.tricks = outcome.tricks[from];
    take.trumps = outcome.trumps_taken[from];
    take.highest_trump = strength_in(trumps, outcome.highest_trump[from]);
    take.position = (seat - outcome.forehand + seats) % seats;
    take.announced = ((outcome.announced >> seat) & 1) != 0;
    takes.push_back(take);
  }
  const int factors = outcome.legen + outcome.level + context.bock;
  Expected expected;
  expected.payoffs =
      reference::settle_ramsch(takes, slow, reference::detail::power_of_two(factors));
  expected.stock.resize(static_cast<std::size_t>(seats));
  return expected;
}

Expected expected_of(const Outcome& outcome, const reference::ReferenceRules& slow,
                     const DealContext& context, int seats) {
  const std::string name(name_of(outcome.contract.contract));
  if (name == "RAMSCH") return expected_ramsch(outcome, slow, context, seats);
  reference::Ending end;
  std::vector<bool> party;
  for (int seat = 0; seat < seats; ++seat) {
    const auto index = static_cast<std::size_t>(seat);
    party.push_back(((outcome.declarer_party >> seat) & 1) != 0);
    (party.back() ? end.declarer_tricks : end.opponent_tricks) += outcome.tricks[index];
    if (party.back()) end.declarer_points += outcome.points[index];
  }
  end.threshold_sixty = name == "MUSS" && slow.muss_threshold == "sixty";
  end.steigern_bid = outcome.contract.bid;
  end.last_doubler_defending = outcome.defenders_doubled_last;
  end.laufende = outcome.laufende;
  end.laufende_claimed = outcome.claimed_laufende;
  end.schwarz_claimed = outcome.claimed_schwarz;
  end.level = outcome.level;
  end.legen = outcome.legen;
  end.bock = context.bock;
  const reference::Contract contract{name, outcome.contract.tout, '-'};
  const reference::Verdict verdict = reference::settle_declarer_game(contract, slow, end);
  Expected expected;
  expected.payoffs = reference::share(verdict, party);
  expected.stock.resize(static_cast<std::size_t>(seats));
  const int declarer = outcome.contract.declarer;
  if (reference::plays_for_stock(name, declarer, slow)) {
    expected.stock =
        reference::settle_stock(context.stock, verdict.declarer_won, declarer, party, slow);
  }
  if (declarer >= 0 && !verdict.declarer_won) expected.reuegeld = slow.reuegeld * slow.tariff.scale;
  return expected;
}

TEST(DifferentialSettlement, G_random_outcomes_agree_with_the_reference) {
  const int count = scaled(20'000, 200'000, 5'000'000);
  for (int number = 0; number < count / 50; ++number) {
    const auto seed = static_cast<std::uint64_t>(number);
    const RuleSet rules = random_rules(seed);
    const reference::ReferenceRules slow = reference_rules(rules);
    const DealContext context = random_context(seed, rules);
    Rng random(seed);
    const int seats = seats_of(rules);
    for (int repeat = 0; repeat < 50; ++repeat) {
      const Outcome outcome = draw_outcome(random, rules);
      const Settlement found = settle(outcome, rules, context);
      const Expected expected = expected_of(outcome, slow, context, seats);
      const auto size = static_cast<std::size_t>(seats);
      const bool same = list(found.payoffs, size) == expected.payoffs &&
                        list(found.stock_payoffs, size) == expected.stock &&
                        found.reuegeld == expected.reuegeld;
      if (same) continue;
      std::string words;
      for (const std::string& line : settlement_steps(outcome, rules, context))
        words += line + "\n";
      EXPECT_EQ(list(found.payoffs, size), expected.payoffs);
      EXPECT_EQ(list(found.stock_payoffs, size), expected.stock);
      EXPECT_EQ(found.reuegeld, expected.reuegeld);
      FAIL() << "seed " << seed << " outcome " << repeat << "\n"
             << words << to_string(rules) << "\nlevel " << outcome.level << " legen "
             << outcome.legen << " bock " << int{context.bock} << " party "
             << int{outcome.declarer_party} << " declarer " << outcome.contract.declarer
             << " announced " << int{outcome.announced} << " stock " << context.stock;
    }
  }
}

}  // namespace
}  // namespace schafkopf::test
