#include "training/config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "agents/work/toml_fields.h"
#include "env/base/input_limits.h"

namespace schafkopf {
namespace {

using Field = TomlField;

/// Visits every key once: reading, writing, checking and documentation come from here.
template <class Config, class Visitor>
void visit_fields(Config& c, Visitor&& visit) {
  std::string_view group = "game";
  visit(Field{group, "rules", "rule set: name of a preset or path of a .toml file"}, c.rules);
  visit(Field{group, "generated_share",
              "share of deals that start at card play with a generated contract", 0, 1},
        c.generated_share);
  visit(Field{group, "generator", "contract generator of these deals (registry string)"},
        c.generator);
  visit(
      Field{group, "card_play_first",
            "first share of the budget in which all deals start with generated contracts, so that "
            "bidding is learned with declarers that can play; no effect without a limit",
            0, 1},
      c.card_play_first);
  group = "run";
  visit(Field{group, "seed", "seed of deals, actions, initial weights and minibatches"}, c.seed);
  visit(Field{group, "device", "where the network runs: cpu, cuda or cuda:<index>"}, c.device);
  visit(Field{group, "workers", "single-threaded workers; 0 = one per core", 0, 1024}, c.workers);
  visit(Field{group, "time_limit_minutes",
              "end after this training time (minutes, resumed parts included); 0 = no limit"},
        c.time_limit_minutes);
  visit(Field{group, "decisions_limit",
              "end after this many decisions, forced ones included; 0 = no limit"},
        c.decisions_limit);
  visit(Field{group, "checkpoint_minutes", "time between checkpoints (minutes)"},
        c.checkpoint_minutes);
  group = "batch";
  visit(Field{group, "games_per_update", "complete games played in lock-step for one update", 1,
              1 << 24},
        c.games_per_update);
  visit(Field{group, "minibatch", "decisions per gradient step, over all workers", 1, 1 << 24},
        c.minibatch);
  visit(Field{group, "epochs", "passes over the decisions of an update", 1, 100}, c.epochs);
  group = "optimiser (Adam)";
  visit(Field{group, "learning_rate", "at the start", 1e-8, 1}, c.learning_rate);
  visit(Field{group, "final_learning_rate_share",
              "learning rate at the end of the budget, as a share of the first; linear between", 0,
              1},
        c.final_learning_rate_share);
  visit(Field{group, "max_grad_norm", "gradients are scaled down to this norm", 1e-6, 1e6},
        c.max_grad_norm);
  visit(Field{group, "adam_epsilon", "added to the root of the second moment", 1e-12, 1},
        c.adam_epsilon);
  group = "loss";
  visit(Field{group, "clip", "PPO clip range of the probability ratio", 1e-6, 10}, c.clip);
  visit(Field{group, "entropy", "coefficient of the entropy bonus (= KL to uniform)", 0, 10},
        c.entropy);
  visit(Field{group, "bidding_entropy",
              "the same for decisions before card play; keeps rare contracts in the game", 0, 10},
        c.bidding_entropy);
  visit(Field{group, "behaviour_kl", "coefficient of KL(policy, behaviour policy of the batch)", 0,
              10},
        c.behaviour_kl);
  visit(Field{group, "value_coefficient", "coefficient of the squared value error", 0, 100},
        c.value_coefficient);
  visit(Field{group, "bidding_weight",
              "weight of decisions before card play in the policy loss (card play: 1)", 0, 100},
        c.bidding_weight);
  visit(Field{group, "normalise_by_contract",
              "advantages are normalised for each contract class and for bidding by themselves"},
        c.normalise_by_contract);
  visit(Field{group, "gamma", "discount per own decision", 0, 1}, c.gamma);
  visit(Field{group, "gae_lambda", "lambda of generalised advantage estimation", 0, 1},
        c.gae_lambda);
  visit(Field{group, "reward_scale", "payoff (tariff units) that counts as reward 1", 1e-3, 1e6},
        c.reward_scale);
  visit(Field{group, "reward_clip", "scaled rewards are cut at +- this", 1e-3, 1e6}, c.reward_clip);
  group = "network";
  visit(Field{group, "width", "units of a trunk layer", 1, 1 << 14}, c.width);
  visit(Field{group, "layers", "trunk layers", 1, 64}, c.layers);
  visit(Field{group, "critic",
              "value head on the policy's trunk, a trunk of its own, or one that sees all hands", 0,
              0, "shared, separate, oracle"},
        c.critic);
  group = "evaluation";
  visit(Field{group, "eval_minutes",
              "training time between evaluations, card play of one against three (minutes, not "
              "counted in "
              "the time limit); 0 = never"},
        c.eval_minutes);
  visit(Field{group, "eval_blocks",
              "deals of an evaluation, always the same, each played from every seat", 1, 1 << 24},
        c.eval_blocks);
  visit(Field{group, "eval_opponent", "agent in the other seats (registry string)"},
        c.eval_opponent);
}

constexpr auto kVisit = [](auto& config, auto&& visit) { visit_fields(config, visit); };

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
    {"units", "width"},
    {"hidden", "width"},
    {"hidden_size", "width"},
    {"depth", "layers"},
    {"preset", "rules"},
    {"gpu", "device"},
    {"cuda", "device"},
    {"blocks", "eval_blocks"},
    {"opponent", "eval_opponent"}};

/// Set the key of one node; messages begin with `where`.
void set_field(TrainConfig& config, std::string_view key, const toml::node& node,
               const std::string& where) {
  std::vector<std::string_view> keys;
  visit_fields(config, [&](const Field& field, const auto&) { keys.push_back(field.key); });
  const bool known = std::ranges::find(keys, key) != keys.end();
  if (!known && node.is_table()) {
    throw std::invalid_argument(
        fmt::format("{}unknown section [{}]: the keys stand in no sections, allowed: {}", where,
                    quotable(key), fmt::join(keys, ", ")));
  }
  if (!known) {
    const std::string_view word = key.substr(key.rfind('.') + 1);  // "run.seed"
    for (const auto& [other, meant] : kOtherNames) {
      if (other != word) continue;
      throw std::invalid_argument(
          fmt::format("{}unknown key {}, allowed: {}; the nearest one is \"{}\"", where,
                      quotable(key), fmt::join(keys, ", "), meant));
    }
  }
  set_key(config, kVisit, key, node, where);
}

}  // namespace

