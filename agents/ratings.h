// Statistics of tournaments: intervals over blocks, paired differences, ratings, cycles.
#pragma once

#include <vector>

#include "agents/tournament.h"

namespace schafkopf {

/// One number per block of some blocks, by growing block number.
struct BlockSeries {
  std::vector<int> blocks;
  std::vector<double> values;

  [[nodiscard]] bool empty() const { return blocks.empty(); }
};

/// a + factor * b on the blocks that both have.
[[nodiscard]] BlockSeries sum_of(const BlockSeries& a, const BlockSeries& b, double factor = 1.0);

/// What one pairing gave: points per game of a seat of agent `one`, per block.
struct RatedPairing {
  int one = 0, others = 0;
  Format format = Format::kOneAgainstThree;
  BlockSeries points;
};

/// Fills the matrices, ratings and the cycle of `result` for `agents` agents. Pairings may have
/// different blocks; errors of ratings count that games of one block belong together.
void rate(const std::vector<RatedPairing>& pairings, std::size_t agents, TournamentResult& result);

}  // namespace schafkopf
