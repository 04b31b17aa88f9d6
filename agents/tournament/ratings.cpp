#include "agents/tournament/ratings.h"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <span>
#include <utility>

namespace schafkopf {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::infinity();  // half width of one block

using Series = std::vector<std::vector<BlockSeries>>;  // [i][j]

/// Rating difference per point of a pairing: E[pay of a seat] = n/(n-1) (r_i - mean r of the table)
/// is r_i - r_j for one against the rest, 2/3 (r_i - r_j) for two of each at a table of four.
double slope_of(Format format) { return format == Format::kTwoAgainstTwo ? 2.0 / 3.0 : 1.0; }

/// Equal players have no spread; a floor keeps their weight finite.
constexpr double kLeastSpread = 0.1;

/// The least squares of all games: E[pay of a seat] as above, for every pairing's mean and for
/// every seat of a random table. All pairings share one spread: with its own each would weigh the
/// more the less it pays, and the ratings would follow the quiet ones.
class LeastSquares {
 public:
  LeastSquares(const std::vector<RatedPairing>& pairings, const std::vector<RatedTable>& tables,
               std::size_t agents)
      : pairings_(pairings), tables_(tables), agents_(static_cast<Eigen::Index>(agents)) {
    for (const RatedPairing& pairing : pairings) means_.push_back(estimate(pairing.points.values));
    set_table_weight();
    set_spread();
    // a row of ones: the ratings sum to 0
    Eigen::MatrixXd normal = Eigen::MatrixXd::Ones(agents_, agents_);
    for (std::size_t p = 0; p < pairings.size(); ++p) add_pairing(p, normal);
    for (const RatedTable& table : tables) add_table(table, normal);
    // the smallest solution, where a run was stopped before all pairings had a block
    solver_.compute(normal);
    ratings_ = solver_.solve(right_side());
  }

  [[nodiscard]] double rating(std::size_t agent) const {
    return ratings_(static_cast<Eigen::Index>(agent));
  }

  /// Per block, by how much it moves each rating away from what the others say [agents]; the only
  /// block of a pairing, which has none beside it, by the spread that blocks have.
  [[nodiscard]] std::map<int, Eigen::VectorXd> moves() const {
    std::map<int, Eigen::VectorXd> forces;
    const auto force_of = [&](int block) -> Eigen::VectorXd& {
      return forces.try_emplace(block, Eigen::VectorXd::Zero(agents_)).first->second;
    };
    for (std::size_t p = 0; p < pairings_.size(); ++p) {
      const double n = means_[p].blocks;
      if (n < 1.0) continue;
      const RatedPairing& pairing = pairings_[p];
      if (n < 2.0) {
        const double push = slope_of(pairing.format) / std::sqrt(variance_of_mean(p));
        Eigen::VectorXd& own = force_of(-1 - static_cast<int>(p));  // together with no block
        own(pairing.one) += push;
        own(pairing.others) -= push;
        continue;
      }
      const double force =
          slope_of(pairing.format) / variance_of_mean(p) / std::sqrt(n * (n - 1.0));
      for (std::size_t b = 0; b < pairing.points.blocks.size(); ++b) {
        const double push = force * (pairing.points.values[b] - means_[p].mean);
        Eigen::VectorXd& sum = force_of(pairing.points.blocks[b]);
        sum(pairing.one) += push;
        sum(pairing.others) -= push;
      }
    }
    const auto n = static_cast<double>(tables_.size());
    const double small_sample = n > 1.0 ? std::sqrt(n / (n - 1.0)) : 0.0;
    for (const RatedTable& table : tables_) {
      Eigen::VectorXd& sum = force_of(table.block);
      const double mean = mean_rating(table);
      for (std::size_t i = 0; i < static_cast<std::size_t>(table.seats); ++i) {
        const double expected = slope(table) * (ratings_(table.agents[i]) - mean);
        sum(table.agents[i]) +=
            small_sample * table_weight_ * slope(table) * (table.points[i] - expected);
      }
    }
    for (auto& [block, force] : forces) force = solver_.solve(force).eval();
    return forces;
  }
  /// Blocks that are not 0 of the pairing of this agent that has most of them, or its tables.
  [[nodiscard]] int telling_blocks(std::size_t agent) const {
    const auto own = static_cast<int>(agent);
    int most = 0;
    for (std::size_t p = 0; p < pairings_.size(); ++p) {
      if (pairings_[p].one != own && pairings_[p].others != own) continue;
      most = std::max(most, means_[p].telling);
    }
    const auto sits = [own](const RatedTable& table) {
      const auto seats = std::span(table.agents).first(static_cast<std::size_t>(table.seats));
      return std::ranges::find(seats, own) != seats.end();
    };
    return std::max(most, static_cast<int>(std::ranges::count_if(tables_, sits)));
  }
  [[nodiscard]] int most_blocks() const {
    int most = static_cast<int>(tables_.size());
    for (const Estimate& mean : means_) most = std::max(most, mean.blocks);
    return most;
  }

 private:
  static double slope(const RatedTable& table) { return table.seats / (table.seats - 1.0); }

