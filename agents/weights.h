// Weights of networks in one file that C++, LibTorch and Python read: safetensors, float32.
// This header reads and writes the container; what the tensors mean stands in agents/network.h.
//
// Bytes: little-endian uint64 length of the header; the header, a JSON object {name: {"dtype",
// "shape", "data_offsets"}} with "__metadata__" = {string: string}; then the tensor data, row-major
// and without gaps.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace schafkopf {

/// A row-major float32 array.
struct Tensor {
  std::vector<std::int64_t> shape;  // empty = one number
  std::vector<float> data;          // product of shape
};

/// Content of a weights file.
///
/// Metadata of a network (all strings): format, observation_version, action_version, view_version,
/// cards, input_sections, architecture, value_scale (by network_metadata in agents/network.h) and
/// rules_name, rules_hash (16 hex digits), training_step (decisions), git_commit, critic.oracle
/// ("0" or "1", if there are tensors "critic.*").
struct WeightsFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// Read a file.
///
/// Raises std::runtime_error if it cannot be read; std::invalid_argument if it is no safetensors
/// file, is truncated, holds another dtype than F32, or a weight is NaN or infinite. Messages begin
/// with the path.
[[nodiscard]] WeightsFile read_weights(const std::string& path);

/// Write a file; either all of it or, with std::runtime_error (path and cause), nothing: an older
/// file of this name stays as it was. Raises std::invalid_argument for a tensor whose data does not
/// fit its shape or is not finite.
void write_weights(const std::string& path, const WeightsFile& weights);

/// Replace a file: a temporary file in the same folder, fsync, rename. On an error (disk full, no
/// rights, no such folder) the old file stays and std::runtime_error names path and cause. Used for
/// every file that a killed run must find whole, checkpoints included.
void write_file_atomically(const std::string& path, std::string_view bytes);

}  // namespace schafkopf
