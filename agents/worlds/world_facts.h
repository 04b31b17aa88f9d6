// What a view proves about the cards that its seat does not see: the constraints of the world
// sampler. Internal to agents/. Seats are relative.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "env/rules/compiled_rules.h"
#include "env/view/view.h"

namespace schafkopf {

/// Place of cards that nobody holds any more: played in tricks that the view forgets.
inline constexpr int kGone = kNumSeats;
inline constexpr int kNumPlaces = kNumSeats + 1;

/// How many of these cards a hand has; numbers above `most` are not told apart.
struct Reading {
  CardSet cards;
  int most = 1;
};

/// What is proved about the hand of one seat at the start of play as a whole.
struct HandRule {
  int seat = 0;
  std::vector<Reading> readings;  // disjoint; the rule depends on nothing else of unseen cards
  std::function<bool(CardSet)> holds;
};

/// Everything that is known about unseen cards.
struct WorldFacts {
  CardSet own;                              // cards of the viewing seat
  CardSet unseen;                           // cards that lie in some place below
  std::array<int, kNumPlaces> room{};       // number of unseen cards by place
  std::array<CardSet, kNumPlaces> may{};    // unseen cards that can lie there
  std::array<CardSet, kNumPlaces> must{};   // unseen cards that certainly lie there
  std::array<CardSet, kNumSeats> played{};  // seen cards of the start hand
  std::vector<HandRule> rules;
};

/// Throws std::invalid_argument as WorldSampler.
[[nodiscard]] WorldFacts world_facts(const PlayerView& view, const CompiledRules& rules);

/// Contract words of card play: who beats whom, what follows (before a contract those of the
/// partner game, C.20.10).
[[nodiscard]] const PlayConstants& play_words(const PlayerView& view, const CompiledRules& rules);

}  // namespace schafkopf
