#include "training/config/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "env/base/field.h"
#include "env/base/input_limits.h"
#include "env/rules/toml_reader.h"

namespace schafkopf {

/// Visits every key once: reading, writing, checking and documentation come from here.
// clang-format off
template <FieldsOf<TrainConfig> Config, class Visitor>
static void visit_fields(Config& c, Visitor&& visit) {
  visit(Field{.key = "rules", .meaning = "rule set: name of a preset or path of a .toml file", .group = "game"}, c.rules);
  visit(Field{.key = "generated_share", .meaning = "share of deals that start at card play with a generated contract", .max = 1}, c.generated_share);
  visit(Field{.key = "generator", .meaning = "contract generator of these deals (registry string)"}, c.generator);
  visit(Field{.key = "card_play_first", .meaning = "first share of the budget in which all deals start with generated contracts, so that bidding is learned with declarers that can play; no effect without a limit", .max = 1}, c.card_play_first);

  visit(Field{.key = "pool_share", .meaning = "share of games in which some seats are played by a member of the pool, which does not learn", .max = 1}, c.pool_share);
  visit(Field{.key = "pool", .meaning = "members of the pool, equally often: registry strings with ; between them, and `snapshots`: this run's earlier weights, kept after 8, 16, 32 ... updates"}, c.pool);
  visit(Field{.key = "pool_seats", .meaning = "seats of the pool in such a game: one to three, or all others, so that the learner finds a best response"}, c.pool_seats);

  visit(Field{.key = "init", .meaning = "weights file that a new run starts from, of the same network; empty = random weights", .group = "run"}, c.init);
  visit(Field{.key = "seed", .meaning = "seed of deals, actions, initial weights and minibatches"}, c.seed);
  visit(Field{.key = "device", .meaning = "where the network runs: cpu, cuda or cuda:<index>; no run on a GPU has been tried"}, c.device);
  visit(Field{.key = "workers", .meaning = "single-threaded workers of each process; 0 = one per core that may be used", .max = 1024}, c.workers);
  visit(Field{.key = "time_limit_minutes", .meaning = "end after this training time, resumed parts included; 0 = no limit", .unit = "minutes"}, c.time_limit_minutes);
  visit(Field{.key = "decisions_limit", .meaning = "end after this many decisions, forced ones and those of the pool included; 0 = no limit"}, c.decisions_limit);
  visit(Field{.key = "checkpoint_minutes", .meaning = "time between checkpoints", .unit = "minutes"}, c.checkpoint_minutes);
  visit(Field{.key = "keep_last", .meaning = "the weights of this many checkpoints stay as weights_<update>.safetensors; 0 = none", .max = 1 << 20}, c.keep_last);

  visit(Field{.key = "games_per_update", .meaning = "complete games played in lock-step for one update", .min = 1, .max = 1 << 24, .group = "batch"}, c.games_per_update);
  visit(Field{.key = "minibatch", .meaning = "decisions per gradient step, over all workers", .min = 1, .max = 1 << 24}, c.minibatch);
  visit(Field{.key = "epochs", .meaning = "passes over the decisions of an update", .min = 1, .max = 100}, c.epochs);

  visit(Field{.key = "learning_rate", .meaning = "at the start", .min = 1e-8, .max = 1, .group = "optimiser (Adam)"}, c.learning_rate);
  visit(Field{.key = "final_learning_rate_share", .meaning = "learning rate at the end of the budget, as a share of the first; linear between", .max = 1}, c.final_learning_rate_share);
  visit(Field{.key = "max_grad_norm", .meaning = "gradients are scaled down to this norm", .min = 1e-6, .max = 1e6}, c.max_grad_norm);
  visit(Field{.key = "adam_epsilon", .meaning = "added to the root of the second moment", .min = 1e-12, .max = 1}, c.adam_epsilon);

  visit(Field{.key = "average_decay", .meaning = "share of the averaged weights that stays after a gradient step; evaluations and players then use the averaged weights; 0 = no averages", .max = 0.9999}, c.average_decay);

  visit(Field{.key = "algorithm", .meaning = "PPO, or deep Monte Carlo: logits are action values, learned from payoffs", .group = "loss"}, c.algorithm);
  visit(Field{.key = "learn", .meaning = "phases whose decisions are learned: all, card play, what comes before card play and doubling, or doubling (Kontra); decisions of the others are taken by the weights that the run began with (init), and the network is held to these by hold_kl"}, c.learn);
  visit(Field{.key = "hold_kl", .meaning = "coefficient of KL(policy, weights that the run began with) in decisions that are not learned; no other part of the policy loss counts there", .max = 1000}, c.hold_kl);
  visit(Field{.key = "exploration", .meaning = "dmc: share of decisions with a random legal action", .max = 1}, c.exploration);
  visit(Field{.key = "clip", .meaning = "PPO clip range of the probability ratio", .min = 1e-6, .max = 10}, c.clip);
  visit(Field{.key = "final_clip_share", .meaning = "clip range at the end of the budget, as a share of the first; linear between", .min = 1e-3, .max = 1}, c.final_clip_share);
  visit(Field{.key = "ppo_weight", .meaning = "coefficient of the clipped policy loss; 0 = learn from the signals beside it alone", .max = 100}, c.ppo_weight);
  visit(Field{.key = "entropy", .meaning = "coefficient of the entropy bonus (= KL to uniform)", .max = 10}, c.entropy);
  visit(Field{.key = "bidding_entropy", .meaning = "the same for decisions before card play and doubling; keeps rare contracts in the game", .max = 10}, c.bidding_entropy);
  visit(Field{.key = "final_entropy_share", .meaning = "both at the end of the budget, as a share of the first; linear between", .max = 1}, c.final_entropy_share);
  visit(Field{.key = "behaviour_kl", .meaning = "coefficient of KL(policy, behaviour policy of the batch)", .max = 10}, c.behaviour_kl);
  visit(Field{.key = "magnet_kl", .meaning = "coefficient of KL(policy, magnet), the magnet being earlier weights of this run; 0 = there is none", .max = 10}, c.magnet_kl);
  visit(Field{.key = "magnet_updates", .meaning = "updates after which the magnet is renewed; 0 = it stays what the run began with", .max = 1 << 30}, c.magnet_updates);
  visit(Field{.key = "final_kl_share", .meaning = "behaviour_kl and magnet_kl at the end of the budget, as a share of the first; linear between", .max = 1}, c.final_kl_share);
  visit(Field{.key = "value_coefficient", .meaning = "coefficient of half the squared value error", .max = 100}, c.value_coefficient);
  visit(Field{.key = "value_huber", .meaning = "scaled value error beyond which the loss is linear; 0 = never", .max = 1e6}, c.value_huber);
  visit(Field{.key = "bidding_weight", .meaning = "weight of decisions before card play and doubling in the policy loss (card play: 1)", .max = 100}, c.bidding_weight);
  visit(Field{.key = "normalise_by", .meaning = "advantages are scaled in groups: all decisions, each contract class and bidding, or each role in each contract class and bidding, by a running scale"}, c.normalise_by);
  visit(Field{.key = "gamma", .meaning = "discount per own decision", .max = 1}, c.gamma);
  visit(Field{.key = "gae_lambda", .meaning = "lambda of generalised advantage estimation", .max = 1}, c.gae_lambda);
  visit(Field{.key = "reward_scale", .meaning = "payoff that counts as reward 1", .unit = "tariff units", .min = 1e-3, .max = 1e6}, c.reward_scale);
  visit(Field{.key = "reward_clip", .meaning = "scaled rewards are cut at +- this; above the dearest game of the rules, or its player never learns what it pays", .min = 1e-3, .max = 1e6}, c.reward_clip);

  visit(Field{.key = "solver_weight", .meaning = "coefficient at the start of the value that the policy expects from exact play with open cards in the true deal; 0 = the solver is not asked", .max = 100, .group = "solver values"}, c.solver_weight);
  visit(Field{.key = "solver_until", .meaning = "share of the budget after which the coefficient is 0, falling linearly; 0 = it stays", .max = 1}, c.solver_until);
  visit(Field{.key = "solver_trick", .meaning = "from this trick on every decision is solved, but in a Ramsch", .min = 1, .max = 9}, c.solver_trick);
  visit(Field{.key = "solver_early_share", .meaning = "share of the card decisions before that trick that are solved, which takes long", .max = 1}, c.solver_early_share);

  visit(Field{.key = "playout_share", .meaning = "share of the card decisions of which every legal card is played in a copy of the true deal and the copy to its end by the network as it is, with the same draws for every card; what the payoffs say counts as solver values do; decisions that were solved are left out; 0 = none", .max = 1, .group = "playouts"}, c.playout_share);
  visit(Field{.key = "announcement_playout_share", .meaning = "the same of the decisions that are not card play: each legal announcement is made in a copy of the true deal, and bidding and play go on from there", .max = 1}, c.announcement_playout_share);
  visit(Field{.key = "playout_weight", .meaning = "coefficient at the start of the value that the policy expects from these payoffs", .max = 100}, c.playout_weight);
  visit(Field{.key = "playout_until", .meaning = "share of the budget after which the coefficient is 0, falling linearly, and no cards are played out; 0 = it stays", .max = 1}, c.playout_until);

  visit(Field{.key = "teacher", .meaning = "player whose probabilities the policy learns beside PPO (registry string); empty = none", .group = "teacher"}, c.teacher);
  visit(Field{.key = "teacher_share", .meaning = "share of the decisions that the teacher is shown; 0 = it is not asked", .max = 1}, c.teacher_share);
  visit(Field{.key = "teacher_weight", .meaning = "coefficient at the start of the cross entropy to the teacher in such a decision", .max = 100}, c.teacher_weight);
  visit(Field{.key = "teacher_until", .meaning = "share of the budget after which the coefficient is 0, falling linearly, and the teacher is not asked; 0 = it stays", .max = 1}, c.teacher_until);

  visit(Field{.key = "clone_records", .meaning = "file of recorded games under the same rules (env/RECORD.md), whose decisions the policy learns beside PPO; empty = none", .group = "recorded games"}, c.clone_records);
  visit(Field{.key = "clone_games", .meaning = "recorded games, drawn anew, that are added to an update", .min = 1, .max = 1 << 24}, c.clone_games);
  visit(Field{.key = "clone_weight", .meaning = "coefficient at the start of the mean cross entropy to what was done in them", .max = 100}, c.clone_weight);
  visit(Field{.key = "clone_until", .meaning = "share of the budget after which the coefficient is 0, falling linearly; 0 = it stays", .max = 1}, c.clone_until);

  visit(Field{.key = "architecture", .meaning = "plain layers, or residual blocks with normalisation", .group = "network"}, c.architecture);
  visit(Field{.key = "width", .meaning = "units of a trunk layer", .min = 1, .max = 1 << 14}, c.width);
  visit(Field{.key = "layers", .meaning = "trunk layers, or residual blocks", .min = 1, .max = 64}, c.layers);
  visit(Field{.key = "observation", .meaning = "version of the observation; 3 shows the order of play, 4 also what follows from it", .min = 1, .max = static_cast<double>(kLastVersion)}, c.observation);
  visit(Field{.key = "input_sections", .meaning = "sections of the observation that the network reads, with commas between; empty = all but the rules"}, c.input_sections);
  visit(Field{.key = "critic", .meaning = "value head on the policy's trunk, a trunk of its own, or one that sees all hands", .names = "shared, separate, oracle"}, c.critic);
  visit(Field{.key = "critic_width", .meaning = "units of a layer of the critic's own trunk; 0 = width", .max = 1 << 14}, c.critic_width);

  visit(Field{.key = "eval_minutes", .meaning = "training time between evaluations of one against three, not counted in the time limit; 0 = never", .unit = "minutes", .group = "evaluation"}, c.eval_minutes);
  visit(Field{.key = "eval_blocks", .meaning = "deals of an evaluation, always the same, each played from every seat", .min = 2, .max = 1 << 24}, c.eval_blocks);
  visit(Field{.key = "eval_calibration", .meaning = "deals, each from every seat, of which bids an evaluation of whole games compares what they promise with what they hold; 0 = none", .max = 1 << 24}, c.eval_calibration);
  visit(Field{.key = "eval_opponent", .meaning = "agent in the other seats (registry string); of several with ; between them the best weights are those that are best against the first"}, c.eval_opponent);
  visit(Field{.key = "eval_track", .meaning = "what is evaluated: card play on generated contracts, or whole games with bidding; the best weights are those that are best at it"}, c.eval_track);
  visit(Field{.key = "eval_generator", .meaning = "contract generator of the deals for card play (registry string)"}, c.eval_generator);
}
// clang-format on

namespace {

/// What people try first: their word and our key.
constexpr std::pair<std::string_view, std::string_view> kOtherNames[] = {
    {"minutes", "time_limit_minutes"},
    {"time", "time_limit_minutes"},
    {"time_limit", "time_limit_minutes"},
    {"seconds", "time_limit_minutes"},
    {"hours", "time_limit_minutes"},
    {"decisions", "decisions_limit"},
    {"steps", "decisions_limit"},
    {"total_steps", "decisions_limit"},
    {"total_timesteps", "decisions_limit"},
    {"timesteps", "decisions_limit"},
    {"games", "games_per_update"},
    {"num_envs", "games_per_update"},
    {"batch", "minibatch"},
    {"batch_size", "minibatch"},
    {"threads", "workers"},
    {"cores", "workers"},
    {"lr", "learning_rate"},
    {"eps", "adam_epsilon"},
    {"lambda", "gae_lambda"},
    {"discount", "gamma"},
    {"kl", "behaviour_kl"},
    {"epsilon", "exploration"},
    {"magnet", "magnet_kl"},
    {"units", "width"},
    {"hidden", "width"},
    {"hidden_size", "width"},
    {"depth", "layers"},
    {"preset", "rules"},
    {"gpu", "device"},
    {"cuda", "device"},
    {"blocks", "eval_blocks"},
    {"keep", "keep_last"},
    {"keep_checkpoints", "keep_last"},
    {"opponent", "eval_opponent"}};

/// Sets a key; an unknown one that people try first names ours. Throws FieldError.
void set_key(TrainConfig& config, std::string_view key, const PlainValue& value) {
  const std::vector<std::string_view> keys = keys_of(slots_of(config));
  if (is_among(keys, key)) {
    assign_field(config, key, value);
    return;
  }
  if (std::holds_alternative<PlainTable>(value)) {
    throw FieldError(std::string(key),
                     fmt::format("unknown section [{}]: the keys stand in no sections, allowed: {}",
                                 quotable(key), joined(keys)));
  }
  const std::string_view word = key.substr(key.rfind('.') + 1);  // "run.seed"
  for (const auto& [other, meant] : kOtherNames) {
    if (other == word) refuse_key("key", key, keys, meant);
  }
  refuse_key("key", key, keys);
}

/// Line of the first key of a message that the file has; of keys that do not fit each other one may
/// be a default.
std::string place_of_first(const TomlText& toml, std::string_view message) {
  while (!message.empty()) {
    const std::size_t end = std::min(message.find(' '), message.size());
    const std::string_view word = message.substr(0, end);
    const auto has = [word](const auto& entry) { return entry.first == word; };
    if (std::ranges::any_of(toml.entries, has)) return toml.place_of(word);
    message.remove_prefix(std::min(end + 1, message.size()));
  }
  return toml.file;
}

}  // namespace

std::vector<FieldRow> train_config_fields() { return field_rows(slots_of(TrainConfig())); }

std::vector<FieldSlot> train_config_slots(const TrainConfig& config) { return slots_of(config); }

TrainConfig parse_train_config(std::string_view text, const std::string& file_name_for_errors) {
  const TomlText toml = read_toml(text, file_name_for_errors);
  TrainConfig config;
  for (const auto& [key, value] : toml.entries) {
    try {
      set_key(config, key, value);
    } catch (const FieldError& error) {
      throw std::invalid_argument(at(toml.place_of(error.key()), error.what()));
    }
  }
  try {
    check_train_config(config);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(at(place_of_first(toml, error.what()), error.what()));
  }
  return config;
}

TrainConfig load_train_config(const std::string& path) {
  return parse_train_config(read_file(path, "the training configuration", kMaxTomlBytes), path);
}

void set_train_config(TrainConfig& config, std::span<const std::string> assignments,
                      const PlainTable& values) {
  TrainConfig changed = config;
  for (const std::string& assignment : assignments) {
    const auto [key, value] = read_assignment(assignment);
    try {
      set_key(changed, key, value);
    } catch (const FieldError& error) {
      throw std::invalid_argument(at(place_of_assignment(assignment), error.what()));
    }
  }
  for (const auto& [key, value] : values) set_key(changed, key, value);
  check_train_config(changed);
  config = changed;
}

void set_train_config(TrainConfig& config, std::string_view assignment) {
  set_train_config(config, std::array{std::string(assignment)});
}

void set_train_config(TrainConfig& config, const PlainTable& values) {
  set_train_config(config, std::span<const std::string>(), values);
}

namespace {

/// Signals beside PPO that were asked for and cannot be given.
void check_targets(const TrainConfig& config) {
  const auto needs_weight = [](std::string_view key, double weight, const std::string& asked) {
    if (weight > 0.0) return;
    throw std::invalid_argument(
        fmt::format("{} = {}, allowed: above 0 where {}", key, weight, asked));
  };
  for (const auto& [key, share] :
       {std::pair("playout_share", config.playout_share),
        std::pair("announcement_playout_share", config.announcement_playout_share)}) {
    if (share <= 0.0) continue;
    needs_weight("playout_weight", config.playout_weight,
                 fmt::format("{} = {} is above 0", key, share));
  }
  if (config.teacher_share > 0.0) {
    if (config.teacher.empty()) {
      throw std::invalid_argument(
          fmt::format("teacher = \"\", allowed: a player where teacher_share = {} is above 0",
                      config.teacher_share));
    }
    needs_weight("teacher_weight", config.teacher_weight,
                 fmt::format("teacher_share = {} is above 0", config.teacher_share));
  }
  if (!config.clone_records.empty()) {
    needs_weight(
        "clone_weight", config.clone_weight,
        fmt::format("clone_records = \"{}\" names a file", quotable(config.clone_records)));
  }
}

/// LibTorch keeps an index in a byte with a sign: 256 would be device 0.
bool is_device(std::string_view device) {
  constexpr std::string_view kNumbered = "cuda:", kLast = "127";
  if (device == "cpu" || device == "cuda") return true;
  if (!device.starts_with(kNumbered)) return false;
  const std::string_view index = device.substr(kNumbered.size());
  if (index.empty() || index.find_first_not_of("0123456789") != std::string_view::npos) {
    return false;
  }
  if (index.size() > 1 && index.starts_with('0')) return false;
  return index.size() < kLast.size() || (index.size() == kLast.size() && index <= kLast);
}

}  // namespace

NetworkShape network_shape(const TrainConfig& config) {
  try {
    return make_network_shape(static_cast<int>(config.width), static_cast<int>(config.layers),
                              section_names(config.input_sections), config.architecture,
                              static_cast<ObservationVersion>(config.observation));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(
        fmt::format("input_sections = \"{}\": {}", quotable(config.input_sections), error.what()));
  }
}

void check_train_config(const TrainConfig& config) {
  if (config.workers > config.games_per_update) {
    throw std::invalid_argument(
        fmt::format("workers = {}, allowed: at most games_per_update = {}: every worker plays at "
                    "least one game",
                    config.workers, config.games_per_update));
  }
  if (config.pool_share > 0.0 && config.pool.find_first_not_of(';') == std::string::npos) {
    throw std::invalid_argument(
        fmt::format("pool = \"{}\", allowed: at least one member where pool_share = {} is above 0",
                    quotable(config.pool), config.pool_share));
  }
  check_targets(config);
  (void)network_shape(config);
  if (config.algorithm == Algorithm::kDmc) {
    for (const auto& [key, value] :
         {std::pair("solver_weight", config.solver_weight),
          std::pair("magnet_kl", config.magnet_kl),
          std::pair("playout_share", config.playout_share),
          std::pair("announcement_playout_share", config.announcement_playout_share),
          std::pair("teacher_share", config.teacher_share)}) {
      if (value == 0.0) continue;
      throw std::invalid_argument(fmt::format(
          "{} = {}, allowed: 0 with algorithm = \"dmc\", which has no policy to pull", key, value));
    }
    if (config.learn != LearnedPhases::kAll) {
      throw std::invalid_argument(
          fmt::format("learn = {}, allowed: all with algorithm = \"dmc\", which has no policy to "
                      "hold",
                      name_of(config.learn)));
    }
    if (!config.clone_records.empty()) {
      throw std::invalid_argument(fmt::format(
          "clone_records = \"{}\", allowed: empty with algorithm = \"dmc\", which has no policy to "
          "pull",
          quotable(config.clone_records)));
    }
  }
  if (!is_device(config.device)) {
    throw std::invalid_argument(fmt::format("device = \"{}\", allowed: cpu, cuda, cuda:0..cuda:127",
                                            quotable(config.device)));
  }
}

std::string to_toml(const TrainConfig& config) {
  return commented_file(
      slots_of(config),
      "# Settings of a training run. Above each key: its meaning, then what is allowed.\n"
      "# A file may name only the keys that differ from these defaults; --set key=value changes "
      "one.\n");
}

}  // namespace schafkopf
