#include "agents/engine/protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <type_traits>

#include "env/base/input_limits.h"
#include "env/base/refuse.h"

namespace schafkopf::engine_protocol {
namespace {

constexpr std::string_view kHello = "hello", kGo = "go", kBestAction = "bestaction";

/// Words of a line, one after the other.
class Words {
 public:
  explicit Words(std::string_view line) : line_(line), left_(line) {}
  /// Words of a part of a line: what is wrong with one is said of the whole line.
  Words(const Words& line, std::string_view part) : line_(line.line_), left_(part) {}

  /// The next word, empty at the end.
  std::string_view next() {
    const Command command = split(left_);
    left_ = command.rest;
    return command.word;
  }
  [[nodiscard]] std::string_view left() const { return left_; }
  void expect(std::string_view word) {
    if (next() != word) refuse_line(fmt::format("\"{}\" is missing", word));
  }
  template <class Number>
  Number number() {
    const std::string_view word = next();
    // floats by way of double: a chance that no float holds is 0, as 1e-50
    std::conditional_t<std::is_same_v<Number, float>, double, Number> value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    const bool tiny = std::is_same_v<Number, float> && error == std::errc::result_out_of_range &&
                      word.find("e-") != std::string_view::npos;
    const bool is_number = (error == std::errc{} || tiny) && end == word.data() + word.size();
    if (!is_number) refuse_line(fmt::format("\"{}\" is no number", quotable(word)));
    return static_cast<Number>(value);
  }
  [[noreturn]] void refuse_line(std::string_view reason) const {
    refuse(fmt::format("\"{}\": {}", quotable(line_), reason));
  }

 private:
  std::string_view line_, left_;
};

/// An action as one word: a card without CARD before it.
std::string word_of(Action action) {
  return action < kNumCards ? card_name(action) : action_name(action);
}

Action action_in(const Words& words, std::string_view word) {
  const std::optional<Action> action = parse_action(word);
  if (!action || *action >= kFirstReserved) {
    words.refuse_line(fmt::format("\"{}\" is no action", quotable(word)));
  }
  return *action;
}

/// NAME=NUMBER ... to the end of the line.
std::array<float, kNumActions> read_probabilities(Words& words, const ActionMask& legal) {
  std::array<float, kNumActions> chances{};
  ActionMask given;
  double sum = 0.0;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    const std::size_t equals = word.find('=');
    if (equals == std::string_view::npos) {
      words.refuse_line(fmt::format("\"{}\" is no ACTION=NUMBER", quotable(word)));
    }
    const Action action = action_in(words, word.substr(0, equals));
    const auto chance = Words(words, word.substr(equals + 1)).number<float>();
    if (!legal.contains(action)) {
      throw IllegalAnswer(fmt::format("gave a probability to {}, which is not legal; legal: {}",
                                      word_of(action), to_string(legal)));
    }
    if (!(chance >= 0.0F) || !std::isfinite(chance)) {
      words.refuse_line(fmt::format("{} is no probability", quotable(word)));
    }
    if (given.contains(action)) words.refuse_line(fmt::format("{} comes twice", word_of(action)));
    given.add(action);
    chances[action] = chance;
  }
  for (const float chance : chances) sum += static_cast<double>(chance);
  if (!(sum > 0.0)) words.refuse_line("the probabilities sum up to 0");
  for (float& chance : chances) chance = static_cast<float>(static_cast<double>(chance) / sum);
  return chances;
}

}  // namespace

Command split(std::string_view line) {
  constexpr std::string_view kBlanks = " \t\r\n";
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
  std::string_view rest = line.substr(end);
  rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
  rest = rest.substr(0, rest.find_last_not_of(kBlanks) + 1);
  return {line.substr(0, end), rest};
}

std::string to_line(const Hello& hello) {
  return fmt::format("{} {}{} name {}", kHello, hello.version,
                     hello.deterministic ? " deterministic" : "", hello.name);
}

Hello parse_hello(std::string_view line) {
  Words words(line);
  words.expect(kHello);
  Hello hello{.version = words.number<int>(), .deterministic = false, .name = {}};
  if (hello.version != kVersion) {
    words.refuse_line(
        fmt::format("version {} of the protocol, allowed: {}", hello.version, kVersion));
  }
  std::string_view word = words.next();
  for (; !word.empty() && word != "name"; word = words.next()) {
    if (word == "deterministic")
      hello.deterministic = true;  // what later versions say is no matter
  }
  hello.name = quotable(words.left());
  return hello;
}

std::string to_line(const Question& question) {
  std::string line(kGo);
  if (const std::optional<RngKey>& key = question.key) {
    line += fmt::format(" key {} {} {} {} {}", key->seed, key->env, key->episode, key->decision,
                        key->seat);
  }
  line += fmt::format(" time {} legal", question.milliseconds);
  for (int n = 0; n < question.legal.count(); ++n) line += ' ' + word_of(question.legal.nth(n));
  return line;
}

Question parse_question(std::string_view line) {
  Words words(line);
  words.expect(kGo);
  Question question;
  std::string_view word = words.next();
  if (word == "key") {
    RngKey& key = question.key.emplace();
    key.seed = words.number<std::uint64_t>();
    key.env = words.number<std::uint64_t>();
    key.episode = words.number<std::uint64_t>();
    key.decision = words.number<std::uint32_t>();
    key.seat = words.number<std::uint32_t>();
    word = words.next();
  }
  if (word != "time") words.refuse_line("\"time\" is missing");
  question.milliseconds = words.number<std::int64_t>();
  words.expect("legal");
  for (word = words.next(); !word.empty(); word = words.next()) {
    question.legal.add(action_in(words, word));
  }
  if (question.legal.empty()) words.refuse_line("no legal action");
  return question;
}

std::string to_line(const Answer& answer) {
  std::string line = fmt::format("{} {}", kBestAction, word_of(answer.action));
  if (answer.value) line += fmt::format(" value {}", *answer.value);
  if (!answer.probabilities) return line;
  line += " probabilities";
  for (int action = 0; action < kNumActions; ++action) {
    const float chance = (*answer.probabilities)[static_cast<std::size_t>(action)];
    if (chance > 0.0F) line += fmt::format(" {}={}", word_of(static_cast<Action>(action)), chance);
  }
  return line;
}

Answer parse_answer(std::string_view line, const ActionMask& legal) {
  Words words(line);
  words.expect(kBestAction);
  Answer answer;
  answer.action = action_in(words, words.next());
  if (!legal.contains(answer.action)) {
    throw IllegalAnswer(fmt::format("answered {}, which is not legal; legal: {}",
                                    word_of(answer.action), to_string(legal)));
  }
  std::string_view word = words.next();
  if (word == "value") {
    answer.value = words.number<float>();
    if (!std::isfinite(*answer.value)) words.refuse_line("the value is not finite");
    word = words.next();
  }
  if (word == "probabilities") {
    answer.probabilities = read_probabilities(words, legal);
  } else if (!word.empty()) {
    words.refuse_line(fmt::format("\"{}\", allowed: value, probabilities", quotable(word)));
  }
  return answer;
}

}  // namespace schafkopf::engine_protocol
