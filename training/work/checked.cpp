#include "training/work/checked.h"

#include <fmt/format.h>

#include "env/base/input_limits.h"

namespace schafkopf {

std::string keyed_error(std::string_view key, std::string_view value, std::string_view cause) {
  return fmt::format("{} = \"{}\": {}", key, quotable(value), cause);
}

}  // namespace schafkopf
