// Weights of networks in one file that C++, LibTorch and Python read: safetensors, float32 or
// float16 (F16), which is read as float32.
// This header reads and writes the container; what the tensors mean stands in
// agents/network/network.h.
//
// Bytes: little-endian uint64 length of the header; the header, a JSON object {name: {"dtype",
// "shape", "data_offsets"}} with "__metadata__" = {string: string}; then the tensor data, row-major
// and without gaps. "__metadata__" holds "checksum", 16 hex digits over everything else in the
// file: names, shapes, data and metadata in the order of the names, not the way they are laid out.
// A file of another program has none and is read without, as are ours of kUnsummedFormat; every
// later format of ours must have one, so that no damage hides it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace schafkopf {

/// "format" in the metadata of our files from before there were checksums, and of files that other
/// programs make for this one.
inline constexpr std::string_view kUnsummedFormat = "schafkopf-network-1";

/// A row-major float32 array.
struct Tensor {
  std::vector<std::int64_t> shape;  // empty = one number
  std::vector<float> data;          // product of shape
};

/// Content of a weights file.
///
/// The checksum is no part of it: it is checked when a file is read and made when it is written.
///
/// Metadata of a network (all strings): format, observation_version, action_version, view_version,
/// cards, input_sections, architecture, value_scale (by network_metadata in
/// agents/network/network.h) and rules_name, rules_hash (16 hex digits), training_step (decisions),
/// git_commit, critic.oracle
/// ("0" or "1", if there are tensors "critic.*").
struct WeightsFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;
};

/// How numbers are stored. Half precision keeps 11 binary digits and numbers up to 65,504, at half
/// the size: enough for players, not for going on with training.
enum class WeightsPrecision : std::uint8_t { kSingle, kHalf };

/// Names of the weights that come with the program, as read_weights takes them: "baseline".
[[nodiscard]] std::vector<std::string> shipped_weights();

/// Read a file, or weights that come with the program by their name; a file of the same name is
/// "./NAME".
///
/// Raises std::runtime_error if it cannot be read; std::invalid_argument if it is no safetensors
/// file, is truncated, does not fit its checksum, holds another dtype than F32 and F16, or a weight
/// is NaN or infinite. Messages begin with the path. No more memory is asked for than the file has bytes.
[[nodiscard]] WeightsFile read_weights(const std::string& path);

/// How the averaged weights of a checkpoint are called: this and the name of the weights.
inline constexpr std::string_view kAveragedBegin = "average.";

/// As read_weights; a checkpoint with averaged weights has them in the place of those of the moment:
/// they are what plays, as in the model.safetensors beside it.
[[nodiscard]] WeightsFile read_player_weights(const std::string& path);

/// The checksum that a file of these weights has: 16 hex digits over metadata and numbers.
[[nodiscard]] std::string weights_checksum(const WeightsFile& weights);

/// Write a file; either all of it or, with std::runtime_error (path and cause), nothing: an older
/// file of this name stays as it was. Raises std::invalid_argument for a tensor whose data does not
/// fit its shape or is not finite, at half precision also for a number beyond its range.
void write_weights(const std::string& path, const WeightsFile& weights,
                   WeightsPrecision precision = WeightsPrecision::kSingle);

}  // namespace schafkopf
