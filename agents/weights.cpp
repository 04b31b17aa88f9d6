#include "agents/weights.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace schafkopf {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "tensor data are copied as they stand");

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMaxHeaderBytes = 100'000'000;  // limit of the safetensors format
constexpr std::string_view kMetadataKey = "__metadata__";

[[noreturn]] void reject(const std::string& path, const std::string& reason) {
  throw std::invalid_argument(fmt::format("{}: {}", path, reason));
}

[[noreturn]] void fail_io(const std::string& path, std::string_view action, int error) {
  throw std::runtime_error(
      fmt::format("{}: cannot {}: {}", path, action, std::generic_category().message(error)));
}

// ---- reading -----------------------------------------------------------------------------------

std::string read_file(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) fail_io(path, "open the weights file", errno);
  const std::streamoff size = file.tellg();
  struct stat status{};
  if (size < 0 || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
    throw std::runtime_error(
        fmt::format("{}: cannot read the weights file: no regular file", path));
  }
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.seekg(0);
  if (!file.read(bytes.data(), size)) fail_io(path, "read the weights file", errno);
  return bytes;
}

/// Header as JSON and the tensor data behind it.
std::pair<Json, std::string_view> split(const std::string& path, std::string_view bytes) {
  if (bytes.size() < kLengthBytes) {
    reject(path, fmt::format("no safetensors file: {} bytes, a header needs more", bytes.size()));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  const std::string_view rest = bytes.substr(kLengthBytes);
  if (length > kMaxHeaderBytes || length < 2 || (!rest.empty() && rest.front() != '{')) {
    reject(path, fmt::format("no safetensors file: no JSON header (its length would be {} bytes)",
                             length));
  }
  if (length > bytes.size() - kLengthBytes) {
    reject(path, fmt::format("truncated: the header has {} bytes, the file only {} behind it",
                             length, bytes.size() - kLengthBytes));
  }
  Json header = Json::parse(bytes.substr(kLengthBytes, length), nullptr, false);
  if (!header.is_object()) reject(path, "no safetensors file: the header is no JSON object");
  return {std::move(header), bytes.substr(kLengthBytes + length)};
}

std::map<std::string, std::string> read_metadata(const std::string& path, const Json& header) {
  std::map<std::string, std::string> metadata;
  const auto found = header.find(kMetadataKey);
  if (found == header.end()) return metadata;
  if (!found->is_object()) reject(path, "__metadata__ is no JSON object");
  for (const auto& [key, value] : found->items()) {
    if (!value.is_string()) reject(path, fmt::format("__metadata__: '{}' is no string", key));
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
  const auto bad = std::find_if(tensor.data.begin(), tensor.data.end(),
                                [](float weight) { return !std::isfinite(weight); });
  if (bad == tensor.data.end()) return;
  reject(path, fmt::format("tensor '{}': element {} is {}, weights must be finite numbers", name,
                           bad - tensor.data.begin(), *bad));
}

struct Slice {
  std::uint64_t begin = 0, end = 0;
  std::string name;
};

Slice read_tensor(const std::string& path, const std::string& name, const Json& entry,
                  std::string_view data, Tensor& tensor) {
  const auto where = [&name](std::string_view reason) {
    return fmt::format("tensor '{}': {}", name, reason);
  };
  if (!entry.is_object()) reject(path, where("no JSON object"));
  const auto dtype = entry.find("dtype");
  if (dtype == entry.end() || *dtype != "F32") {
    reject(path, where(fmt::format("dtype {}, needed is \"F32\"",
                                   dtype == entry.end() ? "missing" : dtype->dump())));
  }
  const auto shape = read_counts(entry, "shape");
  if (!shape) reject(path, where("shape is no array of counts"));
  const auto offsets = read_counts(entry, "data_offsets");
  if (!offsets || offsets->size() != 2) reject(path, where("data_offsets is no pair of counts"));
  const auto begin = static_cast<std::uint64_t>((*offsets)[0]);
  const auto end = static_cast<std::uint64_t>((*offsets)[1]);
  const auto count = element_count(*shape);
  if (!count || begin > end || (end - begin) % sizeof(float) != 0 ||
      (end - begin) / sizeof(float) != *count) {
    reject(path, where(fmt::format("bytes {} to {} do not fit the shape [{}] of F32", begin, end,
                                   fmt::join(*shape, ", "))));
  }
  if (end > data.size()) {
    reject(path, where(fmt::format("truncated: its data end at byte {}, the file has {}", end,
                                   data.size())));
  }
  tensor.shape = *shape;
  tensor.data.resize(*count);
  if (*count != 0) std::memcpy(tensor.data.data(), data.data() + begin, end - begin);
  check_finite(path, name, tensor);
  return {begin, end, name};
}

/// The tensors must cover the data without gaps or overlaps, as the format demands.
void check_cover(const std::string& path, std::vector<Slice> slices, std::uint64_t size) {
  std::sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  std::uint64_t expected = 0;
  for (const Slice& slice : slices) {
    if (slice.begin != expected) {
      reject(path, fmt::format("tensor '{}' begins at byte {}, expected {}: gap or overlap",
                               slice.name, slice.begin, expected));
    }
    expected = slice.end;
  }
  if (expected != size) {
    reject(path, fmt::format("{} bytes of data, the tensors need {}", size, expected));
  }
}

// ---- writing -----------------------------------------------------------------------------------

std::string encode(const std::string& path, const WeightsFile& weights) {
  Json header = Json::object();
  if (!weights.metadata.empty()) header[kMetadataKey] = weights.metadata;
  std::string data;
  for (const auto& [name, tensor] : weights.tensors) {
    if (name == kMetadataKey) reject(path, "no tensor may be named __metadata__");
    const auto count = element_count(tensor.shape);
    if (!count || *count != tensor.data.size()) {
      reject(path, fmt::format("tensor '{}': {} numbers do not fit the shape [{}]", name,
                               tensor.data.size(), fmt::join(tensor.shape, ", ")));
    }
    check_finite(path, name, tensor);
    const std::size_t begin = data.size();
    data.append(reinterpret_cast<const char*>(tensor.data.data()),
                tensor.data.size() * sizeof(float));
    header[name] = {
        {"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, data.size()}}};
  }
  std::string text = header.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');  // aligns the data
  const std::uint64_t length = text.size();
  std::string bytes(kLengthBytes, '\0');
  std::memcpy(bytes.data(), &length, kLengthBytes);
  return bytes + text + data;
}

/// A temporary file that is removed unless it was renamed into place.
class TemporaryFile {
 public:
  /// One name per process: what a killed run left is overwritten, not collected.
  explicit TemporaryFile(const std::string& path)
      : path_(path), temporary_(fmt::format("{}.tmp-{}", path, ::getpid())) {
    constexpr mode_t kRights = 0666;  // less the umask
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kRights);
    if (descriptor_ < 0) fail_io(path_, "create a temporary file beside it", errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!renamed_) ::unlink(temporary_.c_str());
  }

  void write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_io(path_, "write", errno);
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void move_into_place() {
    if (::fsync(descriptor_) != 0) fail_io(path_, "flush to disk", errno);
    const int closed = ::close(std::exchange(descriptor_, -1));
    if (closed != 0) fail_io(path_, "close", errno);
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) fail_io(path_, "replace", errno);
    renamed_ = true;
  }

 private:
  std::string path_, temporary_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

/// Make the rename itself last through a power failure; not every file system can.
void sync_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

WeightsFile read_weights(const std::string& path) {
  const std::string bytes = read_file(path);
  const auto [header, data] = split(path, bytes);
  WeightsFile weights;
  weights.metadata = read_metadata(path, header);
  std::vector<Slice> slices;
  for (const auto& [name, entry] : header.items()) {
    if (name == kMetadataKey) continue;
    slices.push_back(read_tensor(path, name, entry, data, weights.tensors[name]));
  }
  check_cover(path, std::move(slices), data.size());
  return weights;
}

void write_weights(const std::string& path, const WeightsFile& weights) {
  write_file_atomically(path, encode(path, weights));
}

void write_file_atomically(const std::string& path, std::string_view bytes) {
  TemporaryFile file(path);
  file.write(bytes);
  file.move_into_place();
  sync_folder(path);
}

}  // namespace schafkopf
