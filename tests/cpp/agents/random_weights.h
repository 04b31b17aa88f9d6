// Weights of small networks, drawn at random.
#pragma once

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

inline WeightsFile random_weights(const NetworkShape& shape, std::uint64_t seed = 1) {
  Rng rng(seed);
  WeightsFile weights{{}, network_metadata(shape)};
  for (int layer = 0; layer < shape.layers; ++layer) {
    add_layer(weights, rng, "trunk." + std::to_string(layer), shape.width,
              layer == 0 ? shape.inputs : shape.width);
  }
  add_layer(weights, rng, "policy", kNumActions, shape.width);
  add_layer(weights, rng, "value", 1, shape.width);
  return weights;
}

/// A trunk of its own for the values, which reads hidden hands or not.
inline void add_critic(WeightsFile& weights, const NetworkShape& shape, bool oracle) {
  Rng rng(77);
  add_layer(weights, rng, "critic.trunk.0", 24, shape.inputs + (oracle ? kOracleInputs : 0));
  add_layer(weights, rng, "critic.trunk.1", 17, 24);
  add_layer(weights, rng, "critic.value", 1, 17);
  weights.metadata["critic.oracle"] = oracle ? "1" : "0";
}

}  // namespace schafkopf::test
