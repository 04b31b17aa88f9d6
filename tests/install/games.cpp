// A random player against two rule agents and the shipped network in 64 games at a time; what came
// out is printed; and one deal of a random player. tests/python/project/test_install.py plays the same from
// Python.
#include <array>
#include <cstddef>
#include <cstdio>
#include <exception>

#include "agents/game_player.h"
#include "agents/registry.h"
#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/vector_env.h"

namespace {

void play() {
  schafkopf::VectorEnvOptions options;
  options.num_envs = 64;
  options.rules = {schafkopf::CompiledRules::load("research")};
  options.seed = 7;
  options.learner_seat = schafkopf::LearnerSeat::kRotate;
  for (const char* name : {"rules", "net:baseline", "rules"}) {
    options.opponents.push_back(schafkopf::make_agent(name));
  }
  schafkopf::VectorEnv env(options);
  std::array<double, schafkopf::kNumSeats> sums{};
  while (env.num_deals() < 1000) {
    env.step_random();
    const auto rewards = env.buffers().rewards;
    for (std::size_t at = 0; at < rewards.size(); ++at) {
      sums[at % schafkopf::kNumSeats] += static_cast<double>(rewards[at]);
    }
  }
  std::printf("%lld %lld %.0f %.0f %.0f %.0f\n", static_cast<long long>(env.num_deals()),
              static_cast<long long>(env.num_decisions()), sums[0], sums[1], sums[2], sums[3]);
}

/// One deal by a player that is asked one decision at a time; its actions are printed.
void play_one() {
  const auto rules = schafkopf::CompiledRules::load("research");
  schafkopf::GamePlayer player(schafkopf::make_agent("random"), rules);
  schafkopf::Game game(*rules, schafkopf::random_deal(3), 2);
  while (!game.is_terminal()) {
    const schafkopf::Action action = player.act(game, 9);
    std::printf("%d ", static_cast<int>(action));
    game.apply(action);
  }
  std::printf("\n");
}

}  // namespace

int main() {
  try {
    play();
    play_one();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
