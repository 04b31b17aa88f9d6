// Weights of small networks, drawn at random.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "agents/network/network.h"
#include "agents/network/weights.h"
#include "env/base/random.h"

namespace schafkopf::test {

inline Tensor random_tensor(Rng& rng, std::vector<std::int64_t> shape) {
  Tensor tensor{std::move(shape), {}};
  std::int64_t count = 1;
  for (const std::int64_t length : tensor.shape) count *= length;
  for (std::int64_t i = 0; i < count; ++i) {
    tensor.data.push_back(static_cast<float>(0.2 * rng.next_unit() - 0.1));
  }
  return tensor;
}

inline void add_layer(WeightsFile& weights, Rng& rng, const std::string& name, int outputs,
                      int inputs) {
  weights.tensors[name + ".weight"] = random_tensor(rng, {outputs, inputs});
  weights.tensors[name + ".bias"] = random_tensor(rng, {outputs});
}

/// Normalisations of a residual trunk; nothing for another.
inline void add_norms(WeightsFile& weights, Rng& rng, const std::string& trunk,
                      const NetworkShape& shape, int width) {
  for (const std::string& name : norm_names(shape)) {
    weights.tensors[trunk + name + ".weight"] = random_tensor(rng, {width});
    weights.tensors[trunk + name + ".bias"] = random_tensor(rng, {width});
    for (float& scale : weights.tensors[trunk + name + ".weight"].data) scale += 1.0F;
  }
}

inline WeightsFile random_weights(const NetworkShape& shape, std::uint64_t seed = 1) {
  Rng rng(seed);
  WeightsFile weights{{}, network_metadata(shape)};
  for (int layer = 0; layer < shape.linears(); ++layer) {
    add_layer(weights, rng, "trunk." + std::to_string(layer), shape.width,
              layer == 0 ? shape.inputs : shape.width);
  }
  add_norms(weights, rng, "trunk.", shape, shape.width);
  add_layer(weights, rng, "policy", kNumActions, shape.width);
  add_layer(weights, rng, "value", 1, shape.width);
  return weights;
}

/// A trunk of its own for the values, which reads hidden hands or not.
inline void add_critic(WeightsFile& weights, const NetworkShape& shape, bool oracle) {
  Rng rng(77);
  const int last = shape.trunk == TrunkKind::kResidual ? 24 : 17;
  add_layer(weights, rng, "critic.trunk.0", 24, shape.inputs + (oracle ? kOracleInputs : 0));
  for (int layer = 1; layer < std::max(2, shape.linears()); ++layer) {
    add_layer(weights, rng, "critic.trunk." + std::to_string(layer), last, layer == 1 ? 24 : last);
  }
  add_norms(weights, rng, "critic.trunk.", shape, last);
  add_layer(weights, rng, "critic.value", 1, last);
  weights.metadata["critic.oracle"] = oracle ? "1" : "0";
}

}  // namespace schafkopf::test
