#include "training/games/evaluation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

#include "agents/registry.h"
#include "agents/tournament/calibration.h"
#include "agents/tournament/ratings.h"
#include "agents/tournament/tournament.h"
#include "agents/work/decision_rows.h"
#include "env/deal/dealing.h"
#include "env/vector/first_game.h"
#include "env/vector/paid_end.h"
#include "env/vector/vector_env.h"
#include "env/view/single_rule_table.h"

namespace schafkopf {
namespace {

VectorEnvOptions options_of(const EvaluationSettings& settings, int seat, const BatchPolicy& asked,
                            std::shared_ptr<BatchPolicy> others) {
  VectorEnvOptions options;
  options.num_envs = settings.blocks;
  options.rules = {settings.rules};
  options.seed = settings.seed;
  options.num_threads = std::min(settings.num_threads, settings.blocks);
  options.view_lines = true;
  options.full_view = asked.sees_hidden_hands();
  options.skip_forced = true;
  if (settings.track == EvaluationTrack::kCardPlay) {
    options.start = StartAt::kCardPlay;
    options.generator = make_generator(settings.generator);
  }
  options.learner_seat = seat;
  options.opponent = std::move(others);
  return options;
}

constexpr std::size_t kNumRoles = names_of(EvaluationRole{}).size();
constexpr std::size_t kNumKinds = static_cast<std::size_t>(kNumContractClasses) * kNumRoles;

/// Payoffs of one kind of game, by deal.
struct KindSums {
  std::int64_t games = 0, won = 0;
  std::vector<double> sums, counts;  // by deal; empty without games

  void add(std::size_t deal, std::size_t deals, double payoff, bool won_game) {
    sums.resize(deals);
    counts.resize(deals);
    sums[deal] += payoff;
    counts[deal] += 1.0;
    ++games;
    won += won_game ? 1 : 0;
  }
  [[nodiscard]] double mean() const {
    double sum = 0.0;
    for (const double value : sums) sum += value;
    return games == 0 ? 0.0 : sum / static_cast<double>(games);
  }
  /// What a deal adds to the error of the mean.
  [[nodiscard]] double residual(std::size_t deal, double mean) const {
    return games == 0 ? 0.0 : (sums[deal] - mean * counts[deal]) / static_cast<double>(games);
  }
};

/// What one direction gave.
struct Direction {
  explicit Direction(std::size_t deals) : sums(deals) {}

