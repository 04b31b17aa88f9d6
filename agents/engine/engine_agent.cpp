#include "agents/engine/engine_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "agents/engine/engine_process.h"
#include "agents/engine/protocol.h"
#include "agents/engine/shell_words.h"
#include "env/base/input_limits.h"
#include "env/base/random.h"
#include "env/base/refuse.h"
#include "env/base/siphash.h"
#include "env/record/position.h"
#include "env/record/record_keys.h"

namespace schafkopf {

namespace protocol = engine_protocol;

namespace {

using Clock = EngineProcess::Clock;
constexpr int kMostInfoLines = 10'000;  // of one answer

Clock::time_point after(double seconds) {
  return Clock::now() +
         std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

}  // namespace

/// One running program that has said hello.
class EngineTalk {
 public:
  /// Throws EngineError.
  explicit EngineTalk(const EngineOptions& options)
      : options_(options), process_(shell_words(options.command), options.log) {
    const Clock::time_point deadline = after(options.start);
    try {
      process_.send(fmt::format("hello {}", protocol::kVersion), deadline);
      hello_ = protocol::parse_hello(answer(deadline));
    } catch (const EngineError& error) {
      const bool late = error.kind() == PlayerFailure::kTimeout;
      const std::string cause =
          late ? fmt::format(" (start = {} seconds); does the program hold its lines in a buffer?",
                             options.start)
               : "";
      throw EngineError(error.kind(), fmt::format("hello: {}{}", error.what(), cause));
    } catch (const std::invalid_argument& error) {
      throw EngineError(PlayerFailure::kGarbage,
                        fmt::format("hello: answered {}; allowed: hello {} name NAME", error.what(),
                                    protocol::kVersion));
    }
  }

  /// The chance of a decision in one number. Seed, deal and counters stay here: from them all hands
  /// could be dealt again, and which seat was asked without a word. The draws of our own players are
  /// bijections of the seed, from which it could be counted back.
  static std::optional<RngKey> told(const std::optional<RngKey>& key) {
    if (!key) return {};
    const std::uint64_t deal = episode_seed(key->seed, key->env, key->episode);
    return RngKey{.seed = siphash(deal, stream_key(deal, RngStream::kPolicy),
                                  draw_number(key->seat, key->decision))};
  }

  /// Throws EngineError.
  protocol::Answer ask(const PlayerView& view, const CompiledRules& rules,
                       const std::optional<RngKey>& key) {
    const protocol::Question question{told(key), static_cast<std::int64_t>(options_.time * 1000.0),
                                      legal_actions(view.cards)};
    const Clock::time_point deadline = after(options_.time);
    check_that_nothing_is_left();
    std::string text;
    if (rules_ != rules.hash()) text = fmt::format("rules {}\n", rules_json(rules));
    rules_ = rules.hash();
    text += fmt::format("position {}\n{}", position_json(view, rules), to_line(question));
    process_.send(text, deadline);
    const std::string line = answer(deadline);
    try {
      return protocol::parse_answer(line, question.legal);
    } catch (const protocol::IllegalAnswer& error) {
      throw EngineError(PlayerFailure::kIllegal, error.what());
    } catch (const std::invalid_argument& error) {
      throw EngineError(PlayerFailure::kGarbage, fmt::format("answered {}", error.what()));
    }
  }

  /// Without a farewell: it hangs, or is out of step.
  void kill() { process_.kill(); }
  [[nodiscard]] bool is_ours() const { return process_.is_ours(); }
  [[nodiscard]] const protocol::Hello& hello() const { return hello_; }

 private:
  /// A line too many would be taken for the answer to the next question, and so on.
  void check_that_nothing_is_left() {
    for (int i = 0; i < kMostInfoLines; ++i) {
      const std::optional<std::string> line = process_.line_there();
      if (!line) return;
      const std::string_view word = protocol::split(*line).word;
      if (word == "info" || word.empty()) continue;
      throw EngineError(PlayerFailure::kGarbage,
                        fmt::format("wrote \"{}\" without being asked; allowed: one bestaction "
                                    "line for each go",
                                    quotable(*line)));
    }
    fail_as_flooded();
  }
  /// The next line that is no `info`.
  std::string answer(Clock::time_point deadline) {
    for (int i = 0; i < kMostInfoLines; ++i) {
      std::string line = process_.read_line(deadline);
      const protocol::Command command = protocol::split(line);
      if (command.word == "error") {
        throw EngineError(PlayerFailure::kError,
                          fmt::format("says error: {}", quotable(command.rest)));
      }
      if (command.word != "info" && !command.word.empty()) return line;
    }
    fail_as_flooded();
  }
  [[noreturn]] static void fail_as_flooded() {
    throw EngineError(PlayerFailure::kGarbage,
                      fmt::format("wrote {} lines of info instead of an answer", kMostInfoLines));
  }

  const EngineOptions& options_;
  EngineProcess process_;
  protocol::Hello hello_;
  std::optional<std::uint64_t> rules_;  // hash of those it was told
};

/// What the clones of a player share: its options, programs that nobody talks to, what failed.
class EngineTeam {
 public:
  explicit EngineTeam(EngineOptions options) : options_(std::move(options)) {}

