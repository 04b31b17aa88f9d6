#include "env/slice_pool.h"

#include <utility>

namespace schafkopf {

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
  for (int left = running_; left != 0; left = running_) running_.wait(left);
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
    round_.wait(seen);
    ++seen;
    if (stop_) return;
    run_one(slice);
    if (--running_ == 0) running_.notify_one();
  }
}

}  // namespace schafkopf
