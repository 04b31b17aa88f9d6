#include "agents/work/crew.h"

#include <chrono>
#include <thread>
#include <vector>

#include "env/base/interruption.h"
#include "env/base/start_thread.h"

namespace schafkopf {

void Crew::run(int threads, const std::function<void()>& work, const Report& report) {
  running_ = threads;
  {
    std::vector<std::jthread> workers;
    try {
      for (int i = 0; i < threads; ++i) {
        workers.push_back(start_thread(i + 1, threads, [this, &work] { work_until_end(work); }));
      }
      report_until_end(report);
    } catch (...) {  // the threads end before it leaves
      stop_ = true;
      throw;
    }
  }
  if (error_) std::rethrow_exception(error_);
}

void Crew::work_until_end(const std::function<void()>& work) {
  std::exception_ptr error;
  try {
    const EndsWith others(stop_);  // a decision that takes long is ended in its midst
    work();
  } catch (const EndedElsewhere&) {  // NOLINT(bugprone-empty-catch): by stop_
  } catch (...) {
    error = std::current_exception();
    stop_ = true;
  }
  const std::scoped_lock lock(mutex_);
  if (!error_) error_ = error;
  --running_;
  changed_.notify_one();
}

void Crew::report_until_end(const Report& report) {
  constexpr auto kAtLeastEvery = std::chrono::milliseconds(200);
  bool told = false;
  unsigned told_news = news_;
  const auto tell = [&] {
    told_news = news_;
    told = true;
    if (!report()) stop_ = true;
  };
  std::unique_lock lock(mutex_);
  while (running_ > 0) {
    changed_.wait_for(lock, kAtLeastEvery);
    if (!report) continue;
    lock.unlock();
    tell();
    lock.lock();
  }
  const bool failed = error_ != nullptr;
  lock.unlock();
  // the work ended before this thread looked, or while it was telling what was done until then
  if (report && !failed && (!told || told_news != news_)) tell();
}

}  // namespace schafkopf
