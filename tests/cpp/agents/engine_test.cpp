// Players in other processes: what a program may do wrong, and that nothing of it stays.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "agents/engine/engine_agent.h"
#include "agents/engine/engine_session.h"
#include "agents/engine/protocol.h"
#include "agents/engine/shell_words.h"
#include "agents/registry.h"
#include "agents/tournament/league_day.h"
#include "agents/tournament/tournament.h"
#include "agents/work/parallel_policy.h"
#include "env/base/random.h"
#include "env/base/siphash.h"
#include "env/game/game.h"
#include "env/record/position.h"
#include "env/rules/compiled_rules.h"
#include "tests/cpp/agents/rule_choice.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf::test {
namespace {

using rule_choice::deal_of;
using rule_choice::research;
using rule_choice::ruf;

const char* const kDealtHands =
    "EO HO EU HA H9 E9 S9 S8 | EA GA G10 GK GO HU H7 S7 |"
    " E10 E8 GU HK S10 G9 G8 H8 | SO SU H10 EK E7 SA SK G7";
const std::string kHello = "read line; echo hello 1 name Test; ";

/// A program in the language of the shell, as a command.
std::string sh(const std::string& script) { return "sh -c '" + script + "'"; }

/// The first decision of a Rufspiel, asked of a player several times over.
class Table {
 public:
  Table() : game_(Game::with_contract(research(), deal_of(kDealtHands), 3, ruf(0, "EA"))) {
    view_ = game_.view(0);
  }
  [[nodiscard]] ViewBatch batch() const {
    return {.size = 1,
            .cards = &view_.cards,
            .order = &view_.order,
            .events = &view_.events,
            .rules = &table_};
  }
  std::string ask(BatchPolicy& player, std::uint64_t seed = 1) const {
    const RngKey key{.seed = seed};
    Action action = 0;
    player.act(batch(), {&key, 1}, {&action, 1});
    EXPECT_TRUE(game_.legal_actions().contains(action));
    return card_name(action);
  }
  [[nodiscard]] const PlayerView& view() const { return view_; }

