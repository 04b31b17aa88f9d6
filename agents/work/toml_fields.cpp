#include "agents/work/toml_fields.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "env/base/input_limits.h"

namespace schafkopf {

std::string text_of_file(const std::string& path, std::string_view what) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream || std::filesystem::is_directory(path)) {
    throw std::runtime_error(fmt::format("cannot read {} {}: {}", what, path,
                                         stream ? "it is a directory" : std::strerror(errno)));
  }
  return read_at_most(stream, kMaxTomlBytes + 1);
}

}  // namespace schafkopf
