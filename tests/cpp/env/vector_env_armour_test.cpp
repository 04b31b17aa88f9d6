// What a batch does with what should not be: damaged snapshots, players that throw, more envs than
// fit into memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "env/base/available_memory.h"
#include "env/session/session.h"
#include "env/vector/vector_env.h"
#include "tests/cpp/support/checksums.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/random_play.h"
#include "tests/cpp/support/random_rules.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/table.h"
#include "tests/cpp/support/temporary_file.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

using ::testing::HasSubstr;
using Bytes = std::vector<std::uint8_t>;

// Snapshots

VectorEnvOptions with_rules(std::shared_ptr<const CompiledRules> rules, int num_envs) {
  VectorEnvOptions options = small_options(num_envs);
  options.rules = {std::move(rules)};
  options.first_env = 3;
  return options;
}

/// A Wenz of a random seat.
class DrawnWenzGenerator final : public ContractGenerator {
 public:
  [[nodiscard]] std::string name() const override { return "wenz"; }
  [[nodiscard]] Contract generate(const CompiledRules& rules, const Deal&, int,
                                  const RngKey& key) const override {
    return {.contract = ContractClass::kWenz,
            .declarer = below(draw(key, RngStream::kGenerator), rules.seats())};
  }
};

/// One batch of each kind.
std::vector<VectorEnvOptions> kinds() {
  std::vector<VectorEnvOptions> kinds;
  kinds.push_back(with_rules(rules_named("research"), 2));
  kinds.push_back(with_rules(rules_named("wikipedia_extended"), 2));
  kinds.back().session = true;
  kinds.back().auto_reset = AutoReset::kSameStep;
  kinds.push_back(with_rules(rules_named("tournament_2024"), 2));
  kinds.back().session = true;
  kinds.push_back(with_rules(rules_named("research"), 2));
  kinds.back().skip_forced = true;
  kinds.back().learner_seat = 1;
  kinds.back().opponent = std::make_shared<UniformPolicy>();
  kinds.push_back(with_rules(rules_named("research"), 2));
  kinds.back().start = StartAt::kCardPlay;
  kinds.back().generator = std::make_shared<DrawnWenzGenerator>();
  return kinds;
}

TEST(VectorEnvSnapshot, every_damaged_byte_is_found) {
  for (const VectorEnvOptions& options : kinds()) {
    VectorEnv env(options);
    for (int step = 0; step < 40; ++step) env.step_random();
    const Bytes good = env.snapshot();
    for (std::size_t i = 0; i < good.size(); ++i) {
      Bytes bad = good;
      bad[i] = static_cast<std::uint8_t>(bad[i] ^ (1U << (i % 8)));
      ASSERT_NE(error_of([&] { env.restore(bad); }), "no error") << "byte " << i;
    }
    ASSERT_EQ(env.snapshot(), good);
  }
}

// With a new checksum only what is possible in a batch gets through, and can be stepped.
TEST(VectorEnvSnapshot, an_impossible_state_is_refused_though_the_checksum_is_right) {
  Rng random(21);
  int refused = 0, taken = 0;
  const int step = scaled(23, 11, 1);
  for (const VectorEnvOptions& options : kinds()) {
    for (const int steps : {0, 17, 31, 33, 40}) {
      VectorEnv env(options), other(options);
      for (int i = 0; i < steps; ++i) env.step_random();
      const Bytes good = env.snapshot();
      for (std::size_t i = 0; i + 8 < good.size();
           i += static_cast<std::size_t>(1 + random.next_below(2 * step - 1))) {
        Bytes bad = good;
        bad[i] = static_cast<std::uint8_t>(bad[i] ^ (1 + random.next_below(255)));
        sum_up(bad);
        const std::string why = error_of([&] { env.restore(bad); });
        if (why != "no error") {
          ++refused;
          ASSERT_THAT(why, HasSubstr("restore"));
          continue;
        }
        ++taken;
        ASSERT_EQ(env.snapshot(), bad) << "byte " << i;
        for (int more = 0; more < 30; ++more) env.step_random();
        env.restore(good);
      }
      ASSERT_EQ(env.snapshot(), good);
    }
  }
  EXPECT_GT(refused, 40 * taken);  // a few may be so: a return of an earlier deal, say
}

