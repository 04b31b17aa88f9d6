#include "training/config/unread.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "env/base/field.h"
#include "env/base/plain_value.h"

namespace schafkopf {
namespace {

/// What switches off the keys that belong to it.
struct Reason {
  bool holds;
  std::string_view text;
  std::initializer_list<std::string_view> keys;
};

}  // namespace

std::vector<std::string> unread_settings(const TrainConfig& config) {
  const bool limited = config.time_limit_minutes > 0 || config.decisions_limit > 0;
  const bool playouts = config.playout_share > 0 || config.announcement_playout_share > 0;
  const Reason reasons[] = {
      {config.generated_share <= 0 && config.card_play_first <= 0,
       "generated_share and card_play_first are 0",
       {"generator"}},
      {config.pool_share <= 0, "pool_share = 0", {"pool", "pool_seats"}},
      {config.algorithm != Algorithm::kDmc, "algorithm = \"ppo\"", {"exploration"}},
      {config.algorithm == Algorithm::kDmc,
       "algorithm = \"dmc\"",
       {"clip", "final_clip_share", "ppo_weight", "entropy", "bidding_entropy",
        "final_entropy_share", "behaviour_kl", "final_kl_share", "normalise_by", "gamma",
        "gae_lambda"}},
      {config.learn == LearnedPhases::kAll, "learn = \"all\"", {"hold_kl"}},
      {config.learn == LearnedPhases::kCardPlay,
       "learn = \"card_play\"",
       {"bidding_entropy", "announcement_playout_share"}},
      {config.learn == LearnedPhases::kBidding,
       "learn = \"bidding\"",
       {"entropy", "solver_weight", "solver_until", "solver_trick", "solver_early_share",
        "playout_share"}},
      {config.learn == LearnedPhases::kKontra,
       "learn = \"kontra\"",
       {"bidding_entropy", "solver_weight", "solver_until", "solver_trick", "solver_early_share",
        "playout_share"}},
      {config.magnet_kl <= 0, "magnet_kl = 0", {"magnet_updates"}},
      {config.solver_weight <= 0,
       "solver_weight = 0",
       {"solver_until", "solver_trick", "solver_early_share"}},
      {!playouts,
       "playout_share and announcement_playout_share are 0",
       {"playout_weight", "playout_until"}},
      {config.teacher_share <= 0,
       "teacher_share = 0",
       {"teacher", "teacher_weight", "teacher_until"}},
      {config.clone_records.empty(),
       "clone_records is empty",
       {"clone_games", "clone_weight", "clone_until"}},
      {config.critic == "shared", "critic = \"shared\"", {"critic_width"}},
      {config.eval_minutes > 0 && config.eval_track == EvaluationTrack::kCardPlay,
       "eval_track = \"card_play\"",
       {"eval_calibration"}},
      {config.eval_minutes > 0 && config.eval_track == EvaluationTrack::kFull,
       "eval_track = \"full\"",
       {"eval_generator"}},
      {!limited,
       "time_limit_minutes and decisions_limit are 0",
       {"card_play_first", "final_learning_rate_share", "final_clip_share", "final_entropy_share",
        "final_kl_share", "solver_until", "playout_until", "teacher_until", "clone_until"}}};

  const std::vector<FieldSlot> slots = train_config_slots(config);
  const std::vector<FieldSlot> defaults = train_config_slots(TrainConfig());
  std::vector<std::string> notes;
  std::vector<std::string_view> named;
  for (const Reason& reason : reasons) {
    if (!reason.holds) continue;
    std::string given;
    int count = 0;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      const std::string_view key = slots[i].field.key;
      if (std::ranges::find(reason.keys, key) == reason.keys.end()) continue;
      if (slots[i].value == defaults[i].value || is_among(named, key)) continue;
      named.push_back(key);
      given += fmt::format("{}{} = {}", count > 0 ? ", " : "", key, to_text(slots[i].value));
      ++count;
    }
    if (count == 0) continue;
    notes.push_back(
        fmt::format("{} {} no effect: {}", given, count > 1 ? "have" : "has", reason.text));
  }
  return notes;
}

}  // namespace schafkopf
