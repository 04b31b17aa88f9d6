#include "training/run/budget.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace schafkopf {

double Budget::share_done() const {
  double share = 0.0;
  if (config_.time_limit_minutes > 0) {
    share = holds() ? static_cast<double>(decisions()) / static_cast<double>(counters_.budget)
                    : counters_.seconds / (60.0 * config_.time_limit_minutes);
  }
  if (config_.decisions_limit > 0) {
    share = std::max(
        share, static_cast<double>(decisions()) / static_cast<double>(config_.decisions_limit));
  }
  return std::min(share, 1.0);
}

/// A time limit is turned into decisions once, so that what follows does not depend on the clock; by
/// the speed behind card_play_first, where nothing is announced and no announcement played out.
void Budget::fix() {
  constexpr double kMeasured = 0.05;  // of the time
  const double limit = 60.0 * config_.time_limit_minutes, seconds = counters_.seconds;
  if (limit <= 0 || holds()) return;
  const double begin = config_.generated_share < 1.0 ? config_.card_play_first * limit : 0.0;
  if (counters_.measured_from_seconds < begin) {
    counters_.measured_from = decisions();
    counters_.measured_from_seconds = seconds;
  }
  const double measured = seconds - counters_.measured_from_seconds;
  if (measured < kMeasured * limit) return;
  const double speed = static_cast<double>(decisions() - counters_.measured_from) / measured;
  const double left = speed * std::max(0.0, limit - seconds);
  counters_.budget = std::max<std::int64_t>(1, decisions() + std::llround(left));
  counters_.budget_minutes = config_.time_limit_minutes;
}

double Budget::generated_share() const {
  return limited() && share_done() < config_.card_play_first ? 1.0 : config_.generated_share;
}

/// What falls linearly from 1 to a share over the budget.
double Budget::falling(double final_share) const {
  return limited() ? 1.0 - (1.0 - final_share) * share_done() : 1.0;
}

double Budget::running_down(double weight, double until) const {
  if (!limited() || until <= 0) return weight;
  return weight * std::max(0.0, 1.0 - share_done() / until);
}

/// Twice what is used up; of minutes twice the limit at least: a faster run uses fewer.
std::vector<std::string> Budget::higher_limits() const {
  std::vector<std::string> limits;
  if (!finished()) return limits;
  const double minutes = config_.time_limit_minutes;
  if (minutes > 0 &&
      (holds() ? decisions() >= counters_.budget : counters_.seconds >= 60.0 * minutes)) {
    const double used = std::max(minutes, counters_.seconds / 60.0);
    limits.push_back(fmt::format("time_limit_minutes={:.0f}", std::ceil(2.0 * used)));
  }
  if (config_.decisions_limit > 0 && decisions() >= config_.decisions_limit) {
    limits.push_back(fmt::format("decisions_limit={}", 2 * decisions()));
  }
  return limits;
}

}  // namespace schafkopf
