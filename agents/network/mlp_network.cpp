#include "agents/network/mlp_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "agents/network/mlp_kernels.h"
#include "env/base/assert.h"
#include "env/base/refuse.h"
#include "env/view/encoder.h"

namespace schafkopf {
namespace {

using mlp::Activation;
using mlp::kBlock;
using mlp::kStrip;
using mlp::Layer;
using mlp::Rows;

/// Rows that pass through the layers together: their activations stay in the second cache.
constexpr std::size_t kTile = 16 * kBlock;
/// The first layer skips inputs that are 0 if at most one in this many is not (measured).
constexpr std::size_t kSparse = 3;

/// A normalisation of all units: shift + scale * (h - mean) / deviation; padded with zeros.
struct Norm {
  std::vector<float> scale, shift;
};

struct Mlp {
  std::vector<Layer> trunk;
  std::vector<Norm> norms;  // of a residual trunk: before each further layer and before the heads
  std::optional<Layer> policy;
  std::vector<float> value;  // weights, padded like the outputs of the trunk; empty = no head
  float value_bias = 0.0F;
};

/// A trunk of its own for the values.
struct CriticMlp {
  Mlp mlp;
  bool oracle = false;  // reads hidden hands too
};

/// What all clones share.
struct Model {
  NetworkShape shape;
  Mlp actor;
  std::optional<CriticMlp> critic;

