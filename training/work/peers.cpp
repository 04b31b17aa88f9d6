#include "training/work/peers.h"

#include <ATen/ops/from_blob.h>
#include <c10/util/Exception.h>
#include <c10/util/Logging.h>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <string_view>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <utility>
#include <vector>

#include "env/base/input_limits.h"
#include "env/base/refuse.h"

namespace schafkopf {
namespace {

constexpr int kMostProcesses = 1 << 16;

/// What a library's error says, without where in its code it says so.
std::string short_text(const std::exception& error) {
  const auto* torch_error = dynamic_cast<const c10::Error*>(&error);
  std::string text = torch_error != nullptr ? torch_error->what_without_backtrace() : error.what();
  text = text.substr(0, text.find('\n'));
  if (const std::size_t place = text.find("] "); text.starts_with('[') && place < text.size()) {
    text = text.substr(place + 2);
  }
  return text.substr(0, text.find(". This is typically"));
}

/// Variables of the environment that are numbers.
class Numbers {
 public:
  explicit Numbers(const EnvironmentVariable& variable) : variable_(variable) {}

  [[nodiscard]] std::string text(const char* name) const {
    const char* value = variable_ ? variable_(name) : std::getenv(name);
    return value == nullptr ? "" : value;
  }
  [[nodiscard]] bool has(const char* name) const { return !text(name).empty(); }
  /// `why` follows what is allowed.
  [[nodiscard]] int number(const char* name, int least, int most, const std::string& why) const {
    const std::string value = text(name);
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < least ||
        number > most) {
      refuse(fmt::format("{} = {} (environment), allowed: {}..{}{}", name,
                         value.empty() ? "nothing" : quotable(value), least, most, why));
    }
    return number;
  }

 private:
  const EnvironmentVariable& variable_;
};

}  // namespace

PeersPlace peers_place(const EnvironmentVariable& variable) {
  const Numbers numbers(variable);
  PeersPlace place;
  if (!numbers.has("RANK") && !numbers.has("WORLD_SIZE")) return place;
  place.size = numbers.number("WORLD_SIZE", 1, kMostProcesses, ": the number of processes");
  const std::string of = fmt::format(" (WORLD_SIZE = {})", place.size);
  place.rank = numbers.number("RANK", 0, place.size - 1, of);
  if (place.size == 1) return place;
  if (numbers.has("LOCAL_WORLD_SIZE")) {
    place.local_size = numbers.number("LOCAL_WORLD_SIZE", 1, place.size, of);
  }
  if (numbers.has("LOCAL_RANK")) {
    place.local_rank = numbers.number("LOCAL_RANK", 0, place.size - 1, of);
  }
  place.host = numbers.text("MASTER_ADDR");
  if (place.host.empty()) {
    refuse(fmt::format(
        "MASTER_ADDR = nothing (environment), allowed: the machine of process 0{}; torchrun sets "
        "it",
        of));
  }
  place.port = numbers.number("MASTER_PORT", 1, 65535, of);
  place.launcher_listens = numbers.text("TORCHELASTIC_USE_AGENT_STORE") == "True";
  place.meeting = "schafkopf/" + numbers.text("TORCHELASTIC_RESTART_COUNT");
  return place;
}

void quiet_meeting() {
  ::setenv("TORCH_CPP_LOG_LEVEL", "FATAL", 0);
  c10::initLogging();
}

struct Peers::Group {
  Group(const PeersPlace& place, std::chrono::milliseconds timeout) {
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(place.port);
    options.isServer = place.rank == 0 && !place.launcher_listens;
    options.timeout = timeout;
    auto meeting = c10::make_intrusive<c10d::TCPStore>(place.host, options);
    store = c10::make_intrusive<c10d::PrefixStore>(place.meeting, std::move(meeting));
    group = c10::make_intrusive<c10d::ProcessGroupGloo>(
        store, place.rank, place.size, c10d::ProcessGroupGloo::Options::create_default(timeout));
  }
  c10::intrusive_ptr<c10d::Store> store;  // process 0 holds the meeting point as long as this
  c10::intrusive_ptr<c10d::ProcessGroupGloo> group;
};

namespace {

template <class T>
std::vector<at::Tensor> as_tensor(std::span<T> numbers, at::ScalarType type) {
  return {at::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, type)};
}

}  // namespace

Peers::Peers() = default;
Peers::~Peers() = default;

