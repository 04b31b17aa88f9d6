#include "training/run/checkpoint.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include "agents/network/network.h"
#include "agents/player_identity.h"
#include "agents/work/atomic_file.h"
#include "agents/work/spec_value.h"
#include "env/base/input_limits.h"

namespace schafkopf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFormatKey = "checkpoint";
constexpr const char* kFormat = "schafkopf-checkpoint-2";
constexpr const char* kProcessesKey = "processes";  // missing: one

std::string metadata_of(const WeightsFile& file, const std::string& key, const std::string& path) {
  const auto it = file.metadata.find(key);
  if (it == file.metadata.end()) {
    throw std::invalid_argument(
        fmt::format("{}: no \"{}\" in the metadata; allowed: a checkpoint of schafkopf_train ({})",
                    path, key, kCheckpointFile));
  }
  return it->second;
}

nlohmann::json to_json(const TrainCounters& counters) {
  nlohmann::json json = {{"updates", counters.updates},
                         {"decisions", counters.decisions},
                         {"forced", counters.forced},
                         {"games", counters.games},
                         {"seconds", counters.seconds},
                         {"next_eval", counters.next_eval},
                         {"budget", counters.budget},
                         {"budget_minutes", counters.budget_minutes},
                         {"measured_from", counters.measured_from},
                         {"measured_from_seconds", counters.measured_from_seconds},
                         {"best_lower", counters.best_lower},
                         {"evaluation", counters.evaluation},
                         {"advantage_count", counters.advantages.count},
                         {"advantage_squares", counters.advantages.squares}};
  if (counters.metrics) {
    json["metrics"] = {{"lines", counters.metrics->lines},
                       {"sum", counters.metrics->sum},
                       {"places", counters.metrics->places}};
  }
  return json;
}

/// Of each group of decisions. A checkpoint of before knew fewer contracts, and those come first.
void read_groups(const nlohmann::json& json, std::array<double, kNumGroups>& groups) {
  const auto given = json.get<std::vector<double>>();
  if (given.size() > groups.size()) {
    throw std::invalid_argument(
        fmt::format("advantages of {} groups, allowed: up to {}", given.size(), groups.size()));
  }
  groups = {};
  std::ranges::copy(given, groups.begin());
}

TrainCounters counters_from(const std::string& text, const std::string& path) {
  try {
    check_json_limits(text);
    const nlohmann::json json = nlohmann::json::parse(text);
    TrainCounters counters;
    json.at("updates").get_to(counters.updates);
    json.at("decisions").get_to(counters.decisions);
    json.at("forced").get_to(counters.forced);
    json.at("games").get_to(counters.games);
    json.at("seconds").get_to(counters.seconds);
    json.at("next_eval").get_to(counters.next_eval);
    json.at("budget").get_to(counters.budget);
    json.at("budget_minutes").get_to(counters.budget_minutes);
    counters.measured_from = json.value("measured_from", std::int64_t{0});
    counters.measured_from_seconds = json.value("measured_from_seconds", 0.0);
    json.at("best_lower").get_to(counters.best_lower);
    counters.evaluation = json.value("evaluation", 1);
    read_groups(json.at("advantage_count"), counters.advantages.count);
    read_groups(json.at("advantage_squares"), counters.advantages.squares);
    if (json.contains("metrics")) {
      const nlohmann::json& sums = json["metrics"];
      counters.metrics = {.lines = sums.at("lines").get<std::int64_t>(),
                          .sum = sums.at("sum").get<std::uint64_t>(),
                          .places = sums.at("places").get<std::uint64_t>()};
    }
    constexpr std::int64_t kMost = std::int64_t{1} << 53;
    const auto [least, most] = std::minmax({counters.updates, counters.decisions, counters.forced,
                                            counters.games, counters.budget, counters.measured_from,
                                            counters.metrics.value_or(LineSums{}).lines});
    const auto are_sums = [](const auto& sums) {
      return std::ranges::all_of(sums, [](double sum) { return sum >= 0; });
    };
    if (least < 0 || most > kMost || counters.seconds < 0 || counters.next_eval < 0 ||
        counters.measured_from_seconds < 0 || !are_sums(counters.advantages.count) ||
        !are_sums(counters.advantages.squares)) {
      throw std::invalid_argument(quotable(text) + ", allowed: numbers from 0 to 2^53");
    }
    return counters;
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(
        fmt::format("{}: broken counters: {}", path, quotable(error.what())));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(fmt::format("{}: broken counters: {}", path, error.what()));
  }
}