  /// One over the variance of what a seat gets at a random table.
  void set_table_weight() {
    std::vector<double> points;
    for (const RatedTable& table : tables_) {
      points.insert(points.end(), table.points.begin(), table.points.begin() + table.seats);
    }
    const double spread = std::max(estimate(points).sd, kLeastSpread);
    table_weight_ = 1.0 / (spread * spread);
  }

  /// Of a block of a pairing, over all that have at least two.
  void set_spread() {
    double squares = 0.0, degrees = 0.0;
    for (const Estimate& mean : means_) {
      if (mean.blocks < 2) continue;
      squares += (mean.blocks - 1) * mean.sd * mean.sd;
      degrees += mean.blocks - 1;
    }
    const double pooled = degrees > 0.0     ? squares / degrees
                          : tables_.empty() ? 0.0
                                            : 1.0 / table_weight_;
    spread_ = std::max(pooled, kLeastSpread * kLeastSpread);
  }
  [[nodiscard]] double variance_of_mean(std::size_t p) const {
    return spread_ / std::max(1, means_[p].blocks);
  }

  void add_pairing(std::size_t p, Eigen::MatrixXd& normal) const {
    if (means_[p].blocks == 0) return;
    const Eigen::Index i = pairings_[p].one, j = pairings_[p].others;
    const double slope = slope_of(pairings_[p].format);
    const double weight = slope * slope / variance_of_mean(p);
    normal(i, i) += weight;
    normal(j, j) += weight;
    normal(i, j) -= weight;
    normal(j, i) -= weight;
  }

  void add_table(const RatedTable& table, Eigen::MatrixXd& normal) const {
    const double weight = table_weight_ * slope(table) * slope(table);
    for (int i = 0; i < table.seats; ++i) {
      for (int j = 0; j < table.seats; ++j) {
        normal(table.agents[static_cast<std::size_t>(i)],
               table.agents[static_cast<std::size_t>(j)]) +=
            weight * ((i == j ? 1.0 : 0.0) - 1.0 / table.seats);
      }
    }
  }

  [[nodiscard]] Eigen::VectorXd right_side() const {
    Eigen::VectorXd right = Eigen::VectorXd::Zero(agents_);
    for (std::size_t p = 0; p < pairings_.size(); ++p) {
      if (means_[p].blocks == 0) continue;
      const double force = slope_of(pairings_[p].format) / variance_of_mean(p) * means_[p].mean;
      right(pairings_[p].one) += force;
      right(pairings_[p].others) -= force;
    }
    for (const RatedTable& table : tables_) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(table.seats); ++i) {
        right(table.agents[i]) += table_weight_ * slope(table) * table.points[i];
      }
    }
    return right;
  }

  [[nodiscard]] double mean_rating(const RatedTable& table) const {
    double sum = 0.0;
    for (int i = 0; i < table.seats; ++i)
      sum += ratings_(table.agents[static_cast<std::size_t>(i)]);
    return sum / table.seats;
  }

  const std::vector<RatedPairing>& pairings_;
  const std::vector<RatedTable>& tables_;
  Eigen::Index agents_;
  std::vector<Estimate> means_;
  double table_weight_ = 0.0;
  double spread_ = 0.0;  // variance of a block of a pairing
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> solver_;
  Eigen::VectorXd ratings_;
};