Peers::Peers(const PeersPlace& place, std::chrono::milliseconds timeout)
    : place_(place), timeout_(timeout) {
  if (place.size == 1) return;
  // Gloo writes to a process that has ended: an error, as every other, not the end of this one
  std::signal(SIGPIPE, SIG_IGN);
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  try {
    group_ = std::make_unique<Group>(place, timeout);
    double count = 1;
    sum(std::span(&count, 1));  // all are connected
  } catch (const std::exception& error) {
    throw std::runtime_error(fmt::format(
        "process {} of {} cannot meet the others at MASTER_ADDR = {}, MASTER_PORT = {} in {:.0f} "
        "s: {}",
        place.rank, place.size, place.host, place.port,
        std::chrono::duration<double>(Clock::now() - start).count(), short_text(error)));
  }
}

void Peers::lose(const std::string& what) {
  lost_ = true;
  throw PeersLost(fmt::format("process {} of {}: {}", place_.rank, place_.size, what));
}

template <class Call>
void Peers::exchange(Call&& call) {
  if (lost_) lose("another process is lost");
  try {
    call(*group_->group)->wait();
  } catch (const std::exception& error) {
    const std::string text = short_text(error);
    const bool late = text.find("imed out") != std::string::npos;
    lose(late ? fmt::format("another process has not answered for {} s: it has ended or hangs, or "
                            "its machine is not to be reached",
                            timeout_.count() / 1000)
              : fmt::format("another process has ended ({})", text));
  }
}

void Peers::sum(std::span<float> numbers) {
  if (group_ == nullptr || numbers.empty()) return;
  std::vector<at::Tensor> tensors = as_tensor(numbers, at::kFloat);
  exchange([&](c10d::ProcessGroupGloo& group) { return group.allreduce(tensors); });
}

void Peers::sum(std::span<double> numbers) {
  if (group_ == nullptr || numbers.empty()) return;
  std::vector<at::Tensor> tensors = as_tensor(numbers, at::kDouble);
  exchange([&](c10d::ProcessGroupGloo& group) { return group.allreduce(tensors); });
}

bool Peers::any(bool here) {
  double count = here ? 1 : 0;
  sum(std::span(&count, 1));
  return count > 0;
}

void Peers::take_over(std::span<float> numbers) {
  if (group_ == nullptr || numbers.empty()) return;
  std::vector<at::Tensor> tensors = as_tensor(numbers, at::kFloat);
  exchange([&](c10d::ProcessGroupGloo& group) { return group.broadcast(tensors); });
}

std::string Peers::taken_over(std::string text) {
  if (group_ == nullptr) return text;
  double length = leads() ? static_cast<double>(text.size()) : 0;
  sum(std::span(&length, 1));
  text.resize(static_cast<std::size_t>(length));
  if (text.empty()) return text;
  std::vector<at::Tensor> tensors = as_tensor(std::span(text), at::kByte);
  exchange([&](c10d::ProcessGroupGloo& group) { return group.broadcast(tensors); });
  return text;
}

void Peers::together(const std::function<void()>& work) {
  if (group_ == nullptr) {
    work();
    return;
  }
  constexpr double kWorks = 0, kDone = 1, kFailed = 2;
  std::mutex mutex;
  std::condition_variable changed;
  double state = kWorks;
  std::exception_ptr error, loss;
  const auto tell_until_all_are_done = [&] {
    std::vector<double> states(static_cast<std::size_t>(place_.size));
    for (bool over = false; !over;) {
      double own = kWorks;
      {
        std::unique_lock lock(mutex);
        changed.wait_for(lock, timeout_ / 5, [&] { return state != kWorks; });
        own = state;
      }
      std::ranges::fill(states, 0.0);
      states[static_cast<std::size_t>(place_.rank)] = own;
      sum(states);
      const auto failed = std::ranges::find(states, kFailed);
      if (failed != states.end() && own != kFailed) {
        lose(fmt::format("process {} has failed and says why", failed - states.begin()));
      }
      over = failed != states.end() ||
             std::ranges::all_of(states, [](double one) { return one == kDone; });
    }
  };
  std::thread teller([&] {
    try {
      tell_until_all_are_done();
    } catch (...) {
      loss = std::current_exception();
    }
  });
  try {
    work();
  } catch (...) {
    error = std::current_exception();
  }
  {
    const std::scoped_lock lock(mutex);
    state = error ? kFailed : kDone;
  }
  changed.notify_one();
  teller.join();
  if (loss) std::rethrow_exception(loss);  // the error may come from work that ended early for it
  if (error) std::rethrow_exception(error);
}

}  // namespace schafkopf
