#include "env/slice_pool.h"

#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

SlicePool::SlicePool(int num_slices) : errors_(static_cast<std::size_t>(num_slices)) {
  threads_.reserve(errors_.size() - 1);
  for (int slice = 1; slice < num_slices; ++slice) {
    threads_.emplace_back([this, slice] { work(slice); });
  }
}

SlicePool::~SlicePool() {
  stop_ = true;
  ++round_;
  round_.notify_all();
}

void SlicePool::run_all(Call call, void* context) {
  call_ = call;
  context_ = context;
  if (!threads_.empty()) {
    running_ = static_cast<int>(threads_.size());
    ++round_;
    round_.notify_all();
  }
  run_one(0);
  for (int left = running_; left != 0; left = running_) wait_while(running_, left);
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

void SlicePool::work(int slice) {
  for (std::uint32_t seen = 0;;) {
    wait_while(round_, seen);
    ++seen;
    if (stop_) return;
    run_one(slice);
    if (--running_ == 0) running_.notify_one();
  }
}

}  // namespace schafkopf
