#include "training/run/run_evaluation.h"

#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "agents/network/mlp_network.h"
#include "agents/network/net_agent.h"
#include "agents/registry.h"
#include "agents/work/spec_value.h"
#include "env/base/random.h"
#include "training/run/named_things.h"
#include "training/work/checked.h"

namespace schafkopf {
namespace {

/// At least one, which may be empty and is then refused as a player.
std::vector<std::string_view> opponents_of(const TrainConfig& config) {
  std::vector<std::string_view> opponents = players_in(config.eval_opponent);
  if (opponents.empty()) opponents.emplace_back();
  return opponents;
}

}  // namespace

RunEvaluation::RunEvaluation(const TrainConfig& config, std::shared_ptr<const CompiledRules> rules,
                             const std::atomic<bool>& stop)
    : config_(config), rules_(std::move(rules)), stop_(stop) {}

EvaluationSettings RunEvaluation::against(std::string_view opponent) const {
  return {.rules = rules_,
          .opponent = std::string(opponent),
          .track = config_.eval_track,
          .generator = config_.eval_generator,
          .blocks = static_cast<int>(config_.eval_blocks),
          .calibration_blocks = static_cast<int>(config_.eval_calibration),
          .seed = mix64(config_.seed ^ 0xE7A1u),
          .num_threads = static_cast<int>(config_.workers),
          .stop = &stop_};
}

void RunEvaluation::check() const {
  check_generators(config_);
  EvaluationSettings settings = against({});
  checked("eval_opponent", config_.eval_opponent, [&] {
    for (const std::string_view opponent : opponents_of(config_)) {
      settings.opponent = opponent;
      (void)make_agent(settings.opponent);
      if (config_.eval_minutes > 0) check_evaluation(settings);
      settings.calibration_blocks = 0;  // of the first alone
    }
  });
}

double RunEvaluation::ask(const WeightsFile& weights, TrainProgress& progress) const {
  const auto player = make_net_agent(make_mlp_network(weights, "the run's weights"),
                                     "the run's weights", /*greedy=*/true);
  const std::vector<std::string_view> opponents = opponents_of(config_);
  const Evaluation result = evaluate(*player, against(opponents.front()));
  for (const std::string_view opponent : std::span(opponents).subspan(1)) {
    EvaluationSettings settings = against(opponent);
    settings.calibration_blocks = 0;
    const Evaluation other = evaluate(*player, settings);
    progress.eval_others.push_back(
        {settings.opponent, other.mean, other.half_width, other.alone, other.against});
  }
  progress.evaluated = true;
  progress.eval_mean = result.mean;
  progress.eval_half_width = result.half_width;
  progress.eval_alone = result.alone;
  progress.eval_against = result.against;
  progress.eval_thrown_in = result.thrown_in;
  progress.eval_thrown_in_against = result.thrown_in_against;
  progress.eval_shares = result.shares;
  progress.eval_calibration = result.calibration;
  return result.lower();
}

bool evaluates_alike(const TrainConfig& one, const TrainConfig& other) {
  const auto asked = [](const TrainConfig& config) {
    return std::tuple(opponents_of(config).front(), config.eval_track,
                      std::string_view(config.eval_generator), config.eval_blocks);
  };
  return asked(one) == asked(other);
}

}  // namespace schafkopf
