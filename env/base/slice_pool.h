// Threads that stay alive and each own one fixed slice of the work: no queues, no allocation per
// call, the same split every time.
#pragma once

#include <cstddef>
#include <exception>
#include <memory>
#include <type_traits>
#include <vector>

namespace schafkopf {

/// Runs a job once per slice; slice 0 on the calling thread, the others on their own threads. In
/// the child of a fork, which has none of them, the next run starts new ones.
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
  /// lowest slice is rethrown here after all have ended. Throws std::runtime_error in a child that
  /// is forked by a job: the other slices go on in the parent only.
  template <class Job>
  void run(Job&& job) {
    using Value = std::remove_reference_t<Job>;
    run_all([](void* context, int slice) { (*static_cast<Value*>(context))(slice); }, &job);
  }

 private:
  using Call = void (*)(void* context, int slice);
  struct Workers;
  void run_all(Call call, void* context);
  void run_one(int slice) noexcept;
  void work(Workers& workers, int slice);
  /// Start the threads if there are none; those of the parent of a fork are none.
  void renew();
  [[nodiscard]] bool is_forked() const;

  Call call_ = nullptr;
  void* context_ = nullptr;
  std::vector<std::exception_ptr> errors_;  // per slice
  std::unique_ptr<Workers> workers_;        // none for one slice
};

}  // namespace schafkopf
