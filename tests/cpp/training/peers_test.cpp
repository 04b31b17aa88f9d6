// Processes that train together; here each is a thread with a group of its own.
#include "training/work/peers.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "agents/network/weights.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/training/collected_games.h"
#include "tests/cpp/training/recorded_games.h"
#include "training/learner/learner.h"
#include "training/run/checkpoint.h"
#include "training/run/trainer.h"

namespace schafkopf {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using test::error_of;

using Variables = std::map<std::string, std::string>;

PeersPlace place_of(const Variables& variables) {
  return peers_place([&](const char* name) -> const char* {
    const auto it = variables.find(name);
    return it == variables.end() ? nullptr : it->second.c_str();
  });
}

Variables two_processes() {
  return {{"RANK", "1"},
          {"WORLD_SIZE", "2"},
          {"LOCAL_RANK", "1"},
          {"LOCAL_WORLD_SIZE", "2"},
          {"MASTER_ADDR", "127.0.0.1"},
          {"MASTER_PORT", "29500"}};
}

TEST(PeersPlace, is_one_process_where_the_environment_says_nothing_or_one) {
  EXPECT_EQ(place_of({}), PeersPlace{});
  EXPECT_EQ(place_of({{"RANK", "0"}, {"WORLD_SIZE", "1"}}), PeersPlace{});
}

TEST(PeersPlace, is_what_torchrun_sets) {
  const PeersPlace place = place_of(two_processes());
  EXPECT_EQ(place.rank, 1);
  EXPECT_EQ(place.size, 2);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_size, 2);
  EXPECT_EQ(place.host, "127.0.0.1");
  EXPECT_EQ(place.port, 29500);
}

TEST(PeersPlace, a_variable_that_is_missing_or_does_not_fit_is_named) {
  const auto error = [](const char* name, const char* value) {
    Variables variables = two_processes();
    if (value == nullptr) {
      variables.erase(name);
    } else {
      variables[name] = value;
    }
    return error_of([&] { (void)place_of(variables); });
  };
  EXPECT_EQ(error("MASTER_ADDR", nullptr),
            "MASTER_ADDR = nothing (environment), allowed: the machine of process 0 (WORLD_SIZE = "
            "2); torchrun sets it");
  EXPECT_EQ(error("MASTER_PORT", nullptr),
            "MASTER_PORT = nothing (environment), allowed: 1..65535 (WORLD_SIZE = 2)");
  EXPECT_EQ(error("MASTER_PORT", "70000"),
            "MASTER_PORT = 70000 (environment), allowed: 1..65535 (WORLD_SIZE = 2)");
  EXPECT_EQ(error("RANK", "2"), "RANK = 2 (environment), allowed: 0..1 (WORLD_SIZE = 2)");
  EXPECT_EQ(error("RANK", "-1"), "RANK = -1 (environment), allowed: 0..1 (WORLD_SIZE = 2)");
  EXPECT_EQ(error("RANK", nullptr), "RANK = nothing (environment), allowed: 0..1 (WORLD_SIZE = 2)");
  EXPECT_EQ(error("WORLD_SIZE", nullptr),
            "WORLD_SIZE = nothing (environment), allowed: 1..65536: the number of processes");
  EXPECT_EQ(error("WORLD_SIZE", "2x"),
            "WORLD_SIZE = 2x (environment), allowed: 1..65536: the number of processes");
  EXPECT_EQ(error("WORLD_SIZE", "0"),
            "WORLD_SIZE = 0 (environment), allowed: 1..65536: the number of processes");
  EXPECT_EQ(error("LOCAL_WORLD_SIZE", "3"),
            "LOCAL_WORLD_SIZE = 3 (environment), allowed: 1..2 (WORLD_SIZE = 2)");
}

int free_port() {
  const int file = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof(address);
  const bool bound = bind(file, reinterpret_cast<sockaddr*>(&address), length) == 0 &&
                     getsockname(file, reinterpret_cast<sockaddr*>(&address), &length) == 0;
  close(file);
  if (!bound) throw std::runtime_error("no free port");
  return ntohs(address.sin_port);
}

