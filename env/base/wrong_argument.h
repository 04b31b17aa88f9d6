// Bad input in one argument, for callers that know the argument by another name.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace schafkopf {

/// The text of the error is the name of the argument and what follows it at once: "legen",
/// " = 5, allowed: 0..4". A command line shows its own option in place of the name.
class WrongArgument : public std::invalid_argument {
 public:
  WrongArgument(std::string argument, std::string text)
      : std::invalid_argument(argument + text),
        argument_(std::move(argument)),
        text_(std::move(text)) {}

  [[nodiscard]] const std::string& argument() const { return argument_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string argument_;
  std::string text_;
};

[[noreturn]] inline void refuse_argument(std::string argument, std::string text) {
  throw WrongArgument(std::move(argument), std::move(text));
}

}  // namespace schafkopf
