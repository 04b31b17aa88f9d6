// schafkopf_train: the trainer without Python.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <filesystem>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/engine/shell_words.h"
#include "env/base/available_memory.h"
#include "training/benchmark.h"
#include "training/config/config.h"
#include "training/config/programs.h"
#include "training/learner/learner.h"
#include "training/run/checkpoint.h"
#include "training/run/trainer.h"
#include "training/work/peers.h"
#include "training/work/torch_error.h"

namespace {

namespace fs = std::filesystem;

constexpr int kFailed = 1, kWrongInput = 2, kInterrupted = 130;

std::atomic<bool> stop_requested{false};
std::atomic<int> stop_signal{0};
std::atomic<std::int64_t> stop_came{0};  // milliseconds
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

/// The first signal ends the run after its update; a second Ctrl-C or SIGTERM the process at once.
/// A closed terminal sends SIGHUP twice, so that one never counts as the second, and `timeout` its
/// signal to the process and to its group: the same one in the same moment does not either.
extern "C" void handle_end(int signal) {
  constexpr std::int64_t kSameMoment = 300;
  timespec time = {};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  const std::int64_t now = time.tv_sec * std::int64_t{1000} + time.tv_nsec / 1'000'000;
  if (std::int64_t none = 0; stop_came.compare_exchange_strong(none, now)) {
    stop_signal = signal;
    stop_requested = true;
    return;
  }
  const int first = stop_signal;  // 0 where another thread is about to say it
  const bool again = (first == 0 || first == signal) && now - stop_came < kSameMoment;
  if (signal == SIGHUP || again) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void end_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, handle_end) == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup
  }
}

/// Print; a terminal or reader that is gone costs the text, not the run.
template <class... Parts>
void say(std::FILE* stream, fmt::format_string<Parts...> text, Parts&&... parts) {
  const std::string line = fmt::format(text, std::forward<Parts>(parts)...);
  std::fwrite(line.data(), 1, line.size(), stream);
  std::fflush(stream);
}

struct Arguments {
  std::string config, out, resume, from, player;
  std::vector<std::string> settings;
  std::string seed;
  bool bench = false;
};

/// First free folder runs/<name>-001, -002, ...; made here, so that two runs never share one.
std::string new_run_folder(const std::string& config) {
  const std::string name = config.empty() ? "default" : fs::path(config).stem().string();
  fs::create_directories("runs");
  for (int number = 1; number < 100000; ++number) {
    const std::string folder = fmt::format("runs/{}-{:03}", name, number);
    if (fs::create_directory(folder)) return folder;
  }
  throw std::runtime_error("runs/ is full: remove old runs or give --out");
}

std::string clock_text(double seconds) {
  constexpr double kMost = 1e15;  // no run lasts so long
  const auto whole = static_cast<std::int64_t>(std::min(seconds, kMost));
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

void print_progress(const schafkopf::TrainProgress& progress) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  std::string declared;
  for (const auto& [name, share] : progress.declared) {
    if (share >= 0.005) declared += fmt::format(" {} {:.0f}%", name, 100 * share);
  }
  std::string line = fmt::format(
      "{:>5.1f}%  {} left {}  update {}  {:.1f} M decisions  {:.0f} k/s  {:.0f} games/s  entropy "
      "{:.3f}  kl {:.4f}  value {:.2f} |{}",
      100 * progress.share_done, clock_text(progress.seconds),
      progress.seconds_left < 0 ? "?" : clock_text(progress.seconds_left), progress.updates,
      static_cast<double>(progress.decisions) / 1e6, progress.decisions_per_second / 1e3,
      progress.games_per_second, progress.entropy, progress.kl, progress.explained_variance,
      declared);
  if (progress.evaluated) {
    line += fmt::format("  eval {:+.2f}", progress.eval_mean);
    if (std::isfinite(progress.eval_half_width)) {
      line += fmt::format(" +-{:.2f}", progress.eval_half_width);
    }
  }
  say(stderr, "{}{}{}", terminal ? "\r\033[K" : "", line,
      terminal && !progress.evaluated ? "" : "\n");
}

