// Bytes of a weights file, and of one whose header may be changed: without a checksum.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <string>

#include "agents/network/weights.h"
#include "env/base/input_limits.h"
#include "tests/cpp/support/must.h"

namespace schafkopf::fuzz {

/// A file of this process, in memory where the system has a folder for that; gone with the object.
class ScratchFile {
 public:
  ScratchFile() : path_(folder() / ("schafkopf-fuzz-" + std::to_string(::getpid()))) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  static std::filesystem::path folder() {
    const std::filesystem::path memory = "/dev/shm";
    return std::filesystem::is_directory(memory) ? memory : std::filesystem::temp_directory_path();
  }
  std::filesystem::path path_;
};

inline std::string file_of(const WeightsFile& weights) {
  const ScratchFile file;
  write_weights(file.path(), weights);
  return read_file(file.path(), "weights");
}

/// weights  of the format kUnsummedFormat
inline std::string file_without_checksum(const WeightsFile& weights) {
  std::string bytes = file_of(weights);
  const std::string key = "\"checksum\":\"";
  const std::size_t begin = bytes.find(key);
  test::must(begin != std::string::npos, "a file of weights without a checksum");
  const std::size_t end = bytes.find("\",", begin + key.size()) + 2;
  return bytes.replace(begin, end - begin, end - begin, ' ');
}

}  // namespace schafkopf::fuzz
