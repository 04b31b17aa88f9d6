// What a call throws, in words.
#pragma once

#include <exception>
#include <string>

namespace schafkopf::test {

/// Message of the error of this type that `call` throws; "no error" if it throws none.
template <class Error = std::exception, class Call>
[[nodiscard]] std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace schafkopf::test
