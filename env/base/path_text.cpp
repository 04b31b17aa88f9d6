#include "env/base/path_text.h"

#include <fmt/format.h>

#include <cstddef>
#include <stdexcept>

namespace schafkopf {

void refuse_zero_byte(std::string_view path) {
  const std::size_t at = path.find('\0');
  if (at == std::string_view::npos) return;
  throw std::invalid_argument(
      fmt::format("path \"{}\\0...\", allowed: a text without zero bytes", path.substr(0, at)));
}

}  // namespace schafkopf
