// A linear layer on rows that are mostly zero (about 70 of 544 inputs are set): only the columns of
// the set inputs are read and their gradients written. CPU, one thread, no tensor library.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace schafkopf {

/// Rows as lists of their non-zero inputs.
struct SparseRows {
  std::vector<std::uint32_t> ends;     // of each row in `indices`
  std::vector<std::uint16_t> indices;  // ascending in each row
  std::vector<float> values;

  void clear();
  [[nodiscard]] std::size_t size() const { return ends.size(); }
  /// Start an empty row.
  void begin_row();
  /// Start a row with the inputs of another one.
  void copy_row(const SparseRows& from, std::size_t row);
  /// Append inputs to the last row, numbered from `first`: bytes[i] * scales[i].
  void add(std::span<const std::uint8_t> bytes, std::span<const float> scales, int first);
  void add(std::span<const float> inputs, int first);
};

/// y = W x + b with W stored by input.
class SparseLayer {
 public:
  SparseLayer(int inputs, int width);

  /// Take over weights [width, inputs] and bias [width].
  void load(const float* weights, const float* bias);
  /// sums [rows, width]
  void forward(const SparseRows& rows, float* sums) const;

  /// Gradient of one user of the layer: [inputs + 1, width], the last row is that of the bias.
  [[nodiscard]] std::vector<float> make_gradient() const;
  /// Add the gradient of rows; sums_grad [rows, width].
  void backward(const SparseRows& rows, const float* sums_grad, std::vector<float>& gradient) const;
  /// Add a gradient to weights_grad [width, inputs] and bias_grad [width], and set it to zero.
  void move_gradient(std::vector<float>& gradient, float* weights_grad, float* bias_grad) const;

 private:
  std::size_t inputs_, width_;
  std::vector<float> by_input_, bias_;
};

}  // namespace schafkopf
