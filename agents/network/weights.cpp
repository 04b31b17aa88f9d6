#include "agents/network/weights.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <Eigen/Core>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <limits>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

#include "agents/network/shipped.h"
#include "agents/work/atomic_file.h"
#include "env/base/checksum.h"
#include "env/base/input_limits.h"
#include "env/base/key_watch.h"
#include "env/base/nearest.h"
#include "env/base/path_text.h"
#include "env/base/refuse.h"

namespace schafkopf {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "tensor data are copied as they stand");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = kMaxJsonBytes;
constexpr std::string_view kMetadataKey = "__metadata__";
constexpr std::string_view kChecksumKey = "checksum";
constexpr std::string_view kOwnFormats = "schafkopf-";

// ---- checksum ----------------------------------------------------------------------------------

/// Of everything in a file, in the order of the names: another tool may order or pad it
/// differently.
std::string checksum_text(const std::map<std::string, std::string>& metadata,
                          const std::map<std::string, Tensor>& tensors) {
  std::uint64_t sum = metadata.size();
  const auto add = [&sum](std::string_view bytes) { sum = checksum_of(bytes, mix64(sum)); };
  for (const auto& [key, value] : metadata) {
    add(key);
    add(value);
  }
  const auto bytes_of = [](const auto& numbers) {
    return std::string_view(reinterpret_cast<const char*>(numbers.data()),
                            numbers.size() * sizeof numbers[0]);
  };
  for (const auto& [name, tensor] : tensors) {
    add(name);
    add(bytes_of(tensor.shape));
    add(bytes_of(tensor.data));
  }
  return fmt::format("{:016x}", sum);
}

/// Takes the checksum out of the metadata; nothing if a file of this format has none.
std::optional<std::string> take_checksum(const std::string& path, WeightsFile& weights) {
  if (auto stated = weights.metadata.extract(std::string(kChecksumKey))) {
    return std::move(stated.mapped());
  }
  const auto format = weights.metadata.find("format");
  if (format != weights.metadata.end() && format->second.starts_with(kOwnFormats) &&
      format->second != kUnsummedFormat) {
    refuse_file(path,
                fmt::format("damaged (no checksum, which the format '{}' has): restore it from a "
                            "copy",
                            quotable(format->second)));
  }
  return std::nullopt;
}

// ---- reading -----------------------------------------------------------------------------------

/// An open weights file, or weights in memory, and their length.
struct Source {
  std::string path;
  std::unique_ptr<std::istream> stream;
  std::uint64_t size = 0;

  void read(char* bytes, std::uint64_t count) const {
    errno = 0;
    if (!stream->read(bytes, static_cast<std::streamsize>(count))) {
      if (errno == 0) refuse_file(path, "truncated while it was read");
      fail_io(path, "read the weights file", errno);
    }
  }
};

Source open_source(const std::string& path) {
  refuse_zero_byte(path);
  if (const std::string_view shipped = shipped_bytes(path); !shipped.empty()) {
    return {path, std::make_unique<std::istringstream>(std::string(shipped)), shipped.size()};
  }
  struct stat status{};
  if (::stat(path.c_str(), &status) == 0 &&
      !S_ISREG(status.st_mode)) {  // to open a pipe is to wait
    throw std::runtime_error(
        fmt::format("{}: cannot read the weights file: no regular file", path));
  }
  errno = 0;
  Source source{path, std::make_unique<std::ifstream>(path, std::ios::binary | std::ios::ate), 0};
  if (!*source.stream) {
    try {
      fail_io(path, "open the weights file", errno);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(error.what() + nearest_hint(path, shipped_weights()));
    }
  }
  const std::streamoff size = source.stream->tellg();
  if (size < 0) fail_io(path, "read the weights file", errno);
  source.size = static_cast<std::uint64_t>(size);
  source.stream->seekg(0);
  return source;
}

