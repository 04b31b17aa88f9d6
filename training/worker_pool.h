// A fixed set of workers that run the same job side by side: one thread each, the caller is worker
// 0. No queues: run() returns when all are done.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

namespace schafkopf {

class WorkerPool {
 public:
  explicit WorkerPool(int workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  [[nodiscard]] int size() const { return static_cast<int>(threads_.size()) + 1; }
  /// Call job(0) ... job(size() - 1), each on its own thread, and wait for all. If jobs throw, the
  /// exception of the lowest worker is thrown again.
  void run(const std::function<void(int)>& job);

 private:
  void serve(const std::stop_token& stop, int worker);
  void call(int worker);

  std::mutex mutex_;
  std::condition_variable_any start_;
  std::condition_variable done_;
  const std::function<void(int)>* job_ = nullptr;
  std::uint64_t round_ = 0;
  int running_ = 0;
  std::vector<std::exception_ptr> errors_;
  std::vector<std::jthread> threads_;
};

}  // namespace schafkopf
