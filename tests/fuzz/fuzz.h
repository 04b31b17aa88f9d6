// What a fuzz target is, and what all of them ask: a reader gives a value, or refuses its input by
// an error of this project with a text that can be shown. Anything else that leaves a target is a
// finding. CONTRIBUTING.md says how to run them and how a finding becomes a test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "env/base/input_limits.h"
#include "tests/cpp/support/must.h"

namespace schafkopf::fuzz {

struct Target {
  std::string name;
  /// Reads bytes, throws for what must not be.
  std::function<void(std::string_view)> run;
  /// Inputs that the reader takes, made here: with them fuzzing begins after a change of a format.
  std::function<std::vector<std::string>()> seeds;
};

/// Targets of env and agents.
[[nodiscard]] std::vector<Target> targets();
/// Those of training; no one needs torch.
[[nodiscard]] std::vector<Target> training_targets();

using test::must;  // nobody catches what it throws

/// A text for a person: not empty, lines that can be printed, and not many of them. What is quoted
/// is cut; lists of what is allowed are ours.
inline void check_message(std::string message) {
  constexpr std::size_t kLongest = 2000;
  must(!message.empty(), "an error without a text");
  must(message.size() <= kLongest, "an error of many words: " + message);
  std::ranges::replace(message, '\n', ' ');
  must(quotable(message, kLongest) == message, "an error that cannot be printed: " + message);
}

/// What `read` returns; nothing if it refuses its input. Other errors pass through.
template <class Read>
auto taken(const Read& read) {
  using Value = std::invoke_result_t<Read>;
  if constexpr (std::is_void_v<Value>) {
    try {
      read();
      return true;
    } catch (const std::invalid_argument& error) {
      check_message(error.what());
      return false;
    }
  } else {
    try {
      return std::optional<Value>(read());
    } catch (const std::invalid_argument& error) {
      check_message(error.what());
      return std::optional<Value>();
    }
  }
}

}  // namespace schafkopf::fuzz
