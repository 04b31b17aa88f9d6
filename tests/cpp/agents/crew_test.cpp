// Threads that share work: what the calling thread is told.
#include "agents/work/crew.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace schafkopf {
namespace {

constexpr int kTimes = 200;  // who is first, a worker or the report, is chance

TEST(Crew, reports_at_least_once_however_short_the_work) {
  for (int i = 0; i < kTimes; ++i) {
    int reports = 0;
    Crew crew;
    crew.run(2, [] {}, [&reports] { return ++reports > 0; });
    EXPECT_GT(reports, 0);
  }
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

}  // namespace
}  // namespace schafkopf
