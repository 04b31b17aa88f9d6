#include "agents/ratings.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>

namespace schafkopf {
namespace {

using Series = std::vector<std::vector<BlockSeries>>;  // [i][j]

/// Rating difference per point of a pairing: E[pay of a seat] = n/(n-1) (r_i - mean r of the table)
/// is r_i - r_j for one against the rest, 2/3 (r_i - r_j) for two of each at a table of four.
double slope_of(Format format) { return format == Format::kOneAgainstThree ? 1.0 : 2.0 / 3.0; }

/// Equal players have no spread; a floor keeps their weight finite.
double variance_of_mean(const Estimate& mean) {
  const double sd = std::max(mean.sd, 0.1);
  return sd * sd / std::max(1, mean.blocks);
}

/// Weights of the pairings in each rating: weighted least squares with sum of ratings 0.
Eigen::MatrixXd rating_weights(const std::vector<RatedPairing>& pairings,
                               const std::vector<Estimate>& means, std::size_t agents) {
  const auto n = static_cast<Eigen::Index>(agents);
  Eigen::MatrixXd normal = Eigen::MatrixXd::Ones(n, n);
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(n, static_cast<Eigen::Index>(pairings.size()));
  for (std::size_t p = 0; p < pairings.size(); ++p) {
    if (means[p].blocks == 0) continue;
    const auto i = static_cast<Eigen::Index>(pairings[p].one);
    const auto j = static_cast<Eigen::Index>(pairings[p].others);
    const auto column = static_cast<Eigen::Index>(p);
    const double slope = slope_of(pairings[p].format);
    const double weight = 1.0 / variance_of_mean(means[p]);
    normal(i, i) += weight * slope * slope;
    normal(j, j) += weight * slope * slope;
    normal(i, j) -= weight * slope * slope;
    normal(j, i) -= weight * slope * slope;
    right(i, column) += weight * slope;
    right(j, column) -= weight * slope;
  }
  // the smallest solution, where a run was stopped before all pairings had a block
  return normal.completeOrthogonalDecomposition().solve(right);
}

/// A rating is a weighted sum of pairing means, so a sum over blocks of what each block moves it.
void rate_agents(const std::vector<RatedPairing>& pairings, std::size_t agents,
                 TournamentResult& result) {
  std::vector<Estimate> means;
  int most = 0;
  for (const RatedPairing& pairing : pairings) {
    means.push_back(estimate(pairing.points.values));
    most = std::max(most, means.back().blocks);
  }
  result.ratings.assign(agents, Estimate{});
  if (most == 0) return;
  const Eigen::MatrixXd weights = rating_weights(pairings, means, agents);
  for (std::size_t agent = 0; agent < agents; ++agent) {
    Estimate& rating = result.ratings[agent];
    std::map<int, double> moves;
    for (std::size_t p = 0; p < pairings.size(); ++p) {
      if (means[p].blocks == 0) continue;
      const double weight = weights(static_cast<Eigen::Index>(agent), static_cast<Eigen::Index>(p));
      rating.mean += weight * means[p].mean;
      const double n = means[p].blocks;
      const double scale = n > 1.0 ? weight / std::sqrt(n * (n - 1.0)) : 0.0;
      const BlockSeries& points = pairings[p].points;
      for (std::size_t b = 0; b < points.blocks.size(); ++b) {
        moves[points.blocks[b]] += scale * (points.values[b] - means[p].mean);
      }
    }
    double variance = 0.0;
    for (const auto& [block, move] : moves) variance += move * move;
    rating.half_width = 1.96 * std::sqrt(variance);
    rating.sd = std::sqrt(variance * most);
    rating.blocks = most;
  }
}

/// Per block how far i is ahead of j in points per game; empty if they did not meet enough.
BlockSeries lead_of(const Series& singles, const Series& twos, std::size_t i, std::size_t j) {
  if (!singles[i][j].empty() && !singles[j][i].empty()) {
    BlockSeries lead = sum_of(singles[i][j], singles[j][i], -1.0);
    for (double& value : lead.values) value *= 0.5;
    return lead;
  }
  const bool forward = !twos[i][j].empty();
  BlockSeries lead = forward ? twos[i][j] : twos[j][i];
  for (double& value : lead.values) {
    value *= (forward ? 1.0 : -1.0) / slope_of(Format::kTwoAgainstTwo);
  }
  return lead;
}

void find_cycle(const Series& singles, const Series& twos, TournamentResult& result) {
  const std::size_t agents = singles.size();
  for (std::size_t a = 0; a < agents; ++a) {
    for (std::size_t b = a + 1; b < agents; ++b) {
      for (std::size_t c = b + 1; c < agents; ++c) {
        const BlockSeries sum =
            sum_of(sum_of(lead_of(singles, twos, a, b), lead_of(singles, twos, b, c)),
                   lead_of(singles, twos, c, a));
        if (sum.empty()) continue;
        const Estimate found = estimate(sum.values);
        const bool first = result.cycle.agents[0] < 0;
        if (!first && std::abs(found.mean) <= std::abs(result.cycle.sum.mean)) continue;
        result.cycle = {{static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)}, found};
      }
    }
  }
}

Estimate negative(Estimate estimate) {
  estimate.mean = -estimate.mean;
  return estimate;
}

}  // namespace