PeersPlace place(int rank, int size, int port) {
  return {.rank = rank,
          .size = size,
          .local_rank = rank,
          .local_size = size,
          .host = "127.0.0.1",
          .port = port,
          .launcher_listens = false,
          .meeting = "test"};
}

std::vector<std::string> in_processes_at(int port, int size, std::chrono::milliseconds timeout,
                                         const std::function<void(Peers&)>& work) {
  std::vector<std::string> errors(static_cast<std::size_t>(size));
  {
    std::vector<std::jthread> threads;
    for (int rank = 0; rank < size; ++rank) {
      threads.emplace_back([&, rank] {
        try {
          Peers peers(place(rank, size, port), timeout);
          work(peers);
        } catch (const std::exception& error) {
          errors[static_cast<std::size_t>(rank)] = error.what();
        }
      });
    }
  }
  return errors;
}

/// Runs `work` in each of `size` processes; returns what each threw, or nothing. Where another
/// program has taken the port that was free, they meet at another one.
std::vector<std::string> in_processes(int size, std::chrono::milliseconds timeout,
                                      const std::function<void(Peers&)>& work) {
  std::vector<std::string> errors;
  for (int attempt = 0; attempt < 3; ++attempt) {
    errors = in_processes_at(free_port(), size, timeout, work);
    const bool port_is_taken = errors[0].find("failed to listen") != std::string::npos;
    if (!port_is_taken) break;
  }
  return errors;
}

using Errors = std::vector<std::string>;

TEST(Peers, one_process_alone_changes_nothing) {
  Peers peers;
  std::vector<float> numbers = {1, 2};
  peers.sum(numbers);
  peers.take_over(numbers);
  EXPECT_EQ(numbers, (std::vector<float>{1, 2}));
  EXPECT_EQ(peers.taken_over("text"), "text");
  EXPECT_TRUE(peers.any(true));
  EXPECT_FALSE(peers.any(false));
  EXPECT_TRUE(peers.leads());
}

TEST(Peers, sums_and_what_process_0_has_are_the_same_everywhere) {
  const Errors errors = in_processes(3, 20s, [](Peers& peers) {
    std::vector<float> numbers(1000);
    std::iota(numbers.begin(), numbers.end(), static_cast<float>(peers.rank()));
    peers.sum(numbers);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      ASSERT_EQ(numbers[i], 3.0F * static_cast<float>(i) + 3.0F);
    }
    std::vector<double> one = {std::ldexp(1.0, peers.rank())};
    peers.sum(one);
    EXPECT_EQ(one[0], 7.0);
    numbers.assign(5, static_cast<float>(peers.rank()));
    peers.take_over(numbers);
    EXPECT_EQ(numbers, std::vector<float>(5, 0.0F));
    EXPECT_EQ(peers.taken_over(peers.leads() ? "what process 0 says" : "x"), "what process 0 says");
    EXPECT_EQ(peers.taken_over(peers.leads() ? "" : "x"), "");
    EXPECT_TRUE(peers.any(peers.rank() == 2));
    EXPECT_FALSE(peers.any(false));
  });
  EXPECT_EQ(errors, Errors(3));
}

// The first layer has a copy of its own where inputs are sparse.
TEST(Peers, learners_that_agree_compute_the_same) {
  Learner first = test::make_learner();
  const test::Games games(first, 5);
  std::array<std::vector<float>, 2> logits;
  const Errors errors = in_processes(2, 20s, [&](Peers& peers) {
    Learner learner({.shape = make_network_shape(32, 2),
                     .seed = 3 + static_cast<std::uint64_t>(peers.rank()),
                     .sparse_inputs = true,
                     .peers = &peers});
    learner.agree();
    std::vector<float>& own = logits[static_cast<std::size_t>(peers.rank())];
    own.resize(games.batch.size() * kNumActions);
    std::vector<float> values(games.batch.size());
    learner.forward(0, games.batch.views, {}, own, values);
  });
  EXPECT_EQ(errors, Errors(2));
  EXPECT_EQ(logits[0], logits[1]);
}

/// How long an answer may take: on a machine that stood still for a second, tried again with more.
constexpr std::array<std::chrono::milliseconds, 3> kShortTimes = {1s, 8s, 40s};

