// Calibration of bids in several threads: what it gives, and how it ends.
#include "agents/tournament/calibration.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agents/maxims/rule_agent.h"
#include "agents/registry.h"
#include "agents/work/crew.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

CalibrationOptions options_with(int threads) {
  return {.policy = make_agent("rules"),
          .opponent = make_agent("random"),
          .rules = rules_named("research"),
          .blocks = 200,  // four pieces, the last one short
          .worlds = 2,
          .seed = 3,
          .threads = threads};
}

TEST(Calibration, gives_the_same_rows_for_any_number_of_threads) {
  const std::vector<CalibrationRow> alone = calibrate(options_with(1));
  EXPECT_EQ(alone.size(), 200u * 4u);
  for (const int threads : {2, 3, 9}) {
    const std::vector<CalibrationRow> rows = calibrate(options_with(threads));
    ASSERT_EQ(rows.size(), alone.size());
    EXPECT_EQ(std::memcmp(rows.data(), alone.data(), rows.size() * sizeof(CalibrationRow)), 0)
        << threads << " threads";
  }
}

TEST(Calibration, tells_its_progress_to_one_thread_at_a_time_and_stops_at_once) {
  int told = 0, last = 0;  // without a lock
  const auto rows = calibrate(options_with(3), [&](int done, int all) {
    ++told;
    last = done;
    return all == 200;
  });
  EXPECT_EQ(rows.size(), 800u);
  EXPECT_GE(told, 4);
  EXPECT_EQ(last, 200);
  EXPECT_TRUE(calibrate(options_with(3), [](int, int) { return false; }).empty());
}

/// Keys of the questions, before and behind the one for what the player itself expects: those of the
/// deals and those of the worlds.
struct AskedKeys {
  using Key = std::array<std::uint64_t, 5>;
  std::vector<Key> in_deals, in_worlds;
  bool in_world = false;
};

/// The rule agent; keeps what it is asked, in one thread and one piece.
class Recorded final : public BatchPolicy {
 public:
  explicit Recorded(std::shared_ptr<AskedKeys> asked) : asked_(std::move(asked)) {}
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    asked_->in_world = true;
    plays_.policy(batch, probabilities, values);
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    auto& to = asked_->in_world ? asked_->in_worlds : asked_->in_deals;
    for (const RngKey& key : keys) {
      to.push_back({key.seed, key.env, key.episode, key.decision, key.seat});
    }
    plays_.act(batch, keys, actions);
  }
  [[nodiscard]] std::string name() const override { return "recorded"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<Recorded>(asked_);
  }

 private:
  std::shared_ptr<AskedKeys> asked_;
  RuleAgent plays_;
};

// The declarer does not know the draws of the deal, and worlds that drew alike would be fewer than they
// seem.
TEST(Calibration, worlds_draw_neither_as_the_deal_nor_as_each_other) {
  const auto asked = std::make_shared<AskedKeys>();
  CalibrationOptions options = options_with(1);
  options.policy = options.opponent = std::make_shared<Recorded>(asked);
  options.blocks = 30;
  options.worlds = 3;
  (void)calibrate(options);
  ASSERT_GT(asked->in_worlds.size(), 500U);
  const std::set<AskedKeys::Key> deals(asked->in_deals.begin(), asked->in_deals.end());
  std::set<AskedKeys::Key> worlds;
  for (const AskedKeys::Key& key : asked->in_worlds) {
    EXPECT_FALSE(deals.contains(key));
    EXPECT_TRUE(worlds.insert(key).second) << "block " << key[1] << ", episode " << key[2];
  }
}

// RULES G.2: a tariff with a half unit somewhere counts everything in halves.
TEST(Calibration, expects_units_of_the_tariff_also_where_payoffs_count_halves) {
  const std::vector<CalibrationRow> whole = calibrate(options_with(1));
  CalibrationOptions options = options_with(1);
  RuleSet halves = options.rules->rules();
  halves.tariff.name = "halves";
  halves.tariff.scale = 2;
  for (int& amount : halves.tariff.amounts) amount *= 2;
  options.rules = std::make_shared<const CompiledRules>(halves, "halves");
  const std::vector<CalibrationRow> rows = calibrate(options);
  ASSERT_EQ(rows.size(), whole.size());
  int expected = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i].payoff, 2 * whole[i].payoff);
    if (std::isnan(whole[i].expected_payoff)) continue;
    EXPECT_EQ(rows[i].expected_payoff, whole[i].expected_payoff) << "row " << i;
    ++expected;
  }
  EXPECT_GT(expected, 20);
}

