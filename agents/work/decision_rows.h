// Decisions of many games that one player is asked about: collected game by game, answered as a
// batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "env/game/game.h"
#include "env/view/policy.h"

namespace schafkopf {

/// Whether nothing was played yet and no card is asked for; Kontra may be said after the first card,
/// too (RULES F.3).
[[nodiscard]] inline bool is_before_first_card(const Game& game) {
  return game.phase() < Phase::kPlay && game.num_plays() == 0;
}

/// Numbers the decisions of a game for their draws: what was said and played so far, and the answers
/// that leave no event behind (no Legen, no doubling, no offer of a Hochzeit).
class DecisionNumber {
 public:
  [[nodiscard]] std::uint32_t of(const Game& game) const { return shown(game) + silent_; }
  /// Throws as Game::apply.
  void apply(Game& game, Action action) {
    const std::uint32_t before = shown(game);
    game.apply(action);
    count(game, before);
  }
  void apply_legal(Game& game, Action action) {
    const std::uint32_t before = shown(game);
    game.apply_unchecked(action);
    count(game, before);
  }

 private:
  [[nodiscard]] static std::uint32_t shown(const Game& game) {
    return static_cast<std::uint32_t>(game.num_plays() + game.num_events());
  }
  void count(const Game& game, std::uint32_t before) {
    if (shown(game) == before) ++silent_;
  }

  std::uint32_t silent_ = 0;
};

struct DecisionRows {
  std::vector<std::size_t> tables;  // whose decision the row is; numbers of the caller
  std::vector<CardsLine> cards;
  std::vector<OrderLine> order;
  std::vector<EventsLine> events;
  std::vector<FullView> full;  // of cheating baselines only
  std::vector<RngKey> keys;
  std::vector<Action> actions;  // the player's answers, or what was done
  std::vector<float> probabilities, values;

  [[nodiscard]] std::size_t size() const { return tables.size(); }
  void clear() {
    tables.clear();
    cards.clear();
    order.clear();
    events.clear();
    full.clear();
    keys.clear();
    actions.clear();
  }
  /// Adds the decision of the seat to act, without claims: they are no part of tournaments (DESIGN
  /// section 3).
  void add(std::size_t table, const Game& game, const RngKey& key, bool sees_hidden_hands) {
    const int seat = game.current_player();
    tables.push_back(table);
    game.view(seat, cards.emplace_back(), order.emplace_back(), events.emplace_back());
    if (sees_hidden_hands) full.push_back(game.full_view(seat));
    std::uint8_t& flags = cards.back().flags;
    flags = static_cast<std::uint8_t>(flags & ~(kFlagClaimRest | kFlagConcedeRest));
    keys.push_back(key);
  }
  /// Adds a view that was kept.
  void add(std::size_t table, const PlayerView& view) {
    tables.push_back(table);
    cards.push_back(view.cards);
    order.push_back(view.order);
    events.push_back(view.events);
  }
  [[nodiscard]] PlayerView last_view() const { return {cards.back(), order.back(), events.back()}; }
  [[nodiscard]] ViewBatch batch(const RuleTable& rules) const {
    return {tables.size(),
            cards.data(),
            order.data(),
            events.data(),
            nullptr,
            &rules,
            full.empty() ? nullptr : full.data()};
  }
};

}  // namespace schafkopf
