#include "agents/work/spec_value.h"

#include <fmt/format.h>

#include <stdexcept>

#include "env/base/input_limits.h"

namespace schafkopf {

std::string spec_value(const std::string& value) {
  if (value.find_first_of(",=") == std::string::npos && !value.starts_with('"')) return value;
  if (value.find('"') != std::string::npos) {
    throw std::invalid_argument(
        fmt::format("\"{}\" cannot stand in the name of a player, allowed: a text without double "
                    "quotes, or without commas and equals signs",
                    quotable(value)));
  }
  return fmt::format("\"{}\"", value);
}

}  // namespace schafkopf