/// Says that it plays with GO or HO: a Solo with EO, else a Wenz.
class ObersBid final : public UniformPolicy {
 public:
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    UniformPolicy::act(batch, keys, actions);
    for (std::size_t row = 0; row < batch.size; ++row) {
      const PlayerView view = batch.view(row);
      const auto holds = [&](const char* card) {
        return CardSet(view.cards.hand).contains(parse_card(card).value());
      };
      const ActionMask mask = legal_actions(batch.cards[row]);
      if (view.phase() == Phase::kPlay) actions[row] = without_claims(mask).lowest();
      if (view.phase() == Phase::kAuctionRound) {
        actions[row] = holds("GO") || holds("HO") ? kActionPlay : kActionPass;
      }
      const Action named = parse_action(holds("EO") ? "C_SOLO" : "C_WENZ").value();
      if (view.phase() == Phase::kNameClass || view.phase() == Phase::kAuctionResolve) {
        actions[row] = mask.contains(named) ? named : mask.lowest();
      }
    }
  }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<ObersBid>(*this);
  }
};

// D.3: of what a Wenz costs the worlds say nothing in which a later seat goes over with a Solo for
// 1000.
TEST(Calibration, worlds_in_which_another_contract_is_played_do_not_count) {
  CalibrationOptions options = options_with(1);
  options.policy = options.opponent = std::make_shared<ObersBid>();
  RuleSet dear = options.rules->rules();
  dear.tariff.name = "dear";
  dear.tariff.amounts.fill(1);
  dear.tariff.amounts[static_cast<std::size_t>(TariffKey::kSolo)] = 1000;
  options.rules = std::make_shared<const CompiledRules>(dear, "dear");
  options.worlds = 7;
  int wenz = 0, fewer_worlds = 0;
  for (const CalibrationRow& row : calibrate(options)) {
    const bool is_wenz = row.contract == static_cast<int>(ContractClass::kWenz);
    if (!is_wenz || std::isnan(row.expected_payoff)) continue;
    ++wenz;
    EXPECT_LT(std::abs(row.expected_payoff), 100.0F) << "block " << row.block;
    const float won = row.expected_won * static_cast<float>(options.worlds);
    fewer_worlds += std::abs(won - std::round(won)) > 0.01F ? 1 : 0;
  }
  EXPECT_GT(wenz, 50);
  EXPECT_GT(fewer_worlds, 0) << "nobody went over";
}

/// Doubles before it has all cards or never does; else the lowest action.
class Layer final : public UniformPolicy {
 public:
  explicit Layer(bool lays) : lays_(lays) {}
  void act(const ViewBatch& batch, std::span<const RngKey>, std::span<Action> actions) override {
    for (std::size_t row = 0; row < batch.size; ++row) {
      const ActionMask mask = without_claims(legal_actions(batch.cards[row]));
      const Action word = lays_ ? kActionLay : kActionNoLay;
      actions[row] = mask.contains(word) ? word : mask.lowest();
    }
  }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<Layer>(*this);
  }

 private:
  bool lays_;
};

// F.1: nobody can pass in the Legen.
TEST(Calibration, who_passes_decides_about_legen_as_the_player_does) {
  CalibrationOptions options = options_with(1);
  RuleSet rules = options.rules->rules();
  rules.legen = Legen::kFree;
  options.rules = std::make_shared<const CompiledRules>(rules, "legen");
  options.policy = std::make_shared<Layer>(false);
  const std::vector<CalibrationRow> plain = calibrate(options);
  options.policy = std::make_shared<Layer>(true);
  const std::vector<CalibrationRow> doubled = calibrate(options);
  ASSERT_EQ(doubled.size(), plain.size());
  int paid = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    EXPECT_EQ(doubled[i].passed_payoff, 2 * plain[i].passed_payoff) << "row " << i;
    paid += plain[i].passed_payoff != 0 ? 1 : 0;
  }
  EXPECT_GT(paid, 100);
}

/// Fails in one of the threads, in the middle of the work.
class Failing : public UniformPolicy {
 public:
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    if (asked_->fetch_add(1) == 40) throw std::runtime_error("the player is gone");
    UniformPolicy::act(batch, keys, actions);
  }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<Failing>(*this);
  }

 private:
  std::shared_ptr<std::atomic<int>> asked_ = std::make_shared<std::atomic<int>>(0);
};

TEST(Crew, ends_its_threads_before_what_the_report_throws_leaves) {
  Crew crew;
  std::atomic<int> working = 0;
  const auto work = [&] {
    ++working;
    while (!crew.stopped()) std::this_thread::yield();
    --working;
  };
  const auto report = []() -> bool { throw std::runtime_error("no terminal"); };
  EXPECT_EQ(error_of([&] { crew.run(3, work, report); }), "no terminal");
  EXPECT_EQ(working, 0);
}

TEST(Calibration, passes_on_what_a_player_throws_in_a_thread) {
  CalibrationOptions options = options_with(3);
  options.opponent = std::make_shared<Failing>();
  EXPECT_EQ(error_of([&] { (void)calibrate(options); }), "the player is gone");
}

}  // namespace
}  // namespace schafkopf::test
