// Long work in threads that somebody watches: progress, and an end at short notice.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "env/view/policy.h"

namespace schafkopf {

/// Called often inside long work; what it throws ends the work. May be empty.
using StopCheck = std::function<void()>;

/// Runs one piece of work in several threads and asks a progress callback: after every finished
/// unit, and by the calling thread several times a second. Once it answers false, or a thread
/// throws, all threads end at their next check.
class WatchedWork {
 public:
  using Progress = std::function<bool(int done, int all)>;

  /// `progress` may be empty and must outlive it.
  WatchedWork(const Progress& progress, int all) : progress_(progress), all_(all) {}

  /// Runs `work` in the calling thread and threads - 1 others until all have ended; rethrows what
  /// a thread threw, an end by `progress` apart.
  void run(int threads, const std::function<void()>& work);

  /// For `work`: ends the thread if all are to end.
  void check();
  /// For `work`: one more unit is done.
  void finish_one();
  [[nodiscard]] bool stopped() const { return stop_; }

 private:
  struct Stopped {};
  void work_until_end(const std::function<void()>& work);
  static void ask_in_midst();
  void ask();
  void report();  // with the lock held

  const Progress& progress_;
  int all_;
  int done_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int> running_ = 0;
  std::mutex mutex_;
  std::exception_ptr error_;
  // of the calling thread
  std::thread::id owner_;
  unsigned ticks_ = 0;
  std::chrono::steady_clock::time_point asked_;
};

/// A player that checks for an end before every batch.
class WatchedPolicy final : public BatchPolicy {
 public:
  WatchedPolicy(std::unique_ptr<BatchPolicy> player, StopCheck stop_check);

  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override;
  [[nodiscard]] bool sees_hidden_hands() const override { return player_->sees_hidden_hands(); }
  [[nodiscard]] bool stops_by_the_clock() const override { return player_->stops_by_the_clock(); }
  [[nodiscard]] bool answers_alike() const override { return player_->answers_alike(); }
  [[nodiscard]] std::string name() const override { return player_->name(); }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

 private:
  std::unique_ptr<BatchPolicy> player_;
  StopCheck stop_check_;
};

}  // namespace schafkopf
