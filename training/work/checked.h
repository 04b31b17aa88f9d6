// Errors in things that a configuration names: they carry the key.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace schafkopf {

/// `key = "value": cause`
[[nodiscard]] std::string keyed_error(std::string_view key, std::string_view value,
                                      std::string_view cause);

/// Calls `check`; what is wrong with a named thing is said with its key and is bad input, also
/// where a file that it names cannot be read.
template <class Check>
auto checked(std::string_view key, const std::string& value, Check&& check) {
  try {
    return check();
  } catch (const std::exception& error) {
    throw std::invalid_argument(keyed_error(key, value, error.what()));
  }
}

}  // namespace schafkopf
