// Statistics of tournaments: intervals over blocks, paired differences, ratings, cycles.
#pragma once

#include <array>
#include <vector>

#include "agents/tournament/tournament.h"

namespace schafkopf {

/// One number per block of some blocks, by growing block number.
struct BlockSeries {
  std::vector<int> blocks;
  std::vector<double> values;

  [[nodiscard]] bool empty() const { return blocks.empty(); }
};

/// a + factor * b on the blocks that both have.
[[nodiscard]] BlockSeries sum_of(const BlockSeries& a, const BlockSeries& b, double factor = 1.0);

/// Half width of a 95 % interval of a mean over blocks with this standard error: Student's t. Blocks
/// of exactly 0, as those of players that nearly always do the same, tell nothing of the spread:
/// the degrees of freedom are those of the others. It does not exist (infinity) for one block, nor
/// where all gave the same.
///
/// telling: blocks that are not 0, at most `blocks`
[[nodiscard]] double half_width_of(double mean, double error, int blocks, int telling);

/// What one pairing gave: points per game of a seat of agent `one`, per block.
struct RatedPairing {
  int one = 0, others = 0;
  Format format = Format::kOneAgainstThree;
  BlockSeries points;
};

/// What one block gave at its random table: points per game of each of its agents.
struct RatedTable {
  int block = 0;
  std::array<int, kNumSeats> agents{};
  std::array<double, kNumSeats> points{};
  int seats = kNumSeats;
};

/// Fills the matrices, ratings and the cycle of `result` for `agents` agents. Pairings may have
/// different blocks; errors of ratings count that games of one block belong together.
void rate(const std::vector<RatedPairing>& pairings, const std::vector<RatedTable>& tables,
          std::size_t agents, TournamentResult& result);

}  // namespace schafkopf
