// A card chosen by worlds that are played exactly: a first player's own card, or another one where
// the worlds speak clearly against it (METHODS section 6). What PIMC and the endgame players share.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "agents/search/card_search.h"
#include "agents/worlds/posterior.h"
#include "agents/worlds/worlds.h"
#include "env/base/random.h"
#include "env/rules/compiled_rules.h"
#include "env/view/view.h"

namespace schafkopf {

struct WorldChoiceOptions {
  int worlds = 10;          // dealt per decision; all of them where there are no more
  double milliseconds = 0;  // stop after this time, at least one world; 0 = no limit
  /// Standard errors that another card must lie above the first player's. Not asked where every
  /// world that fits was searched.
  double clear = 1.0;
  std::uint64_t seed = 0;
  /// Weighs the worlds by what the others did, where the view shows it; null = all alike.
  BatchPolicy* beliefs = nullptr;
  Belief belief = kCautious;
};

/// Worlds of a view: the first draws, or every one where there are no more.
class WorldSource {
 public:
  WorldSource(const PlayerView& view, const CompiledRules& rules, int most, std::uint64_t seed)
      : sampler_(view, rules), key_(mix64(hash_of(view) ^ mix64(seed))), most_(most) {}

  /// Whether visit() goes through every world there is.
  [[nodiscard]] bool complete() const {
    return sampler_.count() <= static_cast<std::uint64_t>(most_);
  }

  /// Every world there is, in a random order: where the clock ends a search, chance decides which
  /// worlds are left out. complete() holds.
  [[nodiscard]] std::vector<World> shuffled() const;

  /// Calls use(world) -> bool until it returns false; where these are all, in the sampler's order.
  template <class Use>
  void visit(Use use) const {
    if (complete()) {
      bool wanted = true;
      sampler_.enumerate([&](const World& world) { wanted = wanted && use(world); });
      return;
    }
    for (int i = 0; i < most_; ++i) {
      if (!use(sampler_.sample(mix64(key_ + static_cast<std::uint64_t>(i))))) return;
    }
  }

 private:
  WorldSampler sampler_;
  std::uint64_t key_;
  int most_;
};

/// Of a choice that was not searched.
inline constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

struct CardChoice {
  Card card = 0;
  float value = 0.0F;  // mean payoff, as payoff_of
};

/// Mean payoff of a card in tariff units; NaN where everybody plays for himself.
[[nodiscard]] float payoff_of(const CardValues& values, Card card, const PlayerView& view);
/// The card of fewest points.
[[nodiscard]] Card lightest_of(CardSet cards);

/// Add worlds of the view to a search that has begun; whether these are all there are. With beliefs
/// the time limit counts while worlds are searched, not while they are weighed.
bool add_worlds(CardSearch& search, const PlayerView& view, const CompiledRules& rules,
                const WorldChoiceOptions& options);

/// The first player's card `own` or a better one. CardSearch::can_search(view, rules) holds.
[[nodiscard]] CardChoice choose_by_worlds(CardSearch& search, const PlayerView& view,
                                          const CompiledRules& rules, Card own,
                                          const WorldChoiceOptions& options);

}  // namespace schafkopf
