// A slow and obvious second implementation of values and best responses in endgames, on games and
// views alone: for tests of endgame_tree.h and nash_conv.h.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/exploit/endgames.h"
#include "env/game/game.h"

namespace schafkopf::test {

/// A position and the probability that chance and the other seats lead to it.
using Reached = std::pair<Game, double>;
/// Probability of a card in the view of the seat to act.
using Strategy = std::function<double(const Game&, Action)>;

inline double uniform_strategy(const Game& game, Action) {
  return 1.0 / without_claims(game.legal_actions()).count();
}

inline double units(const Game& game, int seat) {
  return static_cast<double>(game.payoffs()[static_cast<std::size_t>(seat)]) /
         game.rules().tariff_scale();
}

/// Bytes of what the seat to act sees.
inline std::string seen(const Game& game) {
  PlayerView view = game.view(game.current_player());
  view.cards.flags =
      static_cast<std::uint8_t>(view.cards.flags & ~(kFlagClaimRest | kFlagConcedeRest));
  std::string bytes(sizeof(view), '\0');
  std::memcpy(bytes.data(), &view, sizeof(view));
  return bytes;
}

/// Every deal with its probability.
inline std::vector<Reached> dealt(const Endgame& endgame, const CompiledRules& rules) {
  std::vector<Reached> games;
  const std::vector<EndgameHands> deals = deals_of(endgame, rules);
  for (const EndgameHands& hands : deals) {
    games.emplace_back(Game::from_position(rules, position_of(endgame, hands)),
                       1.0 / static_cast<double>(deals.size()));
  }
  return games;
}

inline double expected(const Game& game, int seat, const Strategy& strategy) {
  if (game.is_terminal()) return units(game, seat);
  const ActionMask mask = without_claims(game.legal_actions());
  double sum = 0.0;
  for (int i = 0; i < mask.count(); ++i) {
    const double p = strategy(game, mask.nth(i));
    if (p == 0.0) continue;
    Game next = game;
    next.apply(mask.nth(i));
    sum += p * expected(next, seat, strategy);
  }
  return sum;
}

/// The others play on until the seat is to act or the game is over: `value` gets the finished ones.
inline void play_others(const Reached& from, int seat, const Strategy& strategy, double& value,
                        std::vector<Reached>& own) {
  const auto& [game, reach] = from;
  if (game.is_terminal()) {
    value += reach * units(game, seat);
  } else if (game.current_player() == seat) {
    own.push_back(from);
  } else {
    const ActionMask mask = without_claims(game.legal_actions());
    for (int i = 0; i < mask.count(); ++i) {
      const double p = strategy(game, mask.nth(i));
      if (p == 0.0) continue;
      Reached next{game, reach * p};
      next.first.apply(mask.nth(i));
      play_others(next, seat, strategy, value, own);
    }
  }
}

/// Best value of a seat from positions that it cannot tell apart, weighted by their reach.
///
/// all_hands  true: a seat that sees every hand, to which no two deals look the same
inline double best_response(const std::vector<Reached>& from, int seat, const Strategy& strategy,
                            bool all_hands = false) {
  double value = 0.0;
  std::vector<Reached> own;
  for (const Reached& node : from) play_others(node, seat, strategy, value, own);
  std::map<std::string, std::vector<Reached>> groups;
  for (const Reached& node : own) {
    std::string key = seen(node.first);
    for (int other = 0; all_hands && other < kNumSeats; ++other) {
      key += to_string(node.first.hand(other)) + '|';
    }
    groups[key].push_back(node);
  }
  for (const auto& [key, nodes] : groups) {
    const ActionMask mask = without_claims(nodes.front().first.legal_actions());
    double best = -1e9;
    for (int i = 0; i < mask.count(); ++i) {
      std::vector<Reached> after = nodes;
      for (Reached& node : after) node.first.apply(mask.nth(i));
      best = std::max(best, best_response(after, seat, strategy, all_hands));
    }
    value += best;
  }
  return value;
}

}  // namespace schafkopf::test