TEST(Peers, wait_for_work_that_takes_longer_than_an_answer_may) {
  Errors errors;
  for (const std::chrono::milliseconds time : kShortTimes) {
    std::atomic<int> done = 0;
    errors = in_processes(2, time, [&](Peers& peers) {
      peers.together([&] {
        if (peers.rank() == 1) std::this_thread::sleep_for(time * 8 / 5);
        ++done;
      });
      EXPECT_EQ(done, 2);
    });
    if (errors == Errors(2)) break;
  }
  EXPECT_EQ(errors, Errors(2));
}

TEST(Peers, an_error_of_one_process_is_its_own_and_the_others_hear_of_it) {
  const Errors errors = in_processes(2, 20s, [](Peers& peers) {
    peers.together([&] {
      if (peers.rank() == 1) throw std::invalid_argument("the reason");
    });
  });
  EXPECT_EQ(errors, (Errors{"process 0 of 2: process 1 has failed and says why", "the reason"}));
}

TEST(Peers, a_process_that_does_not_answer_is_lost_in_time) {
  Errors errors, expected;
  std::chrono::duration<double> took{0};
  for (const std::chrono::milliseconds time : kShortTimes) {
    expected = {fmt::format("process 0 of 2: another process has not answered for {} s: it has "
                            "ended or hangs, or its machine is not to be reached",
                            time.count() / 1000),
                ""};
    std::atomic<bool> over = false;
    errors = in_processes(2, time, [&](Peers& peers) {
      const auto start = std::chrono::steady_clock::now();
      if (peers.rank() == 1) {  // the other one may have failed before it was asked
        const auto end = start + 2min;
        while (!over && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(10ms);
        return;
      }
      try {
        peers.together([] {});
      } catch (const PeersLost&) {
        took = std::chrono::steady_clock::now() - start;
        EXPECT_TRUE(peers.lost());
        over = true;
        throw;
      }
    });
    if (errors == expected) break;
  }
  EXPECT_EQ(errors, expected);
  EXPECT_LT(took.count(), 100);
}

TEST(Peers, a_process_that_ends_is_noticed_at_once) {
  const Errors errors = in_processes(2, 20s, [](Peers& peers) {
    if (peers.rank() == 0) peers.together([] {});
  });
  EXPECT_TRUE(errors[0].starts_with("process 0 of 2: another process has ended (")) << errors[0];
}

TEST(Peers, that_do_not_come_are_an_error_that_names_the_meeting_point) {
  const int port = free_port();
  const std::string start = fmt::format(
      "process 0 of 2 cannot meet the others at MASTER_ADDR = 127.0.0.1, MASTER_PORT = {} in ",
      port);
  const std::string error = error_of([&] { const Peers peers(place(0, 2, port), 1s); });
  EXPECT_TRUE(error.starts_with(start)) << error;
  const int seconds = std::stoi(error.substr(start.size()));  // torch tries once more
  EXPECT_GE(seconds, 1) << error;
  EXPECT_LT(seconds, 60) << error;
}

using TrainedTogether = test::RunWithRecords;

/// Everything that a run carries from update to update; 65 games are no whole number for each.
TrainConfig peers_config() {
  TrainConfig config;
  config.workers = 1;
  config.games_per_update = 65;
  config.minibatch = 256;
  config.width = 16;
  config.critic = "oracle";
  config.critic_width = 16;
  config.average_decay = 0.9;
  config.normalise_by = Grouping::kRole;
  config.magnet_kl = 0.1;
  config.magnet_updates = 4;
  config.pool_share = 0.5;
  config.pool = "rules;snapshots";
  config.time_limit_minutes = 0;
  config.decisions_limit = 26000;
  config.eval_minutes = 1e-6;
  config.eval_blocks = 4;
  return config;
}

TrainOptions options_of(Peers& peers, const std::string& out) {
  TrainOptions options;
  if (peers.leads()) options.out_dir = out;  // the others need none
  options.peers = &peers;
  return options;
}

/// Greatest difference of two runs' weights, averages and moments, each by its greatest value.
double difference(const std::string& one, const std::string& other) {
  const Checkpoint a = read_run_checkpoint(one).checkpoint,
                   b = read_run_checkpoint(other).checkpoint;
  EXPECT_EQ(a.counters.updates, b.counters.updates);
  EXPECT_EQ(a.counters.decisions, b.counters.decisions);
  EXPECT_EQ(a.counters.games, b.counters.games);
  EXPECT_EQ(a.file.tensors.size(), b.file.tensors.size());
  double worst = 0;
  for (const auto& [name, tensor] : a.file.tensors) {
    const std::vector<float>& values = b.file.tensors.at(name).data;
    float most = 1e-12F, off = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      most = std::max(most, std::abs(values[i]));
      off = std::max(off, std::abs(values[i] - tensor.data[i]));
    }
    worst = std::max(worst, static_cast<double>(off / most));
  }
  return worst;
}