constexpr const char *kMagnetPrefix = "magnet.", *kFrozenPrefix = "frozen.";

void put(const Learner* held, const std::string& prefix, std::map<std::string, Tensor>& tensors) {
  if (held == nullptr) return;
  for (auto& [name, tensor] : held->weights()) tensors[prefix + name] = std::move(tensor);
}

std::map<std::string, Tensor> with_prefix(const Checkpoint& checkpoint, const std::string& prefix) {
  std::map<std::string, Tensor> tensors;
  for (const auto& [name, tensor] : checkpoint.file.tensors) {
    if (name.starts_with(prefix)) tensors[name.substr(prefix.size())] = tensor;
  }
  return tensors;
}

void check_same(const std::string& path, std::string_view key, const std::string& found,
                const std::string& wanted) {
  if (found == wanted) return;
  throw std::invalid_argument(
      fmt::format("{}: the checkpoint has {} = {}, the run asks for {}; allowed: what the "
                  "checkpoint has, or a new run",
                  path, key, found, wanted));
}

constexpr std::string_view kFilesPrefix = "files.", kRecordsName = "clone_records";

/// Settings whose files a run goes on with: players, and recorded games.
std::array<std::pair<std::string_view, std::string_view>, 4> settings_with_files(
    const TrainConfig& config) {
  return {{{"pool", config.pool},
           {"teacher", config.teacher},
           {"eval_opponent", config.eval_opponent},
           {kRecordsName, config.clone_records}}};
}

std::string files_of(const std::string& player) {
  try {
    return player_files(player);
  } catch (const std::invalid_argument&) {
    return {};  // no player: who makes it says so
  }
}

constexpr std::string_view kKeptBegin = "weights_", kKeptEnd = ".safetensors";

/// Give a file a second name, in one step, or make a copy where the file system has no links.
void put_copy(const fs::path& from, const fs::path& to) {
  // the marks of write_file_atomically, whose leftovers the next run removes
  const fs::path temporary = fmt::format("{}.tmp-{}-0", to.string(), ::getpid());
  std::error_code error;
  fs::remove(temporary, error);
  fs::create_hard_link(from, temporary, error);
  if (error) {
    write_file_atomically(to.string(), read_file(from.string(), "the checkpoint"));
    return;
  }
  fs::rename(temporary, to, error);
  std::error_code ignored;
  fs::remove(temporary, ignored);  // renaming a link to another link of its file leaves both
  if (error) {
    throw std::runtime_error(
        fmt::format("{}: cannot keep the checkpoint: {}", to.string(), error.message()));
  }
}

/// A weights file, or nothing and what is wrong: it is damaged, no file, or not there.
std::optional<WeightsFile> whole_file(const std::string& path, std::string& damage) {
  if (!fs::exists(path)) {
    damage = path + ": there is no such file";
    return std::nullopt;
  }
  if (fs::is_directory(path)) {
    damage = path + ": a folder, not a file";
    return std::nullopt;
  }
  try {
    return read_weights(path);
  } catch (const std::invalid_argument& error) {
    damage = error.what();
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::int64_t> kept_update(std::string_view name) {
  if (!name.starts_with(kKeptBegin) || !name.ends_with(kKeptEnd)) return std::nullopt;
  name = name.substr(kKeptBegin.size(), name.size() - kKeptBegin.size() - kKeptEnd.size());
  std::int64_t update = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), update);
  const bool whole = error == std::errc() && update >= 0 && end == name.data() + name.size();
  return whole && std::to_string(update) == name ? std::optional(update) : std::nullopt;
}

Critic critic_of(const std::string& name) {
  if (name == "oracle") return Critic::kOracle;
  return name == "separate" ? Critic::kSeparate : Critic::kShared;
}

WeightsFile network_file(const Learner& learner, const NetworkShape& shape,
                         const TrainConfig& config, const TrainCounters& counters,
                         const std::string& rules_name, std::uint64_t rules_hash) {
  WeightsFile file{.tensors = learner.averages(), .metadata = network_metadata(shape)};
  file.metadata["rules_name"] = rules_name;
  file.metadata["rules_hash"] = fmt::format("{:016x}", rules_hash);
  file.metadata["training_step"] = fmt::format("{}", counters.decisions + counters.forced);
  if (critic_of(config.critic) != Critic::kShared) {
    file.metadata["critic.oracle"] =
        fmt::format("{}", critic_of(config.critic) == Critic::kOracle ? 1 : 0);
  }
  return file;
}

