// From the rows of all games to the figures of a tournament.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "agents/registry.h"
#include "agents/tournament/ratings.h"
#include "agents/tournament/tournament_plan.h"

namespace schafkopf {
namespace {

constexpr int kCalibrationBins = 10;

/// Who holds each seat in a game.
std::array<int, kNumSeats> players_of(const TournamentPlan& plan, const GameRow& row) {
  return plan.players({row.block, row.pairing}, row.seats);
}

/// Payoff of a game to one seat of the first agent, mean over its seats, times their number.
std::int64_t payoff_of_one(const GameRow& row, int seats) {
  std::int64_t sum = 0;
  for (int seat = 0; seat < seats; ++seat) {
    if (((row.seats >> seat) & 1) != 0) sum += row.payoffs[static_cast<std::size_t>(seat)];
  }
  return sum;
}

// ---- pairings -----------------------------------------------------------------------------------

/// Block means and game variance of the rows of one pairing, which come sorted.
void summarise_pairing(const TournamentPlan& plan, std::span<const GameRow> rows,
                       PairingResult& result, BlockSeries& points) {
  const Pairing& pairing = plan.pairings[rows.front().pairing];
  const double scale =
      static_cast<double>(plan.options->rules->tariff_scale()) * pairing.seats_of_one();
  const std::size_t games = pairing.games_of_block(plan.seats());
  double sum = 0.0, squares = 0.0;
  for (std::size_t first = 0; first < rows.size(); first += games) {
    std::int64_t block = 0;
    for (std::size_t i = first; i < first + games; ++i) {
      const std::int64_t payoff = payoff_of_one(rows[i], plan.seats());
      const double value = static_cast<double>(payoff) / scale;
      block += payoff;
      sum += value;
      squares += value * value;
    }
    points.blocks.push_back(rows[first].block);
    points.values.push_back(static_cast<double>(block) / scale / static_cast<double>(games));
  }
  result.mean = estimate(points.values);
  result.games = static_cast<std::int64_t>(rows.size());
  const auto n = static_cast<double>(rows.size());
  const double variance = std::max(0.0, (squares - sum * sum / n) / (n - 1.0));
  result.sd_game = std::sqrt(variance);
  const double of_blocks = result.mean.sd * result.mean.sd;
  result.gain = of_blocks > 0.0 ? variance / static_cast<double>(games) / of_blocks : 0.0;
}

// ---- shares -------------------------------------------------------------------------------------

/// Sum and count per block of one kind of game, and what the variance of their ratio needs.
struct RatioSums {
  std::int64_t games = 0, won = 0;
  double sum = 0.0, squares = 0.0, products = 0.0, counts = 0.0;
  int blocks = 0, telling = 0;
  int block = -1;  // the open one
  double block_sum = 0.0, block_games = 0.0;

  void add(int number, double payoff, bool won_game) {
    if (number != block) close();
    block = number;
    block_sum += payoff;
    block_games += 1.0;
    ++games;
    won += won_game ? 1 : 0;
  }
  void close() {
    if (block_games > 0.0) {
      ++blocks;
      telling += block_sum != 0.0 ? 1 : 0;
      sum += block_sum;
      squares += block_sum * block_sum;
      products += block_sum * block_games;
      counts += block_games * block_games;
    }
    block_sum = block_games = 0.0;
  }
  /// Ratio of the sums; its variance is that of (sum - mean * games) between blocks.
  [[nodiscard]] Estimate ratio() const {
    Estimate result;
    if (games == 0) return result;
    const auto n = static_cast<double>(games);
    result.mean = sum / n;
    result.blocks = blocks;
    const double spread =
        squares - 2.0 * result.mean * products + result.mean * result.mean * counts;
    const double b = blocks;
    const double error = blocks < 2 ? 0.0 : std::sqrt(std::max(0.0, spread) * b / (b - 1.0)) / n;
    result.telling = telling;
    result.half_width = half_width_of(result.mean, error, blocks, telling);
    return result;
  }
};

constexpr std::array<const char*, 5> kRoles = {"declarer", "partner", "defender", "alone", "none"};

/// Index into kRoles.
int role_of(const GameRow& row, int seat) {
  if (row.contract < 0) return 4;
  if (row.declarer == seat) return 0;
  if (row.party == 0) return 3;
  return ((row.party >> seat) & 1) != 0 ? 1 : 2;
}

/// Whether the side of a seat won; alone against all (Ramsch): whether it was paid.
bool is_won_by(const GameRow& row, int seat) {
  if (row.contract < 0) return false;
  if (row.party == 0) return row.payoffs[static_cast<std::size_t>(seat)] > 0;
  return (((row.party >> seat) & 1) != 0) == (row.won != 0);
}

/// contract, role, position; -1 = all
using ShareKey = std::tuple<int, int, int>;

struct ShareSums {
  RatioSums points, errors;