  std::vector<double> sums;  // payoffs by deal
  std::int64_t thrown_in = 0;
  std::array<KindSums, kNumKinds> kinds;
};

EvaluationRole role_of(const Game& game, int seat) {
  if (game.contract().declarer == seat) return EvaluationRole::kDeclarer;
  if (game.declarer_party() == 0) return EvaluationRole::kAlone;
  return ((game.declarer_party() >> seat) & 1) != 0 ? EvaluationRole::kPartner
                                                    : EvaluationRole::kDefender;
}

void add_game(const Game& game, int seat, std::size_t deal, double payoff, Direction& direction) {
  direction.sums[deal] += payoff;
  if (!game.has_contract()) {
    ++direction.thrown_in;
    return;
  }
  const std::size_t kind = static_cast<std::size_t>(game.contract().contract) * kNumRoles +
                           static_cast<std::size_t>(role_of(game, seat));
  direction.kinds[kind].add(deal, direction.sums.size(), payoff, game.settlement().won);
}

/// Play a row's first game, in which the measured seat has no choice: a batch that asks one seat deals
/// anew there, and asks nobody.
void play_without_choice(const EvaluationSettings& settings, const ContractGenerator* generator,
                         std::size_t number, int seat, BatchPolicy& others, Direction& direction) {
  const CompiledRules& compiled = *settings.rules;
  const int dealer = static_cast<int>(number % static_cast<unsigned>(compiled.seats()));
  Game game = first_game(compiled, episode_seed(settings.seed, number, 0), dealer,
                         compiled.first_context(), generator, {settings.seed, number});
  const SingleRuleTable rules(compiled);
  DecisionRows row;
  for (std::uint32_t decision = 0; !game.is_terminal(); ++decision) {
    const ActionMask mask = without_claims(game.legal_actions());
    if (mask.count() == 1) {
      game.apply_unchecked(mask.lowest());
      continue;
    }
    const RngKey key{settings.seed, number, 0, decision,
                     static_cast<std::uint32_t>(game.current_player())};
    row.clear();
    row.add(0, game, key, others.sees_hidden_hands());
    row.actions.resize(1);
    others.act(row.batch(rules.table()), row.keys, row.actions);
    game.apply(row.actions.front());
  }
  const float payoff = paid_end(game).payoffs[static_cast<std::size_t>(seat)];
  add_game(game, seat, number, static_cast<double>(payoff), direction);
}

/// Play every deal once with `player` in one seat, `others` in the rest, and add its payoffs.
void play_seat(BatchPolicy& player, const std::shared_ptr<BatchPolicy>& others,
               const EvaluationSettings& settings, int seat, Direction& direction) {
  const VectorEnvOptions options = options_of(settings, seat, player, others);
  VectorEnv env(options);
  const EnvBuffers& buffers = env.buffers();
  const auto envs = static_cast<std::size_t>(settings.blocks);
  std::vector<bool> over(envs);
  std::vector<Action> actions(envs, kActionPass);
  std::vector<RngKey> keys(envs);
  std::size_t left = envs;
  env.keys(keys);
  for (std::size_t i = 0; i < envs; ++i) {
    if (keys[i].episode == 0) continue;
    play_without_choice(settings, options.generator.get(), i, seat, *others, direction);
    over[i] = true;
    --left;
  }
  while (left > 0) {
    if (settings.stop != nullptr && *settings.stop) {
      throw std::runtime_error("the evaluation was stopped");
    }
    env.keys(keys);
    player.act(env.views(player.sees_hidden_hands()), keys, actions);
    env.step(std::span<const Action>(actions));
    for (std::size_t i = 0; i < envs; ++i) {
      if (over[i] || buffers.terminated[i] == 0) continue;
      over[i] = true;
      --left;
      const std::size_t at = i * kNumSeats + static_cast<std::size_t>(seat);
      add_game(env.game(static_cast<int>(i)), seat, i, static_cast<double>(buffers.rewards[at]),
               direction);
    }
  }
}

double mean_of(const std::vector<double>& sums, int seats) {
  double sum = 0.0;
  for (const double value : sums) sum += value;
  return sum / static_cast<double>(seats) / static_cast<double>(sums.size());
}

/// Both directions of each kind of game. Where they have the same games, as in card play, the
/// interval is that of paired deals.
std::vector<EvaluationShare> shares_of(const Direction& alone, const Direction& against) {
  std::vector<EvaluationShare> shares;
  const std::size_t deals = alone.sums.size();
  for (std::size_t kind = 0; kind < kNumKinds; ++kind) {
    const KindSums& own = alone.kinds[kind];
    const KindSums& other = against.kinds[kind];
    if (own.games + other.games == 0) continue;
    EvaluationShare share{.contract = static_cast<ContractClass>(kind / kNumRoles),
                          .role = static_cast<EvaluationRole>(kind % kNumRoles),
                          .games = own.games,
                          .games_against = other.games,
                          .won = own.won,
                          .alone = own.mean(),
                          .against = other.mean()};
    if (own.games > 0 && other.games > 0) {
      share.mean = (share.alone - share.against) / 2.0;
      double squares = 0.0;
      int of_kind = 0, telling = 0;  // deals that have such games; those in which they differ
      for (std::size_t i = 0; i < deals; ++i) {
        const double off = own.residual(i, share.alone) - other.residual(i, share.against);
        squares += off * off;
        const double games = own.counts[i] + other.counts[i];
        of_kind += games > 0.0 ? 1 : 0;
        telling += own.sums[i] != other.sums[i] ? 1 : 0;
      }
      const double small_sample = of_kind / std::max(of_kind - 1.0, 1.0);
      const double error = std::sqrt(squares * small_sample) / 2.0;
      share.half_width = half_width_of(share.mean, error, of_kind, telling);
    }
    shares.push_back(share);
  }
  return shares;
}

/// Of declarers, by contract.
std::vector<EvaluationCalibration> calibration_of(std::span<const CalibrationRow> rows) {
  std::vector<EvaluationCalibration> kinds(contract_keys().size());
  std::vector<double> squares(kinds.size());
  for (const CalibrationRow& row : rows) {
    if (row.declarer != row.seat || std::isnan(row.expected_won)) continue;
    const auto kind = static_cast<std::size_t>(row.contract);
    const auto expected = static_cast<double>(row.expected_won);
    const double won = row.won != 0 ? 1.0 : 0.0;
    ++kinds[kind].games;
    kinds[kind].expected += expected;
    kinds[kind].won += won;
    squares[kind] += (expected - won) * (expected - won);
  }
  std::vector<EvaluationCalibration> result;
  for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
    EvaluationCalibration& one = kinds[kind];
    if (one.games == 0) continue;
    const auto count = static_cast<double>(one.games);
    one.contract = contract_keys()[kind];
    one.expected /= count;
    one.won /= count;
    const double off = one.expected - one.won;
    const double variance = std::max(squares[kind] / count - off * off, 0.0);
    const double error = std::sqrt(variance / std::max(count - 1.0, 1.0));
    one.half_width =
        half_width_of(off, error, static_cast<int>(one.games), static_cast<int>(one.games));
    result.push_back(one);
  }
  return result;
}

CalibrationOptions calibration_options(const BatchPolicy& player,
                                       const EvaluationSettings& settings) {
  CalibrationOptions options{
      .policy = player.clone(), .opponent = make_agent(settings.opponent), .rules = settings.rules};
  options.blocks = settings.calibration_blocks;
  options.table = WorldTable::kOpponents;
  options.seed = settings.seed + 1;  // deals of their own
  options.threads = settings.num_threads;
  return options;
}

std::vector<EvaluationCalibration> calibration(const BatchPolicy& player,
                                               const EvaluationSettings& settings) {
  const CalibrationOptions options = calibration_options(player, settings);
  const std::vector<CalibrationRow> rows = calibrate(
      options, [&](int, int) { return settings.stop == nullptr || !settings.stop->load(); });
  if (rows.empty()) throw std::runtime_error("the evaluation was stopped");
  return calibration_of(rows);
}

}  // namespace

