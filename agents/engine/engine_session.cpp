#include "agents/engine/engine_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "agents/engine/protocol.h"
#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/base/refuse.h"
#include "env/record/position.h"
#include "env/record/record_keys.h"
#include "env/view/encoder.h"

namespace schafkopf {

namespace protocol = engine_protocol;

EngineSession::EngineSession(std::shared_ptr<BatchPolicy> player, GoesOn goes_on)
    : player_(std::move(player)), goes_on_(goes_on) {
  if (player_->sees_hidden_hands()) {
    refuse(fmt::format("{} sees hidden hands, and the protocol tells none", player_->name()));
  }
}

std::optional<std::string> EngineSession::answer(std::string_view line) {
  static constexpr std::array<std::string_view, 5> kCommands = {"hello", "rules", "position", "go",
                                                                "quit"};
  const protocol::Command command = protocol::split(line);
  if (command.word.empty()) return std::nullopt;
  try {
    if (command.word == "hello") return hello(command.rest);
    if (command.word == "go") return go(line);
    if (command.word == "rules") {
      set_rules(command.rest);  // gets no answer: what is wrong with it is said to the question
    } else if (command.word == "position") {
      position_ = command.rest;
    } else if (command.word == "quit") {
      over_ = true;
    } else {
      refuse(fmt::format("unknown command \"{}\", allowed: hello, rules, position, go, quit{}",
                         quotable(command.word),
                         nearest_hint(command.word, std::span<const std::string_view>(kCommands))));
    }
    return std::nullopt;
  } catch (const std::exception& error) {
    if (goes_on_ != nullptr && goes_on_(error)) throw;
    return fmt::format("error {}", quotable(error.what(), 1000));
  }
}

std::string EngineSession::hello(std::string_view rest) const {
  // words behind the version are of later ones, and passed over
  if (rest.substr(0, rest.find(' ')) != fmt::format("{}", protocol::kVersion)) {
    refuse(fmt::format("hello {}, allowed: hello {}", quotable(rest), protocol::kVersion));
  }
  return to_line(protocol::Hello{.version = protocol::kVersion,
                                 .deterministic = player_->answers_alike(),
                                 .name = player_->name()});
}

void EngineSession::set_rules(std::string_view json) {
  rules_ = nullptr;  // no question is answered by rules that were meant to be others
  wrong_rules_.clear();
  try {
    rules_ = parse_rules(json);
  } catch (const std::invalid_argument& error) {
    wrong_rules_ = error.what();
    return;
  }
  features_.resize(static_cast<std::size_t>(rule_feature_size()));
  write_rule_features(*rules_, features_);
}

std::string EngineSession::go(std::string_view line) {
  if (!wrong_rules_.empty()) refuse(wrong_rules_);
  if (rules_ == nullptr) refuse("go: no rules yet, allowed: after rules and position");
  if (position_.empty()) refuse("go: no position yet, allowed: after rules and position");
  const protocol::Question question = protocol::parse_question(line);
  const PlayerView view = parse_position(position_, question.legal, *rules_);
  const std::array<const CompiledRules*, 1> rules{rules_.get()};
  const RuleTable table{rules, features_};
  const ViewBatch batch{.size = 1,
                        .cards = &view.cards,
                        .order = &view.order,
                        .events = &view.events,
                        .rules = &table};
  protocol::Answer answer;
  if (question.key) {
    player_->act(batch, std::span(&*question.key, 1), std::span(&answer.action, 1));
    return to_line(answer);
  }
  std::array<float, kNumActions>& chances = answer.probabilities.emplace();
  float value = std::nanf("");
  player_->policy(batch, chances, std::span(&value, 1));
  answer.action = static_cast<Action>(std::ranges::max_element(chances) - chances.begin());
  if (!std::isnan(value)) answer.value = value;
  return to_line(answer);
}

}  // namespace schafkopf
