// Signals beside PPO: playouts of the network in the true deal, a teacher, recorded games.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "agents/worlds/playouts.h"
#include "env/base/random.h"
#include "env/cards/card_map.h"
#include "env/record/record.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"
#include "tests/cpp/training/run_in_folder.h"
#include "training/card_playouts.h"
#include "training/checkpoint.h"
#include "training/collector.h"
#include "training/config.h"
#include "training/imitation.h"
#include "training/learner.h"
#include "training/ppo_loss.h"
#include "training/recorded_games.h"
#include "training/trainer.h"

namespace schafkopf {
namespace {

using test::bytes_of;
using test::error_of;
using test::metrics_of;
using test::tiny_config;

namespace fs = std::filesystem;

TEST(Imitation, gradient_is_the_slope_of_the_cross_entropy) {
  ActionMask legal;
  for (const Action action : {Action{3}, Action{17}, Action{90}}) legal.add(action);
  const std::array<float, 3> target = {0.2F, 0.7F, 0.1F};
  std::array<float, kNumActions> logits{};
  Rng rng(5);
  for (float& logit : logits) logit = static_cast<float>(2.0 * rng.next_unit() - 1.0);
  const auto loss_of = [&](const std::array<float, kNumActions>& at) {
    std::array<float, kNumActions> ignored{};
    ImitationSums sums;
    add_cross_entropy(at.data(), legal, target.data(), 1.0F, ignored.data(), sums);
    return sums.loss;
  };
  std::array<float, kNumActions> gradient{};
  gradient.fill(0.25F);  // it is added to what is there
  ImitationSums sums;
  add_cross_entropy(logits.data(), legal, target.data(), 3.0F, gradient.data(), sums);
  for (const std::size_t i : {3U, 17U, 90U, 5U}) {
    auto up = logits, down = logits;
    up[i] += 1e-2F;
    down[i] -= 1e-2F;
    const double slope = 3.0 * (loss_of(up) - loss_of(down)) / 0.02;
    EXPECT_NEAR(static_cast<double>(gradient[i]), 0.25 + slope, 5e-3) << i;
  }
  // alone it makes the target of the policy, and the loss the entropy of the target
  for (int step = 0; step < 500; ++step) {
    gradient.fill(0.0F);
    sums = {};
    add_cross_entropy(logits.data(), legal, target.data(), 1.0F, gradient.data(), sums);
    for (std::size_t i = 0; i < gradient.size(); ++i) logits[i] -= gradient[i];
  }
  double entropy = 0;
  for (const float p : target) {
    entropy -= static_cast<double>(p) * std::log(static_cast<double>(p));
  }
  EXPECT_NEAR(sums.loss, entropy, 1e-4);
  EXPECT_EQ(sums.agreed, 1);
}

std::shared_ptr<const CompiledRules> research() { return CompiledRules::load("research"); }

Learner make_learner(Critic critic = Critic::kShared) {
  return Learner({.shape = make_network_shape(32, 2), .critic = critic, .replicas = 1, .seed = 3});
}

CollectorOptions card_play(int games) {
  CollectorOptions options;
  options.rules = research();
  options.num_envs = games;
  options.generated_share = 1.0;
  options.generator = make_generator("heuristic");
  return options;
}

struct Collected {
  explicit Collected(Collector& collector) {
    Learner learner = make_learner();
    collector.collect(3, learner, 0, batch, stats);
  }
  Batch batch;
  CollectorStats stats;
};

/// Plays a game on with one question at a time: what seat after seat draws from the network.
float played_on(Learner& learner, Game game, RngKey key, int seat) {
  while (!game.is_terminal()) {
    const ActionMask legal = without_claims(game.legal_actions());
    const int to_move = game.current_player();
    Action action = legal.lowest();
    if (legal.count() > 1) {
      PlayerView view = game.view(to_move);
      std::vector<float> logits(kNumActions), value(1), probabilities(kNumActions);
      learner.forward(0, {&view, 1}, {}, logits, value);
      double sum = 0;
      for (int n = 0; n < legal.count(); ++n) {
        const Action canonical = to_canonical_action(legal.nth(n), view.order.card_map);
        sum += std::exp(static_cast<double>(logits[canonical]));
        probabilities[legal.nth(n)] = std::exp(logits[canonical]);
      }
      for (float& p : probabilities) p /= static_cast<float>(sum);
      key.decision = static_cast<std::uint32_t>(game.num_plays() + game.num_events());
      key.seat = static_cast<std::uint32_t>(to_move);
      action = sample_action(probabilities, unit_interval(draw(key)));
    }
    game.apply(action);
  }
  const auto scale = static_cast<float>(game.rules().tariff_scale());
  return static_cast<float>(game.payoffs()[std::size_t(seat)]) / scale;
}

TEST(CardPlayouts, values_are_payoffs_of_games_that_the_network_plays_on) {
  VectorEnvOptions env_options;
  env_options.num_envs = 12;
  env_options.rules = {research()};
  env_options.seed = 8;
  env_options.generated_share = 1.0;
  env_options.generator = make_generator("heuristic");
  const VectorEnv env(env_options);
  Learner learner = make_learner();
  CardPlayouts playouts(env_options.rules[0]);
  Batch batch;
  std::vector<RngKey> keys;
  std::vector<Game> games;
  for (int i = 0; i < 12; ++i) {
    Game game = env.game(i);
    for (int n = 0; n < 2 * i; ++n) game.apply(game.legal_actions().lowest());
    const ActionMask legal = without_claims(game.legal_actions());
    if (legal.count() < 2) continue;
    const int seat = game.current_player();
    batch.views.push_back(game.view(seat));
    Decision& decision = batch.decisions.emplace_back();
    decision.legal = to_canonical(legal, batch.views.back().order.card_map);
    decision.seat = static_cast<std::uint8_t>(seat);
    keys.push_back({.seed = mix64(static_cast<std::uint64_t>(i)), .env = 7, .episode = 1});
    games.push_back(game);
    playouts.add(batch, static_cast<std::uint32_t>(batch.size() - 1), game, keys.back());
  }
  ASSERT_GE(games.size(), 4U);
  const AdvantageSettings settings{.reward_scale = 20.0F, .reward_clip = 2.0F};
  PhaseActor actor;
  playouts.finish(learner, 0, actor, settings, batch);
  std::set<float> found;
  bool cut = false;
  for (std::size_t d = 0; d < games.size(); ++d) {
    const Decision& decision = batch.decisions[d];
    EXPECT_TRUE(decision.played_out);
    for (int n = 0; n < decision.legal.count(); ++n) {
      Game game = games[d];
      game.apply(from_canonical_action(decision.legal.nth(n), batch.views[d].order.card_map));
      const float payoff = played_on(learner, game, keys[d], decision.seat) / 20.0F;
      const float value = batch.action_values[decision.action_values + std::size_t(n)];
      EXPECT_FLOAT_EQ(value, std::clamp(payoff, -2.0F, 2.0F)) << d << " " << n;
      cut = cut || std::abs(payoff) > 2.0F;
      found.insert(value);
    }
  }
  EXPECT_GT(found.size(), 3U);
  EXPECT_TRUE(cut);
}

// The last seat of the last but one trick decides what remains: its value is what came of it.
TEST(Collector, plays_out_the_cards_of_the_true_deal) {
  CollectorOptions options = card_play(60);
  options.playout_share = 1.0;
  Collector with(options), without(options);
  with.set_playing_out(true);
  const Collected played(with), plain(without);
  ASSERT_EQ(played.batch.size(), plain.batch.size());
  int decided = 0;
  for (std::size_t i = 0; i < played.batch.size(); ++i) {
    const Decision& decision = played.batch.decisions[i];
    const PlayerView& view = played.batch.views[i];
    ASSERT_EQ(decision.action, plain.batch.decisions[i].action);  // the games are the same
    EXPECT_FALSE(plain.batch.decisions[i].played_out);
    ASSERT_EQ(decision.played_out, view.phase() == Phase::kPlay);
    if (!decision.played_out || view.trick_number() != 6 || view.cards_on_table() != 3) continue;
    ++decided;
    for (int n = 0; n < decision.legal.count(); ++n) {
      if (decision.legal.nth(n) != decision.action) continue;
      const float value = played.batch.action_values[decision.action_values + std::size_t(n)];
      EXPECT_FLOAT_EQ(value, decision.payoff);
    }
  }
  EXPECT_GT(decided, 10);
  EXPECT_GT(played.stats.playout_seconds, 0.0);
}

TEST(Collector, playouts_lead_the_policy_to_what_they_found) {
  CollectorOptions options = card_play(60);
  options.playout_share = 0.3;
  Collector collector(options);
  collector.set_playing_out(true);
  const Collected played(collector);
  Learner learner = make_learner();
  const PpoCoefficients values_alone{
      .entropy = 0.0F, .behaviour_kl = 0.0F, .value = 0.0F, .ppo = 0.0F, .action_values = 1.0F};
  const auto regret_of_step = [&] {
    PpoSums sums;
    const float scale = 1.0F / static_cast<float>(played.batch.size());
    learner.accumulate(0, played.batch.views, {}, [&](const NetworkOutputs& outputs) {
      for (std::size_t i = 0; i < played.batch.size(); ++i) {
        const Decision& decision = played.batch.decisions[i];
        const PpoTarget target{
            .legal = decision.legal,
            .action = decision.action,
            .behaviour_log = decision.behaviour_log.data(),
            .action_values = decision.played_out
                                 ? &played.batch.action_values[decision.action_values]
                                 : nullptr};
        outputs.values_grad[i] =
            ppo_gradient(values_alone, target, outputs.logits + i * kNumActions, outputs.values[i],
                         scale, outputs.logits_grad + i * kNumActions, sums);
      }
    });
    (void)learner.step(0.01, 1.0);
    return sums.regret / sums.labelled;
  };
  const double before = regret_of_step();
  double after = 0;
  for (int step = 0; step < 60; ++step) after = regret_of_step();
  EXPECT_LT(after, 0.5 * before);
}

TEST(Collector, plays_out_a_share_of_what_is_not_solved) {
  CollectorOptions options = card_play(200);
  options.playout_share = 0.1;
  options.full_view = true;
  options.solver_trick = 6;
  Collector collector(options);
  collector.set_playing_out(true);
  collector.set_solving(true);
  const Collected played(collector);
  double early = 0, chosen = 0;
  for (std::size_t i = 0; i < played.batch.size(); ++i) {
    const Decision& decision = played.batch.decisions[i];
    const bool solved = played.batch.views[i].trick_number() + 1 >= 6;
    if (solved) {
      EXPECT_FALSE(decision.played_out);
      continue;
    }
    ++early;
    chosen += decision.played_out ? 1 : 0;
  }
  EXPECT_NEAR(chosen / early, 0.1, 0.03);
}

TEST(Collector, shows_a_share_of_the_decisions_to_the_teacher) {
  CollectorOptions options = card_play(60);
  options.generated_share = 0.5;
  options.teacher_share = 0.3;
  Collector collector(options);
  const std::unique_ptr<BatchPolicy> rules_agent = make_agent("rules");
  collector.set_teacher(rules_agent.get());
  const Collected games(collector);
  const CompiledRules* const rules[] = {options.rules.get()};
  const RuleTable table{rules, {}};
  double shown = 0;
  for (std::size_t i = 0; i < games.batch.size(); ++i) {
    const Decision& decision = games.batch.decisions[i];
    if (decision.teacher == kNoTeacher) continue;
    ++shown;
    const PlayerView& view = games.batch.views[i];
    const ViewBatch one{.size = 1,
                        .cards = &view.cards,
                        .order = &view.order,
                        .events = &view.events,
                        .rules = &table};
    const RngKey key;
    Action action = 0;
    rules_agent->act(one, {&key, 1}, {&action, 1});
    for (int n = 0; n < decision.legal.count(); ++n) {
      const bool chosen =
          from_canonical_action(decision.legal.nth(n), view.order.card_map) == action;
      EXPECT_EQ(games.batch.teacher_probabilities[decision.teacher + std::size_t(n)],
                chosen ? 1.0F : 0.0F);
    }
  }
  EXPECT_NEAR(shown / static_cast<double>(games.batch.size()), 0.3, 0.05);
  collector.set_teacher(nullptr);
  const Collected alone(collector);
  EXPECT_TRUE(alone.batch.teacher_probabilities.empty());
}

TEST(Learner, policy_gives_the_logits_of_forward) {
  for (const Critic critic : {Critic::kShared, Critic::kOracle}) {
    CollectorOptions options = card_play(5);
    options.full_view = true;
    Collector collector(options);
    const Collected games(collector);
    Learner learner = make_learner(critic);
    const std::size_t count = games.batch.size();
    std::vector<float> all(count * kNumActions), values(count), logits(count * kNumActions);
    learner.forward(0, games.batch.views, games.batch.full_views, all, values);
    learner.policy(0, games.batch.views, logits);
    EXPECT_EQ(logits, all);
  }
}

class TargetsTest : public test::RunInFolder {
 protected:
  /// Games of the rule agent as JSON lines; a half begins at card play.
  [[nodiscard]] std::string record_games(const std::string& name, int count,
                                         const std::string& rules = "research") const {
    VectorEnvOptions options;
    options.num_envs = count;
    options.rules = {CompiledRules::load(rules)};
    options.generated_share = 0.5;
    options.generator = make_generator("heuristic");
    const VectorEnv env(options);
    const std::unique_ptr<BatchPolicy> player = make_agent("rules");
    std::vector<Playout> games;
    for (int i = 0; i < count; ++i) games.push_back({env.game(i), {}});
    PlayoutTable(*player, *options.rules[0]).play_on(games);
    std::ofstream stream(path(name));
    for (const Playout& played : games) stream << to_json(record_of(played.game)) << '\n';
    return path(name);
  }
};

TEST_F(TargetsTest, recorded_games_give_the_decisions_of_their_players) {
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

TEST_F(TargetsTest, records_that_do_not_fit_are_refused_with_file_and_line) {
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
  const auto train_error = [&] {
    return error_of([&] { (void)train(config, {.out_dir = path("run")}); });
  };
  EXPECT_TRUE(train_error().starts_with("clone_records = \"" + file + "\": " + file + ": line 5: "))
      << train_error();
  config.clone_records = path("missing");
  EXPECT_TRUE(train_error().starts_with("clone_records = ")) << train_error();
  EXPECT_FALSE(fs::exists(path("run")));
}

TEST_F(TargetsTest, readable_records_are_the_same_games) {
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

TEST_F(TargetsTest, a_conceded_game_gives_the_decisions_before) {
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

TEST_F(TargetsTest, the_policy_comes_to_agree_with_its_teacher) {
  TrainConfig config = tiny_config();
  config.teacher = "rules";
  config.teacher_share = 0.5;
  config.teacher_weight = 3.0;
  config.teacher_until = 0;
  config.minibatch = 128;
  config.decisions_limit = 30000;
  (void)train(config, {.out_dir = path("run")});
  const auto lines = metrics_of(path("run"));
  EXPECT_NEAR(lines.front().at("taught_share").get<double>(), 0.5, 0.05);
  const auto number = [](const nlohmann::json& line, const char* key) {
    return line.at(key).get<double>();
  };
  EXPECT_GT(number(lines.back(), "teacher_agreement"),
            number(lines.front(), "teacher_agreement") + 0.1);
  EXPECT_LT(number(lines.back(), "teacher_loss"), number(lines.front(), "teacher_loss") - 0.1);
}

TEST_F(TargetsTest, the_policy_comes_to_do_what_was_done_in_recorded_games) {
  TrainConfig config = tiny_config();
  config.clone_records = record_games("games.jsonl", 200);
  config.clone_until = 0;
  config.decisions_limit = 60000;
  config.critic = "oracle";
  (void)train(config, {.out_dir = path("run")});
  const auto lines = metrics_of(path("run"));
  EXPECT_GT(lines.front().at("cloned_decisions").get<double>(), 64 * 10);
  EXPECT_GT(lines.back().at("clone_agreement").get<double>(),
            lines.front().at("clone_agreement").get<double>() + 0.06);
}

// With no other term in the loss every gradient is theirs.
TEST_F(TargetsTest, playouts_alone_move_the_policy) {
  TrainConfig config = tiny_config();
  config.generated_share = 1.0;
  config.ppo_weight = config.entropy = config.behaviour_kl = config.value_coefficient = 0.0;
  config.decisions_limit = 1000;
  (void)train(config, {.out_dir = path("nothing")});
  EXPECT_EQ(metrics_of(path("nothing")).front().at("grad_norm").get<double>(), 0.0);
  config.playout_share = 0.25;
  (void)train(config, {.out_dir = path("run")});
  const nlohmann::json line = metrics_of(path("run")).front();
  EXPECT_GT(line.at("grad_norm").get<double>(), 0.0);
  EXPECT_NEAR(line.at("played_out_share").get<double>(), 0.25, 0.05);
  EXPECT_GT(line.at("playout_regret").get<double>(), 0.0);
  EXPECT_GT(line.at("playout_time_share").get<double>(), 0.0);
  EXPECT_LT(line.at("playout_time_share").get<double>(), 1.0);
  EXPECT_FALSE(line.contains("regret"));  // that of solved decisions
}

TEST_F(TargetsTest, a_run_with_all_of_them_resumes_bit_for_bit) {
  TrainConfig config = tiny_config();
  config.critic = "oracle";
  config.observation = 3;
  config.epochs = 2;
  config.playout_share = 0.1;
  config.playout_until = 0.7;
  config.teacher = "rules";
  config.teacher_share = 0.2;
  config.clone_records = record_games("games.jsonl", 20);
  config.clone_games = 15;
  config.decisions_limit = 15000;
  (void)train(config, {.out_dir = path("whole")});
  std::atomic<bool> stop = false;
  const auto after_two = [&](const TrainProgress& progress) { stop = progress.updates == 2; };
  (void)train(config, {.out_dir = path("part"), .progress = after_two, .stop = &stop});
  (void)train(config, {.resume_dir = path("part")});
  EXPECT_EQ(bytes_of(path("part") + "/" + kModelFile), bytes_of(path("whole") + "/" + kModelFile));
  const auto parts = metrics_of(path("part")), whole = metrics_of(path("whole"));
  ASSERT_EQ(parts.size(), whole.size());
  ASSERT_GT(parts.size(), 4U);
  for (const char* key : {"teacher_loss", "clone_loss", "teacher_weight", "clone_weight"}) {
    EXPECT_EQ(parts.back().at(key), whole.back().at(key)) << key;
  }
  EXPECT_EQ(parts[2].at("playout_regret"), whole[2].at("playout_regret"));
  EXPECT_LT(parts[2].at("playout_weight").get<double>(), 1.0);
  EXPECT_FALSE(parts.back().contains("playout_weight"));  // it has run down
}

TEST_F(TargetsTest, signals_without_a_share_change_nothing) {
  TrainConfig config = tiny_config();
  config.decisions_limit = 4000;
  (void)train(config, {.out_dir = path("plain")});
  config.teacher = "rules";
  config.playout_weight = 5.0;
  config.clone_weight = 5.0;
  const TrainResult result = train(config, {.out_dir = path("unused")});
  EXPECT_EQ(bytes_of(path("unused") + "/" + kModelFile),
            bytes_of(path("plain") + "/" + kModelFile));
  ASSERT_EQ(result.notes.size(), 1U);
  EXPECT_EQ(result.notes[0], "teacher = \"rules\" is not asked: teacher_share = 0");
}

TEST_F(TargetsTest, a_teacher_that_cannot_be_asked_is_refused_before_anything_is_written) {
  TrainConfig config = tiny_config();
  config.teacher_share = 0.5;
  for (const char* teacher : {"oracle", "nobody"}) {
    config.teacher = teacher;
    const std::string error = error_of([&] { (void)train(config, {.out_dir = path("run")}); });
    EXPECT_TRUE(error.starts_with(fmt::format("teacher = \"{}\": ", teacher))) << error;
    EXPECT_FALSE(fs::exists(path("run")));
  }
}

TEST(TrainConfig, signals_that_contradict_themselves_are_named) {
  const auto error = [](auto&& change) {
    TrainConfig config;
    change(config);
    return error_of([&] { check_train_config(config); });
  };
  EXPECT_EQ(error([](TrainConfig& c) { c.teacher_share = 0.5; }),
            "teacher = \"\", allowed: a player where teacher_share = 0.5 is above 0");
  EXPECT_EQ(error([](TrainConfig& c) {
              c.teacher = "rules";
              c.teacher_share = 0.5;
              c.teacher_weight = 0;
            }),
            "teacher_weight = 0, allowed: above 0 where teacher_share = 0.5 is above 0");
  EXPECT_EQ(error([](TrainConfig& c) {
              c.playout_share = 0.25;
              c.playout_weight = 0;
            }),
            "playout_weight = 0, allowed: above 0 where playout_share = 0.25 is above 0");
  EXPECT_EQ(
      error([](TrainConfig& c) {
        c.clone_records = "games.jsonl";
        c.clone_weight = 0;
      }),
      "clone_weight = 0, allowed: above 0 where clone_records = \"games.jsonl\" names a file");
}

}  // namespace
}  // namespace schafkopf
