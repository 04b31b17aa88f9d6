// A program that is talked to in lines: started without a shell, in a process group of its own, and
// ended with all that it started. POSIX.
#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "agents/work/outside_player.h"

namespace schafkopf {

/// What a program did instead of what the protocol asks for.
class EngineError : public std::runtime_error {
 public:
  EngineError(PlayerFailure kind, const std::string& what)
      : std::runtime_error(what), kind_(kind) {}
  [[nodiscard]] PlayerFailure kind() const { return kind_; }

 private:
  PlayerFailure kind_;
};

/// One running program. Not for two threads at a time; in the child of a fork it is nobody's.
class EngineProcess {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::size_t kLongestLine = std::size_t{64} << 10;

  /// log: file that gets its standard error, empty: the end of it is kept. Throws EngineError if
  /// the program or the log cannot be started or opened.
  EngineProcess(const std::vector<std::string>& words, const std::string& log);
  EngineProcess(const EngineProcess&) = delete;
  EngineProcess& operator=(const EngineProcess&) = delete;
  /// Says quit, waits for half a second, then kills the process group. Leaves no zombie.
  ~EngineProcess();

  /// Whether it was started by this process, and not by the parent of a fork.
  [[nodiscard]] bool is_ours() const;
  /// Sends a line. Throws EngineError: it ended, or reads nothing until the deadline.
  void send(std::string_view line, Clock::time_point deadline);
  /// The next line, without its end. Throws EngineError: it ended, says nothing until the deadline,
  /// or a line is too long.
  [[nodiscard]] std::string read_line(Clock::time_point deadline);
  /// A line that it has written already, without waiting; empty if there is none. Throws
  /// EngineError: it ended.
  [[nodiscard]] std::optional<std::string> line_there();
  /// Ends it at once.
  void kill();

 private:
  void require_running() const;
  void wait_for(int file, short events, Clock::time_point deadline);
  void read_some();
  [[nodiscard]] std::string take_line(std::size_t end);
  bool read_errors();  // whether there was something
  [[noreturn]] void fail_as_ended();
  void close_pipes();
  [[nodiscard]] bool has_ended() const;
  [[nodiscard]] int reap() const;

  int pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;  // our ends
  unsigned forks_ = 0;
  std::string read_;    // bytes of lines that nobody asked for yet
  std::string errors_;  // end of its standard error
};

}  // namespace schafkopf
