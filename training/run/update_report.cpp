#include "training/run/update_report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "agents/work/spec_value.h"

namespace schafkopf {
namespace {

/// None where nothing differed: one game, or games that were all alike, say nothing of others.
nlohmann::ordered_json interval(double half_width) {
  const bool is_one = half_width > 0.0 && std::isfinite(half_width);
  return is_one ? nlohmann::ordered_json(half_width) : nlohmann::ordered_json();
}

/// By contract class, then role; no figure where a direction has no such games.
nlohmann::ordered_json shares_to_json(const std::vector<EvaluationShare>& shares) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto known = [](std::int64_t games, double value) {
    return games > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
  };
  for (const EvaluationShare& share : shares) {
    const std::int64_t both = std::min(share.games, share.games_against);
    json[std::string(name_of(share.contract))][std::string(name_of(share.role))] = {
        {"games", share.games},
        {"games_against", share.games_against},
        {"won", share.won},
        {"alone", known(share.games, share.alone)},
        {"against", known(share.games_against, share.against)},
        {"mean", known(both, share.mean)},
        {"half_width", interval(share.half_width)}};
  }
  return json;
}

nlohmann::ordered_json calibration_to_json(const std::vector<EvaluationCalibration>& kinds) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const EvaluationCalibration& kind : kinds) {
    json[kind.contract] = {{"games", kind.games},
                           {"expected", kind.expected},
                           {"won", kind.won},
                           {"half_width", interval(kind.half_width)}};
  }
  return json;
}

/// Of the signals beside PPO and the solver that this update had.
void add_target_metrics(nlohmann::ordered_json& line, const UpdateReport& report,
                        const RunState& run) {
  const double count = std::max(report.sums.count, 1.0);
  const auto workers = static_cast<double>(run.workers);
  const double wall = (report.collect_seconds + report.update_seconds) * workers;
  if (const double held = report.held.loss.count; held > 0) {
    line["held_share"] = held / (held + report.sums.count);
    line["held_kl"] = report.held.loss.kl / held;
    line["held_agreement"] = report.held.agreed / held;
  }
  if (report.loss.playout_weight > 0) {
    line["playout_weight"] = report.loss.playout_weight;
    line["played_out_share"] = report.playouts / count;
    line["playout_regret"] =
        report.playout_regret / std::max(report.playouts, 1.0) * run.config.reward_scale;
    line["playout_seconds"] = report.stats.playout_seconds / workers;
    line["playout_time_share"] = report.stats.playout_seconds / wall;
  }
  const auto imitation = [&](const std::string& name, double weight, const ImitationSums& sums) {
    line[name + "_weight"] = weight;
    line[name + "_loss"] = sums.loss / std::max(sums.count, 1.0);
    line[name + "_agreement"] = sums.agreed / std::max(sums.count, 1.0);
  };
  if (report.teacher_weight > 0) {
    imitation("teacher", report.teacher_weight, report.taught);
    line["taught_share"] = report.taught.count / count;
    line["teacher_seconds"] = report.stats.teacher_seconds / workers;
    line["teacher_time_share"] = report.stats.teacher_seconds / wall;
  }
  if (report.clone_weight > 0) {
    imitation("clone", report.clone_weight, report.cloned);
    line["cloned_decisions"] = report.cloned.count / static_cast<double>(run.config.epochs);
  }
}

}  // namespace

