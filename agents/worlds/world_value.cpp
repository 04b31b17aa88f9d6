#include "agents/worlds/world_value.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "agents/worlds/answers.h"

namespace schafkopf {
namespace {

Contract contract_of(const PlayerView& view) {
  Contract contract;
  contract.contract = static_cast<ContractClass>(view.contract_class());
  contract.tout = view.is_tout();
  if (view.cards.trump_suit < kNumSuits) contract.suit = static_cast<Suit>(view.cards.trump_suit);
  contract.called = view.cards.called_card;
  contract.declarer = view.declarer() == kNoSeat ? -1 : view.declarer();
  contract.renonce = view.has(kFlagRenonce);
  contract.bid = view.order.bid;
  return contract;
}

DealContext context_of(const PlayerView& view) {
  DealContext context;
  context.bock = view.order.bock;
  context.special_round = view.order.special_round;
  context.games_left = view.order.games_left;
  return context;
}

/// Whether the last doubling came from the defenders; in a Hadsch the first one has no event.
bool defenders_doubled_last(const PlayerView& view, std::uint8_t party) {
  if (view.doubling_level() == 0) return false;
  for (int i = view.order.num_events - 1; i >= 0; --i) {
    const SeenEvent event = view.event(i);
    if (event.action == kActionDouble) return ((party >> event.seat) & 1) == 0;
  }
  return true;
}

/// Seats that said ACTION, one bit each.
std::uint8_t seats_that_said(const PlayerView& view, Action action) {
  unsigned seats = 0;
  for (int i = 0; i < view.order.num_events; ++i) {
    const SeenEvent event = view.event(i);
    if (event.action == action) seats |= 1u << event.seat;
  }
  return static_cast<std::uint8_t>(seats);
}

}  // namespace

WorldValue::WorldValue(const PlayerView& view, const CompiledRules& rules, const World& world)
    : rules_(&rules), context_(context_of(view)) {
  if (!view.has_contract()) throw std::invalid_argument("a deal without a contract has no value");
  outcome_.contract = contract_of(view);
  row_ = &contract_row(outcome_.contract.contract);
  outcome_.declarer_party = declarer_party_of(view, rules, world);
  outcome_.level = view.doubling_level();
  outcome_.defenders_doubled_last = defenders_doubled_last(view, outcome_.declarer_party);
  outcome_.legen = view.order.legen;
  outcome_.forehand = (view.order.dealer + 1) % view.order.seats;
  outcome_.announced = seats_that_said(view, kActionJungfrau);
  CardSet party;  // cards at the start of play
  for (int seat = 0; seat < view.order.seats; ++seat) {
    if (((outcome_.declarer_party >> seat) & 1) == 0) continue;
    party = party | world.hands[static_cast<std::size_t>(seat)] | CardSet(view.cards.played[seat]);
  }
  // in a position that was set up the hands at the start are not known, and no Laufende count
  const bool set_up = view.order.num_plays < view.trick_number() * view.order.seats;
  outcome_.laufende = set_up ? 0 : payable_laufende(outcome_.contract, party, rules);
  const PointLimits limits = point_limits(outcome_, rules.rules());
  limits_.win = limits.win;
  limits_.out_of_schneider = std::min(limits.schneider_lost + 1, limits.win);
  limits_.win_schneider = std::clamp(limits.schneider_won, limits.win, kTotalPoints);
}

std::array<double, kNumSeats> WorldValue::settled(const Outcome& outcome) const {
  const Settlement settlement = settle(outcome, *rules_, context_);
  std::array<double, kNumSeats> payoffs{};
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    payoffs[seat] = static_cast<double>(settlement.payoffs[seat]) / rules_->tariff_scale();
  }
  return payoffs;
}

std::array<double, kNumSeats> WorldValue::of_class(PayoffClass result) const {
  const int points[] = {0,           limits_.out_of_schneider - 1, limits_.win - 1,
                        limits_.win, limits_.win_schneider,        kTotalPoints};
  Outcome outcome = outcome_;
  const int all = rules_->cards_per_hand();
  const auto own = static_cast<std::size_t>(std::countr_zero(unsigned{party()}));
  const auto other = static_cast<std::size_t>(std::countr_one(unsigned{party()}));
  const int taken = points[static_cast<std::size_t>(result)];
  const int tricks = result == PayoffClass::kNoTrick     ? 0
                     : result == PayoffClass::kAllTricks ? all
                                                         : 1;
  outcome.points[own] = static_cast<std::uint8_t>(taken);
  outcome.points[other] = static_cast<std::uint8_t>(kTotalPoints - taken);
  outcome.tricks[own] = static_cast<std::uint8_t>(tricks);
  outcome.tricks[other] = static_cast<std::uint8_t>(all - tricks);
  return settled(outcome);
}

std::array<double, kNumSeats> WorldValue::finished(const PlayState<std::uint32_t>& play) const {
  Outcome outcome = outcome_;
  const Contract& contract = outcome.contract;
  const TrumpList& trumps = rules_->trumps(contract.contract, contract.suit);
  for (std::size_t seat = 0; seat < play.seats; ++seat) {
    const CardSet won(play.taken[seat]);
    outcome.points[seat] = static_cast<std::uint8_t>(points_of(won));
    outcome.tricks[seat] = static_cast<std::uint8_t>(won.count() / static_cast<int>(play.seats));
    if (row_->goal == Goal::kFewestPoints) {
      add_trumps_taken(outcome, seat, won & CardSet(play.trumps), trumps);
    }
  }
  return settled(outcome);
}

}  // namespace schafkopf