std::map<std::string, std::string> files_of_settings(const TrainConfig& config) {
  std::map<std::string, std::string> files;
  for (const auto& [name, named] : settings_with_files(config)) {
    const std::string value(named);
    std::string text;
    if (name == kRecordsName) {
      if (fs::is_regular_file(value)) text = file_identity(value, "the game records");
    } else {
      for (const std::string_view player : players_in(value)) text += files_of(std::string(player));
    }
    if (text.empty()) continue;
    files[std::string(kFilesPrefix) + std::string(name)] =
        text.substr(1);  // each begins with a space
  }
  return files;
}

void write_checkpoint(const std::string& path, WeightsFile network, const Learner& learner,
                      const Learner* magnet, const Learner* frozen, const TrainConfig& config,
                      const TrainCounters& counters, int processes) {
  network.tensors = learner.weights();
  network.tensors.merge(learner.optimiser());
  put(magnet, kMagnetPrefix, network.tensors);
  put(frozen, kFrozenPrefix, network.tensors);
  network.metadata[kFormatKey] = kFormat;
  network.metadata["counters"] = to_json(counters).dump();
  network.metadata["config"] = to_toml(config);
  if (processes > 1) network.metadata[kProcessesKey] = fmt::format("{}", processes);
  write_weights(path, network);
}

std::map<std::string, Tensor> magnet_of(const Checkpoint& checkpoint) {
  return with_prefix(checkpoint, kMagnetPrefix);
}

std::map<std::string, Tensor> frozen_of(const Checkpoint& checkpoint) {
  return with_prefix(checkpoint, kFrozenPrefix);
}

Checkpoint read_checkpoint(const std::string& path) {
  return checkpoint_of(read_weights(path), path);
}

Checkpoint checkpoint_of(WeightsFile file, const std::string& path) {
  Checkpoint checkpoint{.config = {}, .counters = {}, .file = std::move(file)};
  const std::string format = metadata_of(checkpoint.file, kFormatKey, path);
  if (format != kFormat) {
    throw std::invalid_argument(
        fmt::format("{}: {} = \"{}\", needed \"{}\"", path, kFormatKey, quotable(format), kFormat));
  }
  checkpoint.config = parse_train_config(metadata_of(checkpoint.file, "config", path),
                                         fmt::format("{} (configuration)", path));
  checkpoint.counters = counters_from(metadata_of(checkpoint.file, "counters", path), path);
  if (checkpoint.file.metadata.contains(kProcessesKey)) {
    const std::string text = metadata_of(checkpoint.file, kProcessesKey, path);
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), checkpoint.processes);
    if (error != std::errc() || end != text.data() + text.size() || checkpoint.processes < 1) {
      throw std::invalid_argument(fmt::format("{}: {} = \"{}\", allowed: numbers from 1", path,
                                              kProcessesKey, quotable(text)));
    }
  }
  const NetworkShape shape = read_network_shape(checkpoint.file, path);
  const NetworkShape wanted = network_shape(checkpoint.config);
  check_same(path, "architecture", architecture_name(shape), architecture_name(wanted));
  return checkpoint;
}

std::string export_player(const std::string& run_dir, const std::string& file) {
  const fs::path best = fs::path(run_dir) / kBestFile;
  const std::string source = (fs::exists(best) ? best : fs::path(run_dir) / kModelFile).string();
  if (!fs::exists(source)) {
    throw std::invalid_argument(
        fmt::format("{}: no folder of a training run (it has no {})", run_dir, kModelFile));
  }
  WeightsFile weights = read_weights(source);
  std::erase_if(weights.tensors,
                [](const auto& item) { return item.first.starts_with("critic."); });
  weights.metadata.erase("critic.oracle");
  write_weights(behind_links(file), weights, WeightsPrecision::kHalf);
  return source;
}

void keep_checkpoint(const std::string& run_dir) {
  const fs::path last = fs::path(run_dir) / kCheckpointFile;
  if (fs::exists(last)) put_copy(last, fs::path(run_dir) / kBeforeFile);
}

