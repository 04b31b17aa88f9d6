// What a run takes at least, asked before anything is taken: a machine that kills is worse than an
// error.
#pragma once

#include <cstdint>

#include "training/config/config.h"

namespace schafkopf {

/// Bytes of this process at least: weights and what is kept for each of them while they are learned,
/// and the decisions of an update, few of them per game.
[[nodiscard]] std::uint64_t least_bytes(const TrainConfig& config);

/// Throws NotEnoughMemory with the keys that ask for more than there is.
void check_memory(const TrainConfig& config);

}  // namespace schafkopf