  /// The critic that needs no hidden hands, or the head of the actor; null = no values.
  [[nodiscard]] const Mlp* open_values() const {
    if (critic && !critic->oracle) return &critic->mlp;
    return actor.value.empty() ? nullptr : &actor;
  }
};

// ---- weights -----------------------------------------------------------------------------------

const Tensor& tensor_of(const WeightsFile& weights, const std::string& path,
                        const std::string& name) {
  const auto found = weights.tensors.find(name);
  if (found == weights.tensors.end())
    refuse_file(path, fmt::format("tensor '{}' is missing", name));
  return found->second;
}

/// Layer `name` with `inputs` columns and, unless it is 0, `outputs` rows.
Layer read_layer(const WeightsFile& weights, const std::string& path, const std::string& name,
                 std::size_t inputs, std::size_t outputs) {
  const Tensor& weight = tensor_of(weights, path, name + ".weight");
  const Tensor& bias = tensor_of(weights, path, name + ".bias");
  if (outputs == 0 && !weight.shape.empty()) outputs = static_cast<std::size_t>(weight.shape[0]);
  const std::vector<std::int64_t> needed = {static_cast<std::int64_t>(outputs),
                                            static_cast<std::int64_t>(inputs)};
  if (outputs == 0 || weight.shape != needed || bias.shape != std::vector{needed[0]}) {
    refuse_file(path,
                fmt::format("tensors '{}.weight' [{}] and '{}.bias' [{}]: the network needs [{}] "
                            "and [{}]",
                            name, fmt::join(weight.shape, ", "), name, fmt::join(bias.shape, ", "),
                            fmt::join(needed, ", "), outputs));
  }
  Layer layer{inputs, outputs, {}, std::vector<mlp::Strip>((outputs + kStrip - 1) / kStrip)};
  layer.weight.resize(layer.bias.size() * inputs);
  for (std::size_t out = 0; out < outputs; ++out) {
    const std::size_t strip = out / kStrip, lane = out % kStrip;
    layer.bias[strip].lane[lane] = bias.data[out];
    for (std::size_t i = 0; i < inputs; ++i) {
      layer.weight[strip * inputs + i].lane[lane] = weight.data[out * inputs + i];
    }
  }
  return layer;
}

void read_value_head(const WeightsFile& weights, const std::string& path, const std::string& name,
                     Mlp& mlp) {
  const std::size_t width = mlp.trunk.back().outputs;
  const Layer head = read_layer(weights, path, name, width, 1);
  mlp.value.assign(mlp.trunk.back().padded_outputs(), 0.0F);
  for (std::size_t i = 0; i < width; ++i) mlp.value[i] = head.weight[i].lane[0];
  mlp.value_bias = head.bias[0].lane[0];
}

Norm read_norm(const WeightsFile& weights, const std::string& path, const std::string& name,
               const Layer& first) {
  const auto padded = [&](const std::string& part) {
    const Tensor& tensor = tensor_of(weights, path, name + part);
    if (tensor.shape != std::vector{static_cast<std::int64_t>(first.outputs)}) {
      refuse_file(path, fmt::format("tensor '{}{}' has the shape [{}], the network needs [{}]",
                                    name, part, fmt::join(tensor.shape, ", "), first.outputs));
    }
    std::vector<float> values = tensor.data;
    values.resize(first.padded_outputs());
    return values;
  };
  return {padded(".weight"), padded(".bias")};
}

void read_norms(const WeightsFile& weights, const std::string& path, const std::string& trunk,
                std::size_t blocks, Mlp& mlp) {
  for (std::size_t block = 1; block <= blocks; ++block) {
    mlp.norms.push_back(
        read_norm(weights, path, fmt::format("{}.norm{}", trunk, block), mlp.trunk.front()));
  }
  mlp.norms.push_back(read_norm(weights, path, trunk + ".norm", mlp.trunk.front()));
}

Mlp read_actor(const WeightsFile& weights, const std::string& path, const NetworkShape& shape) {
  Mlp mlp;
  const auto width = static_cast<std::size_t>(shape.width);
  auto columns = static_cast<std::size_t>(shape.inputs);
  for (int layer = 0; layer < shape.linears(); ++layer) {
    mlp.trunk.push_back(read_layer(weights, path, fmt::format("trunk.{}", layer), columns, width));
    columns = width;
  }
  if (shape.trunk == TrunkKind::kResidual) {
    read_norms(weights, path, "trunk", mlp.trunk.size() - 1, mlp);
  }
  mlp.policy = read_layer(weights, path, "policy", columns, kNumActions);
  if (weights.tensors.contains("value.weight")) read_value_head(weights, path, "value", mlp);
  return mlp;
}

std::optional<CriticMlp> read_critic(const WeightsFile& weights, const std::string& path,
                                     const NetworkShape& shape) {
  if (!weights.tensors.contains("critic.trunk.0.weight")) return std::nullopt;
  const auto oracle = weights.metadata.find("critic.oracle");
  if (oracle == weights.metadata.end() || (oracle->second != "0" && oracle->second != "1")) {
    refuse_file(path, "there is a critic, but metadata 'critic.oracle' is neither '0' nor '1'");
  }
  CriticMlp critic{{}, oracle->second == "1"};
  std::vector<Layer>& trunk = critic.mlp.trunk;
  const int inputs = shape.inputs + (critic.oracle ? kOracleInputs : 0);
  auto columns = static_cast<std::size_t>(inputs);
  for (int layer = 0;; ++layer) {
    const std::string name = fmt::format("critic.trunk.{}", layer);
    if (!weights.tensors.contains(name + ".weight")) break;
    trunk.push_back(read_layer(weights, path, name, columns, 0));
    columns = trunk.back().outputs;
  }
  if (shape.trunk == TrunkKind::kResidual) {
    for (const Layer& layer : trunk) {
      if (layer.outputs == trunk.front().outputs) continue;
      refuse_file(path, fmt::format("the critic is residual, its layers have {} and {} units, "
                                    "allowed: one width",
                                    trunk.front().outputs, layer.outputs));
    }
    read_norms(weights, path, "critic.trunk", trunk.size() - 1, critic.mlp);
  }
  read_value_head(weights, path, "critic.value", critic.mlp);
  return critic;
}

// ---- inference ---------------------------------------------------------------------------------

template <Activation kActivation>
void dense_layer(const Layer& layer, const Rows& inputs, float* out, std::size_t out_stride) {
  for (std::size_t strip = 0; strip < layer.bias.size(); ++strip) {
    const mlp::Strip* weight = layer.weight.data() + strip * layer.inputs;
    const mlp::Strip& bias = layer.bias[strip];
    std::size_t row = 0;
    const auto block = [&]<std::size_t kRows>() {
      for (; row + kRows <= inputs.count; row += kRows) {
        const Rows rows{inputs.row(row), inputs.stride, kRows};
        mlp::dense_block<kRows, kActivation>(weight, bias, rows, layer.inputs,
                                             out + row * out_stride + strip * kStrip, out_stride);
      }
    };
    block.template operator()<kBlock>();
    block.template operator()<3>();
    block.template operator()<1>();
  }
}

/// The inputs that are not 0, row by row.
class NonZeros {
 public:
  /// Stops, and is then no longer of use, when more than `limit` are found.
  bool collect(const Rows& inputs, std::size_t columns, std::size_t limit) {
    entries_.resize(limit + columns);
    ends_.assign(1, 0);
    std::size_t end = 0;
    for (std::size_t row = 0; row < inputs.count; ++row) {
      const float* const input = inputs.row(row);
      for (std::size_t i = 0; i < columns; ++i) {
        entries_[end] = {i, input[i]};
        end += input[i] != 0.0F ? 1 : 0;
      }
      if (end >= limit) return false;
      ends_.push_back(end);
    }
    return true;
  }
  [[nodiscard]] std::span<const mlp::Entry> row(std::size_t row) const {
    return std::span(entries_).subspan(ends_[row], ends_[row + 1] - ends_[row]);
  }

