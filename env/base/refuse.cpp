#include "env/base/refuse.h"

#include <fmt/format.h>

#include <stdexcept>
#include <system_error>

namespace schafkopf {

void refuse(const std::string& text) { throw std::invalid_argument(text); }

void refuse_file(const std::string& path, std::string_view text) {
  refuse(fmt::format("{}: {}", path, text));
}

void fail_io(const std::string& path, std::string_view action, int error) {
  throw std::runtime_error(
      fmt::format("{}: cannot {}: {}", path, action, std::generic_category().message(error)));
}

}  // namespace schafkopf