void keep_weights(const std::string& run_dir, std::int64_t update, std::int64_t last,
                  const WeightsFile& network) {
  if (last <= 0) return;
  const auto path_of = [&](std::int64_t number) {
    return (fs::path(run_dir) / fmt::format("{}{}{}", kKeptBegin, number, kKeptEnd)).string();
  };
  write_weights(path_of(update), network);
  std::vector<std::int64_t> before;
  std::vector<fs::path> files;  // removed while nothing walks through the folder
  for (const auto& entry : fs::directory_iterator(run_dir)) files.push_back(entry.path());
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    const std::size_t temporary = std::min(name.find(".tmp-"), name.size());
    const std::optional<std::int64_t> number = kept_update(name.substr(0, temporary));
    if (!number) continue;
    if (temporary < name.size()) {
      remove_leftovers(path_of(*number));
    } else if (*number > update) {
      fs::remove(file);
    } else if (*number < update) {
      before.push_back(*number);
    }
  }
  std::ranges::sort(before, std::greater());
  for (std::size_t i = static_cast<std::size_t>(last) - 1; i < before.size(); ++i) {
    fs::remove(path_of(before[i]));
  }
}

RunCheckpoint read_run_checkpoint(const std::string& run_dir) {
  const std::string last = (fs::path(run_dir) / kCheckpointFile).string();
  const std::string before = (fs::path(run_dir) / kBeforeFile).string();
  if (!fs::exists(last) && !fs::exists(before)) {
    throw std::invalid_argument(
        fmt::format("{}: no folder of a training run (it has no checkpoint)", run_dir));
  }
  std::string damage;
  std::optional<WeightsFile> file = whole_file(last, damage);
  if (file || !fs::exists(before)) {
    return {.checkpoint = checkpoint_of(file ? std::move(*file) : read_weights(last), last),
            .damage = {}};
  }
  try {
    return {.checkpoint = read_checkpoint(before), .damage = std::move(damage)};
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(
        fmt::format("{}; the checkpoint before it is damaged, too: {}", damage, error.what()));
  }
}

std::string set_aside_damaged(const std::string& run_dir, const RunCheckpoint& read) {
  const fs::path last = fs::path(run_dir) / kCheckpointFile;
  const fs::path before = fs::path(run_dir) / kBeforeFile;
  std::string aside;
  if (fs::exists(last)) {
    aside = place_aside(last.string());
    fs::is_directory(last) ? fs::rename(last, aside) : put_copy(last, aside);
  }
  put_copy(before, last);
  return fmt::format("{}{}; the run goes on from {}, update {}", read.damage,
                     aside.empty() ? "" : "; set aside in " + aside, before.string(),
                     read.checkpoint.counters.updates);
}

void check_resume(const Checkpoint& checkpoint, const TrainConfig& config,
                  const CompiledRules& rules, const std::string& path) {
  const TrainConfig& found = checkpoint.config;
  const auto number = [](auto value) { return fmt::format("{}", value); };
  check_same(path, "architecture", std::string(name_of(found.architecture)),
             std::string(name_of(config.architecture)));
  check_same(path, "width", number(found.width), number(config.width));
  check_same(path, "layers", number(found.layers), number(config.layers));
  check_same(path, "observation", number(found.observation), number(config.observation));
  check_same(path, "input_sections", found.input_sections, config.input_sections);
  check_same(path, "critic", found.critic, config.critic);
  check_same(path, "critic_width", number(found.critic_width), number(config.critic_width));
  if ((found.average_decay > 0) != (config.average_decay > 0)) {
    check_same(path, "average_decay", number(found.average_decay), number(config.average_decay));
  }
  check_same(path, "algorithm", std::string(name_of(found.algorithm)),
             std::string(name_of(config.algorithm)));
  check_same(path, "reward_scale", number(found.reward_scale), number(config.reward_scale));
  check_same(path, "init", found.init, config.init);
  check_same(path, "learn", std::string(name_of(found.learn)), std::string(name_of(config.learn)));
  check_same(path, "rules", found.rules, config.rules);
  const auto begun = checkpoint.file.metadata.find("rules_hash");
  if (begun != checkpoint.file.metadata.end()) {  // the same name, of a file that was changed
    check_same(path, "the hash of its rules", begun->second, fmt::format("{:016x}", rules.hash()));
  }
  check_same(path, "seed", std::to_string(found.seed), std::to_string(config.seed));
  const auto files = files_of_settings(config);
  const auto before = settings_with_files(found), now = settings_with_files(config);
  for (std::size_t i = 0; i < now.size(); ++i) {
    const std::string key = std::string(kFilesPrefix) + std::string(now[i].first);
    const auto begun_with = checkpoint.file.metadata.find(key);
    if (begun_with == checkpoint.file.metadata.end() || before[i].second != now[i].second) continue;
    const auto there = files.find(key);
    check_same(path, fmt::format("the files of its {}", now[i].first), begun_with->second,
               there == files.end() ? "none" : there->second);
  }
}

}  // namespace schafkopf
