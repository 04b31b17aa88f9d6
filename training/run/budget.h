// How much of a run is done, and what falls over it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "training/config/config.h"
#include "training/run/checkpoint.h"

namespace schafkopf {

/// The limits of a run and the coefficients that follow them: a function of its settings and
/// counters, both of which outlive it.
class Budget {
 public:
  Budget(const TrainConfig& config, TrainCounters& counters)
      : config_(config), counters_(counters) {}

  /// 0..1; 0 without a limit.
  [[nodiscard]] double share_done() const;
  [[nodiscard]] bool finished() const { return share_done() >= 1.0; }
  void fix();
  /// Of the games of now: how many begin with a generated contract.
  [[nodiscard]] double generated_share() const;
  [[nodiscard]] double falling(double final_share) const;
  /// A coefficient that falls to 0 over a share of the budget; 0 = it stays.
  [[nodiscard]] double running_down(double weight, double until) const;
  [[nodiscard]] std::vector<std::string> higher_limits() const;

 private:
  [[nodiscard]] bool limited() const {
    return config_.time_limit_minutes > 0 || config_.decisions_limit > 0;
  }
  /// Whether the time limit, this one, has been turned into decisions.
  [[nodiscard]] bool holds() const {
    return counters_.budget > 0 && counters_.budget_minutes == config_.time_limit_minutes;
  }
  [[nodiscard]] std::int64_t decisions() const { return counters_.decisions + counters_.forced; }

  const TrainConfig& config_;
  TrainCounters& counters_;
};

}  // namespace schafkopf
