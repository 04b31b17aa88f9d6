// Layers of an MLP for one thread, on vectors of the widest kind that the target has. Every output
// is bias + w[0] x[0] + w[1] x[1] + ..., added in this order whatever the rows beside it and
// whichever of the two forms computes it, so results have the same bits in any batch.
//
// Written by hand because Eigen 3.4 reaches 0.7 of the FMA peak with these sizes, packs the weights
// anew in each call and orders its sums by the shapes of the factors; this reaches 0.9.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace schafkopf::mlp {

#if defined(__AVX512F__)
inline constexpr std::size_t kLanes = 16;
#elif defined(__AVX__)
inline constexpr std::size_t kLanes = 8;
#else
inline constexpr std::size_t kLanes = 4;
#endif
using Lanes [[gnu::vector_size(kLanes * sizeof(float))]] = float;

/// Outputs that are computed together: two vectors. With kBlock rows these are 12 sums, enough to
/// hide the latency of a multiply-add and few enough for 16 registers.
inline constexpr std::size_t kStrip = 2 * kLanes;
inline constexpr std::size_t kBlock = 6;

/// Weights of kStrip outputs for one input, or their biases.
struct alignas(64) Strip {
  float lane[kStrip] = {};
};

/// A layer cut into strips of outputs; outputs are padded with zeros to whole strips.
struct Layer {
  std::size_t inputs = 0, outputs = 0;
  std::vector<Strip> weight;  // [strips, inputs]
  std::vector<Strip> bias;    // [strips]

  [[nodiscard]] std::size_t padded_outputs() const { return bias.size() * kStrip; }
};

enum class Activation : std::uint8_t { kNone, kRelu };

/// Rows of numbers, `stride` apart.
struct Rows {
  const float* data = nullptr;
  std::size_t stride = 0, count = 0;

  [[nodiscard]] const float* row(std::size_t n) const { return data + n * stride; }
};

/// An input that is not 0.
struct Entry {
  std::size_t input = 0;
  float value = 0.0F;
};

inline Lanes load(const float* from) {
  Lanes lanes;
  std::memcpy(&lanes, from, sizeof lanes);
  return lanes;
}

template <Activation kActivation>
inline void store(Lanes lanes, float* to) {
  if constexpr (kActivation == Activation::kRelu) {
    const Lanes zero{};
    lanes = lanes > zero ? lanes : zero;
  }
  std::memcpy(to, &lanes, sizeof lanes);
}

/// One strip of outputs of kRows rows.
template <std::size_t kRows, Activation kActivation>
void dense_block(const Strip* weight, const Strip& bias, const Rows& inputs, std::size_t num_inputs,
                 float* out, std::size_t out_stride) {
  Lanes low[kRows], high[kRows];
#pragma GCC unroll 8
  for (std::size_t row = 0; row < kRows; ++row) {
    low[row] = load(bias.lane);
    high[row] = load(bias.lane + kLanes);
  }
  for (std::size_t i = 0; i < num_inputs; ++i) {
    const Lanes low_weight = load(weight[i].lane);
    const Lanes high_weight = load(weight[i].lane + kLanes);
#pragma GCC unroll 8
    for (std::size_t row = 0; row < kRows; ++row) {
      const float input = inputs.row(row)[i];
      low[row] += low_weight * input;
      high[row] += high_weight * input;
    }
  }
#pragma GCC unroll 8
  for (std::size_t row = 0; row < kRows; ++row) {
    store<kActivation>(low[row], out + row * out_stride);
    store<kActivation>(high[row], out + row * out_stride + kLanes);
  }
}

/// One strip of outputs of one row, from its inputs that are not 0 in their order.
template <Activation kActivation>
inline void sparse_row(const Strip* weight, const Strip& bias, std::span<const Entry> entries,
                       float* out) {
  Lanes low = load(bias.lane), high = load(bias.lane + kLanes);
  for (const Entry& entry : entries) {
    low += load(weight[entry.input].lane) * entry.value;
    high += load(weight[entry.input].lane + kLanes) * entry.value;
  }
  store<kActivation>(low, out);
  store<kActivation>(high, out + kLanes);
}

}  // namespace schafkopf::mlp
