// A file that lies in memory, for readers that take a path.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <stdexcept>
#include <string>
#include <string_view>

#include "env/base/input_limits.h"

namespace schafkopf::fuzz {

class MemoryFile {
 public:
  explicit MemoryFile(std::string_view bytes = {}) : file_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    if (file_ < 0) throw std::runtime_error("no file in memory");
    while (!bytes.empty()) {
      const ssize_t written = ::write(file_, bytes.data(), bytes.size());
      if (written <= 0) throw std::runtime_error("a file in memory takes no bytes");
      bytes.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(file_); }

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }
  [[nodiscard]] std::string bytes() const { return read_file(path(), "a file in memory"); }

 private:
  int file_;
};

}  // namespace schafkopf::fuzz