/// JSON object of the header, each name once.
Json parse_header(const std::string& path, std::string_view text) {
  try {
    check_json_limits(text);
  } catch (const std::invalid_argument& error) {
    refuse_file(path, fmt::format("no safetensors file: the header is {}", error.what()));
  }
  KeyWatch<Json> watch;
  Json header = Json::parse(text, watch.callback(), false);
  if (!header.is_object()) refuse_file(path, "no safetensors file: the header is no JSON object");
  if (watch.twice())
    refuse_file(path, fmt::format("'{}' comes twice in the header", quotable(*watch.twice())));
  return header;
}

/// Reads the header; the tensor data follow in the stream.
Json read_header(Source& source, std::uint64_t& data_size) {
  const std::string& path = source.path;
  if (source.size < kLengthBytes) {
    refuse_file(path,
                fmt::format("no safetensors file: {} bytes, a header needs more", source.size));
  }
  std::uint64_t length = 0;
  source.read(reinterpret_cast<char*>(&length), kLengthBytes);
  const std::uint64_t rest = source.size - kLengthBytes;
  if (length > kMaxHeaderBytes || length < 2 || (rest > 0 && source.stream->peek() != '{')) {
    refuse_file(
        path,
        fmt::format("no safetensors file: no JSON header (its length would be {} bytes)", length));
  }
  if (length > rest) {
    refuse_file(path, fmt::format("truncated: the header has {} bytes, the file only {} behind it",
                                  length, rest));
  }
  data_size = rest - length;
  std::string text(length, '\0');
  source.read(text.data(), length);
  return parse_header(path, text);
}

std::map<std::string, std::string> read_metadata(const std::string& path, const Json& header) {
  std::map<std::string, std::string> metadata;
  const auto found = header.find(kMetadataKey);
  if (found == header.end()) return metadata;
  if (!found->is_object()) refuse_file(path, "__metadata__ is no JSON object");
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) {
      refuse_file(path, fmt::format("__metadata__: '{}' is no string", quotable(key)));
    }
    metadata[key] = value.get<std::string>();
  }
  return metadata;
}

/// Array of counts (shape or offsets), or nothing if it is none.
std::optional<std::vector<std::int64_t>> read_counts(const Json& entry, const char* key) {
  const auto found = entry.find(key);
  if (found == entry.end() || !found->is_array()) return std::nullopt;
  std::vector<std::int64_t> counts;
  for (const Json& count : *found) {
    if (!count.is_number_unsigned() ||
        count.get<std::uint64_t>() > std::numeric_limits<std::int32_t>::max() * std::uint64_t{1024})
      return std::nullopt;
    counts.push_back(count.get<std::int64_t>());
  }
  return counts;
}

/// Number of elements, or nothing if it overflows.
std::optional<std::uint64_t> element_count(const std::vector<std::int64_t>& shape) {
  std::uint64_t count = 1;
  for (const std::int64_t length : shape) {
    if (length < 0 || __builtin_mul_overflow(count, static_cast<std::uint64_t>(length), &count))
      return std::nullopt;
  }
  return count;
}

void check_finite(const std::string& path, const std::string& name, const Tensor& tensor) {
  const auto bad =
      std::ranges::find_if(tensor.data, [](float weight) { return !std::isfinite(weight); });
  if (bad == tensor.data.end()) return;
  refuse_file(path, fmt::format("tensor '{}': element {} is {}, allowed: finite numbers",
                                quotable(name), bad - tensor.data.begin(), *bad));
}

constexpr std::string_view kSingle = "F32", kHalf = "F16";

/// Where the data of a tensor stand.
struct Slice {
  std::uint64_t begin = 0, end = 0;
  bool half = false;
  std::string name;
  std::vector<std::int64_t> shape;
};