/// The error of a rating is the spread of what the blocks do to it.
void rate_agents(const std::vector<RatedPairing>& pairings, const std::vector<RatedTable>& tables,
                 std::size_t agents, TournamentResult& result) {
  result.ratings.assign(agents, Estimate{});
  const LeastSquares fit(pairings, tables, agents);
  const int most = fit.most_blocks();
  if (most == 0) return;
  std::vector<double> variance(agents, 0.0);
  for (const auto& [block, move] : fit.moves()) {
    for (std::size_t agent = 0; agent < agents; ++agent) {
      const double moved = move(static_cast<Eigen::Index>(agent));
      variance[agent] += moved * moved;
    }
  }
  for (std::size_t agent = 0; agent < agents; ++agent) {
    const double mean = fit.rating(agent), error = std::sqrt(variance[agent]);
    const int telling = fit.telling_blocks(agent);
    result.ratings[agent] = {mean, half_width_of(mean, error, most, telling),
                             error * std::sqrt(most), most, telling};
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

/// How likely Student's t with so many degrees of freedom lies within -t..t (Abramowitz and Stegun
/// 26.7.3 and 26.7.4).
double chance_within(double t, int degrees) {
  const double angle = std::atan(t / std::sqrt(degrees)), cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1.0, sum = 0.0;
  for (int k = odd ? 3 : 2; k <= degrees; k += 2) {
    sum += term;
    term *= cosine * cosine * (k - 1) / k;
  }
  if (odd) return (angle + std::sin(angle) * sum) * 2.0 / std::numbers::pi;
  return std::sin(angle) * sum;
}

/// t beyond which, on either side, Student's distribution lies with this chance.
double student_beyond(double chance, int degrees) {
  constexpr int kNearlyNormal = 1000, kHalvings = 60;
  degrees = std::min(degrees, kNearlyNormal);
  double low = 0.0, high = 1.0;
  while (1.0 - chance_within(high, degrees) > chance) high *= 2.0;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2.0;
    (1.0 - chance_within(middle, degrees) > chance ? low : high) = middle;
  }
  return high;
}

/// How many half widths a sum is away from 0; 0 where it has no interval.
double distance(const Estimate& sum) {
  return std::isfinite(sum.half_width) ? std::abs(sum.mean) / sum.half_width : 0.0;
}

/// The most conspicuous sum of three leads. Of many sums the first of them lies outside its 95 %
/// interval far more often than one in twenty: the interval is that of the first of so many
/// (Bonferroni).
void find_cycle(const Series& singles, const Series& twos, TournamentResult& result) {
  const std::size_t agents = singles.size();
  TournamentResult::Cycle& cycle = result.cycle;
  for (std::size_t a = 0; a < agents; ++a) {
    for (std::size_t b = a + 1; b < agents; ++b) {
      for (std::size_t c = b + 1; c < agents; ++c) {
        const BlockSeries sum =
            sum_of(sum_of(lead_of(singles, twos, a, b), lead_of(singles, twos, b, c)),
                   lead_of(singles, twos, c, a));
        if (sum.empty()) continue;
        const Estimate found = estimate(sum.values);
        ++cycle.of;
        const auto rank = [](const Estimate& one) {
          return std::pair(distance(one), std::abs(one.mean));
        };
        if (cycle.of > 1 && rank(found) <= rank(cycle.sum)) continue;
        cycle.agents = {static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)};
        cycle.sum = found;
      }
    }
  }
  if (cycle.of < 2 || !std::isfinite(cycle.sum.half_width)) return;
  const int degrees = std::min(cycle.sum.blocks, cycle.sum.telling) - 1;
  cycle.sum.half_width *= student_beyond(0.05 / cycle.of, degrees) / student_beyond(0.05, degrees);
}

Estimate negative(Estimate estimate) {
  estimate.mean = 0.0 - estimate.mean;  // never -0, which pages would show
  return estimate;
}

/// 97.5 % quantile of Student's distribution.
double student(int degrees) {
  if (degrees == 1) return 12.7062;
  if (degrees == 2) return 4.3027;
  // expansion in 1 / degrees around the normal quantile (Abramowitz and Stegun 26.7.5)
  constexpr double z = 1.959964, z2 = z * z;
  const double n = degrees;
  const double first = z * (z2 + 1) / 4;
  const double second = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double third = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  const double fourth = z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945) / 92160;
  return z + (first + (second + (third + fourth / n) / n) / n) / n;
}

}  // namespace

double half_width_of(double mean, double error, int blocks, int telling) {
  constexpr double kRounding = 1e-9;
  const int degrees = std::min(blocks, telling) - 1;
  if (degrees < 1 || error <= kRounding * std::abs(mean)) return kUnknown;
  return student(degrees) * error;
}

Estimate estimate(const std::vector<double>& per_block) {
  Estimate result;
  const auto n = static_cast<double>(per_block.size());
  if (per_block.empty()) return result;
  for (const double value : per_block) result.mean += value;
  result.mean /= n;
  double squares = 0.0;
  for (const double value : per_block) squares += (value - result.mean) * (value - result.mean);
  result.sd = per_block.size() > 1 ? std::sqrt(squares / (n - 1.0)) : 0.0;
  result.blocks = static_cast<int>(per_block.size());
  result.telling =
      static_cast<int>(std::ranges::count_if(per_block, [](double value) { return value != 0.0; }));
  result.half_width =
      half_width_of(result.mean, result.sd / std::sqrt(n), result.blocks, result.telling);
  return result;
}

std::string to_text(const Estimate& estimate) {
  if (estimate.blocks == 0) return "-";
  if (!std::isfinite(estimate.half_width)) return fmt::format("{:+.2f}", estimate.mean);
  return fmt::format("{:+.2f} +- {:.2f}", estimate.mean, estimate.half_width);
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

void rate(const std::vector<RatedPairing>& pairings, const std::vector<RatedTable>& tables,
          std::size_t agents, TournamentResult& result) {
  const std::vector<std::vector<Estimate>> empty(agents, std::vector<Estimate>(agents));
  result.one_against_three = result.difference = result.two_against_two = empty;
  result.as_declarer = empty;
  Series singles(agents, std::vector<BlockSeries>(agents)), twos = singles;
  std::vector<RatedPairing> compared;  // both sides met the same luck
  for (const RatedPairing& pairing : pairings) {
    const auto i = static_cast<std::size_t>(pairing.one);
    const auto j = static_cast<std::size_t>(pairing.others);
    const Estimate mean = estimate(pairing.points.values);
    if (pairing.format == Format::kDeclarer) {
      result.as_declarer[i][j] = mean;
      continue;
    }
    compared.push_back(pairing);
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
  rate_agents(compared, tables, agents, result);
  find_cycle(singles, twos, result);
}

}  // namespace schafkopf
