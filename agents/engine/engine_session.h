// The engine's side of the protocol (PROTOCOL.md): lines in, lines out, any player behind it.
#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/rules/compiled_rules.h"
#include "env/view/policy.h"

namespace schafkopf {

/// One conversation. Answers every line; what is wrong with one is said in a line "error TEXT".
class EngineSession {
 public:
  /// Whether an error goes on to whoever asks, as what ends the work of a player does; others are
  /// answers.
  using GoesOn = bool (*)(const std::exception&);

  /// Throws std::invalid_argument for a player that sees hidden hands: no line tells them.
  explicit EngineSession(std::shared_ptr<BatchPolicy> player, GoesOn goes_on = nullptr);

  /// The answer to a line, without line break; empty: none. Blank lines are nothing.
  [[nodiscard]] std::optional<std::string> answer(std::string_view line);
  /// After `quit`. May be asked while another thread has its answer.
  [[nodiscard]] bool is_over() const { return over_; }

 private:
  [[nodiscard]] std::string hello(std::string_view rest) const;
  std::string go(std::string_view line);
  void set_rules(std::string_view json);

  std::shared_ptr<BatchPolicy> player_;
  GoesOn goes_on_;
  std::shared_ptr<const CompiledRules> rules_;
  std::string wrong_rules_;      // what was wrong with the rules that came last
  std::vector<float> features_;  // of the rules
  std::string position_;         // as it came; read when the question comes
  std::atomic<bool> over_ = false;
};

}  // namespace schafkopf
