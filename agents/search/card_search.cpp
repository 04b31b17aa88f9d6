#include "agents/search/card_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "agents/worlds/double_dummy.h"
#include "env/base/assert.h"
#include "env/base/index.h"
#include "env/base/interruption.h"

namespace schafkopf {
namespace {

constexpr double kEqual = 1e-9;  // values are sums of a few payoffs
constexpr int kClasses = 6;      // of payoffs, PayoffClass

}  // namespace

double CardValues::best() const {
  double best = -std::numeric_limits<double>::infinity();
  for (const Card card : legal) best = std::max(best, value[card]);
  return best;
}

CardSet CardValues::best_cards() const {
  const double most = best();
  CardSet cards;
  for (const Card card : legal) {
    if (value[card] >= most - kEqual * (1.0 + std::abs(most))) cards.add(card);
  }
  return cards;
}

bool CardSearch::can_search(const PlayerView& view, const CompiledRules& rules) {
  const bool forgets = rules.rules().history_view == HistoryView::kLastTrick;
  return view.phase() == Phase::kPlay && view.has_contract() && view.has(kFlagToAct) &&
         !(forgets && view.trick_number() > 1);
}

void CardSearch::begin(const PlayerView& view, const CompiledRules& rules, Card reference) {
  SCHAFKOPF_ASSERT(can_search(view, rules));
  SCHAFKOPF_ASSERT(reference == kNoCard || CardSet(view.cards.legal).contains(reference));
  view_ = view;
  rules_ = &rules;
  sums_ = {};
  sums_.legal = CardSet(view.cards.legal);
  reference_ = reference;
  squares_ = {};
  weight_ = squared_weights_ = 0.0;
  num_worlds_ = 0;
}

void CardSearch::add(const World& world, double weight) {
  SCHAFKOPF_ASSERT(weight > 0.0);
  const Values values = values_in(world);
  ++num_worlds_;
  weight_ += weight;
  squared_weights_ += weight * weight;
  for (const Card card : sums_.legal) sums_.value[card] += weight * values[card];
  if (reference_ == kNoCard) return;
  for (const Card card : sums_.legal) {
    const double lead = values[card] - values[reference_];
    squares_[card] += weight * lead * lead;
  }
}

CardSearch::Values CardSearch::values_in(const World& world) {
  check_interruption();
  const PlayState<std::uint32_t> play = play_state_of(view_, *rules_, world);
  const ContractRow& row = contract_row(static_cast<ContractClass>(view_.contract_class()));
  if (row.goal == Goal::kFewestPoints) return fewest_points(play);
  const WorldValue value(view_, *rules_, world);
  const Classes reached = classes_in(play, value);
  std::array<double, kClasses> payoff{};
  for (int c = 0; c < kClasses; ++c) {
    payoff[at(c)] = value.of_class(static_cast<PayoffClass>(c))[0];
  }
  Values values{};
  for (const Card card : sums_.legal) values[card] = payoff[at(reached[card])];
  return values;
}

std::array<double, kNumSeats> CardSearch::payoffs_of_best(const PlayerView& view,
                                                          const CompiledRules& rules,
                                                          const World& world) {
  begin(view, rules);
  const PlayState<std::uint32_t> play = play_state_of(view, rules, world);
  const WorldValue value(view, rules, world);
  SCHAFKOPF_ASSERT(value.row().goal != Goal::kFewestPoints);
  const Classes reached = classes_in(play, value);
  std::array<double, kNumSeats> best{};
  best[0] = -std::numeric_limits<double>::infinity();
  for (const Card card : sums_.legal) {
    const std::array<double, kNumSeats> payoffs =
        value.of_class(static_cast<PayoffClass>(reached[card]));
    if (payoffs[0] > best[0]) best = payoffs;
  }
  return best;
}

CardValues CardSearch::values() const {
  SCHAFKOPF_ASSERT(num_worlds_ > 0);
  CardValues means = sums_;
  for (double& value : means.value) value /= weight_;
  if (reference_ == kNoCard) return means;
  // as many worlds of equal weight would be as certain; their number where they are equal
  const double effective = weight_ * weight_ / squared_weights_;
  for (const Card card : means.legal) {
    const double lead = means.value[card] - means.value[reference_];
    const double variance = std::max(0.0, squares_[card] / weight_ - lead * lead);
    means.error[card] = std::sqrt(variance / effective);
  }
  return means;
}

CardSearch::Classes CardSearch::classes_in(const PlayState<std::uint32_t>& play,
                                           const WorldValue& value) {
  const bool by_classes = !value.tout() && value.row().goal != Goal::kNoTrick;
  const Classes reached = by_classes && question_ == SearchQuestion::kClasses
                              ? solver_.payoff_classes(play, value.party(), value.limits())
                              : won_or_lost(play, value);
  // of a card that is legal by the view and not in this world nothing is reached
  for (const Card card : sums_.legal) {
    if (reached[card] >= 0 && reached[card] < kClasses) continue;
    throw std::invalid_argument("view: it shows what did not happen by these rules");
  }
  return reached;
}

CardSearch::Classes CardSearch::won_or_lost(const PlayState<std::uint32_t>& play,
                                            const WorldValue& value) {
  const bool no_trick = !value.tout() && value.row().goal == Goal::kNoTrick;
  const PayoffClass won = value.tout() ? PayoffClass::kAllTricks
                          : no_trick   ? PayoffClass::kNoTrick
                                       : PayoffClass::kWon;
  const PayoffClass lost = no_trick ? PayoffClass::kAllTricks : PayoffClass::kLost;
  const OpenGoal goal{.row = &value.row(),
                      .tout = value.tout(),
                      .party = value.party(),
                      .points = value.limits().win};
  const CardSet winning = winning_cards(solver_, play, goal) & sums_.legal;
  Classes reached{};
  for (const Card card : sums_.legal) {
    reached[card] = static_cast<std::int8_t>(winning.contains(card) ? won : lost);
  }
  return reached;
}

/// Steps are cheaper than exact points: a card that keeps the seat below one needs no further
/// question.
CardSearch::Values CardSearch::fewest_points(const PlayState<std::uint32_t>& play) {
  constexpr int kSteps[] = {11, 21, 31, 46, 61, 91};
  const bool handed_on = rules_->rules().ramsch_shift;
  const std::size_t giver = handed_on ? play.seats - 1U : 0U;  // its tricks count for this seat
  const SolverAim aim{.side = static_cast<std::uint8_t>(1U << giver), .fewest = !handed_on};
  const int own = points_of(CardSet(play.taken[giver]));
  Values values{};
  for (const Card card : sums_.legal) values[card] = -own;
  CardSet reaching = sums_.legal;
  int last = own;
  for (const int step : kSteps) {
    if (step <= own || reaching.empty()) continue;
    reaching = reaching & solver_.reaching_cards(play, aim, step);
    for (const Card card : reaching) values[card] -= step - last;
    last = step;
  }
  return values;
}

}  // namespace schafkopf
