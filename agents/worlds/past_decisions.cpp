#include "agents/worlds/past_decisions.h"

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

bool PastDecisions::has_laid(int seat) const {
  if (history_.start) return false;
  const int absolute = (view_.seat() + seat) % rules_.seats();
  for (const PublicAction& step : history_.actions) {
    if (step.action == kActionLay && step.seat == absolute) return true;
  }
  return false;
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
  replay(deal_of(world, half_key), seat, table, false, rows);
}

void PastDecisions::add_halves(const World& world, int seat, std::size_t table,
                               DecisionRows& rows) const {
  const int absolute = (view_.seat() + seat) % rules_.seats();
  Deal deal = deal_of(world, 0);
  const CardSet hand = deal.hand(absolute);
  const std::uint32_t all = hand.bits();
  for (std::uint32_t half = all; half != 0; half = (half - 1) & all) {
    if (2 * CardSet(half).count() != hand.count()) continue;
    deal.first[at(absolute)] = CardSet(half);
    deal.second[at(absolute)] = hand - CardSet(half);
    replay(deal, seat, table, true, rows);
  }
}

Game PastDecisions::game_of(const World& world) const {
  DecisionRows unused;
  Game game = replay(deal_of(world, 0), 0, 0, false, unused);
  while (game.current_player() != view_.seat() || game.phase() != view_.phase()) {
    const std::optional<Action> silent = silent_answer(game.phase());
    require_possible(silent.has_value());
    game.apply_unchecked(*silent);
  }
  return game;
}

Game PastDecisions::replay(const Deal& deal, int seat, std::size_t table, bool only_laying,
                           DecisionRows& rows) const {
  const std::vector<PublicAction>& steps = history_.actions;
  const int wanted = seat < 0 ? -1 : (view_.seat() + seat) % rules_.seats();
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
    ActionMask legal = game.legal_actions();
    while (game.current_player() != step.seat || !legal.contains(step.action)) {
      const std::optional<Action> silent = silent_answer(game.phase());
      require_possible(silent.has_value());
      game.apply_unchecked(*silent);
      legal = game.legal_actions();
    }
    const bool asked = wanted < 0 ? step.seat != view_.seat() : step.seat == wanted;
    const bool laying = step.action == kActionLay;
    const bool counts = laying ? only_laying || !skip_laying_ : !only_laying;
    if (asked && counts && legal.count() > 1) {
      rows.add(table, game, {}, false);
      rows.actions.push_back(step.action);
    }
    if (only_laying && laying && asked) return game;
    game.apply_unchecked(step.action);
  }
  return game;
}

}  // namespace schafkopf
