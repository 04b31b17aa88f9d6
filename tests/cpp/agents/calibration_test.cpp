// Calibration of bids in several threads: what it gives, and how it ends.
#include "agents/tournament/calibration.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

#include "agents/registry.h"
#include "agents/work/crew.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

CalibrationOptions options_with(int threads) {
  return {.policy = make_agent("rules"),
          .opponent = make_agent("random"),
          .rules = rules_named("research"),
          .blocks = 200,  // four pieces, the last one short
          .worlds = 2,
          .seed = 3,
          .threads = threads};
}

TEST(Calibration, gives_the_same_rows_for_any_number_of_threads) {
  const std::vector<CalibrationRow> alone = calibrate(options_with(1));
  EXPECT_EQ(alone.size(), 200u * 4u);
  for (const int threads : {2, 3, 9}) {
    const std::vector<CalibrationRow> rows = calibrate(options_with(threads));
    ASSERT_EQ(rows.size(), alone.size());
    EXPECT_EQ(std::memcmp(rows.data(), alone.data(), rows.size() * sizeof(CalibrationRow)), 0)
        << threads << " threads";
  }
}

TEST(Calibration, tells_its_progress_to_one_thread_at_a_time_and_stops_at_once) {
  int told = 0, last = 0;  // without a lock
  const auto rows = calibrate(options_with(3), [&](int done, int all) {
    ++told;
    last = done;
    return all == 200;
  });
  EXPECT_EQ(rows.size(), 800u);
  EXPECT_GE(told, 4);
  EXPECT_EQ(last, 200);
  EXPECT_TRUE(calibrate(options_with(3), [](int, int) { return false; }).empty());
}

/// Fails in one of the threads, in the middle of the work.
class Failing : public UniformPolicy {
 public:
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    if (asked_->fetch_add(1) == 40) throw std::runtime_error("the player is gone");
    UniformPolicy::act(batch, keys, actions);
  }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<Failing>(*this);
  }

 private:
  std::shared_ptr<std::atomic<int>> asked_ = std::make_shared<std::atomic<int>>(0);
};

TEST(Crew, ends_its_threads_before_what_the_report_throws_leaves) {
  Crew crew;
  std::atomic<int> working = 0;
  const auto work = [&] {
    ++working;
    while (!crew.stopped()) std::this_thread::yield();
    --working;
  };
  const auto report = []() -> bool { throw std::runtime_error("no terminal"); };
  EXPECT_EQ(error_of([&] { crew.run(3, work, report); }), "no terminal");
  EXPECT_EQ(working, 0);
}

TEST(Calibration, passes_on_what_a_player_throws_in_a_thread) {
  CalibrationOptions options = options_with(3);
  options.opponent = std::make_shared<Failing>();
  EXPECT_EQ(error_of([&] { (void)calibrate(options); }), "the player is gone");
}

}  // namespace
}  // namespace schafkopf::test
