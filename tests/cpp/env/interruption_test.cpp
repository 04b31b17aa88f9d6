// Who asks a long calculation whether to go on, and when.
#include "env/base/interruption.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

namespace schafkopf::test {
namespace {

int asked = 0;

void count() { ++asked; }
void end() { throw std::runtime_error("ended"); }

/// As a long loop does it.
void calculate(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) check_interruption();
}

/// The same until somebody has been asked so many times: a machine may stand still meanwhile.
void calculate_until_asked(int times) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (asked < times && std::chrono::steady_clock::now() < until) check_interruption();
}

TEST(Interruption, a_long_calculation_is_asked_again_and_again_but_rarely) {
  asked = 0;
  const auto began = std::chrono::steady_clock::now();
  {
    const Interruptible here(count);
    calculate_until_asked(3);
  }
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_EQ(asked, 3);
  EXPECT_LE(asked, took / Interruptible::kEvery);
  asked = 0;
  calculate(2 * Interruptible::kEvery);
  EXPECT_EQ(asked, 0);
}

TEST(Interruption, what_is_thrown_ends_it_and_who_was_there_before_asks_on) {
  asked = 0;
  const Interruptible outer(count);
  {
    const Interruptible inner(end);
    EXPECT_THROW(calculate(std::chrono::seconds(30)), std::runtime_error);
    const Interruptible nobody(nullptr);
    calculate(2 * Interruptible::kEvery);
  }
  EXPECT_EQ(asked, 0);
  calculate_until_asked(1);
  EXPECT_EQ(asked, 1);
}

TEST(Interruption, other_threads_are_not_asked) {
  asked = 0;
  const Interruptible here(count);
  std::thread([] { calculate(2 * Interruptible::kEvery); }).join();
  EXPECT_EQ(asked, 0);
}

TEST(Interruption, a_part_ends_with_the_other_part) {
  std::atomic<bool> ended = false;
  const EndsWith other(ended);
  calculate(std::chrono::milliseconds(10));
  std::thread([&] { ended = true; }).join();
  EXPECT_THROW(calculate(std::chrono::seconds(30)), EndedElsewhere);
}

}  // namespace
}  // namespace schafkopf::test
