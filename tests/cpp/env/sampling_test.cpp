// Legal actions drawn from logits: the probabilities of a softmax, whichever way a row takes.
#include "env/view/sampling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include "env/base/random.h"

namespace schafkopf::test {
namespace {

constexpr std::size_t kActions = kNumActions;

/// DrawnRows with the same logits and legal actions.
struct DrawnRows {
  std::vector<float> logits;
  std::vector<std::uint64_t> legal;
  std::vector<std::int32_t> actions;

  DrawnRows(std::size_t count, std::span<const float> row, const ActionMask& mask)
      : actions(count) {
    for (std::size_t i = 0; i < count; ++i) {
      logits.insert(logits.end(), row.begin(), row.end());
      legal.insert(legal.end(), {mask.words[0], mask.words[1]});
    }
  }
  std::size_t draw(std::uint64_t seed) { return sample_legal(logits, legal, seed, actions); }
};

std::vector<float> random_logits(std::uint64_t seed, float spread) {
  Rng rng(seed);
  std::vector<float> logits(kActions);
  for (float& logit : logits) logit = spread * static_cast<float>((2.0 * rng.next_unit()) - 1.0);
  return logits;
}

ActionMask random_mask(int count, std::uint64_t seed) {
  Rng rng(seed);
  ActionMask mask;
  while (mask.count() < count) mask.add(static_cast<Action>(rng.next_below(kNumActions)));
  return mask;
}

/// Pearson's sum over the legal actions of drawn counts beside those of a softmax.
double chi_square(const DrawnRows& rows, std::span<const float> logits, const ActionMask& mask) {
  std::vector<double> drawn(kActions);
  double sum = 0.0;
  for (int n = 0; n < mask.count(); ++n) sum += std::exp(double{logits[mask.nth(n)]});
  for (const std::int32_t action : rows.actions) drawn.at(static_cast<std::size_t>(action)) += 1.0;
  double result = 0.0;
  for (int n = 0; n < mask.count(); ++n) {
    const std::size_t a = mask.nth(n);
    const double share = std::exp(double{logits[a]}) / sum;
    const double expected = share * static_cast<double>(rows.actions.size());
    result += (drawn[a] - expected) * (drawn[a] - expected) / expected;
  }
  return result;
}

TEST(SampleLegal, frequencies_pass_a_chi_square_test_for_any_number_of_legal_actions) {
  for (const int count : {1, 2, 3, 4, 5, 7, 8, 9, 12, 40, 128}) {
    const std::vector<float> logits = random_logits(static_cast<std::uint64_t>(count), 2.0F);
    const ActionMask mask = random_mask(count, 5);
    DrawnRows rows(20'000, logits, mask);
    ASSERT_EQ(rows.draw(17), rows.actions.size());
    for (const std::int32_t action : rows.actions) {
      ASSERT_TRUE(mask.contains(static_cast<Action>(action)));
    }
    // mean of the distribution and 4.5 of its standard deviations; the seed is fixed
    const double freedom = count - 1.0;
    EXPECT_LE(chi_square(rows, logits, mask), freedom + (4.5 * std::sqrt(2.0 * freedom))) << count;
  }
}

TEST(SampleLegal, rows_of_large_logits_draw_as_the_same_rows_shifted_to_zero) {
  const ActionMask mask = random_mask(6, 3);
  for (const float shift : {79.0F, -79.0F, 100.0F, -100.0F, 4096.0F}) {
    const std::vector<float> logits = random_logits(9, 1.0F);
    std::vector<float> shifted = logits;
    for (float& logit : shifted) logit += shift;
    DrawnRows near(10'000, logits, mask), far(10'000, shifted, mask);
    ASSERT_EQ(near.draw(3), 10'000U);
    ASSERT_EQ(far.draw(3), 10'000U);
    int differing = 0;
    for (std::size_t i = 0; i < 10'000; ++i) differing += near.actions[i] != far.actions[i] ? 1 : 0;
    EXPECT_LE(differing, 20) << shift;  // the shift rounds the logits
  }
}

TEST(SampleLegal, an_action_whose_exponential_is_no_float_keeps_its_probability) {
  std::vector<float> logits(kActions);
  logits[3] = 87.0F;   // e^87 = 0.2 of the largest float
  logits[70] = 90.5F;  // e^90.5 = 6 of them
  DrawnRows rows(10'000, logits, ActionMask::of({3, 70}));
  ASSERT_EQ(rows.draw(1), 10'000U);
  const double share = 1.0 / (1.0 + std::exp(-3.5));
  const double error = 4.5 * std::sqrt(10'000 * share * (1.0 - share));
  EXPECT_NEAR(static_cast<double>(std::ranges::count(rows.actions, 70)), 10'000 * share, error);
}

TEST(SampleLegal, a_row_depends_on_its_number_and_the_seed_not_on_its_neighbours) {
  const std::vector<float> logits = random_logits(1, 1.0F), large = random_logits(2, 200.0F);
  const ActionMask mask = random_mask(8, 1), wide = random_mask(20, 1);
  DrawnRows alone(100, logits, mask), beside(100, logits, mask);
  for (std::size_t i = 0; i < 100; i += 2) {
    std::ranges::copy(large, beside.logits.begin() + static_cast<std::ptrdiff_t>(i * kActions));
    const ActionMask& other = i % 4 == 0 ? wide : mask;
    std::ranges::copy(other.words, beside.legal.begin() + static_cast<std::ptrdiff_t>(2 * i));
  }
  ASSERT_EQ(alone.draw(5), 100U);
  ASSERT_EQ(beside.draw(5), 100U);
  for (std::size_t i = 1; i < 100; i += 2) EXPECT_EQ(alone.actions[i], beside.actions[i]) << i;
}

TEST(SampleLegal, names_the_first_row_without_an_action) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> logits = random_logits(1, 1.0F);
  const ActionMask mask = ActionMask::of({3, 70});
  for (const float wrong : {kInfinity, std::nanf("")}) {
    DrawnRows rows(50, logits, mask);
    rows.logits[(41 * kActions) + 70] = wrong;
    rows.logits[(40 * kActions) + 71] = wrong;  // of an illegal action
    EXPECT_EQ(rows.draw(1), 41U) << wrong;
  }
  DrawnRows rows(50, logits, mask);
  rows.logits[(20 * kActions) + 3] = -kInfinity;
  ASSERT_EQ(rows.draw(1), 50U);
  EXPECT_EQ(rows.actions[20], 70);
  rows.logits[(20 * kActions) + 70] = -kInfinity;
  EXPECT_EQ(rows.draw(1), 20U);
  DrawnRows none(3, logits, ActionMask{});
  EXPECT_EQ(none.draw(1), 0U);
}

}  // namespace
}  // namespace schafkopf::test