  void add(const GameRow& row, int seat, double scale) {
    const auto s = static_cast<std::size_t>(seat);
    const bool won = is_won_by(row, seat);
    points.add(row.block, row.payoffs[s] / scale, won);
    if (row.errors[s] != GameRow::kNotCounted) errors.add(row.block, row.errors[s], won);
  }
};

std::vector<std::vector<Share>> shares_of(const TournamentPlan& plan,
                                          const std::vector<GameRow>& by_block) {
  std::vector<std::map<ShareKey, ShareSums>> sums(plan.options->agents.size());
  const double scale = plan.options->rules->tariff_scale();
  const int seats = plan.seats();
  for (const GameRow& row : by_block) {
    const auto players = players_of(plan, row);
    const std::uint8_t measured = plan.measured(row.pairing, row.seats);
    for (int seat = 0; seat < seats; ++seat) {
      if (((measured >> seat) & 1) == 0) continue;
      auto& own = sums[static_cast<std::size_t>(players[static_cast<std::size_t>(seat)])];
      const int role = role_of(row, seat);
      const int position = (seat - row.dealer - 1 + 2 * seats) % seats;
      own[{-1, role, -1}].add(row, seat, scale);
      own[{-1, -1, position}].add(row, seat, scale);
      if (row.contract >= 0) own[{row.contract, role, -1}].add(row, seat, scale);
    }
  }
  std::vector<std::vector<Share>> shares(sums.size());
  for (std::size_t agent = 0; agent < sums.size(); ++agent) {
    for (auto& [key, sum] : sums[agent]) {
      sum.points.close();
      sum.errors.close();
      const auto& [contract, role, position] = key;
      const std::string name =
          contract < 0 ? "" : contract_keys()[static_cast<std::size_t>(contract)];
      const std::string role_name = role < 0 ? "" : kRoles[static_cast<std::size_t>(role)];
      shares[agent].push_back({name, role_name, position, sum.points.games, sum.points.won,
                               sum.points.ratio(), sum.errors.ratio()});
    }
  }
  return shares;
}

// ---- calibration --------------------------------------------------------------------------------

/// A declarer with the payoff it expected and the one it got, in tariff units.
struct Declared {
  double expected = 0.0, payoff = 0.0;
  int contract = 0;
  bool won = false;
  int block = 0;
};

/// Mean payoffs of won and lost games of each contract.
struct Prices {
  std::array<double, 2 * kNumContractClasses> sum[2] = {};
  std::array<int, 2 * kNumContractClasses> games[2] = {};