void print_result(const schafkopf::TrainResult& result) {
  if (result.was_finished) {
    say(stdout, "{} is finished: {} updates, {} games, {} decisions in {}\nweights: {}\n",
        result.run_dir, result.updates, result.games, result.decisions, clock_text(result.seconds),
        result.model_path);
    say(stdout, "train on with a higher limit: schafkopf_train --resume {} --set {}\n",
        schafkopf::shell_quoted(result.run_dir), fmt::join(result.higher_limits, " --set "));
    return;
  }
  say(stdout,
      "\n{} after {}: {} updates, {} games, {} decisions ({} with a choice)\n"
      "{:.1f} k decisions/s per core on {} core(s), all in; time: environment {:.1f} %, acting "
      "{:.1f} "
      "%, update {:.1f} %\n"
      "weights: {}\n",
      result.interrupted ? "interrupted" : "done", clock_text(result.seconds), result.updates,
      result.games, result.decisions, result.unforced_decisions,
      result.decisions_per_second_per_core / 1e3, result.workers, 100 * result.env_share,
      100 * result.act_share, 100 * result.update_share, result.model_path);
  if (result.interrupted) {
    say(stdout, "go on with: schafkopf_train --resume {}\n",
        schafkopf::shell_quoted(result.run_dir));
  }
}

/// What a key of the configuration means, with its range and default.
std::string help_of(std::string_view key) {
  for (const schafkopf::FieldRow& row : schafkopf::train_config_fields()) {
    if (row.key != key) continue;
    return fmt::format("{} [{}] (default: {})", row.meaning, row.allowed, to_text(row.value));
  }
  return "";
}

schafkopf::TrainConfig make_config(const Arguments& arguments, schafkopf::Peers& peers) {
  schafkopf::TrainConfig config;
  if (!arguments.resume.empty()) {
    config = schafkopf::resume_config(arguments.resume, &peers);
    schafkopf::refuse_programs(config, arguments.resume, arguments.settings);
  } else if (!arguments.config.empty()) {
    config = schafkopf::load_train_config(arguments.config);
    schafkopf::refuse_paths_elsewhere(config, arguments.config, arguments.settings);
  }
  std::vector<std::string> settings = arguments.settings;
  if (!arguments.seed.empty()) settings.push_back("seed=" + arguments.seed);
  schafkopf::set_train_config(config, settings);
  return config;
}

/// A process that only helps process 0, which has the folder and speaks. Returns whether the run
/// was interrupted, here or there; so does run().
bool help(const Arguments& arguments, schafkopf::Peers& peers) {
  const schafkopf::TrainConfig config = make_config(arguments, peers);
  schafkopf::TrainOptions options;
  options.resume_dir = arguments.resume;
  options.stop = &stop_requested;
  options.peers = &peers;
  end_on_signals();
  return schafkopf::train(config, options).interrupted;
}

bool run(const Arguments& arguments, schafkopf::Peers& peers) {
  const schafkopf::TrainConfig config = make_config(arguments, peers);
  const double rate = schafkopf::matrix_product_gflops();
  say(stdout, "matrix products: {:.0f} GFLOP/s on one core\n", rate);
  if (arguments.bench) {
    say(stdout, "{}", schafkopf::training_benchmark(config));
    return false;
  }
  if (peers.size() > 1) say(stdout, "{} processes\n", peers.size());
  schafkopf::TrainOptions options;
  options.peers = &peers;
  options.resume_dir = arguments.resume;
  if (arguments.resume.empty()) {
    options.out_dir = arguments.out.empty() ? new_run_folder(arguments.config) : arguments.out;
    say(stdout, "run folder: {}\n", options.out_dir);
  }
  options.progress = print_progress;
  options.stop = &stop_requested;
  options.note = [](const std::string& note) { say(stderr, "{}\n", note); };
  end_on_signals();
  try {
    const schafkopf::TrainResult result = schafkopf::train(config, options);
    print_result(result);
    return result.interrupted;
  } catch (...) {
    std::error_code ignored;
    if (arguments.out.empty()) fs::remove(options.out_dir, ignored);  // made above; only if empty
    throw;
  }
}

