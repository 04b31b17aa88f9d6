// What the solver keeps about positions, by itself.
#include "agents/solver/solver_table.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace schafkopf {
namespace {

// Entries are told apart by a number of ten bits, which comes again after a thousand times.
TEST(PositionTable, what_was_kept_is_forgotten_however_often_it_is_cleared) {
  constexpr std::uint32_t kHands[4] = {0x11, 0x22, 0x44, 0x88};
  PositionTable table(std::size_t{1} << 16);
  for (int clears = 0; clears < 5000; ++clears) {
    table.clear();
    PositionTable::Entry entry = table.key_of(kHands, 2, false);
    PositionTable::Entry* const bucket = table.bucket_of(entry);
    ASSERT_FALSE(PositionTable::look_up(bucket, entry)) << clears;
    if (clears % 1100 != 0) continue;  // not always, as what is new takes the place of what is old
    entry.lower = 61;
    entry.upper = 70;
    PositionTable::store(bucket, entry);
    PositionTable::Entry found = table.key_of(kHands, 2, false);
    ASSERT_TRUE(PositionTable::look_up(bucket, found)) << clears;
    EXPECT_EQ(found.lower, 61u);
    EXPECT_EQ(found.upper, 70u);
  }
}

}  // namespace
}  // namespace schafkopf
