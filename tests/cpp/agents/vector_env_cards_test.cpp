// The option `cards`: observations, masks and actions of a VectorEnv count cards the same way, and
// the games do not depend on it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "agents/registry.h"
#include "env/cards/card_map.h"
#include "env/rules/rules.h"
#include "env/vector/vector_env.h"
#include "env/view/encoder.h"
#include "tests/cpp/support/observation_rows.h"
#include "tests/cpp/support/scale.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf::test {
namespace {

using testing::HasSubstr;

std::uint32_t low_word(const ActionMask& mask) { return static_cast<std::uint32_t>(mask.words[0]); }

/// 32 cells of an observation as a set of cards.
std::uint32_t plane(std::span<const std::uint8_t> row, ObservationVersion version,
                    std::string_view name) {
  const int first = section(version, name).offset;
  std::uint32_t cards = 0;
  for (int card = 0; card < kNumCards; ++card) {
    if (row[static_cast<std::size_t>(first + card)] != 0) cards |= std::uint32_t{1} << card;
  }
  return cards;
}

/// Every row shows its hand and its legal actions by the index of the env, in every buffer.
void expect_one_index(const VectorEnv& env) {
  const EnvBuffers& shown = env.buffers();
  const VectorEnvOptions& options = env.options();
  const auto size = static_cast<std::size_t>(observation_size(options.observation_version));
  for (std::size_t i = 0; i < shown.legal.size(); ++i) {
    const Game& game = env.game(static_cast<int>(i));
    if (game.is_terminal()) {
      EXPECT_EQ(shown.legal[i], ActionMask::of({kActionPass}));
      continue;
    }
    const int seat = game.current_player();
    const bool canonical = options.cards == CardIndex::kCanonical;
    const int map = canonical ? game.view(seat).order.card_map : 0;
    const ActionMask legal = to_canonical(without_claims(game.legal_actions()), map);
    ASSERT_EQ(shown.legal[i], legal) << i;
    for (std::size_t action = 0; action < kNumActions; ++action) {
      ASSERT_EQ(shown.action_mask[kNumActions * i + action],
                legal.contains(static_cast<Action>(action)) ? 1 : 0);
    }
    const auto row = shown.observation_u8.subspan(i * size, size);
    ASSERT_EQ(plane(row, options.observation_version, "legal_cards"), low_word(legal)) << i;
    if (game.phase() != Phase::kPlay) continue;
    const std::uint32_t hand = plane(row, options.observation_version, "hand");
    ASSERT_EQ(hand, to_canonical(game.hand(seat).bits(), map)) << i;
    ASSERT_EQ(low_word(legal) & ~hand, 0u) << i;
  }
}

struct Case {
  ObservationVersion version = ObservationVersion::kV1;
  bool generated = false;
};

std::string name_of(const Case& with) {
  return "v" + std::to_string(static_cast<int>(with.version)) +
         (with.generated ? "_generated" : "");
}
void PrintTo(const Case& with, std::ostream* out) { *out << name_of(with); }

class CardIndexOfBatches : public testing::TestWithParam<Case> {};

/// Rows of every preset in turn; generated ones begin at card play.
VectorEnvOptions of_all_presets(const Case& with) {
  VectorEnvOptions options = small_options(scaled(120, 360, 3600));
  options.rules.clear();
  for (const std::string_view name : preset_names()) {
    options.rules.push_back(rules_named(std::string(name)));
  }
  for (int i = 0; i < options.num_envs; ++i) {
    options.rule_index.push_back(
        static_cast<std::uint16_t>(static_cast<std::size_t>(i) % options.rules.size()));
  }
  options.observation = ObservationType::kUint8;
  options.observation_version = with.version;
  options.action_mask = true;
  if (with.generated) {
    options.start = StartAt::kCardPlay;
    options.generator = make_generator("mixed");
  }
  return options;
}

TEST_P(CardIndexOfBatches, observation_masks_and_actions_agree_and_games_are_the_same) {
  VectorEnvOptions options = of_all_presets(GetParam());
  VectorEnv absolute(options);
  options.cards = CardIndex::kCanonical;
  VectorEnv canonical(options), drawing(options);
  const auto n = static_cast<std::size_t>(options.num_envs);
  std::vector<Action> plain(n), moved(n);
  std::vector<std::int64_t> wide(n);
  std::set<ContractClass> played;
  int maps = 0;
  for (int step = 0; step < 60 && !HasFailure(); ++step) {
    for (const VectorEnv* env : {&absolute, &canonical}) expect_one_index(*env);
    absolute.random_actions(plain);
    canonical.random_actions(moved);
    for (std::size_t i = 0; i < n; ++i) {
      const Game& game = absolute.game(static_cast<int>(i));
      const int map = absolute.card_map(static_cast<int>(i));
      ASSERT_EQ(moved[i], to_canonical_action(plain[i], map));
      if (game.has_contract()) played.insert(game.contract().contract);
      maps += moved[i] != plain[i] ? 1 : 0;
    }
    absolute.step(plain);
    std::ranges::copy(moved, wide.begin());
    if (step % 2 == 0) canonical.step(moved);
    if (step % 2 != 0) canonical.step(wide);
    drawing.step_random();
    ASSERT_EQ(absolute.snapshot(), canonical.snapshot()) << step;
    ASSERT_EQ(absolute.snapshot(), drawing.snapshot()) << step;
  }
  EXPECT_GT(maps, 1000);
  RecordProperty("contracts", static_cast<int>(played.size()));
  EXPECT_GE(played.size(), GetParam().generated ? 12u : 8u);
}

INSTANTIATE_TEST_SUITE_P(VectorEnvCards, CardIndexOfBatches,
                         testing::Values(Case{ObservationVersion::kV1, false},
                                         Case{ObservationVersion::kV2, false},
                                         Case{ObservationVersion::kV2, true},
                                         Case{ObservationVersion::kV3, false}),
                         [](const auto& one) { return name_of(one.param); });

TEST(VectorEnvCards, the_two_indices_of_an_observation_differ_by_the_card_map_alone) {
  const std::set<std::string_view> others = {
      "rules", "contract", "phase", "legal_actions", "named", "trick_leader", "trick_winner"};
  for (const ObservationVersion version :
       {ObservationVersion::kV1, ObservationVersion::kV2, ObservationVersion::kV3}) {
    std::set<std::string_view> suits = {"voids", "unseen_groups"};
    if (version == ObservationVersion::kV3) suits.insert({"trump_suit", "called_suit"});
    VectorEnvOptions options = of_all_presets({version, false});
    VectorEnv absolute(options);
    options.cards = CardIndex::kCanonical;
    VectorEnv canonical(options);
    const auto size = static_cast<std::size_t>(observation_size(version));
    for (int step = 0; step < 45; ++step) {
      for (std::size_t i = 0; i < absolute.buffers().legal.size(); ++i) {
        const int map = absolute.card_map(static_cast<int>(i));
        const auto* to =
            card_maps().data() + std::size_t{kNumCards} * static_cast<std::size_t>(map);
        const auto plain = absolute.buffers().observation_u8.subspan(i * size, size);
        const auto moved = canonical.buffers().observation_u8.subspan(i * size, size);
        for (const Section& section : observation_sections(version)) {
          const bool cards = section.length % kNumCards == 0 && !others.contains(section.name);
          for (int k = 0; k < section.length; ++k) {
            int other = k;
            if (cards) other = k / kNumCards * kNumCards + to[k % kNumCards];
            const int group = section.name == "voids" ? k % 5 : k;
            if (suits.contains(section.name) && group < kNumSuits) {
              other = k - group + suit_slots(map)[static_cast<std::size_t>(group)];
            }
            ASSERT_EQ(plain[static_cast<std::size_t>(section.offset + k)],
                      moved[static_cast<std::size_t>(section.offset + other)])
                << section.name << " " << k << ", row " << i << ", step " << step;
          }
        }
      }
      absolute.step_random();
      canonical.step_random();
    }
  }
}

TEST(VectorEnvCards, opponents_view_lines_and_the_end_of_a_deal_do_not_depend_on_it) {
  VectorEnvOptions options = small_options(60);
  options.learner_seat = 2;
  options.opponent = std::make_shared<UniformPolicy>();
  options.skip_forced = true;
  options.view_lines = options.full_view = true;
  options.observation = ObservationType::kFloat32;
  VectorEnv absolute(options);
  options.cards = CardIndex::kCanonical;
  VectorEnv canonical(options);
  const auto size = static_cast<std::size_t>(observation_size());
  std::vector<Action> actions(60);
  std::vector<float> row(size);
  int finished = 0;
  for (int step = 0; step < 40; ++step) {
    canonical.random_actions(actions);
    canonical.step(actions);
    absolute.step_random();
    auto left = all_rows(absolute), right = all_rows(canonical);
    for (const char* name : {"legal", "observation_f32", "final_observation_f32"}) {
      left.erase(name);
      right.erase(name);
    }
    ASSERT_EQ(difference(left, right), "") << step;
    for (std::size_t i = 0; i < 60; ++i) {
      if (canonical.buffers().terminated[i] == 0) continue;
      const PlayerView view = canonical.game(static_cast<int>(i)).view(2);
      const ObservationForm form{.cards = CardIndex::kCanonical};
      expand(form, {&view.cards, &view.order, &view.events}, canonical.buffers().rule_features,
             row.data());
      EXPECT_TRUE(std::ranges::equal(
          row, canonical.buffers().final_observation_f32.subspan(i * size, size)));
      ++finished;
    }
  }
  EXPECT_GT(finished, 0);
}

TEST(VectorEnvCards, an_illegal_canonical_action_is_named_in_both_counts) {
  VectorEnvOptions options = small_options(200);
  options.start = StartAt::kCardPlay;
  options.generator = make_generator("mixed");
  options.cards = CardIndex::kCanonical;
  VectorEnv env(options);
  std::vector<Action> actions(200);
  env.random_actions(actions);
  const std::vector<std::uint8_t> before = env.snapshot();
  for (std::size_t i = 0; i < 200; ++i) {
    const Game& game = env.game(static_cast<int>(i));
    const int map = env.card_map(static_cast<int>(i));
    for (Action card = 0; card < kNumCards; ++card) {
      const Action given = to_canonical_action(card, map);
      if (given == card || game.hand(game.current_player()).contains(card)) continue;
      std::vector<Action> bad = actions;
      bad[i] = given;
      const std::string text = error_of([&] { env.step(bad); });
      EXPECT_THAT(text, HasSubstr("env " + std::to_string(i) + ", action " + std::to_string(given) +
                                  " (canonical; absolute " + std::to_string(card) + ")"));
      EXPECT_THAT(text, HasSubstr(card_name(card)));
      EXPECT_EQ(env.snapshot(), before);
      return;
    }
  }
  FAIL() << "no card moves";
}

}  // namespace
}  // namespace schafkopf::test