 private:
  std::vector<mlp::Entry> entries_;
  std::vector<std::size_t> ends_;
};

template <Activation kActivation>
void sparse_layer(const Layer& layer, const NonZeros& inputs, std::size_t rows, float* out) {
  const std::size_t out_stride = layer.padded_outputs();
  for (std::size_t strip = 0; strip < layer.bias.size(); ++strip) {
    for (std::size_t row = 0; row < rows; ++row) {
      mlp::sparse_row<kActivation>(layer.weight.data() + strip * layer.inputs, layer.bias[strip],
                                   inputs.row(row), out + row * out_stride + strip * kStrip);
    }
  }
}

/// Sum of the lanes in their order.
float sum_of(mlp::Lanes lanes) {
  float sum = 0.0F;
  for (std::size_t lane = 0; lane < mlp::kLanes; ++lane) sum += lanes[lane];
  return sum;
}

/// out = relu(norm(h)) of one row; `width` units, the padding beyond them is 0 in h and in out.
void normalise(const Norm& norm, const float* hidden, std::size_t width, float* out) {
  const std::size_t padded = norm.scale.size();
  mlp::Lanes sums{}, squares{};
  for (std::size_t i = 0; i < padded; i += mlp::kLanes) sums += mlp::load(hidden + i);
  const auto count = static_cast<float>(width);
  const float mean = sum_of(sums) / count;
  for (std::size_t i = 0; i < padded; i += mlp::kLanes) {
    const mlp::Lanes off = mlp::load(hidden + i) - mean;
    squares += off * off;
  }
  // the padding stands at -mean
  const float outside = static_cast<float>(padded - width) * mean * mean;
  const float variance = std::max(0.0F, sum_of(squares) - outside) / count;
  const float factor = 1.0F / std::sqrt(variance + kNormEpsilon);
  for (std::size_t i = 0; i < padded; i += mlp::kLanes) {
    const mlp::Lanes off = (mlp::load(hidden + i) - mean) * factor;
    const mlp::Lanes value =
        mlp::load(norm.shift.data() + i) + mlp::load(norm.scale.data() + i) * off;
    mlp::store<Activation::kRelu>(value, out + i);
  }
}

/// bias + sum of weights * hidden, as kLanes sums that are then added in order.
float value_of(const Mlp& mlp, const float* hidden) {
  mlp::Lanes sums{};
  for (std::size_t i = 0; i < mlp.value.size(); i += mlp::kLanes) {
    sums += mlp::load(mlp.value.data() + i) * mlp::load(hidden + i);
  }
  float value = mlp.value_bias;
  for (std::size_t lane = 0; lane < mlp::kLanes; ++lane) value += sums[lane];
  return value;
}

/// Passes tiles of rows through trunks; keeps the scratch memory.
class TrunkRunner {
 public:
  /// Activations of the last layer of the trunk, valid until the next call; at most kTile rows.
  Rows run(const Mlp& mlp, const Rows& inputs) {
    if (!mlp.norms.empty()) return run_residual(mlp, inputs);
    Rows out = run_first<Activation::kRelu>(mlp.trunk.front(), inputs);
    for (std::size_t n = 1; n < mlp.trunk.size(); ++n) {
      const Layer& layer = mlp.trunk[n];
      next_.resize(kTile * layer.padded_outputs());
      dense_layer<Activation::kRelu>(layer, out, next_.data(), layer.padded_outputs());
      hidden_.swap(next_);
      out = {hidden_.data(), layer.padded_outputs(), inputs.count};
    }
    return out;
  }

