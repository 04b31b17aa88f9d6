// The exact solver on the deals that are kept for its measurements: what it answers, and how many
// positions it needs for that.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "agents/solver/solver.h"
#include "env/rules/compiled_rules.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/solver_deals.h"
#include "tests/cpp/support/source_dir.h"

namespace schafkopf {
namespace {

using test::SolverDeal;

const CompiledRules& rules() {
  static const auto loaded = CompiledRules::load("research");
  return *loaded;
}

std::string file_of_deals() { return source_dir() + "/tests/data/solver_deals.txt"; }

std::vector<SolverDeal> first_deals(std::string_view name, int count) {
  std::vector<SolverDeal> deals = test::read_solver_deals(file_of_deals(), rules(), name);
  EXPECT_EQ(deals.size(), 300u) << name;
  deals.resize(static_cast<std::size_t>(count), deals.front());
  return deals;
}

/// Positions for the first 30 deals ("61 points?") and the first 10 (exact points), one solver
/// each. The points stand in the file as the solver found them that tried moves in another order.
struct Work {
  const char* name;
  std::uint64_t threshold, exact;
};
constexpr Work kWork[] = {
    {"RUF", 52239, 253213}, {"SOLO", 116957, 212235}, {"WENZ", 110994, 258743}};

TEST(SolverDeals, are_solved_as_before_with_the_known_number_of_positions) {
  for (const Work& work : kWork) {
    Solver threshold, exact;
    int number = 0;
    for (const SolverDeal& deal : first_deals(work.name, 30)) {
      const auto play = deal.game.play_state();
      const std::uint8_t side = deal.game.declarer_party();
      EXPECT_EQ(threshold.reaches(play, side, 61), deal.points >= 61) << test::to_line(deal);
      if (number++ >= 10) continue;
      EXPECT_EQ(exact.points(play, side), deal.points) << test::to_line(deal);
    }
    // another number is another search: measure it (tests/bench/SOLVER.md), then write it here
    EXPECT_EQ(threshold.num_positions(), work.threshold) << work.name;
    EXPECT_EQ(exact.num_positions(), work.exact) << work.name;
  }
}

TEST(SolverDeals, have_the_points_that_the_file_says) {
  for (const Work& work : kWork) {
    Solver solver;
    for (const SolverDeal& deal : first_deals(work.name, test::scaled(1, 1, 300))) {
      const std::uint8_t side = deal.game.declarer_party();
      ASSERT_EQ(solver.points(deal.game.play_state(), side), deal.points) << test::to_line(deal);
    }
  }
}

TEST(SolverDeals, lines_are_read_as_they_are_written) {
  std::ifstream file(file_of_deals());
  int deals = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#")) continue;
    ASSERT_EQ(test::to_line(test::parse_solver_deal(line, rules())), line);
    ++deals;
  }
  EXPECT_EQ(deals, 900);
  EXPECT_EQ(test::error_of<std::invalid_argument>(
                [] { (void)test::parse_solver_deal("SOLO H declarer", rules()); }),
            "no deal of the solver: SOLO H declarer");
}

}  // namespace
}  // namespace schafkopf
