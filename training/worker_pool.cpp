#include "training/worker_pool.h"

#include <algorithm>

namespace schafkopf {

WorkerPool::WorkerPool(int workers) : errors_(static_cast<std::size_t>(std::max(workers, 1))) {
  for (int worker = 1; worker < workers; ++worker) {
    threads_.emplace_back([this, worker](const std::stop_token& stop) { serve(stop, worker); });
  }
}

WorkerPool::~WorkerPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

void WorkerPool::run(const std::function<void(int)>& job) {
  {
    const std::scoped_lock lock(mutex_);
    job_ = &job;
    running_ = static_cast<int>(threads_.size());
    std::ranges::fill(errors_, nullptr);
    ++round_;
  }
  start_.notify_all();
  call(0);
  {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return running_ == 0; });
  }
  for (const std::exception_ptr& error : errors_) {
    if (error) std::rethrow_exception(error);
  }
}

void WorkerPool::call(int worker) {
  try {
    (*job_)(worker);
  } catch (...) {
    errors_[static_cast<std::size_t>(worker)] = std::current_exception();
  }
}

void WorkerPool::serve(const std::stop_token& stop, int worker) {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  while (start_.wait(lock, stop, [&] { return round_ != seen; })) {
    seen = round_;
    lock.unlock();
    call(worker);
    lock.lock();
    if (--running_ == 0) done_.notify_all();
  }
}

}  // namespace schafkopf
