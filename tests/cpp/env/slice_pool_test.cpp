#include "env/base/slice_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

namespace schafkopf {
namespace {

TEST(SlicePoolTest, EverySliceIsDoneOnceInEveryRun) {
  for (const int slices : {1, 2, 3, 8}) {
    SlicePool pool(slices);
    std::vector<std::atomic<int>> done(static_cast<std::size_t>(slices));
    for (int run = 1; run <= 3000; ++run) {
      // After a pause the threads are asleep.
      if (run % 500 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
      pool.run([&](int slice) { ++done[static_cast<std::size_t>(slice)]; });
      for (const auto& times : done) ASSERT_EQ(times, run) << slices << " slices";
    }
  }
}

TEST(SlicePoolTest, OtherThreadsDoTheirSlicesWhileTheCallerIsAtItsOwn) {
  SlicePool pool(4);
  const std::thread::id caller = std::this_thread::get_id();
  for (int run = 0; run < 20; ++run) {
    std::atomic<int> by_others = 0;
    pool.run([&](int slice) {
      if (std::this_thread::get_id() != caller) ++by_others;
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
      while (slice == 0 && by_others < 3 && std::chrono::steady_clock::now() < end) {
        std::this_thread::yield();
      }
    });
    EXPECT_EQ(by_others, 3);
  }
}

TEST(SlicePoolTest, TheErrorOfTheLowestSliceIsThrownAfterAllHaveEnded) {
  SlicePool pool(4);
  for (int run = 0; run < 200; ++run) {
    std::atomic<int> done = 0;
    try {
      pool.run([&](int slice) {
        ++done;
        if (slice == 1) throw std::runtime_error("one");
        if (slice == 3) throw std::logic_error("three");
      });
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "one");
    }
    EXPECT_EQ(done, 4);
    pool.run([&](int) { ++done; });
    EXPECT_EQ(done, 8) << "an error of the run before is thrown again";
  }
}

}  // namespace
}  // namespace schafkopf
