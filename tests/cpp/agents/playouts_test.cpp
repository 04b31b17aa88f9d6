// Games that a policy plays on in lock-step: the numbers of its draws.
#include "agents/worlds/playouts.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "env/deal/deal.h"
#include "tests/cpp/support/table.h"
#include "tests/cpp/support/vector_env_helpers.h"

namespace schafkopf {
namespace {

/// Plays at random and keeps the number and the seat of each of its decisions, and its phase.
class Keeping final : public test::UniformPolicy {
 public:
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    test::UniformPolicy::act(batch, keys, actions);
    for (std::size_t row = 0; row < keys.size(); ++row) {
      asked.emplace_back(keys[row].decision, keys[row].seat);
      silent += actions[row] == kActionNoLay || actions[row] == kActionNoDouble ? 1 : 0;
    }
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> asked;
  int silent = 0;  // answers that leave no event
};

// F.1, F.2: who lays nothing and who doubles nothing says nothing that others or the count see.
TEST(Playouts, F_1_no_two_decisions_of_a_game_share_a_draw) {
  const auto rules = house({"legen = \"free\"", "kontra_window = \"before_second_card\""});
  Keeping player;
  PlayoutTable table(player, *rules);
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    player.asked.clear();
    const Deal deal = deal_for(seed, rules->rules(), 3, DealContext{});
    std::vector<Playout> games = {{Game(*rules, deal, 3), RngKey{.seed = seed}}};
    table.play_on(games);
    const std::set<std::pair<std::uint32_t, std::uint32_t>> distinct(player.asked.begin(),
                                                                     player.asked.end());
    EXPECT_EQ(distinct.size(), player.asked.size()) << "deal " << seed;
  }
  EXPECT_GT(player.silent, 100);
}

}  // namespace
}  // namespace schafkopf