Estimate estimate(const std::vector<double>& per_block) {
  Estimate result;
  const auto n = static_cast<double>(per_block.size());
  if (per_block.empty()) return result;
  for (const double value : per_block) result.mean += value;
  result.mean /= n;
  double squares = 0.0;
  for (const double value : per_block) squares += (value - result.mean) * (value - result.mean);
  result.sd = per_block.size() > 1 ? std::sqrt(squares / (n - 1.0)) : 0.0;
  result.half_width = 1.96 * result.sd / std::sqrt(n);
  result.blocks = static_cast<int>(per_block.size());
  return result;
}

BlockSeries sum_of(const BlockSeries& a, const BlockSeries& b, double factor) {
  BlockSeries sum;
  for (std::size_t i = 0, j = 0; i < a.blocks.size() && j < b.blocks.size();) {
    if (a.blocks[i] == b.blocks[j]) {
      sum.blocks.push_back(a.blocks[i]);
      sum.values.push_back(a.values[i++] + factor * b.values[j++]);
    } else if (a.blocks[i] < b.blocks[j]) {
      ++i;
    } else {
      ++j;
    }
  }
  return sum;
}

void rate(const std::vector<RatedPairing>& pairings, std::size_t agents, TournamentResult& result) {
  const std::vector<std::vector<Estimate>> empty(agents, std::vector<Estimate>(agents));
  result.one_against_three = result.difference = result.two_against_two = empty;
  Series singles(agents, std::vector<BlockSeries>(agents)), twos = singles;
  for (const RatedPairing& pairing : pairings) {
    const auto i = static_cast<std::size_t>(pairing.one);
    const auto j = static_cast<std::size_t>(pairing.others);
    const Estimate mean = estimate(pairing.points.values);
    if (pairing.format == Format::kOneAgainstThree) {
      singles[i][j] = pairing.points;
      result.one_against_three[i][j] = mean;
    } else {
      twos[i][j] = pairing.points;
      result.two_against_two[i][j] = mean;
      result.two_against_two[j][i] = negative(mean);
    }
  }
  for (std::size_t i = 0; i < agents; ++i) {
    for (std::size_t j = 0; j < agents; ++j) {
      if (singles[i][j].empty() || singles[j][i].empty()) continue;
      result.difference[i][j] = estimate(lead_of(singles, {}, i, j).values);
    }
  }
  rate_agents(pairings, agents, result);
  find_cycle(singles, twos, result);
}

}  // namespace schafkopf
