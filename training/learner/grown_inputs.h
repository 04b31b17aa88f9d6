// Weights of a network that reads fewer sections, for one that reads more: its first layers with
// zeros for what is new, so that it begins as the same function.
#pragma once

#include <map>
#include <string>

#include "agents/network/network.h"
#include "agents/network/weights.h"

namespace schafkopf {

/// Whether `to` differs from `from` in nothing but sections that it reads besides: the same
/// architecture, and every section of `from` with the same name, length and meaning.
[[nodiscard]] bool reads_more(const NetworkShape& from, const NetworkShape& to);

/// tensors  of a network of the shape `from`, its critic's with them; columns behind the inputs
///          (an oracle's) stay behind them
/// Requires reads_more(from, to).
[[nodiscard]] std::map<std::string, Tensor> with_inputs(std::map<std::string, Tensor> tensors,
                                                        const NetworkShape& from,
                                                        const NetworkShape& to);

}  // namespace schafkopf