 private:
  Game game_;
  PlayerView view_;
  std::array<const CompiledRules*, 1> rules_{&research()};
  RuleTable table_{rules_, {}};
};

OutsideReport report_of(const BatchPolicy& player) {
  return dynamic_cast<const OutsidePlayer&>(player).outside();
}
std::int64_t count(const BatchPolicy& player, PlayerFailure kind) {
  return report_of(player).failures[static_cast<std::size_t>(kind)];
}

/// That this process has no children: neither running nor waiting to be asked for.
void expect_no_children() {
  errno = 0;
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

std::string error_of_spec(const std::string& spec) {
  return error_of<std::invalid_argument>([&] { (void)make_agent(spec); });
}

TEST(Engine, is_asked_in_lines_and_answers_with_its_best_action) {
  {
    const auto player =
        make_agent("engine:" + sh(kHello + "while read word rest; do case $word in "
                                           "go) echo info thinking; echo bestaction "
                                           "HO;; esac; done"));
    const Table table;
    EXPECT_EQ(table.ask(*player), "HO");
    EXPECT_EQ(table.ask(*player->clone()), "HO");
    const OutsideReport report = report_of(*player);
    EXPECT_FALSE(report.deterministic);
    EXPECT_EQ(report.first_failure, "");
  }
  expect_no_children();
}

// From seed, deal and counters every hand could be dealt again, and silent answers counted (D.1).
TEST(Engine, is_told_one_mixed_number_and_not_what_it_was_mixed_from) {
  const auto player = make_agent(
      "engine:" +
      sh(kHello + "while read word rest; do case $word in go) case \"$rest\" in \"key 77 "
                  "\"*) echo bestaction EO;; *\" 0 0 0 0 time \"*) echo bestaction "
                  "HO;; esac;; esac; done"));
  const Table table;
  EXPECT_EQ(table.ask(*player, 77), "HO");
  EXPECT_EQ(count(*player, PlayerFailure::kTimeout), 0);
}

// The draws of our own players are bijections of the seed: they would lead back to it.
TEST(Engine, is_told_a_number_that_leads_to_no_seed_back) {
  constexpr std::uint64_t kKey0 = 0x0706050403020100u, kKey1 = 0x0F0E0D0C0B0A0908u;
  EXPECT_EQ(siphash(kKey0, kKey1, kKey0), 0x93F5F5799A932462u) << "of its reference";
  constexpr RngKey kKey{.seed = 77};
  const std::uint64_t deal = episode_seed(77, 0, 0);
  const std::uint64_t told = siphash(deal, stream_key(deal, RngStream::kPolicy), 0);
  const auto player = make_agent(
      "engine:" + sh(kHello + fmt::format("while read word rest; do case $word in go) case "
                                          "\"$rest\" in \"key {} \"*) echo bestaction HO;; "
                                          "\"key {} \"*) echo bestaction EO;; esac;; esac; done",
                                          told, draw(kKey))));
  EXPECT_EQ(Table().ask(*player, 77), "HO");
}

// the second answer would be that to the next question, and so on to the end
TEST(Engine, a_line_too_many_is_no_answer_to_the_next_question) {
  const auto player = make_agent(
      "engine:" + sh(kHello + "n=0; while read word rest; do case $word in go) n=$((n + 1)); if [ "
                              "$n = 1 ]; then printf \"bestaction HO\\nbestaction HO\\n\"; else "
                              "echo bestaction EO; fi;; esac; done"));
  const Table table;
  EXPECT_EQ(table.ask(*player), "HO");
  (void)table.ask(*player);  // drawn: the program is ended
  EXPECT_EQ(count(*player, PlayerFailure::kGarbage), 1);
  EXPECT_EQ(
      report_of(*player).first_failure,
      "wrote \"bestaction HO\" without being asked; allowed: one bestaction line for each go");
  EXPECT_EQ(table.ask(*player), "HO");  // a new one
}

// without an end to what it may say unasked, the next question would never be put
TEST(Engine, a_flood_of_info_that_nobody_asked_for_is_garbage) {
  const auto player = make_agent(
      "engine:" + sh(kHello + "while read word rest; do case $word in go) echo bestaction HO; exec "
                              "yes info;; esac; done"));
  const Table table;
  EXPECT_EQ(table.ask(*player), "HO");
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the pipe is full
  (void)table.ask(*player);
  EXPECT_EQ(count(*player, PlayerFailure::kGarbage), 1);
  EXPECT_EQ(report_of(*player).first_failure, "wrote 10000 lines of info instead of an answer");
  EXPECT_EQ(table.ask(*player), "HO");  // a new one
}

TEST(Engine, probabilities_and_value_are_those_of_the_program) {
  const auto player =
      make_agent("engine:" + sh(kHello + "while read word rest; do case $word in go) echo "
                                         "bestaction EO value -2.5 probabilities EO=3 HO=1;; "
                                         "esac; done"));
  const Table table;
  std::vector<float> chances(kNumActions), values(1);
  player->policy(table.batch(), chances, values);
  EXPECT_FLOAT_EQ(chances[*parse_card("EO")], 0.75F);
  EXPECT_FLOAT_EQ(chances[*parse_card("HO")], 0.25F);
  EXPECT_FLOAT_EQ(values[0], -2.5F);
}

struct ScriptFault {
  std::string name, script;
  PlayerFailure kind;
  std::string message;
};
void PrintTo(const ScriptFault& fault, std::ostream* stream) { *stream << fault.name; }

class EngineFault : public testing::TestWithParam<ScriptFault> {};

TEST_P(EngineFault, is_counted_and_a_legal_action_is_drawn) {
  const ScriptFault& fault = GetParam();
  const auto started = std::chrono::steady_clock::now();
  {
    // short where the time is to run out, long where a busy machine must not make it run out
    const char* const time = fault.kind == PlayerFailure::kTimeout ? "0.1" : "20";
    const auto player = make_agent(
        fmt::format("engine:time={},failures=5,command={}", time, sh(kHello + fault.script)));
    const Table table;
    std::set<std::string> drawn;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const std::string action = table.ask(*player, seed);
      EXPECT_EQ(action, table.ask(*make_agent("random"), seed)) << "not a function of the seed";
      drawn.insert(action);
    }
    EXPECT_GT(drawn.size(), 1U) << "one action for four seeds";
    EXPECT_EQ(count(*player, fault.kind), 4);
    EXPECT_NE(report_of(*player).first_failure.find(fault.message), std::string::npos)
        << report_of(*player).first_failure;
    const std::string error = error_of<std::runtime_error>([&] { (void)table.ask(*player, 5); });
    EXPECT_NE(error.find("5 decisions in a row without a usable answer"), std::string::npos)
        << error;
  }
  expect_no_children();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
  EXPECT_LT(took.count(), 90.0);
}

INSTANTIATE_TEST_SUITE_P(
    All, EngineFault,
    testing::Values(
        ScriptFault{"hangs", "sleep 1000", PlayerFailure::kTimeout, "gave no answer in time"},
        ScriptFault{"reads_but_is_silent", "while read line; do :; done", PlayerFailure::kTimeout,
                    "gave no answer in time"},
        ScriptFault{"ends", "echo on fire >&2; exit 3", PlayerFailure::kCrash,
                    "ended with exit code 3; its standard error ends with \"on fire\""},
        ScriptFault{"closes_its_output", "exec >&-; sleep 1000", PlayerFailure::kCrash,
                    "closed its input or output"},
        ScriptFault{"is_killed", "kill -SEGV $$", PlayerFailure::kCrash, "was ended by signal 11"},
        ScriptFault{"plays_what_it_may_not",
                    "while read word rest; do case $word in go) echo bestaction GA;; esac; done",
                    PlayerFailure::kIllegal,
                    "answered GA, which is not legal; legal: E9, EU, EO, "},
        ScriptFault{"weighs_what_it_may_not",
                    "while read word rest; do case $word in go) echo bestaction EO probabilities "
                    "GA=1;; esac; done",
                    PlayerFailure::kIllegal, "gave a probability to GA"},
        ScriptFault{"talks_nonsense", "while read word rest; do echo moin; done",
                    PlayerFailure::kGarbage, "\"moin\": \"bestaction\" is missing"},
        ScriptFault{"floods", "yes info", PlayerFailure::kGarbage,
                    "lines of info instead of an answer"},
        ScriptFault{"floods_a_line", "head -c 1000000 /dev/zero | tr \"\\\\0\" x",
                    PlayerFailure::kGarbage, "wrote a line of more than 65536 characters"},
        ScriptFault{"floods_its_errors", "yes error >&2", PlayerFailure::kTimeout,
                    "gave no answer in time"},
        ScriptFault{"gives_up",
                    "while read word rest; do case $word in go) echo error no Ramsch;; esac; "
                    "done",
                    PlayerFailure::kError, "says error: no Ramsch"}),
    [](const testing::TestParamInfo<ScriptFault>& fault) { return fault.param.name; });

TEST(Engine, a_failure_now_and_then_does_not_end_the_play) {
  // answers every second question
  const auto player = make_agent(
      "engine:failures=2,command=" +
      sh(kHello +
         "n=0; while read word rest; do case $word in go) n=$((n + 1)); if [ $((n % 2)) = 0 "
         "]; then echo bestaction EO; else echo error not now; fi;; esac; done"));
  const Table table;
  for (std::uint64_t seed = 0; seed < 6; ++seed) (void)table.ask(*player, seed);
  EXPECT_EQ(count(*player, PlayerFailure::kError), 3);
}

TEST(Engine, a_wrong_command_is_an_error_at_once) {
  EXPECT_EQ(error_of_spec("engine"),
            "agent \"engine\": command is missing (program and arguments, the last parameter; its "
            "key may be left out)");
  EXPECT_EQ(error_of_spec("engine:/no/such/program -x"),
            "agent \"engine:/no/such/program -x\": command = \"/no/such/program -x\": cannot start "
            "/no/such/program: No such file or directory");
  EXPECT_NE(error_of_spec("engine:" + sh("read line; echo hello 2 name Later; read line"))
                .find("version 2 of the protocol, allowed: 1"),
            std::string::npos);
  EXPECT_NE(error_of_spec("engine:start=0.1,command=sleep 1000")
                .find("hello: gave no answer in time (start = 0.1 seconds); does the program hold"),
            std::string::npos);
  EXPECT_NE(error_of_spec("engine:true").find("ended with exit code 0"), std::string::npos);
  EXPECT_NE(
      error_of_spec("engine:tme=3,./program")
          .find("unknown parameter \"tme\", allowed: time, start, failures, log, command; the "
                "nearest one is \"time\""),
      std::string::npos);
  EXPECT_NE(error_of_spec("engine:time=0,cat").find("time = 0, allowed: number above 0"),
            std::string::npos)
      << error_of_spec("engine:time=0,cat");
  EXPECT_NE(error_of_spec("engine:echo \"").find("stays open"), std::string::npos);
  expect_no_children();
}

TEST(Engine, the_command_takes_the_rest_of_the_name) {
  const ParsedSpec parsed = parse_spec("engine:time=2,log=a.txt,./x --colours=a,b", "");
  ASSERT_EQ(parsed.parameters.size(), 3U);
  EXPECT_EQ(parsed.parameters[0].second, "2");
  EXPECT_EQ(parsed.parameters[2].first, "command");
  EXPECT_EQ(parsed.parameters[2].second, "./x --colours=a,b");
  EXPECT_EQ(engine_spec({.time = 2.0, .log = "a.txt", .command = "./x --colours=a,b"}),
            "engine:time=2,log=a.txt,command=./x --colours=a,b");
  EXPECT_EQ(parse_spec("engine:command=time=3", "").parameters[0].second, "time=3");
}

TEST(Engine, is_called_like_the_name_that_makes_it_again) {
  const auto player = make_agent("engine:time=2,command=" + sh(kHello + "sleep 100"));
  EXPECT_EQ(player->name(), "engine:time=2,command=" + sh(kHello + "sleep 100"));
}

TEST(Engine, may_end_its_lines_as_other_systems_do) {
  const auto player = make_agent(
      "engine:time=20,command=" +
      sh("read line; printf \"hello 1 name Test\\r\\n\"; while read word rest; do case $word in "
         "go) printf \"bestaction EO\\r\\n\";; esac; done"));
  const Table table;
  EXPECT_EQ(table.ask(*player), "EO");
  EXPECT_EQ(count(*player, PlayerFailure::kGarbage), 0);
}

TEST(Engine, no_shell_sees_the_command) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(shell_words("a  'b c' \"d \\\" $e\" f\\ g ''"),
            (Words{"a", "b c", "d \" $e", "f g", ""}));
  EXPECT_EQ(shell_words("echo $(date); rm *"), (Words{"echo", "$(date);", "rm", "*"}));
  for (const char* const wrong : {"", "  ", "'a", "\"a", "a\\", "''"}) {
    EXPECT_THROW((void)shell_words(wrong), std::invalid_argument) << wrong;
  }
}

