// Statistics of tournaments: intervals over blocks, paired differences, ratings, cycles.
#pragma once

#include <vector>

#include "agents/tournament.h"

namespace schafkopf {

/// [i][j][block]: points per game of one i against j in all other seats; empty on the diagonal.
using BlockMeans = std::vector<std::vector<std::vector<double>>>;

/// Fills matrix, differences, ratings and cycle from the block means.
void rate(const BlockMeans& means, TournamentResult& result);

}  // namespace schafkopf
