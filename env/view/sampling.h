// Legal actions drawn from logits, with the probabilities of a softmax over the legal ones. For
// networks outside of the engine; players inside give probabilities (policy.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "env/cards/action.h"

namespace schafkopf {

/// Draw an action for every row.
///
/// logits   float [N, 128]; those of illegal actions are not used
/// legal    words of the masks [N, 2]: ActionMask::words
/// seed     row i gets a draw that depends on seed and i only
/// actions  int32 [N], N rows
/// Returns the first row without an action to draw, with the rows behind it undefined, or N: a row
/// needs a legal action, logits of legal ones below infinity, no NaN and not all of them -infinity.
[[nodiscard]] std::size_t sample_legal(std::span<const float> logits,
                                       std::span<const std::uint64_t> legal, std::uint64_t seed,
                                       std::span<std::int32_t> actions);

}  // namespace schafkopf