TEST(VectorEnvSnapshot, damage_is_said) {
  VectorEnv env(small_options(4));
  for (int step = 0; step < 20; ++step) env.step_random();
  Bytes bad = env.snapshot();
  bad[100] ^= 1;
  EXPECT_THAT(error_of([&] { env.restore(bad); }), HasSubstr("checksum"));
}

/// The snapshot with another text of options than that it was taken with.
Bytes with_options(const Bytes& snapshot, const std::function<std::string(std::string)>& change) {
  constexpr std::size_t kSizeAt = 16, kTextAt = 20;  // behind the magic and the number of envs
  std::uint32_t size = 0;
  std::memcpy(&size, snapshot.data() + kSizeAt, sizeof size);
  const auto text = snapshot.begin() + kTextAt, rest = text + size;
  const std::string changed = change(std::string(text, rest));
  size = static_cast<std::uint32_t>(changed.size());
  Bytes result(snapshot.begin(), text);
  std::memcpy(result.data() + kSizeAt, &size, sizeof size);
  result.insert(result.end(), changed.begin(), changed.end());
  result.insert(result.end(), rest, snapshot.end());
  sum_up(result);
  return result;
}

TEST(VectorEnvSnapshot, one_taken_with_an_option_that_this_version_has_not_is_refused) {
  VectorEnv env(small_options(2));
  const Bytes good = env.snapshot();
  const Bytes bad = with_options(good, [](const auto& text) { return text + "\nshuffled = true"; });
  EXPECT_THAT(error_of([&] { env.restore(bad); }), HasSubstr("unknown options, allowed: those of"));
  EXPECT_EQ(env.snapshot(), good);
}

TEST(VectorEnvSnapshot, a_forced_decision_is_refused_where_forced_ones_are_skipped) {
  VectorEnvOptions options = small_options(1);
  VectorEnv env(options);
  while (env.game(0).legal_actions().count() != 1) env.step_random();
  options.skip_forced = true;
  VectorEnv other(options);
  const Bytes bad = with_options(env.snapshot(), [](std::string text) {
    const std::string off = "skip_forced = false";
    return text.replace(text.find(off), off.size(), "skip_forced = true");
  });
  EXPECT_THAT(error_of([&] { other.restore(bad); }), HasSubstr("nothing to decide"));
}

// R-103: all four pay a unit. The bytes of that amount are found by their refusal.
TEST(VectorEnvSnapshot, amounts_of_the_stock_that_its_game_did_not_pay_are_refused) {
  VectorEnvOptions options = with_rules(house({"all_pass = \"stock\""}), 1);
  VectorEnv env(options);
  while (env.buffers().stock_rewards[0] == 0.0F) env.step_random();
  const Bytes good = env.snapshot();
  int refused = 0;
  for (std::size_t i = 0; i + sizeof(std::uint64_t) < good.size(); ++i) {
    Bytes bad = good;
    bad[i] ^= 1;
    sum_up(bad);
    refused +=
        error_of([&] { env.restore(bad); }).find("stock_rewards of its game") != std::string::npos
            ? 1
            : 0;
  }
  EXPECT_GE(refused, 4 * 4);  // every byte of four floats
}

// A row that stays shows no rewards; what its game paid stands in episode_return alone.
TEST(VectorEnvSnapshot, amounts_that_the_game_of_a_row_that_stays_did_not_pay_are_refused) {
  VectorEnvOptions options = small_options(1);
  options.auto_reset = AutoReset::kDisabled;
  VectorEnv env(options);
  while (env.buffers().current_player[0] >= 0) env.step_random();
  env.step(std::vector{static_cast<Action>(kStay)});
  const Bytes good = env.snapshot();
  env.restore(good);
  ASSERT_EQ(env.snapshot(), good);
  std::map<std::string, int> refused;
  for (std::size_t i = 0; i + sizeof(std::uint64_t) < good.size(); ++i) {
    Bytes bad = good;
    bad[i] ^= 1;
    sum_up(bad);
    const std::string error = error_of([&] { env.restore(bad); });
    for (const char* const what : {"episode_return", "rewards", "the end of its deal"}) {
      if (error.find(what) != std::string::npos) ++refused[what];
    }
  }
  EXPECT_GE(refused["episode_return"], 4 * 2);  // of four floats
  EXPECT_GE(refused["rewards"], 4 * 4);
}