 private:
  /// The layer that reads the inputs, into hidden_.
  template <Activation kActivation>
  Rows run_first(const Layer& first, const Rows& inputs) {
    hidden_.resize(kTile * first.padded_outputs());
    const Rows out{hidden_.data(), first.padded_outputs(), inputs.count};
    const std::size_t limit = inputs.count * first.inputs / kSparse;
    if (non_zeros_.collect(inputs, first.inputs, limit)) {
      sparse_layer<kActivation>(first, non_zeros_, inputs.count, hidden_.data());
    } else {
      dense_layer<kActivation>(first, inputs, hidden_.data(), out.stride);
    }
    return out;
  }

  Rows run_residual(const Mlp& mlp, const Rows& inputs) {
    const Rows hidden = run_first<Activation::kNone>(mlp.trunk.front(), inputs);
    const std::size_t width = mlp.trunk.front().outputs, stride = hidden.stride;
    next_.resize(kTile * stride);
    sums_.resize(kTile * stride);
    const Rows next{next_.data(), stride, inputs.count};
    const auto normalise_all = [&](const Norm& norm) {
      for (std::size_t row = 0; row < inputs.count; ++row) {
        normalise(norm, hidden.row(row), width, next_.data() + row * stride);
      }
    };
    for (std::size_t n = 1; n < mlp.trunk.size(); ++n) {
      normalise_all(mlp.norms[n - 1]);
      dense_layer<Activation::kNone>(mlp.trunk[n], next, sums_.data(), stride);
      for (std::size_t i = 0; i < inputs.count * stride; ++i) hidden_[i] += sums_[i];
    }
    normalise_all(mlp.norms.back());
    return next;
  }

  NonZeros non_zeros_;                       // of one tile
  std::vector<float> hidden_, next_, sums_;  // [kTile, padded width]
};

class MlpNetwork final : public PolicyNetwork {
 public:
  explicit MlpNetwork(std::shared_ptr<const Model> model) : model_(std::move(model)) {}

  [[nodiscard]] const NetworkShape& shape() const override { return model_->shape; }
  [[nodiscard]] std::unique_ptr<PolicyNetwork> clone() const override {
    return std::make_unique<MlpNetwork>(model_);
  }

  void forward_inputs(std::span<const float> inputs, std::span<float> logits,
                      std::span<float> values) override {
    const auto columns = static_cast<std::size_t>(shape().inputs);
    const std::size_t rows = inputs.size() / columns;
    SCHAFKOPF_ASSERT(inputs.size() == rows * columns);
    SCHAFKOPF_ASSERT(logits.size() == rows * kNumActions);
    SCHAFKOPF_ASSERT(values.empty() || values.size() == rows);
    for (std::size_t begin = 0; begin < rows; begin += kTile) {
      const Rows tile{inputs.data() + begin * columns, columns, std::min(kTile, rows - begin)};
      forward_tile(tile, logits.data() + begin * kNumActions,
                   values.empty() ? nullptr : values.data() + begin);
    }
  }

