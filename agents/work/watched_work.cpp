#include "agents/work/watched_work.h"

#include <optional>
#include <utility>
#include <vector>

#include "env/base/interruption.h"
#include "env/base/start_thread.h"

namespace schafkopf {

using namespace std::chrono_literals;

void WatchedWork::run(int threads, const std::function<void()>& work) {
  owner_ = std::this_thread::get_id();
  asked_ = std::chrono::steady_clock::now();
  running_ = threads;
  {
    std::vector<std::jthread> others;
    try {
      for (int i = 1; i < threads; ++i) {
        others.push_back(start_thread(i + 1, threads, [this, &work] { work_until_end(work); }));
      }
      work_until_end(work);
      while (running_ > 0 && !stop_) {
        std::this_thread::sleep_for(20ms);
        ask();
      }
    } catch (...) {  // of `progress`, or no room for a thread: the others end too
      stop_ = true;
      throw;
    }
  }
  if (error_) std::rethrow_exception(error_);
}

namespace {

thread_local WatchedWork* owned = nullptr;  // the one that this thread owns

}  // namespace

/// For decisions that take long, of the thread that alone may ask.
void WatchedWork::ask_in_midst() {
  owned->ask();
  if (owned->stop_) throw Stopped{};
}

void WatchedWork::work_until_end(const std::function<void()>& work) {
  WatchedWork* const before = owned;
  try {
    const EndsWith others(stop_);  // what takes long is ended in its midst
    std::optional<Interruptible> asks;
    if (progress_ && std::this_thread::get_id() == owner_) {
      owned = this;
      asks.emplace(&WatchedWork::ask_in_midst);
    }
    work();
  } catch (const Stopped&) {
  } catch (const EndedElsewhere&) {  // NOLINT(bugprone-empty-catch): by stop_, as Stopped
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    if (!error_) error_ = std::current_exception();
    stop_ = true;
  }
  owned = before;
  --running_;
}

void WatchedWork::check() {
  constexpr unsigned kTicks = 16;  // checks between two looks at the clock
  if (std::this_thread::get_id() == owner_ && ++ticks_ % kTicks == 0 &&
      std::chrono::steady_clock::now() - asked_ > 100ms) {
    ask();
    asked_ = std::chrono::steady_clock::now();
  }
  if (stop_) throw Stopped{};
}

void WatchedWork::finish_one() {
  const std::scoped_lock lock(mutex_);
  ++done_;
  report();
}

void WatchedWork::ask() {
  const std::scoped_lock lock(mutex_);
  report();
}

void WatchedWork::report() {
  if (progress_ && !stop_ && !progress_(done_, all_)) stop_ = true;
}

WatchedPolicy::WatchedPolicy(std::unique_ptr<BatchPolicy> player, StopCheck stop_check)
    : player_(std::move(player)), stop_check_(std::move(stop_check)) {}

void WatchedPolicy::policy(const ViewBatch& batch, std::span<float> probabilities,
                           std::span<float> values) {
  if (stop_check_) stop_check_();
  player_->policy(batch, probabilities, values);
}

void WatchedPolicy::act(const ViewBatch& batch, std::span<const RngKey> keys,
                        std::span<Action> actions) {
  if (stop_check_) stop_check_();
  player_->act(batch, keys, actions);
}

std::unique_ptr<BatchPolicy> WatchedPolicy::clone() const {
  return std::make_unique<WatchedPolicy>(copy_of(*player_), stop_check_);
}

}  // namespace schafkopf
