// Recorded games as what a policy is to do: decisions of their players, and what does not fit.
#include "training/games/recorded_games.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "agents/worlds/playouts.h"
#include "env/cards/card_map.h"
#include "env/record/record.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/training/collected_games.h"
#include "tests/cpp/training/recorded_games.h"

namespace schafkopf {
namespace {

using test::error_of;
using test::research;
using test::tiny_config;

namespace fs = std::filesystem;

using RecordedGamesTest = test::RunWithRecords;

TEST_F(RecordedGamesTest, recorded_games_give_the_decisions_of_their_players) {
  const std::string file = record_games("games.jsonl", 30);
  const auto rules = research();
  const RecordedGames games(file, rules);
  ASSERT_EQ(games.size(), 30U);
  RecordedDecisions decisions;
  for (std::size_t i = 0; i < games.size(); ++i) games.add_decisions(i, true, decisions);
  EXPECT_EQ(decisions.size(), games.num_decisions());
  EXPECT_GT(decisions.size(), 300U);
  ASSERT_EQ(decisions.full_views.size(), decisions.size());
  const std::unique_ptr<BatchPolicy> player = make_agent("rules");
  const CompiledRules* const rule_sets[] = {rules.get()};
  const RuleTable table{rule_sets, {}};
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const PlayerView& view = decisions.views[i];
    EXPECT_GT(decisions.legal[i].count(), 1);
    EXPECT_EQ(from_canonical(decisions.legal[i], view.order.card_map),
              without_claims(legal_actions(view.cards)));
    const ViewBatch one{.size = 1,
                        .cards = &view.cards,
                        .order = &view.order,
                        .events = &view.events,
                        .rules = &table};
    const RngKey key;
    Action action = 0;
    player->act(one, {&key, 1}, {&action, 1});
    EXPECT_EQ(from_canonical_action(decisions.actions[i], view.order.card_map), action) << i;
  }
}

TEST_F(RecordedGamesTest, only_what_the_run_learns_is_cloned) {
  const std::string file = record_games("games.jsonl", 30);
  const RecordedGames all(file, research());
  const RecordedGames bids(file, research(), LearnedPhases::kBidding);
  const RecordedGames cards(file, research(), LearnedPhases::kCardPlay);
  RecordedDecisions decisions;
  for (std::size_t i = 0; i < bids.size(); ++i) bids.add_decisions(i, false, decisions);
  EXPECT_EQ(decisions.size(), bids.num_decisions());
  for (const PlayerView& view : decisions.views) EXPECT_LT(view.phase(), Phase::kDouble);
  EXPECT_GT(bids.num_decisions(), 30U);
  EXPECT_EQ(bids.num_decisions() + cards.num_decisions(), all.num_decisions());  // no Kontra here
  EXPECT_TRUE(
      error_of([&] { const RecordedGames none(file, research(), LearnedPhases::kKontra); })
          .ends_with(
              "30 games without a decision of learn = kontra, allowed: at least one decision"));

  TrainConfig config = tiny_config();
  config.decisions_limit = 1;
  config.init = run(config, "first").model_path;
  config.clone_records = file;
  config.clone_games = 30;
  const auto cloned = [&](LearnedPhases learned, const std::string& name) {
    config.learn = learned;
    run(config, name);
    return metrics(name).front().at("cloned_decisions").get<double>();
  };
  const double everything = cloned(LearnedPhases::kAll, "all");
  EXPECT_EQ(cloned(LearnedPhases::kBidding, "bids") + cloned(LearnedPhases::kCardPlay, "cards"),
            everything);
}

TEST_F(RecordedGamesTest, records_that_do_not_fit_are_refused_with_file_and_line) {
  const auto error = [](const std::string& file) {
    return error_of([&] { const RecordedGames games(file, research()); });
  };
  const std::string file = record_games("games.jsonl", 3);
  {
    std::ifstream other(record_games("other.jsonl", 1, "wikipedia_pure"));
    std::string line;
    std::getline(other, line);
    std::ofstream(file, std::ios::app) << '\n' << line << '\n';
  }
  EXPECT_TRUE(error(file).starts_with(file + ": line 5: rules = wikipedia_pure (")) << error(file);
  EXPECT_NE(error(file).find("allowed: those of the run, research ("), std::string::npos);
  const std::string damaged = record_games("damaged.jsonl", 2);
  std::ofstream(damaged, std::ios::app) << "{\"rules\": \"research\", \"hnds\": []}\n";
  EXPECT_TRUE(error(damaged).starts_with(damaged + ": line 3: ")) << error(damaged);
  std::ofstream(path("empty.jsonl")) << "\n";
  EXPECT_NE(error(path("empty.jsonl")).find("allowed: at least one decision"), std::string::npos);
  TrainConfig config = tiny_config();
  config.clone_records = file;
  const auto train_error = [&] { return error_of([&] { run(config); }); };
  EXPECT_TRUE(train_error().starts_with("clone_records = \"" + file + "\": " + file + ": line 5: "))
      << train_error();
  config.clone_records = path("missing");
  EXPECT_TRUE(train_error().starts_with("clone_records = ")) << train_error();
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(RecordedGamesTest, a_run_does_not_go_on_with_other_games_of_the_same_name) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 1000;
  config.clone_records = record_games("games.jsonl", 3);
  run(config);
  config.decisions_limit = 2000;
  resume(config);
  fs::copy_file(record_games("others.jsonl", 4), config.clone_records,
                fs::copy_options::overwrite_existing);
  config.decisions_limit = 3000;
  const auto error = [&] { return error_of([&] { resume(config); }); };
  EXPECT_NE(error().find("the files of its clone_records = <bytes "), std::string::npos) << error();
  config.clone_records = path("others.jsonl");  // asked for
  resume(config);
}

TEST_F(RecordedGamesTest, readable_records_are_the_same_games) {
  const std::string file = record_games("games.jsonl", 5);
  std::ofstream text(path("games.txt"));
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) text << to_text(parse_record(line)) << '\n';
  text.close();
  const RecordedGames games(file, research()), same(path("games.txt"), research());
  ASSERT_EQ(games.size(), same.size());
  RecordedDecisions a, b;
  for (std::size_t i = 0; i < games.size(); ++i) {
    games.add_decisions(i, false, a);
    same.add_decisions(i, false, b);
  }
  EXPECT_EQ(a.actions, b.actions);
  EXPECT_EQ(a.legal, b.legal);
}

TEST_F(RecordedGamesTest, a_conceded_game_gives_the_decisions_before) {
  VectorEnvOptions options;
  options.rules = {research()};
  options.generated_share = 1.0;
  options.generator = make_generator("heuristic");
  const VectorEnv env(options);
  const std::unique_ptr<BatchPolicy> player = make_agent("rules");
  std::vector<Playout> games = {{env.game(0), {}}};
  PlayoutTable(*player, *options.rules[0]).play_on(games, [](const Game& game) {
    return game.num_plays() == 14;
  });
  Game conceded = games[0].game;
  ASSERT_TRUE(conceded.legal_actions().contains(kActionConcedeRest));
  conceded.apply(kActionConcedeRest);
  std::ofstream(path("part")) << to_json(record_of(games[0].game)) << '\n';
  std::ofstream(path("conceded")) << to_json(record_of(conceded)) << '\n';
  const RecordedGames part(path("part"), research()), whole(path("conceded"), research());
  EXPECT_GT(part.num_decisions(), 5U);
  EXPECT_EQ(whole.num_decisions(), part.num_decisions());
}

}  // namespace
}  // namespace schafkopf