 private:
  void forward_tile(const Rows& inputs, float* logits, float* values) {
    const Rows hidden = runner_.run(model_->actor, inputs);
    dense_layer<Activation::kNone>(*model_->actor.policy, hidden, logits, kNumActions);
    if (values == nullptr) return;
    const Mlp* const critic = model_->open_values();
    if (critic == nullptr) {
      std::fill_n(values, inputs.count, std::numeric_limits<float>::quiet_NaN());
      return;
    }
    const Rows features = critic == &model_->actor ? hidden : runner_.run(*critic, inputs);
    for (std::size_t row = 0; row < inputs.count; ++row) {
      values[row] = value_of(*critic, features.row(row));
    }
  }

  std::shared_ptr<const Model> model_;
  TrunkRunner runner_;
};

class MlpCritic final : public CriticNetwork {
 public:
  explicit MlpCritic(std::shared_ptr<const Model> model)
      : model_(std::move(model)), gather_(model_->shape) {}

  [[nodiscard]] bool sees_hidden_hands() const override {
    return model_->critic && model_->critic->oracle;
  }
  [[nodiscard]] std::unique_ptr<CriticNetwork> clone() const override {
    return std::make_unique<MlpCritic>(model_);
  }

  void values(const ViewBatch& batch, std::span<float> values) override {
    SCHAFKOPF_ASSERT(values.size() == batch.size);
    SCHAFKOPF_ASSERT(batch.full != nullptr || !sees_hidden_hands() || batch.size == 0);
    const Mlp& mlp = model_->critic ? model_->critic->mlp : model_->actor;
    const std::size_t columns = mlp.trunk.front().inputs;
    const auto features = static_cast<std::size_t>(observation_size(model_->shape.observation));
    const auto own = static_cast<std::size_t>(gather_.size());
    for (std::size_t begin = 0; begin < batch.size; begin += kTile) {
      const ViewBatch tile = batch.slice(begin, std::min(kTile, batch.size - begin));
      rows_.resize(tile.size * features);
      inputs_.resize(tile.size * columns);
      expand(gather_.form(), tile, rows_);
      for (std::size_t i = 0; i < tile.size; ++i) {
        const std::span inputs = std::span(inputs_).subspan(i * columns, columns);
        gather_.gather(std::span(rows_).subspan(i * features, features), inputs.first(own));
        if (!sees_hidden_hands()) continue;
        expand_oracle(tile.full[i], tile.order[i].card_map,
                      inputs.subspan(own).first<kOracleInputs>());
      }
      const Rows hidden = runner_.run(mlp, {inputs_.data(), columns, tile.size});
      for (std::size_t i = 0; i < tile.size; ++i) {
        values[begin + i] = value_of(mlp, hidden.row(i)) * model_->shape.value_scale;
      }
    }
  }

 private:
  std::shared_ptr<const Model> model_;
  InputGather gather_;
  TrunkRunner runner_;
  std::vector<float> rows_, inputs_;  // one tile
};

std::shared_ptr<const Model> read_model(const WeightsFile& weights, const std::string& path) {
  auto model = std::make_shared<Model>();
  model->shape = read_network_shape(weights, path);
  model->actor = read_actor(weights, path, model->shape);
  model->critic = read_critic(weights, path, model->shape);
  return model;
}

}  // namespace

std::unique_ptr<PolicyNetwork> make_mlp_network(const WeightsFile& weights,
                                                const std::string& path) {
  return std::make_unique<MlpNetwork>(read_model(weights, path));
}

std::unique_ptr<CriticNetwork> make_mlp_critic(const WeightsFile& weights,
                                               const std::string& path) {
  auto model = read_model(weights, path);
  if (!model->critic && model->actor.value.empty()) {
    refuse_file(path, "there is no critic: neither tensors 'critic.*' nor 'value.weight'");
  }
  return std::make_unique<MlpCritic>(std::move(model));
}

}  // namespace schafkopf
