// Random play under random valid rules (random_deals.h), and batches of them against plain games. The
// long form of the first is ./run decisions; a failure names the seed of its rules.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "env/session/session.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/differential/random_deals.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::test {
namespace {

TEST(Fuzz, random_play_of_random_rules_keeps_what_must_hold) {
  const std::int64_t wanted = scaled(20'000, 100'000, 1'000'000);
  RandomDealCounts counts;
  for (std::uint64_t seed = 1; counts.decisions < wanted; ++seed) {
    try {
      RandomDeals(seed, counts).play();
    } catch (const std::exception& error) {
      FAIL() << "seed " << seed << ": " << error.what() << '\n' << to_string(random_rules(seed));
    }
  }
  RecordProperty("decisions", std::to_string(counts.decisions));
  if (wanted < 100'000) return;  // too few for what is rare
  for (int phase = 0; phase < kNumPhases; ++phase) {
    if (static_cast<Phase>(phase) == Phase::kDone) continue;
    EXPECT_GT(counts.phases[static_cast<std::size_t>(phase)], 0)
        << phase_name(static_cast<Phase>(phase));
  }
  for (int mode = 0; mode < kNumValues<SpecialRound>; ++mode) {
    EXPECT_GT(counts.modes[static_cast<std::size_t>(mode)], 0)
        << name_of(static_cast<SpecialRound>(mode));
  }
  EXPECT_GT(counts.infractions, 0);
  EXPECT_GT(counts.claims, 0);
  EXPECT_GT(counts.records, 0);
  EXPECT_GT(counts.reference_deals, 0);
  for (int i = 0; i < kNumContractClasses; ++i) {
    const auto contract = static_cast<ContractClass>(i);
    if (contract_row(contract).goal == Goal::kFixedHand) continue;  // one deal in 42 millions
    EXPECT_GT(counts.contracts[static_cast<std::size_t>(i)], 0) << name_of(contract);
  }
}

// ---- batches ------------------------------------------------------------------------------------

/// The deals of one row of a batch, played by plain games.
class PlainRow {
 public:
  PlainRow(const VectorEnvOptions& options, int env)
      : options_(&options), rules_(options.rules[options.rule_index[index(env)]].get()), env_(env) {
    begin(true);
    skip_forced();
  }

  [[nodiscard]] const Game& game() const { return game_; }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] const Settlement& last() const { return last_; }
  [[nodiscard]] const CompiledRules& rules() const { return *rules_; }
  [[nodiscard]] ActionMask mask() const { return without_claims(game_.legal_actions()); }

  void step(Action action) {
    ended_ = false;
    decided_ = true;
    game_.apply(action);
    skip_forced();
  }

 private:
  static std::size_t index(int env) { return static_cast<std::size_t>(env); }

  static Game new_game(const CompiledRules& rules, const VectorEnvOptions& options, int env,
                       std::uint64_t episode, bool new_session, SessionState& session) {
    const auto id = options.first_env + static_cast<std::uint64_t>(env);
    const std::uint64_t seed = episode_seed(options.seed, id, episode);
    int dealer = static_cast<int>((id + episode) % static_cast<unsigned>(rules.seats()));
    DealContext context = first_context(rules.rules());
    if (options.session) {
      if (new_session || is_over(rules, session)) session = begin_session(rules, seed);
      dealer = dealer_seat(rules.rules(), session.dealer);
      context = session.context;
    }
    return Game(rules, deal_for(seed, rules.rules(), dealer, context), dealer, context);
  }

  void begin(bool new_session) {
    game_ = new_game(*rules_, *options_, env_, episode_, new_session, session_);
    decided_ = false;
  }

  /// Ends of deals and, with skip_forced, decisions with one action.
  void skip_forced() {
    while (true) {
      if (game_.is_terminal()) {
        if (options_->session) finish_deal(session_, game_);
        if (decided_) {
          ended_ = true;
          last_ = game_.settlement();
        }
        ++episode_;
        begin(false);
      } else if (options_->skip_forced && mask().count() == 1) {
        game_.apply(mask().lowest());
      } else {
        return;
      }
    }
  }

  const VectorEnvOptions* options_;
  const CompiledRules* rules_;
  int env_;
  std::uint64_t episode_ = 0;
  SessionState session_;
  Game game_ = Game(*rules_, deal_for(0, rules_->rules(), 0, {}), 0);
  Settlement last_;
  bool ended_ = false, decided_ = false;
};

void compare_row(const VectorEnv& env, int number, const PlainRow& row) {
  const EnvBuffers& buffers = env.buffers();
  const auto i = static_cast<std::size_t>(number);
  const std::string where = "env " + std::to_string(number);
  must(buffers.current_player[i] == row.game().current_player(), where + ": seat to act");
  must(buffers.phase[i] == static_cast<int>(row.game().phase()), where + ": phase");
  must(buffers.legal[i] == row.mask(),
       where + ": mask " + to_string(buffers.legal[i]) + ", not " + to_string(row.mask()));
  must((buffers.terminated[i] != 0) == row.ended(), where + ": terminated");
  const auto scale = static_cast<float>(row.rules().tariff_scale());
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    const auto amount = row.ended() ? static_cast<float>(row.last().payoffs[seat]) / scale : 0.0F;
    must(buffers.rewards[4 * i + seat] == amount, where + ": rewards");
  }
}

/// K random rule sets mixed in a batch, against plain games.
void fuzz_batch(std::uint64_t seed, int steps) {
  constexpr int kRuleSets = 8, kEnvs = 48;
  Rng random(seed);
  VectorEnvOptions options;
  options.num_envs = kEnvs;
  options.seed = random.next();
  options.first_env = static_cast<std::uint64_t>(random.next_below(1000));
  options.auto_reset = AutoReset::kSameStep;
  options.skip_forced = random.next_below(2) == 0;
  options.session = random.next_below(2) == 0;
  options.view_lines = random.next_below(2) == 0;
  while (options.rules.size() < kRuleSets) {
    options.rules.push_back(std::make_shared<const CompiledRules>(random_rules(random.next())));
  }
  std::vector<PlainRow> rows;
  rows.reserve(kEnvs);
  for (int i = 0; i < kEnvs; ++i) {
    options.rule_index.push_back(static_cast<std::uint16_t>(random.next_below(kRuleSets)));
  }
  for (int i = 0; i < kEnvs; ++i) rows.emplace_back(options, i);
  VectorEnv env(options);
  std::vector<Action> actions(kEnvs);
  for (int step = 0; step < steps; ++step) {
    env.random_actions(actions);
    env.step(actions);
    for (int i = 0; i < kEnvs; ++i) {
      PlainRow& row = rows[static_cast<std::size_t>(i)];
      row.step(actions[static_cast<std::size_t>(i)]);
      compare_row(env, i, row);
    }
  }
}

TEST(Fuzz, a_batch_of_random_rule_sets_equals_plain_games) {
  const int batches = scaled(4, 30, 200);
  for (int i = 1; i <= batches; ++i) {
    try {
      fuzz_batch(static_cast<std::uint64_t>(i), 120);
    } catch (const std::exception& error) {
      FAIL() << "batch " << i << ": " << error.what();
    }
  }
}

}  // namespace
}  // namespace schafkopf::test
