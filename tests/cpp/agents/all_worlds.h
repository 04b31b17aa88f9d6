// Slow reference of the world sampler: every way to deal the unseen cards is replayed through the
// Game itself; a world counts if its view is that of the seat, bit for bit.
#pragma once

#include <array>
#include <cstring>
#include <functional>
#include <set>
#include <vector>

#include "agents/worlds/worlds.h"
#include "env/game/game.h"
#include "env/record/history.h"
#include "tests/cpp/support/random_play.h"

namespace schafkopf::test {

using Hands = std::array<CardSet, kNumSeats>;  // relative seats

/// Order for sets of worlds.
struct WorldLess {
  bool operator()(const World& a, const World& b) const {
    for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
      if (a.hands[seat] == b.hands[seat]) continue;
      return a.hands[seat].bits() < b.hands[seat].bits();
    }
    return false;
  }
};
using WorldSet = std::set<World, WorldLess>;

/// Calls `visit` with every subset of `size` cards.
inline void subsets(CardSet cards, int size, CardSet chosen,
                    const std::function<void(CardSet)>& visit) {
  if (size == 0) return visit(chosen);
  while (cards.count() >= size) {
    const CardSet card = CardSet::of(cards.pop_lowest());
    subsets(cards, size - 1, chosen | card, visit);
  }
}

/// Calls `visit` with every way to deal cards to seats by number.
inline void partitions(CardSet cards, const std::array<int, kNumSeats>& sizes, std::size_t seat,
                       World world, const std::function<void(const World&)>& visit) {
  if (seat == kNumSeats) return visit(world);
  subsets(cards, sizes[seat], {}, [&](CardSet chosen) {
    World next = world;
    next.hands[seat] = next.hands[seat] | chosen;
    partitions(cards - chosen, sizes, seat + 1, next, visit);
  });
}

/// The worlds of a view at a table where nobody passed more than the cards of one Hochzeit on.
class AllWorlds {
 public:
  AllWorlds(const PlayerView& view, const CompiledRules& rules)
      : view_(view), rules_(rules), history_(public_history(view, rules)) {
    for (const PublicAction& step : history_.actions) {
      if (step.action == kActionHzOffer1 || step.action == kActionHzOffer2) {
        offerer_ = step.seat;
        number_ = step.action == kActionHzOffer2 ? 2 : 1;
      }
      if (step.action == kActionHzAccept) acceptor_ = step.seat;
    }
    if (!view.has_contract() ||
        contract_row(static_cast<ContractClass>(view.contract_class())).parties !=
            Parties::kHochzeit) {
      acceptor_ = -1;
    }
  }

  /// Whether some deal and some secret actions give this view and these hands.
  [[nodiscard]] bool explains(const World& world) const {
    Hands start{};  // absolute seats
    for (int seat = 0; seat < seats(); ++seat) {
      start[absolute(seat)] =
          world.hands[static_cast<std::size_t>(seat)] | CardSet(view_.cards.played[seat]);
    }
    if (acceptor_ < 0) return replays(start, start, {}, {});
    bool found = false;
    const auto from = static_cast<std::size_t>(offerer_), to = static_cast<std::size_t>(acceptor_);
    subsets(start[to], number_, {}, [&](CardSet offered) {
      subsets(start[from], number_, {}, [&](CardSet returned) {
        Hands dealt = start;
        dealt[to] = (start[to] - offered) | returned;
        dealt[from] = (start[from] - returned) | offered;
        found = found || replays(dealt, start, offered, returned);
      });
    });
    return found;
  }

