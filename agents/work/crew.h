// Threads that share work handed out piece by piece, while the calling thread reports progress.
#pragma once

#include <atomic>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>

namespace schafkopf {

/// Runs the threads and ends them together. Who gets which piece, and where results go, is the
/// matter of the work; it takes no more pieces once the crew has stopped.
class Crew {
 public:
  /// False: stop. May be empty.
  using Report = std::function<bool()>;

  /// Runs `work` in threads of their own until all have ended. Meanwhile the calling thread, and no
  /// other, calls `report` after news and several times a second, at least once; the last call comes
  /// after the last news. What a thread or `report` throws stops all and is thrown here.
  void run(int threads, const std::function<void()>& work, const Report& report);

  /// For `work`: there is something to report.
  void notify() {
    ++news_;
    changed_.notify_one();
  }
  [[nodiscard]] bool stopped() const { return stop_; }

 private:
  void work_until_end(const std::function<void()>& work);
  void report_until_end(const Report& report);

  std::atomic<bool> stop_ = false;
  std::atomic<unsigned> news_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  int running_ = 0;
  std::exception_ptr error_;
};

}  // namespace schafkopf
