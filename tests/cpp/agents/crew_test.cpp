// Threads that share work: what the calling thread is told, and how all end together.
#include "agents/work/crew.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "agents/work/watched_work.h"

namespace schafkopf {
namespace {

using namespace std::chrono_literals;

constexpr int kTimes = 200;  // who is first, a worker or the report, is chance

TEST(Crew, reports_at_least_once_however_short_the_work) {
  for (int i = 0; i < kTimes; ++i) {
    int reports = 0;
    Crew crew;
    crew.run(2, [] {}, [&reports] { return ++reports > 0; });
    EXPECT_GT(reports, 0);
  }
}

TEST(Crew, reports_what_ends_while_it_reports) {
  std::atomic<int> done = 0;
  std::atomic<bool> inside = false;
  int last = -1;
  Crew crew;
  const auto work = [&] {
    crew.notify();
    while (!inside) std::this_thread::yield();
    ++done;
    crew.notify();
  };
  const auto report = [&] {
    last = done;
    inside = true;
    while (done == 0) std::this_thread::yield();
    std::this_thread::sleep_for(20ms);  // the worker has ended
    return true;
  };
  crew.run(1, work, report);
  EXPECT_EQ(last, 1);
}

TEST(Crew, what_the_last_report_answers_stops_it) {
  Crew crew;
  crew.run(1, [] {}, [] { return false; });
  EXPECT_TRUE(crew.stopped());
}

TEST(Crew, what_a_report_throws_is_thrown_however_short_the_work) {
  for (int i = 0; i < kTimes; ++i) {
    Crew crew;
    EXPECT_THROW(
        crew.run(2, [] {}, []() -> bool { throw std::domain_error("no"); }), std::domain_error);
  }
}

TEST(Crew, what_a_worker_throws_is_thrown) {
  for (int i = 0; i < kTimes; ++i) {
    Crew crew;
    EXPECT_THROW(
        crew.run(2, [] { throw std::domain_error("no"); }, [] { return true; }), std::domain_error);
  }
}

TEST(Crew, what_a_worker_throws_stops_the_others) {
  std::atomic<int> number = 0;
  std::atomic<bool> ended_in_time = false;
  Crew crew;
  const auto work = [&] {
    if (number++ == 0) throw std::domain_error("no");
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (!crew.stopped() && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(1ms);
    }
    ended_in_time = crew.stopped();
  };
  EXPECT_THROW(crew.run(2, work, {}), std::domain_error);
  EXPECT_TRUE(ended_in_time);
}

TEST(WatchedWork, what_a_thread_throws_ends_the_others) {
  const WatchedWork::Progress no_progress;
  WatchedWork watch(no_progress, 2);
  std::atomic<int> number = 0;
  std::atomic<bool> in_vain = false;
  const auto work = [&] {
    if (number++ == 0) throw std::domain_error("no");
    const auto end = std::chrono::steady_clock::now() + 60s;
    while (std::chrono::steady_clock::now() < end) {
      watch.check();
      std::this_thread::sleep_for(1ms);
    }
    in_vain = true;
  };
  EXPECT_THROW(watch.run(2, work), std::domain_error);
  EXPECT_FALSE(in_vain);
}

}  // namespace
}  // namespace schafkopf