  void add(const Declared& game) {
    const auto c = static_cast<std::size_t>(game.contract);
    sum[game.won][c] += game.payoff;
    ++games[game.won][c];
  }
  /// Win rate whose mean payoff is `expected`; NaN where the contract was never lost or never won.
  [[nodiscard]] double win_rate(int contract, double expected) const {
    const auto c = static_cast<std::size_t>(contract);
    if (games[0][c] == 0 || games[1][c] == 0) return std::nan("");
    const double lost = sum[0][c] / games[0][c], won = sum[1][c] / games[1][c];
    return won > lost ? std::clamp((expected - lost) / (won - lost), 0.0, 1.0) : std::nan("");
  }
};

/// The deals of a bin, and how many of its games say as much as one independent one: the copies of a
/// deal are won and lost together. The variance of the win rate between blocks over that of
/// independent games, from 1 to the games of a block; where all were won or lost, the latter.
struct Copies {
  int blocks = 0;
  double games_of_one = 1.0;
};
Copies copies_of(std::span<const Declared> games, double win_rate) {
  std::map<int, std::pair<int, double>> blocks;  // games, and how many more were won than expected
  for (const Declared& game : games) {
    auto& [count, more] = blocks[game.block];
    ++count;
    more += (game.won ? 1.0 : 0.0) - win_rate;
  }
  const auto n = static_cast<double>(games.size());
  const auto number = static_cast<int>(blocks.size());
  const double independent = win_rate * (1.0 - win_rate) * n;
  if (independent <= 0.0) return {number, n / number};
  double between = 0.0;
  for (const auto& [block, sums] : blocks) between += sums.second * sums.second;
  return {number, std::max(1.0, between / independent)};
}

CalibrationBin bin_of(std::span<const Declared> games, const Prices& prices) {
  CalibrationBin bin;
  const auto count = static_cast<double>(games.size());
  bin.games = static_cast<std::int64_t>(games.size());
  int won = 0;
  for (const Declared& game : games) {
    bin.expected_payoff += game.expected / count;
    bin.payoff += game.payoff / count;
    bin.expected_win_rate += prices.win_rate(game.contract, game.expected) / count;
    won += game.won ? 1 : 0;
  }
  bin.win_rate = won / count;
  // As many games as independent ones would say as much, and two wins and two losses more (Agresti
  // and Coull): few games, or only won ones, are not certain. How they belong together is known as
  // well as there are deals.
  const Copies copies = copies_of(games, bin.win_rate);
  const double n = count / copies.games_of_one;
  const double p = (bin.win_rate * n + 2.0) / (n + 4.0);
  const double error = std::sqrt(p * (1.0 - p) / (n + 4.0));
  bin.half_width = std::min(half_width_of(0.0, error, copies.blocks, copies.blocks), 1.0);
  return bin;
}

/// Ten bins of about equally many games, by the win rate that was expected.
std::vector<CalibrationBin> bins_of(std::vector<Declared> games) {
  Prices prices;
  for (const Declared& game : games) prices.add(game);
  std::erase_if(games, [&](const Declared& game) {
    return std::isnan(prices.win_rate(game.contract, game.expected));
  });
  std::ranges::stable_sort(games, {}, [&](const Declared& game) {
    return prices.win_rate(game.contract, game.expected);
  });
  std::vector<CalibrationBin> bins;
  for (std::size_t k = 0; k < kCalibrationBins; ++k) {
    const std::size_t first = games.size() * k / kCalibrationBins;
    const std::size_t last = games.size() * (k + 1) / kCalibrationBins;
    if (last > first) bins.push_back(bin_of(std::span(games).subspan(first, last - first), prices));
  }
  return bins;
}

std::vector<std::vector<CalibrationBin>> calibration_of(const TournamentPlan& plan,
                                                        const std::vector<GameRow>& rows) {
  std::vector<std::vector<Declared>> games(plan.options->agents.size());
  const double scale = plan.options->rules->tariff_scale();
  for (const GameRow& row : rows) {
    if (row.declarer < 0 || !std::isfinite(row.expected)) continue;
    const auto declarer = static_cast<std::size_t>(row.declarer);
    const auto agent = static_cast<std::size_t>(players_of(plan, row)[declarer]);
    games[agent].push_back({static_cast<double>(row.expected),
                            row.payoffs[static_cast<std::size_t>(row.declarer)] / scale,
                            row.contract, row.won != 0, row.block});
  }
  std::vector<std::vector<CalibrationBin>> bins;
  for (std::vector<Declared>& declared : games) bins.push_back(bins_of(std::move(declared)));
  return bins;
}

// ---- counts -------------------------------------------------------------------------------------

void count_games(const TournamentPlan& plan, const std::vector<GameRow>& rows,
                 TournamentResult& result) {
  const std::size_t agents = plan.options->agents.size();
  result.declared.assign(agents, std::vector<DeclarerCount>(contract_keys().size()));
  result.seat_deals.assign(agents, 0);
  result.thrown_in.assign(agents, 0);
  result.games = static_cast<std::int64_t>(rows.size());
  for (const GameRow& row : rows) {
    result.decisions += row.decisions;
    const auto players = players_of(plan, row);
    for (int seat = 0; seat < plan.seats(); ++seat) {
      const auto agent = static_cast<std::size_t>(players[static_cast<std::size_t>(seat)]);
      ++result.seat_deals[agent];
      if (row.contract < 0) ++result.thrown_in[agent];
    }
    if (row.declarer < 0) continue;
    const int declarer = players[static_cast<std::size_t>(row.declarer)];
    DeclarerCount& count =
        result.declared[static_cast<std::size_t>(declarer)][static_cast<std::size_t>(row.contract)];
    ++count.games;
    count.won += row.won;
  }
}

/// What each seat of the random tables got, mean over the games of a block.
std::vector<RatedTable> tables_of(const TournamentPlan& plan, std::span<const GameRow> rows) {
  std::vector<RatedTable> tables;
  const double games = plan.seats();  // of a block
  const double scale = plan.options->rules->tariff_scale() * games;
  for (const GameRow& row : rows) {
    if (tables.empty() || tables.back().block != row.block) {
      tables.push_back({row.block, players_of(plan, row), {}, plan.seats()});
    }
    RatedTable& table = tables.back();
    const auto players = players_of(plan, row);
    for (std::size_t i = 0; i < static_cast<std::size_t>(plan.seats()); ++i) {
      const auto seat = std::ranges::find(players, table.agents[i]) - players.begin();
      table.points[i] += row.payoffs[static_cast<std::size_t>(seat)] / scale;
    }
  }
  return tables;
}

void summarise_tables(const std::vector<RatedTable>& tables, std::size_t agents,
                      TournamentResult& result) {
  std::vector<std::vector<double>> points(agents);
  for (const RatedTable& table : tables) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(table.seats); ++i) {
      points[static_cast<std::size_t>(table.agents[i])].push_back(table.points[i]);
    }
    result.table_games += table.seats;
  }
  for (const std::vector<double>& own : points) result.at_tables.push_back(estimate(own));
}

