// League days played by agents (RULES H.3).
#include "agents/tournament/league_day.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agents/registry.h"
#include "agents/tournament/league_journal.h"
#include "agents/tournament/tournament_config.h"
#include "agents/tournament/tournament_plan.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/source_dir.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf {
namespace {

using test::error_of;
using test::TemporaryFile;
using testing::AllOf;
using testing::HasSubstr;

TournamentOptions day_of(int players, std::vector<TournamentAgent> agents) {
  TournamentOptions options;
  options.agents = std::move(agents);
  options.rules = CompiledRules::load("tournament_2024");
  options.players = players;
  options.threads = 1;
  return options;
}

std::string day_refusal(const TournamentOptions& options) {
  return test::error_of<std::invalid_argument>([&] { (void)play_league_day(options); });
}

TEST(LeagueDay, R_179_every_table_plays_two_sittings_of_sixteen_games) {
  const LeagueDayResult result = play_league_day(day_of(12, {{"rules"}, {"random"}}));
  EXPECT_EQ(result.tables, 3);
  EXPECT_EQ(result.sittings, 2);
  EXPECT_EQ(result.games, 2 * 3 * 16);
  EXPECT_EQ(result.ranking.size(), 12u);
  std::int64_t total = 0;
  std::set<int> players;
  for (const Standing& standing : result.ranking) {
    total += standing.total - standing.bonus;
    players.insert(standing.player);
  }
  EXPECT_EQ(total, 0);  // what some won the others lost
  EXPECT_EQ(players.size(), 12u);
}

TEST(LeagueDay, the_ranking_is_by_total_and_good_players_come_first) {
  const int players = test::scaled(40, 120, 1000);
  const LeagueDayResult result = play_league_day(day_of(players, {{"rules"}, {"random"}}));
  double ranks[2] = {};
  for (std::size_t i = 0; i < result.ranking.size(); ++i) {
    const std::int64_t above = result.ranking[i > 0 ? i - 1 : 0].total;
    EXPECT_LE(result.ranking[i].total, above);
    ranks[result.agent_of(result.ranking[i].player)] += static_cast<double>(i);
  }
  EXPECT_LT(ranks[0], ranks[1]);
  EXPECT_GT(result.points[0].mean, result.points[0].half_width);
  EXPECT_NEAR(result.points[0].mean, -result.points[1].mean, 1e-9);
}

TEST(LeagueDay, results_do_not_depend_on_threads) {
  std::set<std::string> texts;
  for (const int threads : {1, 2, 5}) {
    TournamentOptions options = day_of(24, {{"rules:random=0.2"}, {"random"}, {"rules"}});
    options.threads = threads;
    const LeagueDayResult result = play_league_day(options);
    texts.insert(to_json(result, options) + to_text(result, options));
  }
  EXPECT_EQ(texts.size(), 1u);
}

TEST(LeagueDay, the_list_names_every_player_once_with_its_agent) {
  const TournamentOptions options = day_of(8, {{"rules", "steady"}, {"random", "wild"}});
  const LeagueDayResult result = play_league_day(options);
  const auto json = nlohmann::json::parse(to_json(result, options));
  EXPECT_EQ(json["ranking"][0]["rank"], 1);
  EXPECT_EQ(json["agents"][1]["players"], 4);
  std::set<int> players;
  for (const auto& row : json["ranking"]) {
    EXPECT_EQ(row["agent"], row["player"].get<int>() % 2 == 1 ? "steady" : "wild");
    players.insert(row["player"].get<int>());
  }
  EXPECT_EQ(json["ranking"].size(), 8u);
  EXPECT_EQ(players, (std::set<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_THAT(to_text(result, options), HasSubstr("8 players at 2 tables, 2 sittings of 16 games"));
}

// At a table of five whoever gives sits out, and deals that are thrown in are dealt again.
TEST(LeagueDay, points_are_per_game_that_a_player_played) {
  TournamentOptions options =
      day_of(5, {{"rules", "a"}, {"rules", "b"}, {"rules", "c"}, {"rules", "d"}, {"rules", "e"}});
  options.rules = std::make_shared<const CompiledRules>(
      [] {
        RuleSet rules = CompiledRules::load("tournament_2024")->rules();
        rules.players = 5;
        rules.thrown_in_counts = false;
        rules.all_pass = AllPass::kThrowIn;
        return rules;
      }(),
      "five");
  const LeagueDayResult result = play_league_day(options);
  std::set<int> games;
  for (const Standing& standing : result.ranking) {
    const double mean = static_cast<double>(standing.total - standing.bonus) /
                        options.rules->tariff_scale() / standing.num_games;
    EXPECT_NEAR(result.points[result.agent_of(standing.player)].mean, mean, 1e-9);
    games.insert(standing.num_games);
  }
  EXPECT_GT(games.size(), 1u) << "not all played as many";
  // where deals that were thrown in count, every player has four of five games of his table
  RuleSet counted = options.rules->rules();
  counted.thrown_in_counts = true;
  options.rules = std::make_shared<const CompiledRules>(counted, "counted");
  const LeagueDayResult all = play_league_day(options);
  for (const Standing& standing : all.ranking) {
    const double mean = static_cast<double>(standing.total - standing.bonus) /
                        options.rules->tariff_scale() / (static_cast<double>(all.games) * 4 / 5);
    EXPECT_NEAR(all.points[all.agent_of(standing.player)].mean, mean, 1e-9);
  }
}

TEST(LeagueDay, the_list_shows_all_digits_of_large_amounts) {
  TournamentOptions options = day_of(4, {{"rules"}});
  RuleSet rules = options.rules->rules();
  rules.tariff.name = "dear";
  for (int& price : rules.tariff.amounts) price *= 1234;
  options.rules = std::make_shared<const CompiledRules>(rules, "dear");
  const LeagueDayResult result = play_league_day(options);
  const std::string text = to_text(result, options);
  for (const Standing& standing : result.ranking) {
    const std::int64_t total = standing.total / options.rules->tariff_scale();
    EXPECT_THAT(text, HasSubstr(std::to_string(total)));
  }
  EXPECT_EQ(text.find("e+"), std::string::npos);
}

TEST(LeagueDay, wrong_options_are_named) {
  EXPECT_THAT(day_refusal(day_of(10, {{"rules"}})), HasSubstr("multiples of 4"));
  EXPECT_THAT(day_refusal(day_of(4, {{"rules"}, {"rules"}})), HasSubstr("\"rules\" comes twice"));
  EXPECT_THAT(day_refusal(day_of(4, {})), HasSubstr("no agents"));
  EXPECT_THAT(day_refusal(day_of(4, {{"rules"}, {"nobody"}})), HasSubstr("nobody"));
  EXPECT_THAT(day_refusal(day_of(1, {{"rules"}, {"random"}})), HasSubstr("players = 1"));
  TournamentOptions endless = day_of(4, {{"rules"}});
  endless.rules = std::make_shared<const CompiledRules>(
      parse_rules("preset = \"research\"\nsession_rounds = 0\n", "test.toml"), "test");
  EXPECT_THAT(day_refusal(endless), HasSubstr("session_rounds = 0"));
}

TEST(LeagueDay, the_shipped_file_plays_the_2024_rules) {
  const TournamentOptions options =
      load_tournament_config(source_dir() + "/configs/tournament/league_2024.toml");
  check_playable(options);
  EXPECT_EQ(options.rules->name(), "tournament_2024");
  EXPECT_EQ(options.players, 64);
}

// ---- journal ----

/// A player of the registry that tells how many decisions it is asked for, before it answers.
class WatchedPlayer final : public BatchPolicy {
 public:
  using Watch = std::function<void(int decisions)>;  // called by all threads
  WatchedPlayer(const std::string& spec, Watch watch)
      : player_(make_agent(spec)), watch_(std::move(watch)) {}
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    player_->policy(batch, probabilities, values);
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    watch_(static_cast<int>(batch.size));
    player_->act(batch, keys, actions);
  }
  [[nodiscard]] std::string name() const override { return player_->name(); }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<WatchedPlayer>(player_->name(), watch_);
  }

 private:
  std::unique_ptr<BatchPolicy> player_;
  Watch watch_;
};

void watch(TournamentOptions& options, const WatchedPlayer::Watch& watch) {
  for (TournamentAgent& agent : options.agents) {
    agent.policy = std::make_shared<WatchedPlayer>(agent.spec, watch);
  }
}

TournamentOptions journalled_day(const std::string& path, bool resume) {
  TournamentOptions options = day_of(16, {{"rules:random=0.1"}, {"random"}, {"rules"}});
  options.seed = 5;
  options.threads = 2;
  options.journal = path;
  options.resume = resume;
  return options;
}

std::string day_text(const TournamentOptions& options) {
  const LeagueDayResult result = play_league_day(options);
  return to_json(result, options) + to_text(result, options);
}

/// What a day without a journal gives.
std::string uninterrupted() {
  TournamentOptions options = journalled_day("", false);
  return day_text(options);
}

TEST(LeagueJournal, a_day_cut_off_anywhere_ends_as_if_nothing_had_happened) {
  const TemporaryFile whole("whole.league"), cut("cut.league");
  const std::string expected = uninterrupted();
  EXPECT_EQ(day_text(journalled_day(whole.path(), false)), expected);
  const std::string bytes = whole.read();
  const std::size_t header = bytes.find('\n') + 1;
  const std::size_t games = read_league_journal(whole.path()).size();
  EXPECT_EQ(games, 2u * 4 * 16);
  const int cuts = test::scaled(10, 100, 2000);
  for (int i = 0; i <= cuts; ++i) {
    const std::size_t length = header + (bytes.size() - header) * static_cast<std::size_t>(i) /
                                            static_cast<std::size_t>(cuts);
    cut.write(bytes.substr(0, length));
    std::size_t kept = header;  // 16 bytes before a piece, 12 before the actions
    for (const LeagueGame& game : read_league_journal(cut.path())) kept += 28 + game.actions.size();
    EXPECT_LE(kept, length);
    EXPECT_LT(length - kept, 28u + 80u) << "more than one game was lost";
    TournamentOptions resumed = journalled_day(cut.path(), true);
    resumed.threads = 1 + i % 4;
    EXPECT_EQ(day_text(resumed), expected) << length;
    EXPECT_EQ(read_league_journal(cut.path()).size(), games);
  }
}

TEST(LeagueJournal, agents_are_not_asked_again_about_recorded_games) {
  const TemporaryFile file("asked.league");
  std::atomic<int> asked = 0;
  const auto play = [&](int most, bool resume) {
    TournamentOptions options = journalled_day(file.path(), resume);
    watch(options, [&asked, most](int decisions) {
      if ((asked += decisions) > most) throw std::runtime_error("no more");
    });
    asked = 0;
    return day_text(options);
  };
  const std::string expected = uninterrupted();
  EXPECT_EQ(play(1 << 30, false), expected);
  const int all = asked;
  EXPECT_EQ(play(0, true), expected);
  EXPECT_EQ(asked, 0);
  std::filesystem::remove(file.path());
  EXPECT_THROW((void)play(all / 2, false), std::runtime_error);
  const std::size_t kept = read_league_journal(file.path()).size();
  EXPECT_GT(kept, 0u);
  EXPECT_LT(kept, 128u);
  EXPECT_EQ(play(1 << 30, true), expected);
  EXPECT_LT(asked, all);
}

TEST(LeagueJournal, a_stopped_day_goes_on) {
  const TemporaryFile file("stopped.league");
  TournamentOptions options = journalled_day(file.path(), false);
  options.players = 400;
  TournamentOptions slow = options;
  watch(slow, [](int) { std::this_thread::sleep_for(std::chrono::milliseconds(1)); });
  const auto stop = [](int games, int) { return games < 30; };
  EXPECT_THROW((void)play_league_day(slow, stop), std::runtime_error);
  const std::size_t kept = read_league_journal(file.path()).size();
  EXPECT_GE(kept, 30u);
  EXPECT_LT(kept, 2u * 100 * 16);
  options.resume = true;
  int first = 1 << 30;
  const auto keep = [&first](int games, int) { return first = std::min(first, games), true; };
  const LeagueDayResult resumed = play_league_day(options, keep);
  EXPECT_GE(first, static_cast<int>(kept));
  options.journal.clear();
  options.resume = false;
  EXPECT_EQ(to_json(resumed, options), to_json(play_league_day(options), options));
}

TEST(LeagueJournal, one_run_at_a_time_holds_the_file) {
  const TemporaryFile file("held.league");
  const LeagueJournal running(journalled_day(file.path(), false));
  EXPECT_THAT(day_refusal(journalled_day(file.path(), true)),
              HasSubstr("another run is playing this league day"));
}

TEST(LeagueJournal, a_check_plays_nothing_and_finds_what_a_run_would_refuse) {
  const TemporaryFile file("checked.league");
  TournamentOptions options = journalled_day(file.path(), true);
  check_league_day(options);
  EXPECT_FALSE(std::filesystem::exists(file.path()));
  (void)play_league_day(options);
  const std::string bytes = file.read();
  check_league_day(options);
  EXPECT_EQ(file.read(), bytes);
  ++options.seed;
  EXPECT_THAT(error_of([&] { check_league_day(options); }), HasSubstr("seed: there "));
}

TEST(LeagueJournal, a_changed_byte_is_not_taken_for_a_game) {
  const TemporaryFile file("changed.league");
  const std::string expected = day_text(journalled_day(file.path(), false));
  const std::string bytes = file.read();
  const std::size_t header = bytes.find('\n') + 1;
  const std::size_t games = read_league_journal(file.path()).size();
  const std::size_t tries = static_cast<std::size_t>(test::scaled(8, 60, 1000));
  for (std::size_t i = 0; i < tries; ++i) {
    std::string changed = bytes;
    char& byte = changed[header + i * 131 % (bytes.size() - header)];
    byte = static_cast<char>(byte ^ (1 << i % 8));
    file.write(changed);
    EXPECT_LT(read_league_journal(file.path()).size(), games);
    EXPECT_EQ(day_text(journalled_day(file.path(), true)), expected) << i;
    EXPECT_EQ(read_league_journal(file.path()).size(), games);
  }
}

TEST(LeagueJournal, a_check_changes_no_file_and_the_damage_is_all_that_does_not_count) {
  const TemporaryFile file("checked.league");
  (void)day_text(journalled_day(file.path(), false));
  std::string changed = file.read();
  const std::size_t place = changed.find('\n') + 1 + 20;  // in the first game
  changed[place] = static_cast<char>(changed[place] ^ 1);
  file.write(changed);
  check_league_day(journalled_day(file.path(), true));
  EXPECT_EQ(file.read(), changed);
  EXPECT_THAT(journal_damage(file.path()),
              HasSubstr(fmt::format("at byte {}: {} bytes are left out", place - 20,
                                    changed.size() - (place - 20))));
}

TEST(LeagueJournal, games_of_another_day_are_refused_by_what_differs) {
  const TemporaryFile file("other.league");
  EXPECT_THAT(day_refusal([&] {
                TournamentOptions options = journalled_day(file.path(), false);
                options.agents[0].spec = "nobody";
                return options;
              }()),
              HasSubstr("nobody"));
  (void)play_league_day(journalled_day(file.path(), false));  // wrong agents left no file
  EXPECT_THAT(day_refusal(journalled_day(file.path(), false)), HasSubstr("exists already"));
  TournamentOptions other = journalled_day(file.path(), true);
  other.seed = 7;
  other.players = 20;
  other.greedy = true;
  other.agents[1].spec = "rules:random=0.5";
  EXPECT_THAT(
      day_refusal(other),
      AllOf(HasSubstr("its games belong to another league day"), HasSubstr("seed: there 5, now 7"),
            HasSubstr("players: there 16, now 20"), HasSubstr("greedy: there false, now true"),
            HasSubstr("agent 2: there random = random, now rules:random=0.5")));
  other = journalled_day(file.path(), true);
  other.rules = std::make_shared<const CompiledRules>(
      parse_rules("preset = \"tournament_2024\"\nparticipation_bonus = 5\n", "test.toml"), "test");
  EXPECT_THAT(day_refusal(other), HasSubstr("rules: there tournament_2024"));
  other = journalled_day("", true);
  EXPECT_THAT(day_refusal(other), HasSubstr("resume needs a journal"));
  file.write("something else\n");
  EXPECT_THAT(day_refusal(journalled_day(file.path(), true)),
              HasSubstr("no file of league day games"));
  EXPECT_THROW((void)play_league_day(journalled_day("no/such/folder/x.games", false)),
               std::runtime_error);
}

TEST(LeagueJournal, weights_count_with_their_bytes) {
  const TemporaryFile weights("league.weights");
  const auto identity = [&](const std::string& bytes) {
    weights.write(bytes);
    return identity_of_players(*CompiledRules::load("tournament_2024"), 1, false,
                               {{"net:" + weights.path(), "net"}});
  };
  EXPECT_EQ(identity("one"), identity("one"));
  EXPECT_NE(identity("one"), identity("two"));
}

TEST(LeagueJournal, a_game_that_cannot_have_been_played_is_named) {
  const TemporaryFile file("wrong.league");
  (void)play_league_day(journalled_day(file.path(), false));
  const std::string header = file.read().substr(0, file.read().find('\n') + 1);
  const std::vector<LeagueGame> games = read_league_journal(file.path());
  const auto first = std::ranges::find_if(games, [](const LeagueGame& game) {
    return game.sitting == 1 && game.table == 2 && game.game == 0;
  });
  ASSERT_NE(first, games.end());
  const auto error_of = [&](auto&& change) {
    LeagueGame game = *first;
    change(game);
    file.write(header);
    LeagueJournal(journalled_day(file.path(), true)).append(game);
    return day_refusal(journalled_day(file.path(), true));
  };
  const std::string place = file.path() + ": sitting 2, table 3, game ";
  EXPECT_THAT(error_of([](LeagueGame& game) { game.actions[3] = 107; }),
              HasSubstr(place + "1: action 4 is RESERVED_107, allowed: "));
  EXPECT_THAT(error_of([](LeagueGame& game) { game.actions.pop_back(); }),
              HasSubstr(place + "1: it is not over after its"));
  EXPECT_THAT(error_of([](LeagueGame& game) { game.actions.push_back(0); }),
              HasSubstr(place + "1: it was over after"));
  EXPECT_THAT(error_of([](LeagueGame& game) { game.game = 4; }),
              HasSubstr(place + "5: allowed: game 1, the next of this table"));
  EXPECT_THAT(error_of([](LeagueGame& game) { game.table = 9; }),
              HasSubstr("sitting 2, table 10, game 1: table = 9, allowed: 0..3"));
}

}  // namespace
}  // namespace schafkopf
