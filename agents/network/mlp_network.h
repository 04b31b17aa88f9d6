// An MLP for inference: one thread, no torch. Weights as in agents/network/network.h.
#pragma once

#include <memory>
#include <string>

#include "agents/network/network.h"
#include "agents/network/weights.h"

namespace schafkopf {

/// Check the weights and make a network of them.
///
/// path  names the weights in messages
/// Raises std::invalid_argument as read_network_shape does, also for a critic that does not fit.
[[nodiscard]] std::unique_ptr<PolicyNetwork> make_mlp_network(const WeightsFile& weights,
                                                              const std::string& path);

/// The critic of these weights: the one with a trunk of its own, hidden hands included if it read
/// them in training, else the value head. Raises as make_mlp_network, and if there is neither.
[[nodiscard]] std::unique_ptr<CriticNetwork> make_mlp_critic(const WeightsFile& weights,
                                                             const std::string& path);

}  // namespace schafkopf