// On the first of all rows: no row has to differ in what it shows.
TEST(VectorEnvSnapshot, one_taken_with_other_options_is_refused_by_their_name) {
  const auto uniform = std::make_shared<UniformPolicy>();
  const auto wenz = std::make_shared<DrawnWenzGenerator>();
  const std::vector<std::pair<std::string, std::function<void(VectorEnvOptions&)>>> others = {
      {"first_env = 4", [](auto& o) { o.first_env = 4; }},
      {R"(auto_reset = "same_step")", [](auto& o) { o.auto_reset = AutoReset::kSameStep; }},
      {R"(auto_reset = "disabled")", [](auto& o) { o.auto_reset = AutoReset::kDisabled; }},
      {"skip_forced = true", [](auto& o) { o.skip_forced = true; }},
      {"claim_actions = true", [](auto& o) { o.claim_actions = true; }},
      {"session = true", [](auto& o) { o.session = true; }},
      {R"(start = "card_play")",
       [&](auto& o) {
         o.start = StartAt::kCardPlay;
         o.generator = wenz;
       }},
      {"generated_share = 0.5",
       [&](auto& o) {
         o.generated_share = 0.5;
         o.generator = wenz;
       }},
      {"learner_seat = 0",
       [&](auto& o) {
         o.learner_seat = 0;
         o.opponent = uniform;
       }},
      {"learner_seat = 2",
       [&](auto& o) {
         o.learner_seat = 2;
         o.opponents = {uniform, uniform, uniform};
       }},
      {"bidding_only = true",
       [&](auto& o) {
         o.bidding_only = true;
         o.opponent = uniform;
       }},
      {"deals = 2 ", [](auto& o) { o.deals = {random_deal(1), random_deal(2)}; }},
  };
  const Bytes good = VectorEnv(small_options(4)).snapshot();
  for (const auto& [what, change] : others) {
    VectorEnvOptions options = small_options(4);
    change(options);
    VectorEnv other(options);
    const Bytes before = other.snapshot();
    EXPECT_THAT(error_of([&] { other.restore(good); }),
                ::testing::AllOf(HasSubstr("other options"), HasSubstr("allowed: " + what)));
    EXPECT_EQ(other.snapshot(), before) << what;
  }
  VectorEnvOptions shown = small_options(4);
  shown.view_lines = shown.action_mask = shown.full_view = true;
  shown.observation = ObservationType::kFloat32;
  shown.cards = CardIndex::kCanonical;
  shown.num_threads = 2;
  shown.kernel = "scalar";
  VectorEnv other(shown);
  EXPECT_EQ(error_of([&] { other.restore(good); }), "no error");
}

// Both begin with the same deal and the same contract.
TEST(VectorEnvSnapshot, one_taken_with_other_fixed_deals_is_refused) {
  VectorEnvOptions options = small_options(1);
  options.deals = {random_deal(1), random_deal(2)};
  const Bytes good = VectorEnv(options).snapshot();
  options.deals[1] = random_deal(3);
  VectorEnv other(options);
  EXPECT_THAT(error_of([&] { other.restore(good); }), HasSubstr("deals = 2 "));
  options.start = StartAt::kCardPlay;
  options.contracts = {{.contract = ContractClass::kWenz, .declarer = 0},
                       {.contract = ContractClass::kWenz, .declarer = 1}};
  const Bytes cards = VectorEnv(options).snapshot();
  options.contracts[1].declarer = 2;
  VectorEnv another(options);
  EXPECT_THAT(error_of([&] { another.restore(cards); }), HasSubstr("contracts = 2 "));
}

// The players of the other seats may be others from now on.
TEST(VectorEnvSnapshot, one_taken_with_another_opponent_goes_on) {
  VectorEnvOptions options = small_options(2);
  options.learner_seat = 1;
  options.opponent = std::make_shared<UniformPolicy>();
  VectorEnv env(options);
  for (int step = 0; step < 20; ++step) env.step_random();
  options.opponent = nullptr;
  options.opponents.assign(3, std::make_shared<UniformPolicy>());
  VectorEnv other(options);
  other.restore(env.snapshot());
  EXPECT_EQ(other.snapshot(), env.snapshot());
}