std::vector<TrainConfigField> train_config_fields() {
  return field_rows<TrainConfigField>(TrainConfig{}, kVisit);
}

TrainConfig parse_train_config(std::string_view text, const std::string& file_name_for_errors) {
  TrainConfig config;
  for_each_key(text, file_name_for_errors,
               [&](std::string_view key, const toml::node& node, std::size_t line) {
                 set_field(config, key, node, fmt::format("{}:{}: ", file_name_for_errors, line));
               });
  check_train_config(config);
  return config;
}

TrainConfig load_train_config(const std::string& path) {
  return parse_train_config(text_of_file(path, "the training configuration"), path);
}

void set_train_config(TrainConfig& config, std::string_view assignment) {
  const TomlAssignment change = parse_assignment(assignment);
  TrainConfig changed = config;
  set_field(changed, change.key, *change.table.get("value"),
            fmt::format("--set {}: ", quotable(assignment)));
  check_train_config(changed);
  config = changed;
}

void check_train_config(const TrainConfig& config) {
  if (config.workers > config.games_per_update) {
    throw std::invalid_argument(fmt::format(
        "workers = {}, allowed at most games_per_update = {}: every worker plays at least one game",
        config.workers, config.games_per_update));
  }
  const std::string_view device = config.device;
  const bool numbered = device.starts_with("cuda:") && device.size() > 5 && device.size() < 9 &&
                        device.substr(5).find_first_not_of("0123456789") == std::string_view::npos;
  if (device != "cpu" && device != "cuda" && !numbered) {
    throw std::invalid_argument(
        fmt::format("device = \"{}\", allowed cpu, cuda, cuda:<index>", quotable(device)));
  }
}

std::string to_toml(const TrainConfig& config) {
  return toml_text(
      config, kVisit,
      "# Settings of a training run. Above each key: its meaning, then what is allowed.\n"
      "# A file may name only the keys that differ from these defaults; --set key=value changes "
      "one.\n");
}

}  // namespace schafkopf
