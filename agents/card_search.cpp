#include "agents/card_search.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "env/assert.h"

namespace schafkopf {
namespace {

constexpr double kEqual = 1e-9;  // values are sums of a few payoffs

bool took_a_trick(const PlayState<std::uint32_t>& play, std::uint8_t side) {
  for (unsigned seat = 0; seat < play.seats; ++seat) {
    if (((side >> seat) & 1u) != 0 && play.taken[seat] != 0) return true;
  }
  return false;
}

std::uint8_t opponents(const PlayState<std::uint32_t>& play, std::uint8_t side) {
  return static_cast<std::uint8_t>(((1u << play.seats) - 1u) & ~unsigned{side});
}

/// Tricks that are not yet taken, the running one included: the seat to play has not played to it.
int tricks_left(const PlayState<std::uint32_t>& play) {
  return CardSet(pick(play.hand, play.turn)).count();
}

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

void CardSearch::begin(const PlayerView& view, const CompiledRules& rules) {
  SCHAFKOPF_ASSERT(can_search(view, rules));
  view_ = view;
  rules_ = &rules;
  sums_ = {};
  sums_.legal = CardSet(view.cards.legal);
  num_worlds_ = 0;
}

void CardSearch::add(const World& world) {
  const PlayState<std::uint32_t> play = play_state_of(view_, *rules_, world);
  ++num_worlds_;
  const ContractRow& row = contract_row(static_cast<ContractClass>(view_.contract_class()));
  if (row.goal == Goal::kFewestPoints) {
    add_fewest_points(play);
    return;
  }
  const WorldValue value(view_, *rules_, world);
  if (value.tout()) {
    add_all_tricks(play, value);
  } else if (row.goal == Goal::kNoTrick) {
    add_no_trick(play, value);
  } else {
    add_points(play, value);
  }
}

CardValues CardSearch::values() const {
  SCHAFKOPF_ASSERT(num_worlds_ > 0);
  CardValues means = sums_;
  for (double& value : means.value) value /= num_worlds_;
  return means;
}

void CardSearch::add_outcome(CardSet cards, double payoff) {
  for (const Card card : cards) sums_.value[card] += payoff;
}

void CardSearch::add_points(const PlayState<std::uint32_t>& play, const WorldValue& value) {
  if (question_ == SearchQuestion::kWin) {
    const CardSet winning =
        solver_.reaching_cards(play, {.side = value.party()}, value.limits().win);
    add_outcome(winning & sums_.legal, value.of_class(PayoffClass::kWon)[0]);
    add_outcome(sums_.legal - winning, value.of_class(PayoffClass::kLost)[0]);
    return;
  }
  const auto classes = solver_.payoff_classes(play, value.party(), value.limits());
  std::array<double, 6> payoff{};
  for (int c = 0; c < 6; ++c) {
    payoff[static_cast<std::size_t>(c)] = value.of_class(static_cast<PayoffClass>(c))[0];
  }
  for (const Card card : sums_.legal) {
    sums_.value[card] += payoff[static_cast<std::size_t>(classes[card])];
  }
}

void CardSearch::add_all_tricks(const PlayState<std::uint32_t>& play, const WorldValue& value) {
  CardSet winning;
  if (!took_a_trick(play, opponents(play, value.party()))) {
    winning =
        solver_.reaching_cards(play, {.side = value.party(), .tricks = true}, tricks_left(play));
  }
  add_outcome(winning & sums_.legal, value.of_class(PayoffClass::kAllTricks)[0]);
  add_outcome(sums_.legal - winning, value.of_class(PayoffClass::kLost)[0]);
}

void CardSearch::add_no_trick(const PlayState<std::uint32_t>& play, const WorldValue& value) {
  CardSet losing = sums_.legal;
  if (!took_a_trick(play, value.party())) {
    losing =
        solver_.reaching_cards(play, {.side = value.party(), .fewest = true, .tricks = true}, 1);
  }
  add_outcome(sums_.legal - losing, value.of_class(PayoffClass::kNoTrick)[0]);
  add_outcome(losing & sums_.legal, value.of_class(PayoffClass::kAllTricks)[0]);
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
