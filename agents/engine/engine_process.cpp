#include "agents/engine/engine_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>  // NOLINT(modernize-deprecated-headers): kill is of POSIX
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

#include "env/base/fork_count.h"
#include "env/base/input_limits.h"
#include "env/base/interruption.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX leaves it to the program

namespace schafkopf {
namespace {

using Clock = EngineProcess::Clock;
constexpr std::size_t kErrorsKept = 2000;  // characters
constexpr auto kPatience = std::chrono::milliseconds(500);

std::string reason(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail_start(std::string_view what, int error) {
  throw EngineError(PlayerFailure::kCrash, fmt::format("cannot {}: {}", what, reason(error)));
}

/// A descriptor that is closed unless it is taken.
class File {
 public:
  explicit File(int number = -1) : number_(number) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  void set(int number) { number_ = number; }
  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] int take() { return std::exchange(number_, -1); }

 private:
  int number_;
};

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    // other programs that are started meanwhile must not hold our ends: they would never see the end
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) fail_start("open a pipe", errno);
    read.set(ends[0]);
    write.set(ends[1]);
  }
  File read, write;
};

/// What posix_spawn is told; freed at the end.
class Plan {
 public:
  Plan() {
    must(posix_spawn_file_actions_init(&actions_));
    must(posix_spawnattr_init(&attributes_));
    // a group of its own: Ctrl-C of the terminal is for us, who end it in order
    must(posix_spawnattr_setpgroup(&attributes_, 0));
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) {
      sigaddset(&usual, number);
    }
    must(posix_spawnattr_setsigmask(&attributes_, &none));
    must(posix_spawnattr_setsigdefault(&attributes_, &usual));
    must(posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  ~Plan() {
    posix_spawnattr_destroy(&attributes_);
    posix_spawn_file_actions_destroy(&actions_);
  }
  void connect(const File& ours, int theirs) {
    must(posix_spawn_file_actions_adddup2(&actions_, ours.get(), theirs));
  }
  /// Number of the process. Throws EngineError naming the program.
  [[nodiscard]] int start(const std::vector<std::string>& words) const {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t pid = -1;
    const int error =
        ::posix_spawnp(&pid, arguments[0], &actions_, &attributes_, arguments.data(), environ);
    if (error != 0) fail_start(fmt::format("start {}", quotable(words[0])), error);
    return pid;
  }

 private:
  static void must(int error) {
    if (error != 0) fail_start("prepare the start of a program", error);
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

/// No SIGPIPE for this thread: a program that ended is an error like others.
class WithoutPipeSignal {
 public:
  WithoutPipeSignal() {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  WithoutPipeSignal(const WithoutPipeSignal&) = delete;
  WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
  ~WithoutPipeSignal() {
    constexpr timespec kNow{};
    if (sigismember(&before_, SIGPIPE) == 0) {
      while (sigtimedwait(&pipe_, nullptr, &kNow) > 0) {
      }
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

 private:
  sigset_t pipe_{}, before_{};
};

/// A pipe that is waited for no longer than until a deadline.
void set_nonblocking(const File& file) {
  const int flags = ::fcntl(file.get(), F_GETFL);
  if (flags < 0 || ::fcntl(file.get(), F_SETFL, flags | O_NONBLOCK) < 0) {
    fail_start("set up a pipe", errno);
  }
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                       ::strsignal(WTERMSIG(status)));
  }
  return fmt::format("ended with exit code {}", WEXITSTATUS(status));
}

}  // namespace

EngineProcess::EngineProcess(const std::vector<std::string>& words, const std::string& log)
    : forks_(fork_count()) {
  if (words.empty()) throw EngineError(PlayerFailure::kCrash, "has no name");
  Pipe in, out;
  File log_file;
  Plan plan;
  plan.connect(in.read, STDIN_FILENO);
  plan.connect(out.write, STDOUT_FILENO);
  set_nonblocking(in.write);
  set_nonblocking(out.read);
  if (log.empty()) {
    Pipe errors;
    plan.connect(errors.write, STDERR_FILENO);
    set_nonblocking(errors.read);
    pid_ = plan.start(words);
    err_ = errors.read.take();
  } else {
    log_file.set(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
    if (log_file.get() < 0) fail_start(fmt::format("open the log {}", quotable(log)), errno);
    plan.connect(log_file, STDERR_FILENO);
    pid_ = plan.start(words);
  }
  in_ = in.write.take();
  out_ = out.read.take();
}

EngineProcess::~EngineProcess() {
  if (pid_ < 0) return;
  if (is_ours()) {
    try {
      const Clock::time_point deadline = Clock::now() + kPatience;
      send("quit", deadline);
      ::close(std::exchange(in_, -1));
      // its output ends when it does, unless a child of it holds on
      while (Clock::now() < deadline && !has_ended()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        read_some();
        read_.clear();
      }
    } catch (...) {  // NOLINT(bugprone-empty-catch): it is gone, or is made to go
    }
  }
  kill();
}

bool EngineProcess::is_ours() const { return pid_ >= 0 && forks_ == fork_count(); }

void EngineProcess::kill() {
  if (is_ours()) {
    ::kill(-pid_, SIGKILL);  // before it is reaped: then nobody else has its number
    (void)reap();
  }
  pid_ = -1;
  close_pipes();
}

int EngineProcess::reap() const {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

bool EngineProcess::has_ended() const {
  siginfo_t info{};
  const int failed = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return failed != 0 || info.si_pid != 0;
}

void EngineProcess::close_pipes() {
  for (int* file : {&in_, &out_, &err_}) {
    if (*file >= 0) ::close(*file);
    *file = -1;
  }
}

/// Waits until `file` is ready; standard error is read meanwhile, so that it never fills.
void EngineProcess::wait_for(int file, short events, Clock::time_point deadline) {
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) {
      throw EngineError(PlayerFailure::kTimeout, "gave no answer in time");
    }
    check_interruption();
    constexpr std::int64_t kLongest = Interruptible::kEvery.count();
    std::array<pollfd, 2> files{{{file, events, 0}, {err_, POLLIN, 0}}};
    const int ready =
        ::poll(files.data(), files.size(), static_cast<int>(std::min(left, kLongest)));
    if (ready < 0 && errno != EINTR) fail_start("wait for the program", errno);
    if (ready <= 0) continue;
    if (files[1].revents != 0) read_errors();
    if (files[0].revents != 0) return;
  }
}

bool EngineProcess::read_errors() {
  std::array<char, 4096> bytes{};
  const ssize_t count = ::read(err_, bytes.data(), bytes.size());
  if (count > 0) {
    errors_.append(bytes.data(), static_cast<std::size_t>(count));
    if (errors_.size() > kErrorsKept) errors_.erase(0, errors_.size() - kErrorsKept);
  } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    ::close(std::exchange(err_, -1));
  }
  return count > 0;
}

void EngineProcess::require_running() const {
  if (pid_ < 0) throw EngineError(PlayerFailure::kCrash, "has ended before");
}

void EngineProcess::send(std::string_view line, Clock::time_point deadline) {
  require_running();
  const WithoutPipeSignal no_signal;
  const std::string text = fmt::format("{}\n", line);
  std::string_view left = text;
  while (!left.empty()) {
    const ssize_t count = ::write(in_, left.data(), left.size());
    if (count >= 0) {
      left.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      wait_for(in_, POLLOUT, deadline);
    } else if (errno != EINTR) {
      fail_as_ended();
    }
  }
}

void EngineProcess::read_some() {
  std::array<char, 4096> bytes{};
  const ssize_t count = ::read(out_, bytes.data(), bytes.size());
  if (count > 0) {
    read_.append(bytes.data(), static_cast<std::size_t>(count));
  } else if (count == 0 || (errno != EAGAIN && errno != EINTR)) {
    fail_as_ended();
  }
}

std::string EngineProcess::read_line(Clock::time_point deadline) {
  std::size_t end = read_.find('\n');
  while (end == std::string::npos) {
    require_running();
    if (read_.size() > kLongestLine) {
      throw EngineError(PlayerFailure::kGarbage,
                        fmt::format("wrote a line of more than {} characters: \"{}\"", kLongestLine,
                                    quotable(read_)));
    }
    wait_for(out_, POLLIN, deadline);
    const std::size_t before = read_.size();
    read_some();
    end = read_.find('\n', before);
  }
  return take_line(end);
}

std::optional<std::string> EngineProcess::line_there() {
  std::size_t end = read_.find('\n');
  if (end == std::string::npos) {
    require_running();
    pollfd file{out_, POLLIN, 0};
    if (::poll(&file, 1, 0) > 0) read_some();
    end = read_.find('\n');
  }
  if (end == std::string::npos) return std::nullopt;
  return take_line(end);
}

std::string EngineProcess::take_line(std::size_t end) {
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

/// Its pipe is closed: says how it ended, and what it wrote to standard error.
void EngineProcess::fail_as_ended() {
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (!has_ended() && Clock::now() < deadline) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  std::string text = "closed its input or output";
  constexpr int kMostReads = 256;  // more than a pipe holds; what it started may go on for ever
  for (int reads = 0; reads < kMostReads && err_ >= 0; ++reads) {
    if (!read_errors()) break;
  }
  if (has_ended()) {
    ::kill(-pid_, SIGKILL);  // what it started
    text = end_text(reap());
    pid_ = -1;
  } else {
    kill();
  }
  close_pipes();
  const std::size_t last = errors_.find_last_not_of(" \n");
  if (last != std::string::npos) {
    errors_.erase(last + 1);
    constexpr std::size_t kQuoted = 300;
    const std::size_t from = errors_.size() > kQuoted ? errors_.size() - kQuoted : 0;
    text += fmt::format("; its standard error ends with \"{}\"",
                        quotable(std::string_view(errors_).substr(from), kQuoted));
  }
  throw EngineError(PlayerFailure::kCrash, text);
}

}  // namespace schafkopf