Slice read_entry(const std::string& path, const std::string& name, const Json& entry,
                 std::uint64_t data_size) {
  const auto where = [&name](std::string_view reason) {
    return fmt::format("tensor '{}': {}", quotable(name), reason);
  };
  if (!entry.is_object()) refuse_file(path, where("no JSON object"));
  const auto dtype = entry.find("dtype");
  if (dtype == entry.end() || (*dtype != kSingle && *dtype != kHalf)) {
    refuse_file(path,
                where(fmt::format("dtype {}, allowed: \"F32\", \"F16\"",
                                  dtype == entry.end() ? "missing" : quotable(dtype->dump()))));
  }
  const bool half = *dtype == kHalf;
  const std::uint64_t bytes = half ? sizeof(Eigen::half) : sizeof(float);
  const auto shape = read_counts(entry, "shape");
  if (!shape) refuse_file(path, where("shape is no array of counts"));
  const auto offsets = read_counts(entry, "data_offsets");
  if (!offsets || offsets->size() != 2)
    refuse_file(path, where("data_offsets is no pair of counts"));
  const auto begin = static_cast<std::uint64_t>((*offsets)[0]);
  const auto end = static_cast<std::uint64_t>((*offsets)[1]);
  const auto count = element_count(*shape);
  if (!count || begin > end || (end - begin) % bytes != 0 || (end - begin) / bytes != *count) {
    const std::string lengths = fmt::format("{}", fmt::join(*shape, ", "));
    refuse_file(path, where(fmt::format("bytes {} to {} do not fit the shape [{}] of {}", begin,
                                        end, quotable(lengths), half ? kHalf : kSingle)));
  }
  if (end > data_size) {
    refuse_file(path, where(fmt::format("truncated: its data end at byte {}, the file has {}", end,
                                        data_size)));
  }
  return {begin, end, half, name, *shape};
}

/// Sorts the tensors as they stand; they must cover the data without gaps or overlaps, as the
/// format demands.
void sort_and_check_cover(const std::string& path, std::vector<Slice>& slices, std::uint64_t size) {
  std::ranges::sort(slices, [](const Slice& a, const Slice& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t expected = 0;
  for (const Slice& slice : slices) {
    if (slice.begin != expected) {
      refuse_file(path, fmt::format("tensor '{}' begins at byte {}, expected {}: gap or overlap",
                                    quotable(slice.name), slice.begin, expected));
    }
    expected = slice.end;
  }
  if (expected != size) {
    refuse_file(path, fmt::format("{} bytes of data, the tensors need {}", size, expected));
  }
}

WeightsFile read_all(Source& source) {
  std::uint64_t data_size = 0;
  const Json header = read_header(source, data_size);
  WeightsFile weights{{}, read_metadata(source.path, header)};
  std::vector<Slice> slices;
  for (const auto& [name, entry] : header.items()) {
    if (name != kMetadataKey) slices.push_back(read_entry(source.path, name, entry, data_size));
  }
  sort_and_check_cover(source.path, slices, data_size);
  const std::optional<std::string> stated = take_checksum(source.path, weights);
  for (const Slice& slice : slices) {  // no more memory than the file has bytes
    Tensor& tensor = weights.tensors[slice.name];
    tensor.shape = slice.shape;
    if (slice.end == slice.begin) continue;
    const std::uint64_t size = slice.end - slice.begin;
    if (slice.half) {
      std::vector<Eigen::half> halves(size / sizeof(Eigen::half));
      source.read(reinterpret_cast<char*>(halves.data()), size);
      tensor.data.assign(halves.begin(), halves.end());
    } else {
      tensor.data.resize(size / sizeof(float));
      source.read(reinterpret_cast<char*>(tensor.data.data()), size);
    }
  }
  const std::string found = stated ? checksum_text(weights.metadata, weights.tensors) : "";
  if (stated && *stated != found) {
    refuse_file(source.path,
                fmt::format("damaged (checksum {}, its content has {}): restore it from a "
                            "copy",
                            quotable(*stated, found.size()), found));
  }
  for (const auto& [name, tensor] : weights.tensors) check_finite(source.path, name, tensor);
  return weights;
}

// ---- writing -----------------------------------------------------------------------------------

/// Text as a reader will find it: JSON holds UTF-8 only.
std::string as_utf8(const std::string& text) {
  return Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace))
      .get<std::string>();
}

