// Players in parts: another one for the opening, worlds from a trick on.
#include "agents/search/endgame.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "agents/network/weights.h"
#include "agents/registry.h"
#include "agents/search/beliefs.h"
#include "agents/search/pimc.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "tests/cpp/agents/random_weights.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/random_play.h"

namespace schafkopf {
namespace {

/// Calls use(game) before every card of some deals with contracts.
template <class Use>
void visit_cards(int deals, Use use) {
  const auto rules = CompiledRules::load("research");
  for (int n = 0; n < deals; ++n) {
    Rng random(static_cast<std::uint64_t>(n));
    Game game(
        *rules,
        deal_for(static_cast<std::uint64_t>(n), rules->rules(), n % 4, rules->first_context()),
        n % 4, rules->first_context());
    while (!game.is_terminal()) {
      if (game.phase() == Phase::kPlay) use(game);
      game.apply_unchecked(test::random_action(game, random));
    }
  }
}

struct Answer {
  std::vector<float> probabilities = std::vector<float>(kNumActions);
  float value = 0.0F;
  [[nodiscard]] bool is_one_hot() const {
    return std::ranges::count(probabilities, 1.0F) == 1 &&
           std::ranges::count(probabilities, 0.0F) == kNumActions - 1;
  }
};

Answer ask(BatchPolicy& player, const Game& game) {
  const PlayerView view = game.view(game.current_player());
  const CompiledRules* const rules[] = {&game.rules()};
  const RuleTable table{.rules = rules, .features = {}};
  Answer answer;
  std::vector<float> value(1);
  player.policy({.size = 1,
                 .cards = &view.cards,
                 .order = &view.order,
                 .events = &view.events,
                 .rules = &table},
                answer.probabilities, value);
  answer.value = value[0];
  return answer;
}

TEST(Endgame, plays_as_the_first_player_before_its_trick) {
  EndgameAgent player(make_agent("random"), "x", {.trick = 6, .worlds = 3});
  const auto first = make_agent("random");
  int searched = 0, opening = 0;
  visit_cards(12, [&](const Game& game) {
    const PlayerView view = game.view(game.current_player());
    if (CardSet(view.cards.legal).count() == 1) return;
    const bool late = view.trick_number() + 1 >= 6;
    EXPECT_EQ(player.searches(view, game.rules()), late);
    const Answer answer = ask(player, game);
    if (late) {
      ++searched;
      EXPECT_TRUE(answer.is_one_hot());
    } else {
      ++opening;
      EXPECT_EQ(answer.probabilities, ask(*first, game).probabilities);
    }
  });
  EXPECT_GT(searched, 15);
  EXPECT_GT(opening, 100);
}

/// Claims the rest whatever it holds.
class ClaimingPolicy final : public BatchPolicy {
 public:
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    std::ranges::fill(probabilities, 0.0F);
    std::ranges::fill(values, 0.0F);
    for (std::size_t row = 0; row < batch.size; ++row) {
      probabilities[row * kNumActions + kActionClaimRest] = 1.0F;
    }
  }
  [[nodiscard]] std::string name() const override { return "claims"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<ClaimingPolicy>();
  }
};

// The lowest card among those that it may play is none that it chose.
TEST(Endgame, a_claim_of_the_first_player_stays) {
  EndgameAgent player(std::make_unique<ClaimingPolicy>(), "x", {.trick = 5, .worlds = 3});
  ClaimingPolicy first;
  int searched = 0, lowest = 0;
  visit_cards(40, [&](const Game& game) {
    const PlayerView view = game.view(game.current_player());
    if (!player.searches(view, game.rules())) return;
    ++searched;
    lowest += CardSet(view.cards.legal).contains(0) ? 1 : 0;
    EXPECT_EQ(ask(player, game).probabilities, ask(first, game).probabilities);
  });
  EXPECT_GT(searched, 20);
  EXPECT_GT(lowest, 0);
}

// Where every world is searched the best card is played, however good the first player's is.
TEST(Endgame, takes_the_best_card_over_all_worlds) {
  EndgameAgent player(make_agent("random"), "x", {.trick = 7, .worlds = 100'000, .clear = 100.0});
  PimcAgent all({.worlds = 100'000});
  int decisions = 0;
  visit_cards(40, [&](const Game& game) {
    const PlayerView view = game.view(game.current_player());
    if (!player.searches(view, game.rules())) return;
    ++decisions;
    const CardValues values = all.search(view, game.rules());
    const Answer answer = ask(player, game);
    const auto card = std::ranges::find(answer.probabilities, 1.0F) - answer.probabilities.begin();
    EXPECT_TRUE(values.best_cards().contains(static_cast<Card>(card)));
    EXPECT_NEAR(static_cast<double>(answer.value), values.best(), 1e-3);
  });
  EXPECT_GT(decisions, 20);
}

// With few worlds the first player's card stays unless the worlds are clear.
TEST(Endgame, keeps_the_first_players_card_unless_the_worlds_are_clear) {
  EndgameAgent stubborn(make_agent("rules"), "x", {.trick = 3, .worlds = 5, .clear = 100.0});
  EndgameAgent ready(make_agent("rules"), "x", {.trick = 3, .worlds = 5, .clear = 0.0});
  const auto rules = make_agent("rules");
  int changed = 0, kept = 0;
  visit_cards(12, [&](const Game& game) {
    const PlayerView view = game.view(game.current_player());
    if (!stubborn.searches(view, game.rules()) || view.trick_number() + 1 > 5) return;
    const Answer first = ask(*rules, game);
    changed += ask(ready, game).probabilities != first.probabilities ? 1 : 0;
    kept += ask(stubborn, game).probabilities == first.probabilities ? 1 : 0;
  });
  EXPECT_GT(changed, 10);
  EXPECT_GT(kept, changed);
}

// Beliefs weigh the worlds: a world in which the others could hardly have acted so counts little.
TEST(Endgame, beliefs_change_what_is_chosen_and_stay_a_function_of_the_view) {
  const auto player = [](Beliefs beliefs) {
    return EndgameAgent(make_agent("rules"), "x",
                        {.trick = 3, .worlds = 20, .clear = 0.0, .beliefs = beliefs});
  };
  EndgameAgent uniform = player(Beliefs::kUniform), rules = player(Beliefs::kRules),
               own = player(Beliefs::kOwn), both = player(Beliefs::kBoth);
  int decisions = 0, differs = 0;
  visit_cards(6, [&](const Game& game) {
    if (!rules.searches(game.view(game.current_player()), game.rules())) return;
    ++decisions;
    const Answer answer = ask(rules, game);
    EXPECT_EQ(answer.probabilities, ask(rules, game).probabilities);
    EXPECT_EQ(answer.value, ask(own, game).value);   // the first player is the rule agent,
    EXPECT_EQ(answer.value, ask(both, game).value);  // so all three believe in it
    differs += answer.value != ask(uniform, game).value ? 1 : 0;
  });
  EXPECT_GT(decisions, 20);
  EXPECT_GT(differs, decisions / 2);
}

// The mean of two players, row by row; both see the same views.
TEST(Endgame, beliefs_in_both_are_the_mean_of_two_distributions) {
  const auto random = make_agent("random");
  const auto both = make_beliefs(Beliefs::kBoth, *random);
  const auto rules = make_agent("rules");
  int compared = 0;
  visit_cards(6, [&](const Game& game) {
    const Answer mean = ask(*both, game), first = ask(*random, game), second = ask(*rules, game);
    for (std::size_t i = 0; i < mean.probabilities.size(); ++i) {
      EXPECT_FLOAT_EQ(mean.probabilities[i],
                      0.5F * (first.probabilities[i] + second.probabilities[i]));
    }
    ++compared;
  });
  EXPECT_GT(compared, 0);
  EXPECT_EQ(make_beliefs(Beliefs::kUniform, *random), nullptr);
  EXPECT_THROW((void)make_beliefs(Beliefs::kBoth, *make_agent("oracle")), std::invalid_argument);
  EXPECT_EQ(test::error_of([&] { MeanPolicy(make_agent("random"), nullptr); }),
            "player = null, allowed: one that exists");
}

TEST(Endgame, names_make_the_same_player_again) {
  EXPECT_EQ(make_agent("rules+endgame")->name(), "rules+endgame:trick=4,worlds=30,version=3");
  EXPECT_EQ(make_agent("rules+endgame:5,clear=0.5,seed=3,version=1")->name(),
            "rules+endgame:trick=5,worlds=30,clear=0.5,seed=3,version=1");
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("schafkopf_endgame_" + std::to_string(getpid()) + ".safetensors"))
                               .string();
  write_weights(path, test::random_weights(make_network_shape(8, 1, {}, TrunkKind::kResidual,
                                                              ObservationVersion::kV3)));
  EXPECT_EQ(make_agent("net+endgame:" + path + ",beliefs=both")->name(),
            "net+endgame:" + path + ",trick=4,worlds=30,beliefs=both");
  const auto player = make_agent("net+endgame:" + path + ",trick=3");
  EXPECT_EQ(player->name(), "net+endgame:" + path + ",trick=3,worlds=30");
  EXPECT_EQ(make_agent(player->name())->name(), player->name());
  std::filesystem::remove(path);
}

TEST(Endgame, any_player_of_ours_plays_the_opening) {
  const auto player = make_agent("endgame:\"pimc:10,version=1\",trick=5,worlds=20");
  EXPECT_EQ(player->name(), "endgame:first=\"pimc:worlds=10,version=1\",trick=5,worlds=20");
  EXPECT_EQ(make_agent(player->name())->name(), player->name());
  EXPECT_EQ(make_agent("endgame:ismcts")->name(),
            "endgame:first=\"ismcts:iterations=2000\",trick=4,worlds=30");
  EXPECT_FALSE(player->stops_by_the_clock());
  EXPECT_TRUE(make_agent("endgame:first=\"pimc:10,ms=5\"")->stops_by_the_clock());
  // a version that was not said is that of today, also inside
  EXPECT_EQ(with_version("endgame:rules"), "endgame:first=\"rules:version=3\",trick=4,worlds=30");
  const auto pimc = make_agent("pimc:10,version=1");
  int openings = 0, ends = 0;
  visit_cards(16, [&](const Game& game) {
    if (CardSet(game.view(game.current_player()).cards.legal).count() == 1) return;
    const bool late = game.view(game.current_player()).trick_number() + 1 >= 5;
    const Answer answer = ask(*player, game);
    (late ? ends : openings) += 1;
    if (!late) {
      EXPECT_EQ(answer.probabilities, ask(*pimc, game).probabilities);
    }
    EXPECT_TRUE(answer.is_one_hot());
  });
  EXPECT_GT(openings, 40);
  EXPECT_GT(ends, 20);
}

TEST(Endgame, options_out_of_range_are_refused) {
  const auto error = [](const std::string& spec) -> std::string {
    try {
      (void)make_agent(spec);
    } catch (const std::invalid_argument& refused) {
      return refused.what();
    }
    return "no error";
  };
  EXPECT_THAT(error("rules+endgame:9"), testing::HasSubstr("trick = 9, allowed: integer 1..8"));
  EXPECT_THAT(error("rules+endgame:worlds=0"), testing::HasSubstr("worlds = 0, allowed:"));
  EXPECT_THAT(error("net+endgame"), testing::HasSubstr("path"));
  EXPECT_THAT(error("endgame"), testing::HasSubstr("first"));
  for (const char* first : {"net:baseline", "engine:./x.sh", "endgame:rules", "oracle"}) {
    EXPECT_THAT(error(fmt::format("endgame:{}", first)),
                testing::HasSubstr(fmt::format(
                    "first = \"{}\", allowed: random, rules, pimc or ismcts; networks: net+endgame",
                    first)));
  }
}

}  // namespace
}  // namespace schafkopf
