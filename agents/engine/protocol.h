// The lines of the engine protocol (PROTOCOL.md), read and written for both of its sides.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "env/base/random.h"
#include "env/cards/action.h"

namespace schafkopf::engine_protocol {

inline constexpr int kVersion = 1;

/// "hello 1 deterministic name NAME".
struct Hello {
  int version = kVersion;
  bool deterministic = false;
  std::string name;
};
[[nodiscard]] std::string to_line(const Hello& hello);
/// Throws std::invalid_argument for another version, and what is no such line.
[[nodiscard]] Hello parse_hello(std::string_view line);

/// "go key 1 0 0 12 3 time 5000 legal EO PASS".
struct Question {
  std::optional<RngKey> key;  // none: the distribution is asked for
  std::int64_t milliseconds = 0;
  ActionMask legal;
};
[[nodiscard]] std::string to_line(const Question& question);
[[nodiscard]] Question parse_question(std::string_view line);

/// "bestaction EO value 12.5 probabilities EO=0.75 HO=0.25".
struct Answer {
  Action action = 0;
  std::optional<float> value;                                   // tariff units
  std::optional<std::array<float, kNumActions>> probabilities;  // of sum 1
};
[[nodiscard]] std::string to_line(const Answer& answer);
/// The probabilities are made to sum up to 1. Throws std::invalid_argument for what is no such
/// line, and IllegalAnswer for an action that is not legal.
[[nodiscard]] Answer parse_answer(std::string_view line, const ActionMask& legal);
class IllegalAnswer : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

/// The first word of a line, and what comes behind it.
struct Command {
  std::string_view word, rest;
};
[[nodiscard]] Command split(std::string_view line);

}  // namespace schafkopf::engine_protocol