std::map<std::string, std::string> summed_metadata(const WeightsFile& weights) {
  std::map<std::string, std::string> metadata;
  for (const auto& [key, value] : weights.metadata) {
    if (key != kChecksumKey) metadata[as_utf8(key)] = as_utf8(value);
  }
  metadata[std::string(kChecksumKey)] = checksum_text(metadata, weights.tensors);
  return metadata;
}

/// The numbers that a half precision file holds.
WeightsFile rounded(const std::string& path, WeightsFile weights) {
  for (auto& [name, tensor] : weights.tensors) {
    for (float& number : tensor.data) {
      const auto half = static_cast<float>(Eigen::half(number));
      if (std::isinf(half) && std::isfinite(number)) {
        throw std::invalid_argument(
            fmt::format("{}: tensor '{}': {} is beyond half precision, allowed: -65504..65504",
                        path, name, number));
      }
      number = half;
    }
  }
  return weights;
}

void append(std::string& data, const Tensor& tensor, WeightsPrecision precision) {
  if (precision == WeightsPrecision::kSingle) {
    data.append(reinterpret_cast<const char*>(tensor.data.data()),
                tensor.data.size() * sizeof(float));
    return;
  }
  for (const float number : tensor.data) {
    const Eigen::half half(number);
    data.append(reinterpret_cast<const char*>(&half), sizeof half);
  }
}

std::string encode(const std::string& path, const WeightsFile& weights,
                   WeightsPrecision precision) {
  Json header = Json::object();
  header[kMetadataKey] = summed_metadata(weights);
  std::string data;
  for (const auto& [name, tensor] : weights.tensors) {
    if (name == kMetadataKey) refuse_file(path, "no tensor may be named __metadata__");
    const auto count = element_count(tensor.shape);
    if (!count || *count != tensor.data.size()) {
      refuse_file(path, fmt::format("tensor '{}': {} numbers do not fit the shape [{}]", name,
                                    tensor.data.size(), fmt::join(tensor.shape, ", ")));
    }
    check_finite(path, name, tensor);
    const std::size_t begin = data.size();
    append(data, tensor, precision);
    header[name] = {{"dtype", precision == WeightsPrecision::kHalf ? kHalf : kSingle},
                    {"shape", tensor.shape},
                    {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');  // aligns the data
  const std::uint64_t length = text.size();
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, kLengthBytes);
  return bytes + text + data;
}

}  // namespace

WeightsFile read_weights(const std::string& path) {
  Source source = open_source(path);
  try {
    return read_all(source);
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(
        fmt::format("{}: {} bytes of weights do not fit into memory", path, source.size));
  }
}

WeightsFile read_player_weights(const std::string& path) {
  WeightsFile file = read_weights(path);
  std::map<std::string, Tensor> averages;
  for (auto at = file.tensors.lower_bound(std::string(kAveragedBegin));
       at != file.tensors.end() && at->first.starts_with(kAveragedBegin);) {
    averages[at->first.substr(kAveragedBegin.size())] = std::move(at->second);
    at = file.tensors.erase(at);
  }
  for (auto& [name, tensor] : averages) file.tensors[name] = std::move(tensor);
  return file;
}

std::string weights_checksum(const WeightsFile& weights) {
  return summed_metadata(weights).at(std::string(kChecksumKey));
}

void write_weights(const std::string& path, const WeightsFile& weights,
                   WeightsPrecision precision) {
  write_file_atomically(path, precision == WeightsPrecision::kHalf
                                  ? encode(path, rounded(path, weights), precision)
                                  : encode(path, weights, precision));
}

}  // namespace schafkopf
