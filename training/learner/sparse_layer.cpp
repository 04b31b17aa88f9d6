#include "training/learner/sparse_layer.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "env/base/assert.h"

namespace schafkopf {
namespace {

/// Sixteen columns; the compiler splits them where registers are narrower.
using Columns = float __attribute__((vector_size(64), aligned(4), may_alias));
constexpr std::size_t kColumns = 16;
/// Vectors that one pass keeps in registers.
constexpr std::size_t kVectors = 4;
constexpr std::size_t kBlock = kVectors * kColumns;

/// Add value * from to sums, for a block of columns.
inline void add_scaled(float* __restrict sums, const float* __restrict from, float value,
                       std::size_t count) {
  for (std::size_t j = 0; j < count; ++j) sums[j] += value * from[j];
}

}  // namespace

void SparseRows::clear() {
  ends.clear();
  indices.clear();
  values.clear();
}

void SparseRows::begin_row() { ends.push_back(static_cast<std::uint32_t>(indices.size())); }

void SparseRows::copy_row(const SparseRows& from, std::size_t row) {
  const auto begin = static_cast<std::ptrdiff_t>(row == 0 ? 0 : from.ends[row - 1]);
  const auto end = static_cast<std::ptrdiff_t>(from.ends[row]);
  indices.insert(indices.end(), from.indices.begin() + begin, from.indices.begin() + end);
  values.insert(values.end(), from.values.begin() + begin, from.values.begin() + end);
  begin_row();
}

void SparseRows::add(std::span<const std::uint8_t> bytes, std::span<const float> scales,
                     int first) {
  static_assert(std::endian::native == std::endian::little);
  for (std::size_t begin = 0; begin < bytes.size(); begin += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + begin, std::min<std::size_t>(8, bytes.size() - begin));
    while (word != 0) {
      const int byte = std::countr_zero(word) / 8;
      const std::size_t index = begin + static_cast<std::size_t>(byte);
      indices.push_back(static_cast<std::uint16_t>(static_cast<std::size_t>(first) + index));
      values.push_back(static_cast<float>(bytes[index]) * scales[index]);
      word &= ~(std::uint64_t{0xFF} << (8 * byte));
    }
  }
  ends.back() = static_cast<std::uint32_t>(indices.size());
}

void SparseRows::add(std::span<const float> inputs, int first) {
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == 0.0F) continue;
    indices.push_back(static_cast<std::uint16_t>(static_cast<std::size_t>(first) + i));
    values.push_back(inputs[i]);
  }
  ends.back() = static_cast<std::uint32_t>(indices.size());
}

SparseLayer::SparseLayer(int inputs, int width)
    : inputs_(static_cast<std::size_t>(inputs)),
      width_(static_cast<std::size_t>(width)),
      by_input_(inputs_ * width_),
      bias_(width_) {}

void SparseLayer::load(const float* weights, const float* bias) {
  for (std::size_t i = 0; i < inputs_; ++i) {
    for (std::size_t j = 0; j < width_; ++j) by_input_[i * width_ + j] = weights[j * inputs_ + i];
  }
  std::copy_n(bias, width_, bias_.begin());
}

void SparseLayer::forward(const SparseRows& rows, float* sums) const {
  std::size_t begin = 0;
  for (std::size_t row = 0; row < rows.size(); ++row, sums += width_) {
    const std::size_t end = rows.ends[row];
    std::size_t block = 0;
    for (; block + kBlock <= width_; block += kBlock) {
      Columns sum[kVectors];
      std::memcpy(sum, bias_.data() + block, sizeof(sum));
      for (std::size_t k = begin; k < end; ++k) {
        const auto* from =
            reinterpret_cast<const Columns*>(&by_input_[rows.indices[k] * width_ + block]);
        for (std::size_t v = 0; v < kVectors; ++v) sum[v] += rows.values[k] * from[v];
      }
      std::memcpy(sums + block, sum, sizeof(sum));
    }
    std::copy(bias_.begin() + static_cast<std::ptrdiff_t>(block), bias_.end(), sums + block);
    for (std::size_t k = begin; k < end; ++k) {
      add_scaled(sums + block, by_input_.data() + rows.indices[k] * width_ + block, rows.values[k],
                 width_ - block);
    }
    begin = end;
  }
}

std::vector<float> SparseLayer::make_gradient() const {
  return std::vector<float>((inputs_ + 1) * width_);
}

void SparseLayer::backward(const SparseRows& rows, const float* sums_grad,
                           std::vector<float>& gradient) const {
  SCHAFKOPF_ASSERT(gradient.size() == (inputs_ + 1) * width_);
  std::size_t begin = 0;
  for (std::size_t row = 0; row < rows.size(); ++row, sums_grad += width_) {
    const std::size_t end = rows.ends[row];
    for (std::size_t k = begin; k < end; ++k) {
      add_scaled(&gradient[rows.indices[k] * width_], sums_grad, rows.values[k], width_);
    }
    add_scaled(&gradient[inputs_ * width_], sums_grad, 1.0F, width_);
    begin = end;
  }
}

void SparseLayer::move_gradient(std::vector<float>& gradient, float* weights_grad,
                                float* bias_grad) const {
  for (std::size_t j = 0; j < width_; ++j) {
    for (std::size_t i = 0; i < inputs_; ++i) {
      weights_grad[j * inputs_ + i] += gradient[i * width_ + j];
    }
    bias_grad[j] += gradient[inputs_ * width_ + j];
  }
  std::ranges::fill(gradient, 0.0F);
}

}  // namespace schafkopf