// In a Kreuzbock nobody announces anything.
TEST(VectorEnvOptions, an_auction_that_never_comes_is_refused) {
  RuleSet rules = CompiledRules::load("official_1989")->rules();
  rules.special_round = SpecialRound::kKreuzbock;
  VectorEnvOptions options = small_options(3);
  options.rules = {std::make_shared<const CompiledRules>(rules)};
  options.bidding_only = true;
  options.opponent = std::make_shared<UniformPolicy>();
  EXPECT_THAT(error_of([&] { VectorEnv{options}; }), HasSubstr("left the caller no decision"));
}

TEST(VectorEnvSnapshot, a_game_that_was_set_comes_back) {
  VectorEnv env(small_options(2));
  Game game(*rules_named("research"), random_deal(99), 2);
  for (int i = 0; i < 9; ++i) {
    const ActionMask mask = game.legal_actions();
    game.apply(mask.contains(kActionPlay) ? kActionPlay : mask.lowest());
  }
  env.set_game(1, game);
  const Bytes state = env.snapshot();
  VectorEnv other(small_options(2));
  other.restore(state);
  EXPECT_EQ(other.snapshot(), state);
  EXPECT_EQ(other.game(1).serialize(), game.serialize());
}

TEST(VectorEnvSnapshot, games_set_into_sessions_leave_possible_ones) {
  VectorEnvOptions options = with_rules(rules_named("tournament_2024"), 4);
  options.session = true;
  VectorEnv env(options), other(options);
  Rng random(8);
  int over = 0;
  const int steps = scaled(2000, 6000, 60'000);  // some whole sessions
  for (int step = 0; step < steps; ++step) {
    const int row = random.next_below(4);
    const bool ends = env.buffers().session_end[static_cast<std::size_t>(row)] != 0;
    if (ends || step % 40 == 0) {
      const Game& game = env.game((row + 1) % 4);
      if (!game.is_terminal()) env.set_game(row, game);
      over += static_cast<int>(ends && !game.is_terminal());
    }
    if (ends || step % 97 == 0) {
      ASSERT_EQ(error_of([&] { other.restore(env.snapshot()); }), "no error");
    }
    env.step_random();
  }
  EXPECT_GT(over, 0);
  const Game rich(*rules_named("tournament_2024"), random_deal(1), 0, {.stock = 100});
  EXPECT_THAT(error_of([&] { env.set_game(0, rich); }), HasSubstr("Stock of 100"));
}

// The test of sessions knows all that can be: under any rules, after any deal.
TEST(VectorEnvSnapshot, every_session_of_random_rules_is_possible) {
  const int sets = scaled(20, 60, 2000);
  for (int seed = 1; seed <= sets; ++seed) {
    const CompiledRules rules(random_rules(static_cast<std::uint64_t>(seed)));
    Rng random(static_cast<std::uint64_t>(seed));
    SessionState state = begin_session(rules, random.next());
    for (int deal = 0; deal < 40 && !is_over(rules, state); ++deal) {
      ASSERT_EQ(why_impossible(rules.rules(), state), "") << seed << ", deal " << deal;
      const int dealer = dealer_seat(rules.rules(), state.dealer);
      Game game(rules, deal_for(random.next(), rules.rules(), dealer, state.context), dealer,
                state.context);
      play_out(game, random);
      finish_deal(state, game);
    }
    ASSERT_EQ(why_impossible(rules.rules(), state), "") << seed;
  }
}

// Players that throw

/// Plays uniformly and throws in the call of this number, counted over all clones.
class GivingUpPolicy final : public UniformPolicy {
 public:
  explicit GivingUpPolicy(std::shared_ptr<std::atomic<int>> calls_left)
      : calls_left_(std::move(calls_left)) {}
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    const int left = --*calls_left_;  // read once: other threads count on
    if (left == 0) throw std::domain_error("the player gave up\nsomewhere");
    UniformPolicy::act(batch, keys, actions);
    if (left == -1000) actions[0] = kActionLay;
    if (left == -2000) throw left;  // NOLINT(hicpp-exception-baseclass): that is tried
  }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<GivingUpPolicy>(*this);
  }

 private:
  std::shared_ptr<std::atomic<int>> calls_left_;
};

