// Threads that stay alive and each own one fixed slice of the work: no queues, no allocation per
// call, the same split every time.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <thread>
#include <type_traits>
#include <vector>

namespace schafkopf {

/// Runs a job once per slice; slice 0 on the calling thread, the others on their own threads.
///
/// Not thread-safe: one caller at a time.
class SlicePool {
 public:
  explicit SlicePool(int num_slices);
  ~SlicePool();
  SlicePool(const SlicePool&) = delete;
  SlicePool& operator=(const SlicePool&) = delete;

  [[nodiscard]] int num_slices() const { return static_cast<int>(errors_.size()); }

  /// Call job(slice) for every slice and wait for all of them. If jobs throw, the exception of the
  /// lowest slice is rethrown here after all have ended.
  template <class Job>
  void run(Job&& job) {
    using Value = std::remove_reference_t<Job>;
    run_all([](void* context, int slice) { (*static_cast<Value*>(context))(slice); }, &job);
  }

 private:
  using Call = void (*)(void* context, int slice);
  void run_all(Call call, void* context);
  void run_one(int slice) noexcept;
  void work(int slice);

  Call call_ = nullptr;
  void* context_ = nullptr;
  std::vector<std::exception_ptr> errors_;  // per slice
  std::atomic<std::uint32_t> round_ = 0;
  std::atomic<int> running_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace schafkopf