TrainProgress progress_of(const UpdateReport& report, const RunState& run) {
  TrainProgress progress;
  const double seconds = report.collect_seconds + report.update_seconds;
  const double count = std::max(report.sums.count, 1.0);
  progress.updates = run.counters.updates;
  progress.decisions = run.counters.decisions + run.counters.forced;
  progress.games = run.counters.games;
  progress.seconds = run.counters.seconds;
  progress.share_done = run.share_done;
  if (progress.share_done > 0) {
    progress.seconds_left = run.counters.seconds * (1.0 / progress.share_done - 1.0);
  }
  progress.decisions_per_second =
      static_cast<double>(report.stats.decisions + report.stats.forced) / seconds;
  progress.games_per_second = static_cast<double>(report.stats.games) / seconds;
  progress.entropy = report.sums.entropy / count;
  progress.kl = report.sums.kl / count;
  progress.regret =
      report.sums.regret / std::max(report.sums.labelled, 1.0) * run.config.reward_scale;
  progress.explained_variance = report.advantages.all.explained_variance();
  progress.env_share = report.stats.env_seconds / (seconds * static_cast<double>(run.workers));
  const double auctions = static_cast<double>(std::max<std::int64_t>(report.stats.auctions, 1));
  for (std::size_t i = 0; i < report.stats.declared.size(); ++i) {
    if (report.stats.declared[i] == 0) continue;
    const std::string name(names_of(ContractClass{})[i]);
    progress.declared[name] = static_cast<double>(report.stats.declared[i]) / auctions;
  }
  if (report.stats.thrown_in > 0) {
    progress.declared["thrown_in"] = static_cast<double>(report.stats.thrown_in) / auctions;
  }
  return progress;
}

std::string metrics_line(const UpdateReport& report, const TrainProgress& progress,
                         const RunState& run) {
  const double count = std::max(report.sums.count, 1.0);
  const double wall = report.collect_seconds + report.update_seconds;
  const auto workers = static_cast<double>(run.workers);
  nlohmann::ordered_json line = {
      {"update", run.counters.updates},
      {"seconds", run.counters.seconds},
      {"decisions", progress.decisions},
      {"unforced_decisions", run.counters.decisions},
      {"games", run.counters.games},
      {"decisions_per_second", progress.decisions_per_second},
      {"games_per_second", progress.games_per_second},
      {"learning_rate", report.learning_rate},
      {"policy_loss", report.sums.policy / count},
      {"value_loss", report.sums.value / count},
      {"entropy", progress.entropy},
      {"kl", progress.kl},
      {"clip_fraction", report.sums.clipped / count},
      {"explained_variance", progress.explained_variance},
      {"grad_norm", report.grad_norm / std::max(report.gradient_steps, 1)},
      {"gradient_steps", report.gradient_steps},
      {"advantage_deviation", report.advantages.all.deviation()},
      {"env_seconds", report.stats.env_seconds / workers},
      {"act_seconds", report.stats.act_seconds / workers},
      {"solver_seconds", report.stats.solver_seconds / workers},
      {"update_seconds", report.update_seconds},
      {"env_share", report.stats.env_seconds / workers / wall},
      {"declared", progress.declared}};
  if (run.has_magnet) line["magnet_kl"] = report.sums.magnet / count;
  if (report.sums.labelled > 0) {
    line["solver_weight"] = report.loss.solver_weight;
    line["solved_share"] = report.sums.labelled / count;
    line["regret"] = progress.regret;
  }
  add_target_metrics(line, report, run);
  if (progress.evaluated) {
    line["eval_opponent"] = players_in(run.config.eval_opponent).front();
    line["eval_track"] = name_of(run.config.eval_track);
    line["eval_unit"] = run.rules.rules().tariff.unit;
    line["eval_mean"] = progress.eval_mean;
    line["eval_half_width"] = interval(progress.eval_half_width);
    line["eval_alone"] = progress.eval_alone;
    line["eval_against"] = progress.eval_against;
    line["eval_games"] = run.config.eval_blocks * run.rules.seats();  // of a direction
    line["eval_thrown_in"] = progress.eval_thrown_in;
    line["eval_thrown_in_against"] = progress.eval_thrown_in_against;
    for (const OtherEvaluation& other : progress.eval_others) {
      line["eval_others"].push_back({{"opponent", other.opponent},
                                     {"mean", other.mean},
                                     {"half_width", interval(other.half_width)},
                                     {"alone", other.alone},
                                     {"against", other.against}});
    }
    line["eval_by"] = shares_to_json(progress.eval_shares);
    if (run.config.eval_calibration > 0 && run.config.eval_track == EvaluationTrack::kFull) {
      line["eval_calibration"] = calibration_to_json(progress.eval_calibration);
    }
  }
  return line.dump();
}

}  // namespace schafkopf
