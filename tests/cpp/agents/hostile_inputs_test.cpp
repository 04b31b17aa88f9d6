// Every reader of env and agents over every wrong input: a normal error with a short message, or a
// value, never a crash. Readers of training stand in tests/cpp/training, those of Python and the
// commands in tests/python.
#include "tests/cpp/support/hostile_inputs.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/network/network.h"
#include "agents/network/weights.h"
#include "agents/registry.h"
#include "agents/tournament/league_day.h"
#include "agents/tournament/league_journal.h"
#include "agents/tournament/tournament.h"
#include "agents/tournament/tournament_config.h"
#include "agents/tournament/tournament_journal.h"
#include "env/game/game.h"
#include "env/record/record.h"
#include "env/rules/compiled_rules.h"
#include "env/rules/rules.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/agents/random_weights.h"
#include "tests/cpp/support/temporary_file.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf {
namespace {

using test::Input;
using test::Reader;
using test::TemporaryFile;

/// A reader of a file.
Reader file_reader(const std::string& name, const std::function<void(const std::string&)>& read) {
  return {name, [name, read](const std::string& bytes) {
            const TemporaryFile file(name);
            file.write(bytes);
            read(file.path());
          }};
}

std::span<const std::uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string as_text(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

TournamentOptions small_tournament(const std::string& journal, bool resume) {
  TournamentOptions options;
  options.agents = {{"random", "a"}, {"random", "b"}};
  options.rules = test::rules_named("research");
  options.track = Track::kFull;
  options.blocks = 3;
  options.threads = 1;
  options.journal = journal;
  options.resume = resume;
  return options;
}

TournamentOptions small_league(const std::string& journal, bool resume) {
  TournamentOptions options;
  options.agents = {{"random"}};
  options.rules = test::rules_named("tournament_2024");
  options.players = 4;
  options.threads = 1;
  options.journal = journal;
  options.resume = resume;
  return options;
}

void read_network(const std::string& path) { (void)read_network_shape(read_weights(path), path); }

void replay_record(const GameRecord& record) {
  (void)to_text(record);
  (void)differences(record, replay(record));
}

std::vector<Reader> readers() {
  return {
      {"record", [](const std::string& b) { replay_record(parse_record(b)); }},
      {"record of a line", [](const std::string& b) { replay_record(parse_record(b, 7)); }},
      {"record text", [](const std::string& b) { (void)parse_text(b); }},
      {"rules", [](const std::string& b) { (void)read_rules(b, "x.toml"); }},
      {"tournament", [](const std::string& b) { (void)parse_tournament_config(b, "x.toml"); }},
      {"tournament setting",
       [](const std::string& b) {
         TournamentOptions config;
         set_tournament_config(config, "seed=" + b);
       }},
      {"agent", [](const std::string& b) { (void)make_agent("rules:random=" + b); }},
      {"game",
       [](const std::string& b) {
         (void)Game::deserialize(*test::rules_named("research"), as_bytes(b));
       }},
      {"snapshot",
       [](const std::string& b) {
         VectorEnv env(test::small_options(2));
         env.restore(as_bytes(b));
       }},
      file_reader("rule file", [](const std::string& path) { (void)load_rules(path); }),
      file_reader("tournament file",
                  [](const std::string& path) { (void)load_tournament_config(path); }),
      file_reader("network", read_network),
      file_reader("net agent", [](const std::string& path) { (void)make_agent("net:" + path); }),
      file_reader("search agent",
                  [](const std::string& path) { (void)make_agent("net+search:" + path); }),
      file_reader("contract list",
                  [](const std::string& path) {
                    TournamentOptions options = small_tournament("", false);
                    options.contract_list = path;
                    check_tournament(options);
                  }),
      file_reader("tournament journal", [](const std::string& path) { (void)read_journal(path); }),
      file_reader(
          "tournament to resume",
          [](const std::string& path) { (void)run_tournament(small_tournament(path, true)); }),
      file_reader("league journal",
                  [](const std::string& path) { (void)read_league_journal(path); }),
  };
}

Reader reader_named(const std::string& name) {
  for (const Reader& reader : readers()) {
    if (reader.name == name) return reader;
  }
  throw std::logic_error("no reader " + name);
}

class EveryReader : public testing::TestWithParam<Reader> {};

TEST_P(EveryReader, takes_or_refuses_every_file_of_the_corpus) {
  const std::vector<Input> inputs = test::corpus();
  ASSERT_GE(inputs.size(), 100U);
  for (const Input& input : inputs) (void)test::refusal(GetParam(), input);
}

TEST_P(EveryReader, refuses_what_is_too_deep_or_too_long) {
  for (const Input& input : test::large_inputs()) {
    const std::string message = test::refusal(GetParam(), input);
    EXPECT_NE(message, "") << GetParam().name << " took " << input.name;
  }
}

INSTANTIATE_TEST_SUITE_P(HostileInputs, EveryReader, testing::ValuesIn(readers()),
                         [](const auto& test) {
                           std::string name = test.param.name;
                           std::ranges::replace(name, ' ', '_');
                           return name;
                         });

/// Bytes that a reader takes, from which damaged ones are made.
struct Valid {
  std::string reader;
  Input input;
  bool every_flip_is_found = false;
};

std::vector<Valid> valid_inputs() {
  std::vector<Valid> list;
  const std::string folder = source_dir() + "/tests/corpus/";
  for (const auto& [reader, name] : {std::pair("record", "valid_record.jsonl"),
                                     {"record text", "valid_record.txt"},
                                     {"rules", "valid_rules.toml"},
                                     {"tournament", "valid_tournament.toml"}}) {
    list.push_back({reader, {name, test::bytes_of_file(folder + name)}});
  }
  const TemporaryFile network("network"), journal("journal"), day("day");
  write_weights(network.path(), test::random_weights(make_network_shape(4, 1)));
  list.push_back({"network", {"a network", network.read()}, true});
  (void)run_tournament(small_tournament(journal.path(), false));
  list.push_back({"tournament journal", {"a journal", journal.read()}});
  list.push_back({"tournament to resume", {"a journal", journal.read()}});
  (void)play_league_day(small_league(day.path(), false));
  list.push_back({"league journal", {"a journal of a league day", day.read()}});
  const Game game(*test::rules_named("research"), random_deal(3), 0);
  list.push_back({"game", {"a game", as_text(game.serialize())}, true});
  VectorEnv env(test::small_options(2));
  for (int step = 0; step < 40; ++step) env.step_random();
  list.push_back({"snapshot", {"a snapshot", as_text(env.snapshot())}, true});
  return list;
}

TEST(HostileInputs, damaged_bytes_of_every_format_are_taken_or_refused) {
  for (const Valid& valid : valid_inputs()) {
    const Reader reader = reader_named(valid.reader);
    EXPECT_EQ(test::refusal(reader, valid.input), "") << valid.reader;
    for (const Input& input : test::truncations(valid.input, test::scaled(20, 100, 1000))) {
      (void)test::refusal(reader, input);
    }
    for (const Input& input : test::flips(valid.input, test::scaled(30, 300, 3000))) {
      const std::string message = test::refusal(reader, input);
      EXPECT_TRUE(!valid.every_flip_is_found || !message.empty()) << input.name;
    }
  }
}

TEST(HostileInputs, no_file_is_left_out_of_a_resumed_league_day) {
  const TemporaryFile file("league");
  (void)play_league_day(small_league(file.path(), false));
  const Reader resume{"league day to resume", [&](const std::string& bytes) {
                        file.write(bytes);
                        (void)play_league_day(small_league(file.path(), true));
                      }};
  const Input valid{"a league day", file.read()};
  for (const Input& input : test::flips(valid, test::scaled(5, 30, 300))) {
    (void)test::refusal(resume, input);
  }
  for (const Input& input : test::corpus()) (void)test::refusal(resume, input);
}

}  // namespace
}  // namespace schafkopf
