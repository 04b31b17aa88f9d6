// What an error of PyTorch says to people.
#pragma once

#include <exception>
#include <string>

namespace schafkopf {

/// The text of an error without the pages on where in PyTorch's code it was raised.
[[nodiscard]] inline std::string text_without_trace(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find("\nException raised from "));
}

}  // namespace schafkopf
