#include "agents/search/card_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "agents/worlds/double_dummy.h"
#include "env/base/assert.h"

namespace schafkopf {
namespace {

constexpr double kEqual = 1e-9;  // values are sums of a few payoffs

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
  num_worlds_ = 0;
}

void CardSearch::add(const World& world) {
  const Values before = sums_.value;
  add_values(world);
  if (reference_ == kNoCard) return;
  const double level = sums_.value[reference_] - before[reference_];
  for (const Card card : sums_.legal) {
    const double lead = sums_.value[card] - before[card] - level;
    squares_[card] += lead * lead;
  }
}

void CardSearch::add_values(const World& world) {
  const PlayState<std::uint32_t> play = play_state_of(view_, *rules_, world);
  ++num_worlds_;
  const ContractRow& row = contract_row(static_cast<ContractClass>(view_.contract_class()));
  if (row.goal == Goal::kFewestPoints) {
    add_fewest_points(play);
    return;
  }
  const WorldValue value(view_, *rules_, world);
  const bool classes = !value.tout() && row.goal != Goal::kNoTrick;
  if (classes && question_ == SearchQuestion::kClasses) {
    add_classes(play, value);
  } else {
    add_won_or_lost(play, value);
  }
}

CardValues CardSearch::values() const {
  SCHAFKOPF_ASSERT(num_worlds_ > 0);
  CardValues means = sums_;
  for (double& value : means.value) value /= num_worlds_;
  if (reference_ == kNoCard) return means;
  for (const Card card : means.legal) {
    const double lead = means.value[card] - means.value[reference_];
    const double variance = std::max(0.0, squares_[card] / num_worlds_ - lead * lead);
    means.error[card] = std::sqrt(variance / num_worlds_);
  }
  return means;
}

void CardSearch::add_outcome(CardSet cards, double payoff) {
  for (const Card card : cards) sums_.value[card] += payoff;
}

void CardSearch::add_classes(const PlayState<std::uint32_t>& play, const WorldValue& value) {
  const auto classes = solver_.payoff_classes(play, value.party(), value.limits());
  std::array<double, 6> payoff{};
  for (int c = 0; c < 6; ++c) {
    payoff[static_cast<std::size_t>(c)] = value.of_class(static_cast<PayoffClass>(c))[0];
  }
  for (const Card card : sums_.legal) {
    sums_.value[card] += payoff[static_cast<std::size_t>(classes[card])];
  }
}

void CardSearch::add_won_or_lost(const PlayState<std::uint32_t>& play, const WorldValue& value) {
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
  add_outcome(winning, value.of_class(won)[0]);
  add_outcome(sums_.legal - winning, value.of_class(lost)[0]);
}

/// Steps are cheaper than exact points: a card that keeps the seat below one needs no further
/// question.
void CardSearch::add_fewest_points(const PlayState<std::uint32_t>& play) {
  constexpr int kSteps[] = {11, 21, 31, 46, 61, 91};
  const int own = points_of(CardSet(play.taken[0]));
  add_outcome(sums_.legal, -own);
  CardSet reaching = sums_.legal;
  int last = own;
  for (const int step : kSteps) {
    if (step <= own || reaching.empty()) continue;
    reaching = reaching & solver_.reaching_cards(play, {.side = 1, .fewest = true}, step);
    add_outcome(reaching, -(step - last));
    last = step;
  }
}

}  // namespace schafkopf