/// A variable of a shell that is not set: it would pass for an option that was left out.
void refuse_empty(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& value : option->results()) {
      if (!value.empty() || option->get_items_expected_max() == 0) continue;
      throw std::invalid_argument(
          fmt::format("{} \"\", allowed: a text that is not empty", option->get_name()));
    }
  }
}

/// As `schafkopf train`: what is not there is wrong input.
void check_folders(const Arguments& arguments) {
  if (!arguments.config.empty() && !fs::exists(arguments.config)) {
    throw std::invalid_argument(fmt::format(
        "{}: there is no such file, allowed: a training configuration", arguments.config));
  }
  for (const std::string& folder : {arguments.resume, arguments.from}) {
    if (folder.empty() || fs::is_directory(folder)) continue;
    throw std::invalid_argument(
        fmt::format("{}: no folder of a training run (there is none)", folder));
  }
  if (!arguments.from.empty() && arguments.player.empty()) {
    throw std::invalid_argument("--export needs --player FILE, the weights file to write");
  }
}

int answer(int argc, char** argv) {
  CLI::App app{"Train a Schafkopf agent by self-play from zero."};
  Arguments arguments;
  auto* config = app.add_option("config", arguments.config,
                                "settings, as configs/train/default.toml; missing keys and no file "
                                "mean the defaults");
  auto* out = app.add_option("--out", arguments.out, "folder of the run (default: runs/NAME-NNN)");
  app.add_option("--resume", arguments.resume, "go on with the run in this folder")
      ->excludes(config)
      ->excludes(out);
  app.add_option("--set", arguments.settings, "key=value, changes one setting")
      ->allow_extra_args(false);
  app.add_option("--seed", arguments.seed, help_of("seed"));
  app.add_flag("--bench", arguments.bench, "measure decisions/s for some updates and stop");
  app.add_option("--export", arguments.from,
                 "write the best weights of the run in this folder as a player: half precision, no "
                 "critic of its own")
      ->excludes(config)
      ->excludes("--resume");
  app.add_option("--player", arguments.player, "file that --export writes")->needs("--export");
  if (argc < 2) {  // eight minutes of work should be asked for
    say(stderr, "{}", app.help());
    return kWrongInput;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : kWrongInput;
  }
  bool interrupted = false;
  try {
    refuse_empty(app);
    std::signal(SIGPIPE, SIG_IGN);  // a reader that is gone costs the text, see say()
    const schafkopf::PeersPlace place = schafkopf::peers_place();
    if (place.rank == 0) check_folders(arguments);
    if (!arguments.from.empty()) {
      const std::string source = schafkopf::export_player(arguments.from, arguments.player);
      say(stdout, "{}: the weights of {} as a player\n", arguments.player, source);
      return 0;
    }
    if (arguments.bench && place.size > 1) {
      throw std::invalid_argument(fmt::format(
          "WORLD_SIZE = {} (environment), allowed: 1: --bench measures one process", place.size));
    }
    if (place.size > 1) schafkopf::quiet_meeting();
    schafkopf::Peers peers(place);
    interrupted = peers.leads() ? run(arguments, peers) : help(arguments, peers);
  } catch (const std::invalid_argument& error) {
    say(stderr, "schafkopf_train: {}\n", error.what());
    return kWrongInput;
  } catch (const std::bad_alloc& error) {
    say(stderr, "schafkopf_train: {}\n", schafkopf::text_of(error));
    return kFailed;
  } catch (const std::exception& error) {
    say(stderr, "schafkopf_train: {}\n", schafkopf::text_without_trace(error));
    return kFailed;
  }
  if (stop_requested) return 128 + stop_signal;
  return interrupted ? kInterrupted : 0;  // another process was asked to stop
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  try {
    return answer(argc, argv);
  } catch (const std::exception& error) {  // of the library that reads the command line
    std::fprintf(stderr, "schafkopf_train: %s\n", error.what());
    return kFailed;
  }
}