TEST(Engine, a_quoted_word_is_that_word_again) {
  for (const char* const word : {"", "a", "a b", "it's", "\"\\$;", "--level=3,x", "ä"}) {
    EXPECT_EQ(shell_words("run " + shell_quoted(word))[1], word);
  }
  EXPECT_EQ(shell_quoted("./bot.sh"), "./bot.sh");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
}

TEST(Engine, its_standard_error_goes_to_the_log) {
  const TemporaryFile log("engine.log");
  {
    const auto player = make_agent(
        "engine:log=" + log.path() + ",command=" +
        sh(kHello + "while read word rest; do case $word in go) echo thinking >&2; echo bestaction "
                    "EO;; esac; done"));
    const Table table;
    EXPECT_EQ(table.ask(*player), "EO");
    EXPECT_EQ(table.ask(*player), "EO");
  }
  EXPECT_EQ(log.read(), "thinking\nthinking\n");
}

TEST(Engine, what_it_started_ends_with_it) {
  const TemporaryFile pid("engine.pid");
  {
    const auto player = make_agent(
        "engine:" + sh("sleep 1000 & echo $! > " + pid.path() + "; " + kHello + "read line"));
    EXPECT_FALSE(pid.read().empty());
  }
  const int child = std::stoi(pid.read());
  // it may be a zombie until the first process has asked for it
  bool gone = false;
  for (int i = 0; i < 6000 && !gone; ++i) {
    const std::string state = bytes_of("/proc/" + std::to_string(child) + "/stat");
    gone = state.empty() || state.find(") Z") != std::string::npos;
    if (!gone) usleep(10'000);
  }
  EXPECT_TRUE(gone);
}

/// An engine whose every third answer is none.
TournamentAgent rude_engine() {
  return {
      .spec = "engine:" + sh(kHello + "n=0; while read word rest; do case $word in go) n=$((n + "
                                      "1)); [ $((n % 3)) = 0 ] && echo moin || echo bestaction "
                                      "${rest##* };; esac; done"),
      .name = "rude"};
}

TEST(Engine, tournaments_count_failures_in_their_games_and_report_them) {
  for (const bool greedy : {false, true}) {
    TournamentOptions options;
    options.agents = {rude_engine(), {.spec = "random"}};
    options.blocks = 2;
    options.threads = 2;
    options.calibration = false;
    options.greedy = greedy;
    const TemporaryFolder folder;
    options.journal = folder.file("games.journal");
    const TournamentResult result = run_tournament(options);
    ASSERT_TRUE(result.outside[0].has_value());
    EXPECT_FALSE(result.outside[1].has_value());
    std::int64_t in_games = 0;
    for (const GameRow& row : result.rows) in_games += row.failures;
    EXPECT_GT(in_games, 0);
    EXPECT_EQ(in_games,
              result.outside[0]->failures[static_cast<std::size_t>(PlayerFailure::kGarbage)]);
    const std::string text = to_text(result, options);
    EXPECT_NE(text.find("rude: decisions drawn because its program failed: "), std::string::npos);
    EXPECT_NE(text.find("rude does not call itself deterministic"), std::string::npos);
    EXPECT_NE(to_json(result, options).find("\"first_failure\": \"answered "), std::string::npos);
    EXPECT_EQ(text.find("of an earlier run"), std::string::npos);
    options.resume = true;
    const TournamentResult again = run_tournament(options);
    EXPECT_EQ(again.kept_failures, in_games);
    EXPECT_NE(to_text(again, options)
                  .find(fmt::format("{} decisions drawn because a program failed, in games of an "
                                    "earlier run\n",
                                    in_games)),
              std::string::npos);
  }
  expect_no_children();
}

TEST(Engine, league_days_report_failures_as_tournaments_do) {
  TournamentOptions options;
  options.agents = {rude_engine(), {.spec = "random"}};
  options.rules = CompiledRules::load("tournament_2024");
  options.players = 4;
  options.threads = 1;
  const LeagueDayResult day = play_league_day(options);
  ASSERT_EQ(day.outside.size(), 2u);
  ASSERT_TRUE(day.outside[0].has_value());
  EXPECT_FALSE(day.outside[1].has_value());
  const auto garbage = day.outside[0]->failures[static_cast<std::size_t>(PlayerFailure::kGarbage)];
  EXPECT_GT(garbage, 0);
  const std::string said =
      "rude: decisions drawn because its program failed: " + std::to_string(garbage) +
      " garbage; the first: answered ";
  EXPECT_NE(to_text(day, options).find(said), std::string::npos);
  const auto agents = nlohmann::json::parse(to_json(day, options)).at("agents");
  EXPECT_EQ(agents[0].at("engine").at("failures").at("garbage"), garbage);
  EXPECT_FALSE(agents[1].contains("engine"));
  expect_no_children();
}

TEST(EngineSession, answers_as_the_player_itself) {
  EngineSession session(make_agent("rules"));
  const Table table;
  EXPECT_EQ(session.answer("hello 1"), "hello 1 deterministic name rules:version=3");
  EngineSession by_clock(make_agent("pimc:100,ms=50"));
  EXPECT_EQ(by_clock.answer("hello 1").value_or("").find("deterministic"), std::string::npos);
  EXPECT_EQ(session.answer("hello 2"), "error hello 2, allowed: hello 1");
  EXPECT_EQ(session.answer("hello 1 later words"), session.answer("hello 1"));
  EXPECT_EQ(session.answer("  "), std::nullopt);
  EXPECT_EQ(session.answer("go time 5 legal EO"),
            "error go: no rules yet, allowed: after rules and position");
  EXPECT_EQ(session.answer("rules \"research\""), std::nullopt);
  EXPECT_EQ(session.answer("position " + position_json(table.view(), research())), std::nullopt);
  const std::string legal = "legal E9 EU EO S8 S9 H9 HA HO";
  EXPECT_EQ(session.answer("go key 1 2 3 4 0 time 5 " + legal), "bestaction EO");
  EXPECT_EQ(session.answer("go time 5 " + legal).value_or("").substr(0, 13), "bestaction EO");
  EXPECT_EQ(session.answer("go time soon legal EO"),
            "error \"go time soon legal EO\": \"soon\" is no number");
  EXPECT_EQ(session.answer("og"),
            "error unknown command \"og\", allowed: hello, rules, position, go, quit; the nearest "
            "one is \"go\"");
  EXPECT_FALSE(session.is_over());
  EXPECT_EQ(session.answer("quit"), std::nullopt);
  EXPECT_TRUE(session.is_over());
  EXPECT_THROW(EngineSession(make_agent("oracle")), std::invalid_argument);
}

TEST(EngineSession, promises_the_same_answers_only_where_the_program_behind_it_does) {
  const std::string program = "engine:" + sh("read line; echo hello 1 name Test; read line");
  const auto hello = [](std::unique_ptr<BatchPolicy> player) {
    return EngineSession(std::move(player)).answer("hello 1").value_or("").substr(0, 12);
  };
  EXPECT_EQ(hello(make_agent(program)), "hello 1 name");
  EXPECT_EQ(hello(std::make_unique<ParallelPolicy>(make_agent(program), 2)), "hello 1 name");
  EXPECT_EQ(hello(std::make_unique<ParallelPolicy>(make_agent("rules"), 2)), "hello 1 dete");
}

TEST(EngineProtocol, every_line_is_read_as_it_was_written) {
  namespace protocol = engine_protocol;
  const protocol::Question question{RngKey{1, 2, 3, 4, 5}, 700, ActionMask::of({0, 32, 90})};
  const protocol::Question read = protocol::parse_question(to_line(question));
  EXPECT_EQ(to_line(read), to_line(question));
  EXPECT_EQ(read.legal, question.legal);
  protocol::Answer answer{.action = 32, .value = 0.1F, .probabilities = {}};
  answer.probabilities.emplace();
  (*answer.probabilities)[32] = 0.75F;
  (*answer.probabilities)[90] = 0.25F;
  EXPECT_EQ(to_line(protocol::parse_answer(to_line(answer), question.legal)), to_line(answer));
  for (const char* const tiny : {"1e-50", "1e-5000"}) {  // less than a float or a double holds
    const protocol::Answer read_back = protocol::parse_answer(
        fmt::format("bestaction PASS probabilities PASS=3 E7={}", tiny), ActionMask::of({0, 32}));
    ASSERT_TRUE(read_back.probabilities) << tiny;
    EXPECT_EQ((*read_back.probabilities)[0] + (*read_back.probabilities)[32], 1.0F) << tiny;
  }
  for (const char* const wrong :
       {"bestaction", "bestaction XX", "bestaction PASS value", "bestaction PASS value x",
        "bestaction PASS probabilities", "bestaction PASS probabilities PASS",
        "bestaction PASS probabilities PASS=-1", "bestaction PASS probabilities PASS=nan",
        "bestaction PASS probabilities PASS=0", "bestaction PASS probabilities PASS=1e5000",
        "bestaction PASS why", "best PASS"}) {
    EXPECT_THROW((void)protocol::parse_answer(wrong, question.legal), std::invalid_argument)
        << wrong;
  }
  const auto error_of_answer = [&](const char* line) {
    return error_of([&] { (void)protocol::parse_answer(line, question.legal); });
  };
  EXPECT_EQ(error_of_answer("bestaction PASS probabilities PASS=1e400"),
            "\"bestaction PASS probabilities PASS=1e400\": \"1e400\" is no number");
  EXPECT_EQ(error_of_answer("bestaction PASS probabilities PASS=1 PASS=0.5"),
            "\"bestaction PASS probabilities PASS=1 PASS=0.5\": PASS comes twice");
}

TEST(EngineSession, what_is_wrong_with_rules_and_positions_is_said_by_its_key) {
  EngineSession session(make_agent("rules"));
  const auto answer = [&](const char* rules, const char* position) {
    (void)session.answer(std::string("rules ") + rules);
    (void)session.answer(std::string("position ") + position);
    return session.answer("go time 1000 legal PASS PLAY").value_or("");
  };
  EXPECT_EQ(answer("3", "{}"), "error rules: 3, allowed: the name of a rule set, or an object");
  EXPECT_EQ(answer("{", "{}").find("error rules: no JSON: parse error at line 1, column 2: "), 0U)
      << answer("{", "{}");
  EXPECT_EQ(answer("", "{}").find("error rules: no JSON: parse error at line 1, column 1: "), 0U)
      << answer("", "{}");
  EXPECT_EQ(answer("\"research\"", R"({"seat":9,"phase":"PLAY","dealer":0,"hand":[]})"),
            "error seat: 9, allowed: an integer 0..3");
}

}  // namespace
}  // namespace schafkopf::test
