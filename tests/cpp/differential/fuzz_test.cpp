// Random play under random valid rules: every switch, every special round, any deck and number of
// players, with claims and infractions. What must hold at any decision of any deal of any rules.
// ./run long 'Fuzz.random*' makes 10^8 decisions; a failure names the seed of its rules, and
// SCHAFKOPF_FUZZ_SEED=n begins there.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "env/session/session.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/support/game_checks.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf::test {
namespace {

struct FuzzCounts {
  std::int64_t decisions = 0, deals = 0, infractions = 0, claims = 0;
  std::array<std::int64_t, kNumPhases> phases{};
  std::array<std::int64_t, kNumContractClasses> contracts{};
  std::array<std::int64_t, kNumValues<SpecialRound>> modes{};
};

/// Plays deals of one rule set; all choices follow from the seed.
class Fuzzer {
 public:
  Fuzzer(std::uint64_t seed, FuzzCounts& counts)
      : random_(seed), rules_(random_rules(seed)), counts_(&counts) {}

  void play(int deals) {
    for (int i = 0; i < deals; ++i) play_deal();
  }

 private:
  void play_deal() {
    DealContext context = random_context(random_.next(), rules_.rules());
    if (random_.next_below(3) == 0) context = first_context(rules_.rules());
    const int dealer = random_.next_below(rules_.seats());
    const Deal deal = deal_for(random_.next(), rules_.rules(), dealer, context);
    Game game(rules_, deal, dealer, context);
    may_claim_ = random_.next_below(8) == 0;
    const bool offends = random_.next_below(12) == 0;
    while (!game.is_terminal()) {
      check(game);
      ++counts_->phases[static_cast<std::size_t>(game.phase())];
      ++counts_->decisions;
      if (offends && game.phase() == Phase::kPlay && random_.next_below(8) == 0) offend(game);
      if (!game.is_terminal()) game.apply_unchecked(choose(game));
    }
    game.check_invariants();
    check_views(game);
    check_end(game);
    ++counts_->deals;
    ++counts_->modes[context.special_round];
    if (game.has_contract()) {
      ++counts_->contracts[static_cast<std::size_t>(game.contract().contract)];
    }
  }

  Action choose(const Game& game) {
    const ActionMask mask = game.legal_actions();
    must(!mask.empty(), "no legal action");
    must(!without_claims(mask).empty(), "only claims are legal");
    if (!may_claim_ || random_.next_below(12) != 0) return random_action(game, random_);
    const Action action = mask.nth(random_.next_below(mask.count()));
    counts_->claims += action == kActionClaimRest || action == kActionConcedeRest;
    return action;
  }

  void offend(Game& game) {
    const int kinds = kNumValues<Infraction> - 1;
    if (!game.has_contract()) return;
    game.infract(random_.next_below(game.seats()),
                 static_cast<Infraction>(1 + random_.next_below(kinds)));
    ++counts_->infractions;
  }

  void check(const Game& game) {
    const int number = random_.next_below(64);
    if (number < 16) game.check_invariants();
    if (number < 4) check_views(game);
    if (number == 0) check_bytes(game);
    if (number == 1) {
      check_refusal(game, static_cast<Action>(random_.next_below(kNumActions)));
    }
    if (number == 2) must(!has_payoffs(game), "payoffs before the end");
  }

  Rng random_;
  CompiledRules rules_;
  FuzzCounts* counts_;
  bool may_claim_ = false;
};

TEST(Fuzz, random_play_of_random_rules_keeps_what_must_hold) {
  constexpr int kDealsPerRuleSet = 12;
  const std::int64_t wanted = scaled(20'000, 100'000, 1'000'000, 100'000'000);
  const char* start = std::getenv("SCHAFKOPF_FUZZ_SEED");
  std::uint64_t seed = start != nullptr ? std::strtoull(start, nullptr, 10) : 1;
  FuzzCounts counts;
  for (; counts.decisions < wanted; ++seed) {
    try {
      Fuzzer(seed, counts).play(kDealsPerRuleSet);
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
