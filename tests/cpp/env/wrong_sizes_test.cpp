// Buffers and seats that do not fit, given to functions that are no part of a batch.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/replayed_games.h"
#include "env/view/encoder.h"
#include "env/view/policy.h"
#include "env/view/sampling.h"
#include "tests/cpp/support/errors.h"

namespace schafkopf::test {
namespace {

struct OneView {
  std::shared_ptr<const CompiledRules> rules = CompiledRules::load("research");
  Game game{*rules, random_deal(1), 3};
  PlayerView view = game.view(0);
  std::array<const CompiledRules*, 1> sets = {rules.get()};
  std::vector<float> features =
      std::vector<float>(static_cast<std::size_t>(rule_feature_size()), 0.0F);
  RuleTable table{sets, features};
  ViewBatch batch{.size = 1,
                  .cards = &view.cards,
                  .order = &view.order,
                  .events = &view.events,
                  .rules = &table};
};

TEST(WrongSizes, rows_of_observations_that_are_too_short_are_refused) {
  const OneView one;
  for (const ObservationVersion version : {ObservationVersion::kV1, ObservationVersion::kV2,
                                           ObservationVersion::kV3, ObservationVersion::kV4}) {
    const auto size = static_cast<std::size_t>(observation_size(version));
    std::vector<std::uint8_t> row(size);
    ObservationForm form;
    form.version = version;
    EXPECT_EQ(error_of([&] { expand(form, one.batch, std::span(row)); }), "no error");
    EXPECT_EQ(error_of([&] { expand(form, one.batch, std::span(row).first(5)); }),
              "rows: 5 elements, allowed: at least " + std::to_string(size) + ", " +
                  std::to_string(size) + " for each view");
  }
  std::vector<float> row(5);
  EXPECT_TRUE(error_of([&] { expand(one.batch, std::span(row)); }).starts_with("rows: 5 elements"));
}

TEST(WrongSizes, rows_of_rule_features_have_one_size) {
  const OneView one;
  std::vector<float> row(5);
  EXPECT_EQ(error_of([&] { write_rule_features(*one.rules, row); }),
            "row: 5 elements, allowed: " + std::to_string(rule_feature_size()));
}

TEST(WrongSizes, actions_logits_and_masks_that_are_drawn_from_belong_together) {
  const std::vector<float> logits(2 * kNumActions);
  const std::vector<std::uint64_t> legal(4, 1);
  std::vector<std::int32_t> actions(2);
  const auto error = [&](std::span<const float> given, std::span<const std::uint64_t> masks) {
    return error_of([&] { (void)sample_legal(given, masks, 1, actions); });
  };
  EXPECT_EQ(error(logits, legal), "no error");
  EXPECT_EQ(error(logits, std::span(legal).first(1)),
            "2 actions, 256 logits and 1 words of masks, allowed: 128 logits and 2 words for each "
            "action");
  EXPECT_NE(error(std::span(logits).first(9), legal), "no error");
}

TEST(WrongSizes, seats_that_there_are_not_have_no_view_and_deal_nothing) {
  const OneView one;
  for (const int seat : {-1, 4, 7, 1000000}) {
    const std::string allowed = " = " + std::to_string(seat) + ", allowed: 0..3";
    EXPECT_EQ(error_of([&] { (void)one.game.view(seat); }), "seat" + allowed);
    EXPECT_EQ(error_of([&] { (void)one.game.full_view(seat); }), "seat" + allowed);
    EXPECT_EQ(error_of([&] { (void)deal_for(1, one.rules->rules(), seat, {}); }),
              "dealer" + allowed);
  }
}

TEST(WrongSizes, games_as_values_show_as_many_rows_as_there_are_seeds) {
  const ReplayedGames games(CompiledRules::load("research"));
  const std::vector<std::uint64_t> seeds(2, 1);
  const std::vector<Action> actions(2 * static_cast<std::size_t>(games.longest()));
  const std::vector<std::int32_t> counts(2), seats(2, -1);
  std::vector<PlayerView> views(2);
  std::vector<ActionMask> legal(2);
  std::vector<std::int8_t> players(2);
  std::vector<float> rewards(8);
  std::vector<std::uint8_t> terminated(2);
  const ReplayedRows rows{views, legal, players, rewards, terminated};
  const auto error = [&](std::span<const Action> given, std::span<const std::int32_t> of,
                         const ReplayedRows& shown) {
    return error_of([&] { games.show(seeds, given, of, seats, shown); });
  };
  EXPECT_EQ(error(actions, counts, rows), "no error");
  EXPECT_EQ(error(std::span(actions).first(9), counts, rows),
            "actions: 9 elements, allowed: " + std::to_string(actions.size()));
  EXPECT_EQ(error(actions, {}, rows), "counts: 0 elements, allowed: 2");
  ReplayedRows less = rows;
  less.rewards = less.rewards.first(7);
  EXPECT_EQ(error(actions, counts, less), "rewards: 7 elements, allowed: 8");
  less = rows;
  less.views = {};
  EXPECT_EQ(error(actions, counts, less), "views: 0 elements, allowed: 2");
}

}  // namespace
}  // namespace schafkopf::test
