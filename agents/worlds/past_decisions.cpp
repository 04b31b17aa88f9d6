#include "agents/worlds/past_decisions.h"

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "env/base/index.h"
#include "env/base/interruption.h"
#include "env/base/random.h"
#include "env/record/hidden_deals.h"

namespace schafkopf {
namespace {

/// A world fits its view; lines of a view that somebody has put together may show what never was.
void require_possible(bool possible) {
  if (!possible) throw std::invalid_argument("view: it shows what did not happen by these rules");
}

}  // namespace

PastDecisions::PastDecisions(const PlayerView& view, const CompiledRules& rules)
    : view_(view), rules_(rules), history_(public_history(view, rules)) {}

bool PastDecisions::half_counts(int seat) const {
  if (history_.start) return false;
  if (silence_ && rules_.rules().legen != Legen::kOff) return true;
  return std::ranges::any_of(history_.actions, [&](const PublicAction& step) {
    return step.action == kActionLay && step.seat == absolute(seat);
  });
}

Deal PastDecisions::deal_of(const World& world, std::uint64_t half_key) const {
  Deal deal;
  Rng random(half_key);
  for (int relative = 0; relative < rules_.seats(); ++relative) {
    const auto seat = at((view_.seat() + relative) % rules_.seats());
    CardSet rest = world.hands[at(relative)] | CardSet(view_.cards.played[relative]);
    const int size = rest.count();
    for (int i = 0; i < size / 2; ++i) {
      const Card card = nth_bit(rest.bits(), random.next_below(size - i));
      deal.first[seat].add(card);
      rest.remove(card);
    }
    deal.second[seat] = rest;
  }
  return deal;
}

void PastDecisions::add(const World& world, int seat, std::size_t table, std::uint64_t half_key,
                        DecisionRows& rows) const {
  check_interruption();
  (void)replay(deal_of(world, half_key), collector(seat, table, false, rows));
}

void PastDecisions::add_halves(const World& world, int seat, std::size_t table,
                               DecisionRows& rows) const {
  const int own = absolute(seat);
  Deal deal = deal_of(world, 0);
  const CardSet hand = deal.hand(own);
  const std::uint32_t all = hand.bits();
  for (std::uint32_t half = all; half != 0; half = (half - 1) & all) {
    if (2 * CardSet(half).count() != hand.count()) continue;
    deal.first[at(own)] = CardSet(half);
    deal.second[at(own)] = hand - CardSet(half);
    (void)replay(deal, collector(seat, table, true, rows));
  }
}

Game PastDecisions::game_of(const World& world) const {
  Game game = replay(deal_of(world, 0), {});
  wait_for_viewer({}, game);
  return game;
}

bool PastDecisions::wants(const Collector& collector, const Game& game) const {
  if (collector.rows == nullptr) return false;
  const int player = game.current_player();
  const bool asked = collector.seat < 0 ? player != view_.seat() : player == collector.seat;
  const bool laying = game.phase() == Phase::kLegen;
  return asked && (laying ? collector.only_laying || !skip_laying_ : !collector.only_laying);
}

void PastDecisions::take(const Collector& collector, const Game& game, Action action) const {
  if (!wants(collector, game) || game.legal_actions().count() < 2) return;
  collector.rows->add(collector.table, game, {}, false);
  collector.rows->actions.push_back(action);
}

bool PastDecisions::answer_silently(const Collector& collector, Game& game) const {
  const std::optional<Action> silent = silent_answer(game.phase());
  require_possible(silent.has_value());
  if (silence_) take(collector, game, *silent);
  const bool over = collector.only_laying && wants(collector, game);
  game.apply_unchecked(*silent);
  return !over;
}

void PastDecisions::wait_for_viewer(const Collector& collector, Game& game) const {
  while (game.current_player() != view_.seat() || game.phase() != view_.phase()) {
    if (!answer_silently(collector, game)) return;
  }
}

Game PastDecisions::replay(const Deal& deal, const Collector& collector) const {
  const std::vector<PublicAction>& steps = history_.actions;
  std::size_t i = 0;
  CardPlayStart start;
  if (history_.start) {
    start.contract = *history_.start;
    for (; i < steps.size() && steps[i].action == kActionLay; ++i) {
      start.laid.push_back(steps[i].seat);
    }
  }
  Game game = history_.start
                  ? Game::with_contract(rules_, deal, history_.dealer, start, history_.context)
                  : Game(rules_, deal, history_.dealer, history_.context);
  for (; i < steps.size(); ++i) {
    const PublicAction& step = steps[i];
    if (step.shown && shown_with_offer(history_, i)) continue;
    while (game.current_player() != step.seat || !game.legal_actions().contains(step.action)) {
      if (!answer_silently(collector, game)) return game;
    }
    take(collector, game, step.action);
    if (collector.only_laying && wants(collector, game)) return game;
    game.apply_unchecked(step.action);
  }
  if (silence_ && view_.has(kFlagToAct)) wait_for_viewer(collector, game);
  return game;
}

}  // namespace schafkopf