TEST_F(TrainedTogether, two_processes_give_what_one_gives_with_the_same_games) {
  TrainConfig config = peers_config();
  const Errors errors = in_processes(2, 20s, [&](Peers& peers) {
    const TrainResult result = train(config, options_of(peers, path("two")));
    EXPECT_EQ(result.workers, 2);
    EXPECT_GE(result.updates, 9);
  });
  EXPECT_EQ(errors, Errors(2));
  config.workers = 2;
  const TrainResult one = run(config, "one");
  EXPECT_EQ(one.workers, 2);
  EXPECT_LT(difference(path("one"), path("two")), 1e-5);
  for (const std::string run : {"one", "two"}) {
    std::ifstream stream(path(run) + "/" + kMetricsFile);
    std::int64_t lines = 0;
    for (std::string line; std::getline(stream, line); ++lines) {
      EXPECT_EQ(nlohmann::json::parse(line).at("games"), 65 * (lines + 1));
    }
    EXPECT_EQ(lines, one.updates);
    EXPECT_TRUE(fs::exists(path(run) + "/snapshot_8.safetensors"));
  }
}

TEST_F(TrainedTogether, a_snapshot_that_is_missing_is_missing_in_every_process) {
  TrainConfig config = peers_config();
  config.eval_minutes = 0;
  config.workers = 2;
  (void)run(config, "one");
  config.decisions_limit += 6000;
  fs::remove(path("one") + "/snapshot_8.safetensors");
  fs::copy(path("one"), path("two"));
  const TrainResult one = resume(config, "one");
  EXPECT_EQ(one.notes.size(), 1U);
  config.workers = 1;
  const Errors errors = in_processes(2, 20s, [&](Peers& peers) {
    TrainOptions options = options_of(peers, "");
    options.resume_dir = path("two");
    EXPECT_EQ(train(config, options).updates, one.updates);
  });
  EXPECT_EQ(errors, Errors(2));
  EXPECT_LT(difference(path("one"), path("two")), 1e-5);
}

TEST_F(TrainedTogether, two_processes_give_the_same_with_every_signal) {
  TrainConfig config = peers_config();
  config.eval_minutes = 0;
  config.decisions_limit = 8000;
  config.solver_weight = 0.5;
  config.solver_trick = 6;
  config.solver_early_share = 0;
  config.playout_share = 0.1;
  config.announcement_playout_share = 0.1;
  config.teacher = "rules";
  config.teacher_share = 0.2;
  config.clone_records = record_games("games.jsonl", 20);
  config.clone_games = 5;  // no whole number for each
  const Errors errors = in_processes(
      2, 20s, [&](Peers& peers) { (void)train(config, options_of(peers, path("two"))); });
  EXPECT_EQ(errors, Errors(2));
  config.workers = 2;
  (void)run(config, "one");
  EXPECT_LT(difference(path("one"), path("two")), 1e-5);
  const nlohmann::json one = metrics("one").front(), two = metrics("two").front();
  for (const char* key :
       {"taught_share", "played_out_share", "teacher_loss", "clone_loss", "regret"}) {
    EXPECT_NEAR(one.at(key).get<double>(), two.at(key).get<double>(), 1e-4) << key;
    EXPECT_GT(two.at(key).get<double>(), 0.0) << key;
  }
}

