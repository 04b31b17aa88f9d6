#include "env/base/slice_pool.h"

#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "env/base/fork_count.h"
#include "env/base/start_thread.h"

namespace schafkopf {
namespace {

/// Wait until the value is no longer `old`: first awake, for about the time of a short step (waking
/// a thread costs more than that step), then asleep.
template <class T>
void wait_while(const std::atomic<T>& value, T old) {
  constexpr int kSpins = 2000;  // some tens of microseconds
  for (int i = 0; i < kSpins; ++i) {
    if (value.load(std::memory_order_acquire) != old) return;
#if defined(__x86_64__)
    _mm_pause();
#endif
  }
  value.wait(old);
}

}  // namespace

/// The threads and what they wait for.
struct SlicePool::Workers {
  std::atomic<std::uint32_t> round = 0;
  std::atomic<int> running = 0;
  std::atomic<bool> stop = false;
  unsigned forks = fork_count();  // in the process that started them
  std::vector<std::jthread> threads;

  Workers() = default;
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    stop = true;
    ++round;
    round.notify_all();
  }
};

SlicePool::SlicePool(int num_slices) : errors_(static_cast<std::size_t>(num_slices)) { renew(); }

SlicePool::~SlicePool() {
  if (is_forked()) static_cast<void>(workers_.release());
}

bool SlicePool::is_forked() const { return workers_ && workers_->forks != fork_count(); }

void SlicePool::renew() {
  // Threads of the parent can be neither joined nor let go: what is left of them is left alone.
  if (is_forked()) static_cast<void>(workers_.release());
  if (workers_ || errors_.size() == 1) return;
  auto started = std::make_unique<Workers>();
  started->threads.reserve(errors_.size() - 1);
  for (int slice = 1; slice < num_slices(); ++slice) {
    started->threads.push_back(start_thread(
        slice + 1, num_slices(), [this, &workers = *started, slice] { work(workers, slice); }));
  }
  workers_ = std::move(started);
}

void SlicePool::run_all(Call call, void* context) {
  call_ = call;
  context_ = context;
  renew();
  if (workers_) {
    workers_->running = static_cast<int>(workers_->threads.size());
    ++workers_->round;
    workers_->round.notify_all();
  }
  run_one(0);
  if (is_forked()) {
    const std::exception_ptr own = errors_[0];
    errors_.assign(errors_.size(), nullptr);
    if (own) std::rethrow_exception(own);
    throw std::runtime_error("this process was forked in the middle of work on several threads");
  }
  if (workers_) {
    for (int left = workers_->running; left != 0; left = workers_->running) {
      wait_while(workers_->running, left);
    }
  }
  std::exception_ptr first;
  for (std::exception_ptr& error : errors_) {
    if (error && !first) first = error;
    error = nullptr;
  }
  if (first) std::rethrow_exception(std::exchange(first, nullptr));
}

void SlicePool::run_one(int slice) noexcept {
  try {
    call_(context_, slice);
  } catch (...) {
    errors_[static_cast<std::size_t>(slice)] = std::current_exception();
  }
}

void SlicePool::work(Workers& workers, int slice) {
  for (std::uint32_t seen = 0;;) {
    wait_while(workers.round, seen);
    ++seen;
    if (workers.stop) return;
    run_one(slice);
    if (--workers.running == 0) workers.running.notify_one();
  }
}

}  // namespace schafkopf