/// Has no clones.
class LonelyPolicy final : public UniformPolicy {
 public:
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override { return nullptr; }
};

TEST(VectorEnvArmour, a_player_without_a_clone_is_refused) {
  VectorEnvOptions options = small_options(4);
  options.learner_seat = 0;
  options.opponent = std::make_shared<LonelyPolicy>();
  EXPECT_THAT(error_of([&] { VectorEnv{options}; }),
              HasSubstr("player uniform: clone() gave nothing"));
}

class TornBatch : public ::testing::TestWithParam<int> {
 protected:
  TornBatch() {
    options.learner_seat = 0;
    options.num_threads = GetParam();
    options.opponent = std::make_shared<GivingUpPolicy>(calls_left);
    options.view_lines = true;
    env = std::make_unique<VectorEnv>(options);
    for (int i = 0; i < 10; ++i) env->step_random();
    whole = env->snapshot();
    *calls_left = 3;
  }
  void tear() {
    EXPECT_THROW(for (int i = 0; i < 100; ++i) env->step_random(), std::domain_error);
    *calls_left = 1'000'000;
  }
  /// The games of an env without an accident; it may show ends of other deals from before.
  void expect_like(VectorEnv& other) const {
    for (int i = 0; i < 20; ++i) {
      env->step_random();
      other.step_random();
      auto shown = all_rows(*env), expected = all_rows(other);
      for (const char* name : {"episode_return", "episode_seed", "episode_learner_seat"}) {
        shown.erase(name);
        expected.erase(name);
      }
      ASSERT_EQ(difference(shown, expected), "");
    }
  }

  std::shared_ptr<std::atomic<int>> calls_left = std::make_shared<std::atomic<int>>(1'000'000);
  VectorEnvOptions options = small_options(256);
  std::unique_ptr<VectorEnv> env;
  Bytes whole;
};
INSTANTIATE_TEST_SUITE_P(Threads, TornBatch, ::testing::Values(1, 3),
                         [](const auto& tested) { return std::to_string(tested.param); });

TEST_P(TornBatch, everything_that_needs_its_games_says_what_happened_and_what_to_do) {
  tear();
  std::vector<Action> actions(256);
  std::vector<RngKey> keys(256);
  const std::vector<std::uint8_t> one_row(256, 0);
  const auto refuses = [](const std::string& text) {
    EXPECT_THAT(text, HasSubstr("the player gave up)"));
    EXPECT_THAT(text, HasSubstr("reset()"));
  };
  refuses(error_of([&] { env->step_random(); }));
  refuses(error_of([&] { env->step(actions); }));
  refuses(error_of([&] { env->random_actions(actions); }));
  refuses(error_of([&] { (void)env->views(); }));
  refuses(error_of([&] { (void)env->game(0); }));
  refuses(error_of([&] { (void)env->key(0); }));
  refuses(error_of([&] { (void)env->card_map(0); }));
  refuses(error_of([&] { env->keys(keys); }));
  refuses(error_of([&] { (void)env->snapshot(); }));
  refuses(error_of([&] { env->reset(std::nullopt, one_row); }));
  const Game game(*rules_named("research"), random_deal(1), 0);
  refuses(error_of([&] { env->set_game(0, game); }));
  EXPECT_GT(env->num_decisions(), 0);
}

TEST_P(TornBatch, a_reset_mends_it) {
  tear();
  env->reset(77);
  VectorEnvOptions fresh = options;
  fresh.opponent = std::make_shared<UniformPolicy>();
  fresh.seed = 77;
  VectorEnv other(fresh);
  expect_like(other);
}

TEST_P(TornBatch, a_restored_snapshot_mends_it) {
  tear();
  EXPECT_NE(error_of([&] { env->restore(std::span(whole).first(100)); }), "no error");
  EXPECT_THAT(error_of([&] { env->step_random(); }), HasSubstr("gave up"));
  env->restore(whole);
  VectorEnvOptions fresh = options;
  fresh.opponent = std::make_shared<UniformPolicy>();
  VectorEnv other(fresh);
  for (int i = 0; i < 10; ++i) other.step_random();
  EXPECT_EQ(env->snapshot(), other.snapshot());
  expect_like(other);
}