  /// All worlds. `most` limits the ways to deal that are tried: an empty set beyond.
  [[nodiscard]] WorldSet find(double most) const {
    CardSet unseen = rules_.deck() - CardSet(view_.cards.hand);
    std::array<int, kNumSeats> sizes{};
    double ways = 1;
    for (int seat = 0; seat < seats(); ++seat) unseen = unseen - CardSet(view_.cards.played[seat]);
    int left = unseen.count();
    for (int seat = 1; seat < seats(); ++seat) {
      const int played = CardSet(view_.cards.played[seat]).count();
      const int size = rules_.cards_per_hand() - played;
      sizes[static_cast<std::size_t>(seat)] = size;
      for (int i = 0; i < size; ++i) ways = ways * (left - i) / (i + 1);
      left -= size;
    }
    WorldSet worlds;
    if (ways > most) return worlds;
    World world;
    world.hands[0] = CardSet(view_.cards.hand);
    partitions(unseen, sizes, 0, world, [&](const World& candidate) {
      if (explains(candidate)) worlds.insert(candidate);
    });
    return worlds;
  }

 private:
  [[nodiscard]] int seats() const { return rules_.seats(); }
  [[nodiscard]] std::size_t absolute(int relative) const {
    return static_cast<std::size_t>((view_.seat() + relative) % seats());
  }

  [[nodiscard]] bool replays(const Hands& dealt, const Hands& start, CardSet offered,
                             CardSet returned) const {
    Deal deal;
    for (int seat = 0; seat < seats(); ++seat) {
      const auto s = static_cast<std::size_t>(seat);
      for (const Card card : dealt[s]) {
        auto& half = 2 * deal.first[s].count() < dealt[s].count() ? deal.first : deal.second;
        half[s].add(card);
      }
    }
    try {
      if (!history_.start) {
        return follows(Game(rules_, deal, history_.dealer, history_.context), 0, start);
      }
      CardPlayStart begin;
      begin.contract = *history_.start;
      std::size_t first = 0;
      for (; first < history_.actions.size(); ++first) {
        if (history_.actions[first].action != kActionLay) break;
        begin.laid.push_back(history_.actions[first].seat);
      }
      static_cast<void>(offered);
      static_cast<void>(returned);
      return follows(Game::with_contract(rules_, deal, history_.dealer, begin, history_.context),
                     first, start);
    } catch (const std::invalid_argument&) {
      return false;
    }
  }

  /// Whether some silent and secret actions between the public ones lead to the view.
  [[nodiscard]] bool follows(const Game& game, std::size_t next, const Hands& start) const {
    const std::vector<PublicAction>& actions = history_.actions;
    if (next == actions.size()) {
      const PlayerView view = game.view(view_.seat());
      if (std::memcmp(&view, &view_, sizeof view) == 0 && holds(game, start)) return true;
    }
    if (game.is_terminal()) return false;
    const ActionMask legal = game.legal_actions();
    if (passes_cards(game.phase())) {
      for (const Card card : CardSet(static_cast<std::uint32_t>(legal.words[0]))) {
        Game after = game;
        after.apply(card);
        if (follows(after, next, start)) return true;
      }
      return false;
    }
    if (next < actions.size() && game.current_player() == actions[next].seat &&
        legal.contains(actions[next].action)) {
      Game after = game;
      after.apply(actions[next].action);
      std::size_t then = next + 1;
      // the Game itself shows the cards of an offer
      const bool offer =
          actions[next].action == kActionHzOffer1 || actions[next].action == kActionHzOffer2;
      while (offer && then < actions.size() && actions[then].shown) ++then;
      if (follows(after, then, start)) return true;
    }
    const Action silent = traceless_answer(game.phase());
    if (silent == 0 || !legal.contains(silent)) return false;
    Game after = game;
    after.apply(silent);
    return follows(after, next, start);
  }

  [[nodiscard]] bool holds(const Game& game, const Hands& start) const {
    for (int seat = 0; seat < seats(); ++seat) {
      if (game.start_hand(seat) != start[static_cast<std::size_t>(seat)]) return false;
    }
    return true;
  }

  const PlayerView& view_;
  const CompiledRules& rules_;
  PublicHistory history_;
  int offerer_ = -1, acceptor_ = -1, number_ = 0;
};

}  // namespace schafkopf::test
