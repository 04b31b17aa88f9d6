#include "agents/worlds/playouts.h"

#include <algorithm>
#include <span>
#include <stdexcept>

#include "env/base/interruption.h"

namespace schafkopf {

PlayoutTable::PlayoutTable(BatchPolicy& policy, const CompiledRules& rules)
    : policy_(policy), table_(rules) {
  if (policy.sees_hidden_hands()) {
    throw std::invalid_argument(policy.name() +
                                " sees hidden hands: it cannot play on from a view");
  }
}

void PlayoutTable::play_on(std::span<Playout> playouts, const Stop& stop) {
  while (step(playouts, stop)) {
  }
}

Action PlayoutTable::action_in(const Playout& playout) {
  rows_.clear();
  add(playout, 0);
  ask();
  return rows_.actions.front();
}

/// One action in each game that goes on; false if none does.
bool PlayoutTable::step(std::span<Playout> playouts, const Stop& stop) {
  rows_.clear();
  bool running = false;
  for (std::size_t i = 0; i < playouts.size(); ++i) {
    Game& game = playouts[i].game;
    if (game.is_terminal() || (stop && stop(game))) continue;
    running = true;
    const ActionMask mask = without_claims(game.legal_actions());
    if (mask.count() == 1) {
      playouts[i].number.apply_legal(game, mask.lowest());
    } else {
      add(playouts[i], i);
    }
  }
  if (rows_.size() == 0) return running;
  ask();
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    Playout& playout = playouts[rows_.tables[row]];
    playout.number.apply(playout.game, rows_.actions[row]);
  }
  return true;
}

void PlayoutTable::add(const Playout& playout, std::size_t number) {
  const Game& game = playout.game;
  RngKey key = playout.key;
  key.decision = playout.number.of(game);
  key.seat = static_cast<std::uint32_t>(game.current_player());
  rows_.add(number, game, key, false);
}

void PlayoutTable::ask() {
  constexpr std::size_t kTile = 4096;  // answers do not depend on how the rows are cut
  rows_.actions.resize(rows_.size());
  const ViewBatch all = rows_.batch(table_.table());
  for (std::size_t begin = 0; begin < all.size; begin += kTile) {
    check_interruption();
    const std::size_t count = std::min(kTile, all.size - begin);
    policy_.act(all.slice(begin, count), std::span(rows_.keys).subspan(begin, count),
                std::span(rows_.actions).subspan(begin, count));
  }
}

}  // namespace schafkopf
