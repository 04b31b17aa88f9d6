#include "env/view/sampling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "env/base/random.h"
#include "env/base/refuse.h"

namespace schafkopf {
namespace {

constexpr std::size_t kActions = kNumActions;

// Rows with up to eight legal actions and moderate logits, nearly all of them, go tile by tile:
// their weights are computed side by side, and no branch depends on the draw. The few others are
// drawn one by one (draw_any).
constexpr std::size_t kSlots = 8;
constexpr std::size_t kTile = 32;
constexpr std::size_t kChunk = 4;  // actions that are gathered at once

/// e^x needs no shift by the largest logit below this size: eight weights stay normal floats, and
/// so does their sum.
constexpr float kModerate = 80.0F;

/// Weights of a tile, first its logits; cells behind the last row are scratch.
using Weights = std::array<float, (kTile * kSlots) + (2 * kChunk)>;

/// All ones for the slots below a count, else 0.
constexpr auto kUsed = [] {
  std::array<std::array<std::uint32_t, kSlots>, kSlots + 1> used{};
  for (std::size_t count = 0; count <= kSlots; ++count) {
    for (std::size_t i = 0; i < count; ++i) used[count][i] = ~std::uint32_t{0};
  }
  return used;
}();

/// Write the logits of up to kSlots legal actions behind each other, and up to kChunk - 1 other
/// cells behind them.
void gather(const float* logits, const ActionMask& legal, float* out) {
  for (const std::uint64_t word : legal.words) {
    const auto count = static_cast<std::size_t>(std::popcount(word));
    std::uint64_t bits = word;
    for (std::size_t done = 0; done < count; done += kChunk) {
      for (std::size_t i = 0; i < kChunk; ++i) {
        out[done + i] = logits[std::countr_zero(bits)];
        const std::uint64_t rest = bits & (bits - 1);
        // behind the last one it comes again, which is at hand; no branch
        bits = rest | (bits & (std::uint64_t{rest != 0} - 1));
      }
    }
    out += count;
    logits += 64;
  }
}

/// e^x in place with a relative error below 2^-23; NaN for x that is not moderate.
void exponentiate(Weights& x) {
  constexpr auto kLog2E = std::numbers::log2e_v<float>;
  constexpr float kLn2High = 355.0F / 512.0F;  // ln(2) in nine bits, and the rest
  constexpr auto kLn2Low = static_cast<float>(std::numbers::ln2 - double{kLn2High});
  constexpr float kRound = 12582912.0F;  // 1.5 * 2^23: adding it leaves an integer in the low bits
  for (float& cell : x) {
    const float shifted = (cell * kLog2E) + kRound;
    const float whole = shifted - kRound;
    const float r = (cell - (whole * kLn2High)) - (whole * kLn2Low);  // |r| <= ln(2) / 2
    float p = 1.0F / 5040.0F;
    for (const float term :
         {1.0F / 720.0F, 1.0F / 120.0F, 1.0F / 24.0F, 1.0F / 6.0F, 0.5F, 1.0F, 1.0F}) {
      p = (p * r) + term;
    }
    const std::uint32_t exponent = std::bit_cast<std::uint32_t>(shifted) << 23;
    const auto power = std::bit_cast<float>(std::bit_cast<std::uint32_t>(p) + exponent);
    cell = std::abs(cell) <= kModerate ? power : std::numeric_limits<float>::quiet_NaN();
  }
}

/// Number of the legal action at which the sum of the weights passes `part` of the whole; -1: there
/// are no weights, or NaN among them.
int passed_at(const float* weights, std::size_t count, double part) {
  std::array<double, kSlots> sums;
  double sum = 0.0;
  for (std::size_t i = 0; i < kSlots; ++i) {
    const auto bits = std::bit_cast<std::uint32_t>(weights[i]) & kUsed[count][i];
    sum += static_cast<double>(std::bit_cast<float>(bits));
    sums[i] = sum;
  }
  if (!(sum > 0.0)) return -1;
  const double threshold = part * sum;
  int number = 0;
  for (const double below : sums) number += static_cast<int>(below <= threshold);
  return std::min(number, static_cast<int>(count) - 1);  // rounding may leave a rest
}

/// Any number of actions and any logits; -1: there is none to draw.
std::int32_t draw_any(const float* logits, const ActionMask& legal, double part) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array<double, kActions> weights;
  const int count = legal.count();
  double most = -kInfinity;
  bool wrong = false;
  for (int n = 0; n < count; ++n) {
    const auto logit = static_cast<double>(logits[legal.nth(n)]);
    wrong = wrong || !(logit < kInfinity);  // NaN too
    most = std::max(most, logit);
    weights[static_cast<std::size_t>(n)] = logit;
  }
  if (wrong || most == -kInfinity) return -1;
  const std::span used = std::span(weights).first(static_cast<std::size_t>(count));
  double sum = 0.0;
  for (double& weight : used) sum += weight = std::exp(weight - most);
  double rest = part * sum;
  int last = 0;  // rounding may leave a rest behind the last one that has a weight
  for (int n = 0; n < count; ++n) {
    const double weight = used[static_cast<std::size_t>(n)];
    if (weight <= 0.0) continue;
    last = n;
    rest -= weight;
    if (rest < 0.0) break;
  }
  return legal.nth(last);
}

/// Read what the next tile will gather, as far as its first and last legal actions tell where.
void prefetch(const float* logits, const ActionMask& legal) {
  for (std::size_t word = 0; word < 2; ++word) {
    const std::uint64_t bits = legal.words[word];
    if (bits == 0) continue;
    const float* first = logits + (64 * word);
    __builtin_prefetch(first + std::countr_zero(bits));
    __builtin_prefetch(first + (63 - std::countl_zero(bits)));
  }
}

}  // namespace

std::size_t sample_legal(std::span<const float> logits, std::span<const std::uint64_t> legal,
                         std::uint64_t seed, std::span<std::int32_t> actions) {
  const std::size_t rows = actions.size();
  if (logits.size() != rows * kActions || legal.size() != 2 * rows) {
    refuse(
        fmt::format("{} actions, {} logits and {} words of masks, allowed: {} logits and 2 words "
                    "for each action",
                    rows, logits.size(), legal.size(), kActions));
  }
  const std::uint64_t key = stream_key(mix64(seed), RngStream::kPolicy);
  const auto mask = [&](std::size_t row) {
    return ActionMask{{legal[2 * row], legal[(2 * row) + 1]}};
  };
  const auto row_logits = [&](std::size_t row) { return logits.data() + (row * kActions); };
  Weights weights{};
  std::array<std::size_t, kTile> counts{};
  for (std::size_t begin = 0; begin < rows; begin += kTile) {
    const std::size_t size = std::min(kTile, rows - begin);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t ahead = std::min(begin + i + kTile, rows - 1);
      prefetch(row_logits(ahead), mask(ahead));
      const ActionMask one = mask(begin + i);
      counts[i] = static_cast<std::size_t>(one.count());
      if (counts[i] > kSlots) [[unlikely]] {
        counts[i] = 0;
        continue;
      }
      gather(row_logits(begin + i), one, &weights[i * kSlots]);
    }
    exponentiate(weights);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t row = begin + i;
      const double part = unit_interval(draw_of(key, row));
      const int number = passed_at(&weights[i * kSlots], counts[i], part);
      if (number >= 0) [[likely]] {
        actions[row] = mask(row).nth(number);
        continue;
      }
      actions[row] = draw_any(row_logits(row), mask(row), part);
      if (actions[row] < 0) return row;
    }
  }
  return rows;
}

}  // namespace schafkopf
