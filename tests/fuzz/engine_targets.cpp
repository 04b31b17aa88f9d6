// The engine protocol from both sides: lines that a program answers, and lines that are asked of
// ours. Nothing is started.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/engine/engine_session.h"
#include "agents/engine/protocol.h"
#include "agents/engine/shell_words.h"
#include "agents/registry.h"
#include "env/record/position.h"
#include "env/record/record_keys.h"
#include "env/rules/compiled_rules.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/fuzz/targets.h"

namespace schafkopf::fuzz {
namespace {

namespace protocol = engine_protocol;

std::vector<std::string_view> lines_of(std::string_view bytes) {
  std::vector<std::string_view> lines;
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    lines.push_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  return lines;
}

void check_answer(std::string_view line, const ActionMask& legal) {
  const auto answer = taken([&] { return protocol::parse_answer(line, legal); });
  if (!answer) return;
  must(legal.contains(answer->action), "an illegal answer is taken");
  const protocol::Answer again = protocol::parse_answer(to_line(*answer), legal);
  must(again.action == answer->action, "another answer as written");
  must(again.probabilities.has_value() == answer->probabilities.has_value(), "no probabilities");
  if (!answer->probabilities) return;
  float sum = 0.0F;
  for (const float chance : *answer->probabilities) sum += chance;
  must(sum > 0.99F && sum < 1.01F, "probabilities do not sum to one");
}

void check_question(std::string_view line, ActionMask& legal) {
  const auto question = taken([&] { return protocol::parse_question(line); });
  if (!question) return;
  legal = question->legal;
  const std::string written = to_line(*question);
  must(to_line(protocol::parse_question(written)) == written, "another question as written");
}

/// A conversation over a game of random rules, up to a decision.
std::string conversation(std::uint64_t seed) {
  Rng random(seed);
  const CompiledRules rules(test::random_rules(seed));
  Game game(rules, deal_for(seed, rules.rules(), 0, rules.first_context()), 0,
            rules.first_context());
  for (std::uint64_t i = 0; i < 3 * seed && !game.is_terminal(); ++i) {
    game.apply(test::random_action(game, random));
  }
  std::string lines = "hello 1\nrules " + rules_json(rules) + '\n';
  if (!game.is_terminal()) {
    const PlayerView view = game.view(game.current_player());
    protocol::Question question{.key = {}, .milliseconds = 100, .legal = legal_actions(view.cards)};
    lines += "position " + position_json(view, rules) + '\n' + to_line(question) + '\n';
    question.key = RngKey{.seed = 1, .env = 2, .episode = 3, .decision = 4, .seat = 1};
    lines += to_line(question) + '\n';
  }
  return lines + "quit\n";
}

}  // namespace

void fuzz_engine_lines(std::string_view bytes) {
  ActionMask legal;
  for (const Action action : {Action{0}, Action{5}, Action{31}, kActionPass, kActionPlay}) {
    legal.add(action);
  }
  for (const std::string_view line : lines_of(bytes)) {
    const auto hello = taken([&] { return protocol::parse_hello(line); });
    if (hello) {
      const std::string written = to_line(*hello);
      must(to_line(protocol::parse_hello(written)) == written, "another greeting as written");
    }
    check_answer(line, legal);
    check_question(line, legal);
    const auto words = taken([&] { return shell_words(line); });
    must(!words || !words->empty(), "a command without a word");
  }
}

std::vector<std::string> engine_line_seeds() {
  return {"hello 1 deterministic name A b\nbestaction EO\n",
          "go key 1 0 0 12 3 time 5000 legal EO E7 PASS\nbestaction EO value 12.5 probabilities "
          "EO=0.75 E7=0.25\n",
          "go time 1 legal SA H7\nbestaction SA value -1e9\npython -c 'a b' \"c \\\" d\" e\\ f\n"};
}

void fuzz_engine_session(std::string_view bytes) {
  EngineSession session(make_agent("random"));
  for (const std::string_view line : lines_of(bytes)) {
    const auto answer = session.answer(line);
    if (!answer) continue;
    check_message(*answer);
    must(answer->find('\n') == std::string::npos, "an answer of two lines");
    const std::string_view word = protocol::split(*answer).word;
    must(word == "error" || word == "hello" || word == "bestaction", "no answer: " + *answer);
    if (word != "bestaction") continue;
    const protocol::Question question = protocol::parse_question(line);
    (void)protocol::parse_answer(*answer, question.legal);
  }
}

std::vector<std::string> engine_session_seeds() {
  std::vector<std::string> seeds;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) seeds.push_back(conversation(seed));
  return seeds;
}

}  // namespace schafkopf::fuzz
