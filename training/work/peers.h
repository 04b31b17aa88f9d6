// Processes that train one network together, on one machine or many: sums over all of them, what
// process 0 says, and work on which they wait for each other. Only peers.cpp knows the library.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

namespace schafkopf {

/// Another process ended, failed or did not answer in time.
class PeersLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A process and where it meets the others.
struct PeersPlace {
  int rank = 0, size = 1;              // this process, and how many there are
  int local_rank = 0, local_size = 1;  // the same on this machine
  std::string host;                    // machine of process 0
  int port = 0;
  bool launcher_listens = false;  // the launcher holds the meeting point, not process 0
  std::string meeting;            // keeps the starts of one launcher apart

  friend bool operator==(const PeersPlace&, const PeersPlace&) = default;
};

/// Value of an environment variable, or null.
using EnvironmentVariable = std::function<const char*(const char* name)>;

/// What the environment says, as torchrun sets it: RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE,
/// MASTER_ADDR, MASTER_PORT. Without RANK and WORLD_SIZE, or with a WORLD_SIZE of 1, it is one
/// process alone. Raises std::invalid_argument naming a variable that is missing or does not fit.
[[nodiscard]] PeersPlace peers_place(const EnvironmentVariable& variable = {});

/// How long a process waits for the others: at the start, and later for an answer of a process that
/// has nothing else to do. Twice this is the longest that a run outlives one of its processes.
inline constexpr std::chrono::milliseconds kPeersTimeout = std::chrono::seconds(25);

/// Lets torch not log each try of processes to meet, with its stack: what comes of it is said in an
/// error. TORCH_CPP_LOG_LEVEL that is set stays. For programs; not thread-safe.
void quiet_meeting();

/// The group of a process.
///
/// Every call is made by all processes in the same order. With one process nothing is exchanged and
/// no call changes anything. Calls raise PeersLost; the group is of no use from then on. With more
/// than one the signal SIGPIPE is ignored in this process from then on, as Python does. Not
/// thread-safe.
class Peers {
 public:
  /// One process alone.
  Peers();
  /// Meets the others. Raises std::runtime_error naming the meeting point if they do not all come.
  explicit Peers(const PeersPlace& place, std::chrono::milliseconds timeout = kPeersTimeout);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  [[nodiscard]] int rank() const { return place_.rank; }
  [[nodiscard]] int size() const { return place_.size; }
  [[nodiscard]] int local_rank() const { return place_.local_rank; }
  [[nodiscard]] int local_size() const { return place_.local_size; }
  /// Whether this is process 0, which writes the files and speaks.
  [[nodiscard]] bool leads() const { return place_.rank == 0; }

  /// Replace numbers by their sums over all processes, which are the same bits everywhere. Of two
  /// processes they do not depend on which is which.
  void sum(std::span<float> numbers);
  void sum(std::span<double> numbers);
  /// Whether it is so in any process.
  [[nodiscard]] bool any(bool here);
  /// Replace by what process 0 has.
  void take_over(std::span<float> numbers);
  [[nodiscard]] std::string taken_over(std::string text);

  /// Do the own part of something that takes as long as it takes, and wait until all have done
  /// theirs. Meanwhile the processes tell each other that they are there; `work` must not call the
  /// group. If it throws, its error is thrown here and PeersLost in the other processes.
  void together(const std::function<void()>& work);
  /// True from the moment at which another process is known to be lost; ends long work early.
  [[nodiscard]] const std::atomic<bool>& lost() const { return lost_; }

 private:
  struct Group;
  [[noreturn]] void lose(const std::string& what);
  template <class Call>
  void exchange(Call&& call);

  PeersPlace place_;
  std::chrono::milliseconds timeout_{0};
  std::unique_ptr<Group> group_;  // none for one process
  std::atomic<bool> lost_{false};
};

}  // namespace schafkopf
