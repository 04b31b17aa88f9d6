// A player that is a policy network: "net:path" in the registry.
#pragma once

#include <memory>
#include <string>

#include "agents/network/network.h"
#include "env/view/policy.h"

namespace schafkopf {

/// Player of a weights file.
///
/// greedy  the most probable action (probabilities are then one-hot; the lowest id of equals), as
///         tournaments measure; else actions are drawn from the masked softmax. The registry's
///         default is greedy.
/// Raises as read_weights and read_network_shape do: std::runtime_error if the file cannot be read,
/// std::invalid_argument if it is damaged or of another version or architecture; the message names
/// path, what was found and what is needed.
[[nodiscard]] std::unique_ptr<BatchPolicy> make_net_agent(const std::string& path, bool greedy);
/// Registry string of the player of a file; it never means weights that come with the program.
[[nodiscard]] std::string net_player(const std::string& file);

/// Player of a network that is already there; `name` is what BatchPolicy::name() returns. policy()
/// raises std::runtime_error if the network's logits are no numbers (masked_softmax).
[[nodiscard]] std::unique_ptr<BatchPolicy> make_net_agent(std::unique_ptr<PolicyNetwork> network,
                                                          std::string name, bool greedy);

}  // namespace schafkopf