  /// A program that waits, or a new one. Throws EngineError.
  std::unique_ptr<EngineTalk> take() {
    {
      const std::scoped_lock lock(mutex_);
      while (!waiting_.empty()) {
        std::unique_ptr<EngineTalk> talk = std::move(waiting_.back());
        waiting_.pop_back();
        if (talk->is_ours()) return talk;
      }
    }
    auto talk = std::make_unique<EngineTalk>(options_);
    const std::scoped_lock lock(mutex_);
    outside_.deterministic = talk->hello().deterministic;
    return talk;
  }
  void give_back(std::unique_ptr<EngineTalk> talk) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(talk));
  }

  void answered() {
    const std::scoped_lock lock(mutex_);
    in_a_row_ = 0;
  }
  /// Throws std::runtime_error when it is too much.
  void failed(const EngineError& error) {
    const std::scoped_lock lock(mutex_);
    ++outside_.failures[static_cast<std::size_t>(error.kind())];
    if (outside_.first_failure.empty()) outside_.first_failure = error.what();
    if (++in_a_row_ < options_.failures) return;
    throw std::runtime_error(fmt::format(
        "engine \"{}\": {} decisions in a row without a usable answer (failures = {}), the last: "
        "{}; try it by hand, agents/engine/PROTOCOL.md shows a conversation",
        quotable(options_.command), in_a_row_, options_.failures, error.what()));
  }

  [[nodiscard]] OutsideReport outside() const {
    const std::scoped_lock lock(mutex_);
    return outside_;
  }
  [[nodiscard]] const EngineOptions& options() const { return options_; }

 private:
  const EngineOptions options_;
  mutable std::mutex mutex_;
  OutsideReport outside_;
  int in_a_row_ = 0;
  std::vector<std::unique_ptr<EngineTalk>> waiting_;
};

EngineAgent::EngineAgent(const EngineOptions& options)
    : team_(std::make_shared<EngineTeam>(options)) {
  try {
    team_->give_back(team_->take());
  } catch (const EngineError& error) {
    refuse(fmt::format("command = \"{}\": {}", quotable(options.command), error.what()));
  }
}

EngineAgent::EngineAgent(std::shared_ptr<EngineTeam> team) : team_(std::move(team)) {}

EngineAgent::~EngineAgent() {
  if (talk_ != nullptr && talk_->is_ours()) team_->give_back(std::move(talk_));
}

/// Gives the answer for one row to `take`; not where the program failed.
template <class Take>
void EngineAgent::ask(const ViewBatch& batch, std::size_t row, const std::optional<RngKey>& key,
                      Take take) {
  const PlayerView view = batch.view(row);
  try {
    if (talk_ == nullptr || !talk_->is_ours()) talk_ = team_->take();
    take(talk_->ask(view, batch.rules_of(row), key));
    team_->answered();
  } catch (const EngineError& error) {
    // after an illegal answer, and an error in its own words, it waits for the next question
    const bool in_step =
        error.kind() == PlayerFailure::kIllegal || error.kind() == PlayerFailure::kError;
    if (!in_step) drop();
    constexpr std::size_t kMostKept = 100'000;  // where nobody takes them
    if (failed_.size() < kMostKept) failed_.push_back(batch.cards + row);
    team_->failed(error);
  } catch (...) {  // ended while it thought: its answer would come to the next question
    drop();
    throw;
  }
}

void EngineAgent::drop() {
  if (talk_ != nullptr) talk_->kill();
  talk_.reset();
}

void EngineAgent::policy(const ViewBatch& batch, std::span<float> probabilities,
                         std::span<float> values) {
  fallback_.policy(batch, probabilities, values);
  for (std::size_t row = 0; row < batch.size; ++row) {
    if (legal_actions(batch.cards[row]).empty()) continue;
    ask(batch, row, std::nullopt, [&](const protocol::Answer& answer) {
      const std::span<float> chances = probabilities.subspan(row * kNumActions, kNumActions);
      std::ranges::fill(chances, 0.0F);
      chances[answer.action] = 1.0F;
      if (answer.probabilities) std::ranges::copy(*answer.probabilities, chances.begin());
      if (!values.empty() && answer.value) values[row] = *answer.value;
    });
  }
}

void EngineAgent::act(const ViewBatch& batch, std::span<const RngKey> keys,
                      std::span<Action> actions) {
  fallback_.act(batch, keys, actions);
  for (std::size_t row = 0; row < batch.size; ++row) {
    if (legal_actions(batch.cards[row]).empty()) continue;
    ask(batch, row, keys[row],
        [&](const protocol::Answer& answer) { actions[row] = answer.action; });
  }
}

OutsideReport EngineAgent::outside() const { return team_->outside(); }

std::vector<const CardsLine*> EngineAgent::take_failed() { return std::exchange(failed_, {}); }

std::string EngineAgent::name() const { return engine_spec(team_->options()); }

std::unique_ptr<BatchPolicy> EngineAgent::clone() const {
  return std::unique_ptr<BatchPolicy>(new EngineAgent(team_));
}

std::string engine_spec(const EngineOptions& options) {
  const EngineOptions defaults;
  std::string text;
  if (options.time != defaults.time) text += fmt::format("time={},", options.time);
  if (options.start != defaults.start) text += fmt::format("start={},", options.start);
  if (options.failures != defaults.failures) text += fmt::format("failures={},", options.failures);
  if (!options.log.empty()) text += fmt::format("log={},", options.log);
  return fmt::format("{}:{}{}={}", kEngineName, text, kCommandKey, options.command);
}

}  // namespace schafkopf