void summarise_pairings(const TournamentPlan& plan, TournamentResult& result) {
  std::vector<RatedPairing> rated;
  const std::span<const GameRow> rows = result.rows;
  std::size_t first = 0;
  for (std::size_t p = 0; p < plan.pairings.size(); ++p) {
    const Pairing& pairing = plan.pairings[p];
    PairingResult& of = result.pairings.emplace_back();
    of = {pairing.one, pairing.others, pairing.format, pairing.precision, {}, 0, 0.0, 0.0};
    rated.push_back({pairing.one, pairing.others, pairing.format, {}});
    std::size_t last = first;
    while (last < rows.size() && rows[last].pairing == p) ++last;
    if (last > first) {
      summarise_pairing(plan, rows.subspan(first, last - first), of, rated.back().points);
    }
    first = last;
    result.blocks = std::max(result.blocks, of.mean.blocks);
  }
  const std::vector<RatedTable> tables = tables_of(plan, rows.subspan(first));
  const std::size_t agents = plan.options->agents.size();
  summarise_tables(tables, agents, result);
  rate(rated, tables, agents, result);
}

}  // namespace

Estimate mean_of(const TournamentPlan& plan, std::vector<GameRow> rows) {
  if (rows.empty()) return {};
  std::ranges::sort(rows, {}, &GameRow::block);
  PairingResult result;
  BlockSeries points;
  summarise_pairing(plan, rows, result, points);
  return result.mean;
}

TournamentResult summarise(const TournamentPlan& plan, std::vector<GameRow> rows) {
  TournamentResult result;
  result.names = names_of_agents(*plan.options);
  for (const TournamentAgent& agent : plan.options->agents) {
    result.specs.push_back(agent.policy == nullptr ? with_version(agent.spec) : agent.spec);
  }
  const auto by_block = [](const GameRow& row) {
    return std::tuple(row.block, row.pairing, row.seats);
  };
  std::ranges::sort(rows, {}, by_block);
  result.shares = shares_of(plan, rows);
  const auto by_pairing = [](const GameRow& row) {
    return std::tuple(row.pairing, row.block, row.seats);
  };
  std::ranges::sort(rows, {}, by_pairing);
  result.rows = std::move(rows);
  summarise_pairings(plan, result);
  count_games(plan, result.rows, result);
  result.calibration = calibration_of(plan, result.rows);
  return result;
}

}  // namespace schafkopf
