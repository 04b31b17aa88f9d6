// Settings of a training run: one struct, one field table, TOML and "key=value" in and out.
// What a setting does stands in the code that reads it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/network/network.h"
#include "env/base/field.h"
#include "training/games/evaluation.h"
#include "training/games/learned_phases.h"
#include "training/games/pool.h"
#include "training/games/trajectory.h"

namespace schafkopf {

/// How a run learns: clipped policy gradient, or deep Monte Carlo: the logits of a network are what
/// its actions are worth, learned from the payoffs of games; players take the highest.
enum class Algorithm : std::uint8_t { kPpo, kDmc };
[[nodiscard]] constexpr auto names_of(Algorithm) { return make_names("ppo", "dmc"); }

/// Every setting of a run; the defaults are those of configs/train/default.toml. Meaning, unit and
/// range of each key: train_config_fields().
struct TrainConfig {
  // game
  std::string rules = "research";
  double generated_share = 0.6;
  std::string generator = "heuristic";
  double card_play_first = 0.15;
  double pool_share = 0.0;
  std::string pool = "rules";
  PoolSeats pool_seats = PoolSeats::kSome;
  // run
  std::string init;
  std::uint64_t seed = 1;
  std::string device = "cpu";
  std::int64_t workers = 0;
  double time_limit_minutes = 8.0;
  std::int64_t decisions_limit = 0;
  double checkpoint_minutes = 1.0;
  std::int64_t keep_last = 3;
  // batch
  std::int64_t games_per_update = 2048;
  std::int64_t minibatch = 1024;
  std::int64_t epochs = 1;
  // optimiser
  double learning_rate = 2e-3;
  double final_learning_rate_share = 0.1;
  double max_grad_norm = 0.5;
  double adam_epsilon = 1e-5;
  double average_decay = 0.0;
  // loss
  Algorithm algorithm = Algorithm::kPpo;
  LearnedPhases learn = LearnedPhases::kAll;
  double hold_kl = 1.0;
  double exploration = 0.05;
  double clip = 0.2;
  double final_clip_share = 1.0;
  double ppo_weight = 1.0;
  double entropy = 0.02;
  double bidding_entropy = 0.05;
  double final_entropy_share = 1.0;
  double behaviour_kl = 0.05;
  double magnet_kl = 0.0;
  std::int64_t magnet_updates = 64;
  double final_kl_share = 1.0;
  double value_coefficient = 0.5;
  double value_huber = 0.0;
  double bidding_weight = 2.0;
  Grouping normalise_by = Grouping::kContract;
  double gamma = 1.0;
  double gae_lambda = 0.95;
  double reward_scale = 50.0;
  double reward_clip = 20.0;
  // solver
  double solver_weight = 0.0;
  double solver_until = 1.0;
  std::int64_t solver_trick = 3;
  double solver_early_share = 0.1;
  // playouts
  double playout_share = 0.0;
  double announcement_playout_share = 0.0;
  double playout_weight = 1.0;
  double playout_until = 0.0;
  // teacher
  std::string teacher;
  double teacher_share = 0.0;
  double teacher_weight = 1.0;
  double teacher_until = 1.0;
  // recorded games
  std::string clone_records;
  std::int64_t clone_games = 64;
  double clone_weight = 1.0;
  double clone_until = 1.0;
  // network
  TrunkKind architecture = TrunkKind::kMlp;
  std::int64_t width = 256;
  std::int64_t layers = 2;
  std::int64_t observation = 1;
  std::string input_sections;
  std::string critic = "shared";
  std::int64_t critic_width = 0;
  // evaluation
  double eval_minutes = 0.75;
  std::int64_t eval_blocks = 3000;
  std::int64_t eval_calibration = 0;
  std::string eval_opponent = "rules";
  EvaluationTrack eval_track = EvaluationTrack::kCardPlay;
  std::string eval_generator = "heuristic";

  friend bool operator==(const TrainConfig&, const TrainConfig&) = default;
};

/// Keys in the order of the file.
[[nodiscard]] std::vector<FieldRow> train_config_fields();
/// The same with their values in a configuration.
[[nodiscard]] std::vector<FieldSlot> train_config_slots(const TrainConfig& config);

/// Parse TOML text on top of the defaults.
///
/// file_name_for_errors  stands at the beginning of messages
/// Raises std::invalid_argument "FILE:LINE: key = value, allowed: ..." for an unknown key (the
/// message names the nearest and lists all keys), a wrong type or a value out of range.
[[nodiscard]] TrainConfig parse_train_config(std::string_view text,
                                             const std::string& file_name_for_errors);

/// Read a file. Raises std::runtime_error if it cannot be read, else as parse_train_config.
[[nodiscard]] TrainConfig load_train_config(const std::string& path);

/// Apply "key=value" (a TOML value; text needs no quotes), then keys with values, as keywords of
/// Python have them; whether they fit together is asked once, of all. Raises std::invalid_argument as
/// parse_train_config, "--set key=value: ..." or "key = value, allowed: ..."; then `config` is
/// unchanged.
void set_train_config(TrainConfig& config, std::span<const std::string> assignments,
                      const PlainTable& values = {});
/// One assignment.
void set_train_config(TrainConfig& config, std::string_view assignment);
/// Keys with values alone.
void set_train_config(TrainConfig& config, const PlainTable& values);

/// Shape of the network. Raises std::invalid_argument "input_sections = ...: ..." for sections that
/// the observation has not.
[[nodiscard]] NetworkShape network_shape(const TrainConfig& config);

/// Check what concerns several keys. Raises std::invalid_argument naming the keys.
void check_train_config(const TrainConfig& config);

/// Every key with its comment; parse_train_config(to_toml(c)) == c.
[[nodiscard]] std::string to_toml(const TrainConfig& config);

}  // namespace schafkopf