TEST_P(TornBatch, an_illegal_action_of_a_player_leaves_it_torn_too) {
  *calls_left = -999;
  EXPECT_THAT(error_of([&] { env->step_random(); }), HasSubstr("LAY"));
  EXPECT_THAT(error_of([&] { env->step_random(); }), HasSubstr("LAY"));
  *calls_left = 1'000'000;
  env->reset();
  env->step_random();
}

TEST_P(TornBatch, what_is_thrown_without_a_text_leaves_it_torn_too) {
  *calls_left = -1999;
  EXPECT_THROW(env->step_random(), int);
  EXPECT_THAT(error_of([&] { env->step_random(); }), HasSubstr("(no text)"));
  *calls_left = 1'000'000;
  env->reset();
  env->step_random();
}

TEST_P(TornBatch, an_illegal_action_of_the_caller_leaves_it_whole) {
  EXPECT_NE(error_of([&] { env->step(std::vector<Action>(256, kActionLay)); }), "no error");
  EXPECT_EQ(env->snapshot(), whole);
}

// Memory

TEST(VectorEnvMemory, more_envs_than_fit_are_refused_at_once) {
  if (!available_memory()) GTEST_SKIP() << "the system does not say how much memory is left";
  VectorEnvOptions options = small_options(2'000'000'000);
  options.observation = ObservationType::kFloat32;
  try {
    const VectorEnv env(options);
    FAIL() << "a batch of several terabytes";
  } catch (const NotEnoughMemory& error) {
    EXPECT_THAT(error.what(), HasSubstr("num_envs = 2000000000 needs"));
    EXPECT_THAT(error.what(), HasSubstr(" TB of memory"));
    EXPECT_THAT(error.what(), HasSubstr("are available"));
  }
}

class MemoryFiles : public ::testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  [[nodiscard]] std::optional<std::uint64_t> available() const {
    return available_memory(root_.string());
  }

 private:
  const TemporaryFolder folder_;
  const std::filesystem::path root_ = folder_.file("root");
};

TEST_F(MemoryFiles, what_the_machine_has_is_available) {
  EXPECT_EQ(available(), std::nullopt);
  write("proc/meminfo", "MemTotal:  900 kB\nMemFree: 1 kB\nMemAvailable:    500 kB\n");
  EXPECT_EQ(available(), 500'000U / 1000 * 1024);
}

TEST_F(MemoryFiles, a_control_group_and_those_above_it_limit_it) {
  write("proc/meminfo", "MemAvailable: 500 kB\n");
  write("proc/self/cgroup", "0::/jobs/one\n");
  write("sys/fs/cgroup/jobs/one/memory.max", "max\n");
  write("sys/fs/cgroup/jobs/one/memory.current", "70000\n");
  EXPECT_EQ(available(), 512'000U);
  write("sys/fs/cgroup/jobs/memory.max", "100000\n");
  write("sys/fs/cgroup/jobs/memory.current", "90000\n");
  EXPECT_EQ(available(), 10'000U);
  write("sys/fs/cgroup/jobs/memory.stat", "anon 1\ninactive_file 30000\n");
  EXPECT_EQ(available(), 40'000U);
  write("sys/fs/cgroup/jobs/one/memory.max", "60000\n");
  EXPECT_EQ(available(), 0U);
}

TEST_F(MemoryFiles, control_groups_of_the_first_version_limit_it_too) {
  write("proc/meminfo", "MemAvailable: 500 kB\n");
  write("proc/self/cgroup", "4:cpu:/x\n3:hugetlb,memory:/jobs\n1:name=systemd:/\n0::/\n");
  write("sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/jobs/memory.usage_in_bytes", "50\n");
  EXPECT_EQ(available(), 512'000U);
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "100000\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "20000\n");
  EXPECT_EQ(available(), 80'000U);
}

TEST_F(MemoryFiles, amounts_are_written_in_decimal_units) {
  EXPECT_EQ(bytes_text(1'500'000), "1.5 MB");
  EXPECT_EQ(bytes_text(13'200'000'000), "13 GB");
  EXPECT_EQ(bytes_text(2'000'000'000'000), "2.0 TB");
}

}  // namespace
}  // namespace schafkopf::test
