// Players that are other programs, in the settings that a checkpoint holds, and paths, in those of a
// file: one that may come from elsewhere starts nothing and leads nowhere unasked.
#pragma once

#include <span>
#include <string>

#include "training/config/config.h"

namespace schafkopf {

/// Throws std::invalid_argument for a key of a checkpoint whose player is `engine:COMMAND`, unless
/// it is said again.
///
/// kept      settings of the checkpoint;  run_dir  its folder, for the message
/// settings  "key=value", and keys, that were given besides
void refuse_programs(const TrainConfig& kept, const std::string& run_dir,
                     std::span<const std::string> settings);

/// Throws std::invalid_argument for a path of a training file that leads elsewhere
/// (agents/work/named_files.h).
///
/// file      the training file
/// settings  "key=value", and keys, that were given besides
void refuse_paths_elsewhere(const TrainConfig& config, const std::string& file,
                            std::span<const std::string> settings);

}  // namespace schafkopf