TEST_F(TrainedTogether, two_processes_hold_to_the_same_weights) {
  TrainConfig config = peers_config();
  config.eval_minutes = 0;
  config.decisions_limit = 1;
  config.init = run(config, "cards").model_path;
  config.learn = LearnedPhases::kBidding;
  config.announcement_playout_share = 0.2;
  config.decisions_limit = 8000;
  const Errors errors = in_processes(
      2, 20s, [&](Peers& peers) { (void)train(config, options_of(peers, path("two"))); });
  EXPECT_EQ(errors, Errors(2));
  config.workers = 2;
  run(config, "one");
  EXPECT_LT(difference(path("one"), path("two")), 1e-5);
}

TEST_F(TrainedTogether, a_lost_process_leaves_the_checkpoint_of_the_last_complete_update) {
  TrainConfig config = peers_config();
  const Errors errors = in_processes(2, 20s, [&](Peers& peers) {
    TrainOptions options = options_of(peers, path("run"));
    options.progress = [&](const TrainProgress& progress) {
      if (peers.rank() == 1 && progress.updates == 9) throw std::runtime_error("dies");
    };
    (void)train(config, options);
  });
  EXPECT_EQ(errors[1], "dies");
  EXPECT_TRUE(errors[0].starts_with("process 0 of 2: another process has ended (")) << errors[0];
  EXPECT_TRUE(errors[0].ends_with(
      fmt::format("; {} has the checkpoint of update 9: resume it", path("run"))))
      << errors[0];
  ASSERT_EQ(read_run_checkpoint(path("run")).checkpoint.counters.updates, 9);
  // the same number of processes goes on as if nothing had been
  const Errors resumed = in_processes(2, 20s, [&](Peers& peers) {
    TrainOptions options;
    options.resume_dir = path("run");
    options.peers = &peers;
    const TrainResult result = train(resume_config(path("run"), &peers), options);
    EXPECT_EQ(result.notes, Errors{});
  });
  EXPECT_EQ(resumed, Errors(2));
  config.workers = 2;
  run(config, "whole");
  EXPECT_LT(difference(path("run"), path("whole")), 1e-5);
}

TEST_F(TrainedTogether, another_number_of_processes_resumes_with_a_note) {
  TrainConfig config = peers_config();
  config.decisions_limit = 1;
  const Errors errors = in_processes(
      2, 20s, [&](Peers& peers) { (void)train(config, options_of(peers, path("run"))); });
  EXPECT_EQ(errors, Errors(2));
  config.decisions_limit = 3000;
  const TrainResult result = resume(config);
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_NE(result.notes[0].find("a run of 2 process(es) goes on with 1"), std::string::npos);
  EXPECT_EQ(read_run_checkpoint(path("run")).checkpoint.processes, 1);
}

TEST_F(TrainedTogether, what_does_not_fit_is_refused_before_anything_is_written) {
  const auto errors = [&](const std::function<void(Peers&, TrainConfig&)>& change) {
    return in_processes(2, 20s, [&](Peers& peers) {
      TrainConfig config = peers_config();
      change(peers, config);
      (void)train(config, options_of(peers, path("run")));
    });
  };
  const std::string few =
      "games_per_update = 3, allowed: at least 4, one game for each of workers = 2 in each of "
      "WORLD_SIZE = 2 processes";
  EXPECT_EQ(errors([](Peers&, TrainConfig& config) {
              config.workers = 2;
              config.games_per_update = 3;
            }),
            (Errors{few, few}));
  EXPECT_EQ(
      errors([](Peers& peers, TrainConfig& config) { config.seed = peers.leads() ? 5U : 6U; }),
      (Errors{"another process has other settings and says which, allowed: the same in all "
              "processes",
              "seed = 6 in process 1, seed = 5 in process 0, allowed: the same settings in "
              "all processes"}));
  EXPECT_EQ(
      errors([](Peers&, TrainConfig& config) { config.generator = "nobody"; })[1].substr(0, 9),
      "generator");
  EXPECT_FALSE(fs::exists(path("run")));
}

}  // namespace
}  // namespace schafkopf