void check_evaluation(const EvaluationSettings& settings) {
  EvaluationSettings one = settings;
  one.blocks = 1;
  const std::shared_ptr<BatchPolicy> opponent = make_agent(settings.opponent);
  const VectorEnv env(options_of(one, 0, *opponent, opponent));
  if (settings.calibration_blocks > 0 && settings.track == EvaluationTrack::kFull) {
    check_calibration(calibration_options(*make_agent("rules"), settings));
  }
}

Evaluation evaluate(const BatchPolicy& player, const EvaluationSettings& settings) {
  const std::unique_ptr<BatchPolicy> own = player.clone();
  const std::unique_ptr<BatchPolicy> opponent = make_agent(settings.opponent);
  const std::shared_ptr<BatchPolicy> players = player.clone();
  const std::shared_ptr<BatchPolicy> opponents = make_agent(settings.opponent);
  const auto blocks = static_cast<std::size_t>(settings.blocks);
  Direction alone(blocks), against(blocks);
  const int seats = settings.rules->seats();
  for (int seat = 0; seat < seats; ++seat) {
    play_seat(*own, opponents, settings, seat, alone);
    play_seat(*opponent, players, settings, seat, against);
  }
  const double games = static_cast<double>(blocks) * seats;
  Evaluation result{.alone = mean_of(alone.sums, seats),
                    .against = mean_of(against.sums, seats),
                    .thrown_in = static_cast<double>(alone.thrown_in) / games,
                    .thrown_in_against = static_cast<double>(against.thrown_in) / games,
                    .shares = shares_of(alone, against),
                    .calibration = {}};
  result.mean = (result.alone - result.against) / 2.0;
  std::vector<double> of_deals(blocks);
  for (std::size_t i = 0; i < blocks; ++i) {
    of_deals[i] = (alone.sums[i] - against.sums[i]) / (2.0 * seats);
  }
  result.half_width = estimate(of_deals).half_width;
  if (settings.calibration_blocks > 0 && settings.track == EvaluationTrack::kFull) {
    result.calibration = calibration(player, settings);
  }
  return result;
}

}  // namespace schafkopf
