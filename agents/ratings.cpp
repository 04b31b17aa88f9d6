#include "agents/ratings.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace schafkopf {
namespace {

std::vector<double> half_difference(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> result(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = 0.5 * (a[i] - b[i]);
  return result;
}

/// Ratings of every block: linear in its payoffs, so their spread gives the errors. One i against
/// n-1 j has E[pay] = n/(n-1) (r_i - (r_i + (n-1) r_j) / n) = r_i - r_j.
void rate_agents(const BlockMeans& means, TournamentResult& result) {
  const auto agents = static_cast<Eigen::Index>(means.size());
  const std::size_t blocks = means[0][1].size();
  Eigen::MatrixXd normal = Eigen::MatrixXd::Ones(agents, agents);  // the condition sum r = 0
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(agents, static_cast<Eigen::Index>(blocks));
  for (Eigen::Index i = 0; i < agents; ++i) {
    for (Eigen::Index j = 0; j < agents; ++j) {
      if (i == j) continue;
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      // Equal players have no spread; a floor keeps their weight finite.
      const double sd = std::max(result.one_against_three[a][b].sd, 0.1);
      const double weight = 1.0 / (sd * sd);
      normal(i, i) += weight;
      normal(j, j) += weight;
      normal(i, j) -= weight;
      normal(j, i) -= weight;
      for (std::size_t block = 0; block < blocks; ++block) {
        const auto column = static_cast<Eigen::Index>(block);
        right(i, column) += weight * means[a][b][block];
        right(j, column) -= weight * means[a][b][block];
      }
    }
  }
  const Eigen::MatrixXd ratings = normal.ldlt().solve(right);
  for (Eigen::Index i = 0; i < agents; ++i) {
    std::vector<double> row(blocks);
    for (std::size_t block = 0; block < blocks; ++block) {
      row[block] = ratings(i, static_cast<Eigen::Index>(block));
    }
    result.ratings.push_back(estimate(row));
  }
}

void find_cycle(const BlockMeans& means, TournamentResult& result) {
  const std::size_t agents = means.size();
  for (std::size_t a = 0; a < agents; ++a) {
    for (std::size_t b = a + 1; b < agents; ++b) {
      for (std::size_t c = b + 1; c < agents; ++c) {
        std::vector<double> sum = half_difference(means[a][b], means[b][a]);
        const std::vector<double> bc = half_difference(means[b][c], means[c][b]);
        const std::vector<double> ca = half_difference(means[c][a], means[a][c]);
        for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += bc[i] + ca[i];
        const Estimate found = estimate(sum);
        const bool first = result.cycle.agents[0] < 0;
        if (!first && std::abs(found.mean) <= std::abs(result.cycle.sum.mean)) continue;
        result.cycle = {{static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)}, found};
      }
    }
  }
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
  return result;
}

void rate(const BlockMeans& means, TournamentResult& result) {
  const std::size_t agents = means.size();
  result.one_against_three.assign(agents, std::vector<Estimate>(agents));
  result.difference.assign(agents, std::vector<Estimate>(agents));
  for (std::size_t i = 0; i < agents; ++i) {
    for (std::size_t j = 0; j < agents; ++j) {
      if (i == j) continue;
      result.one_against_three[i][j] = estimate(means[i][j]);
      result.difference[i][j] = estimate(half_difference(means[i][j], means[j][i]));
    }
  }
  if (means[0][1].empty()) {
    result.ratings.assign(agents, Estimate{});
    return;
  }
  rate_agents(means, result);
  find_cycle(means, result);
}

}  // namespace schafkopf
