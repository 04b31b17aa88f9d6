// The exact solver against trying every card, against itself under symmetries, and what it rejects.
#include "agents/solver.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "env/random.h"
#include "tests/cpp/brute_force.h"
#include "tests/cpp/parallel.h"
#include "tests/cpp/random_endgame.h"
#include "tests/cpp/scale.h"

namespace schafkopf {
namespace {

using test::Endgame;
using test::Play;

std::string text_of(const Endgame& endgame, const SolverAim& aim) {
  const Play& play = endgame.play;
  std::string text = std::string(endgame.contract) + " side " + std::to_string(aim.side) +
                     (aim.fewest ? " wants few" : " wants many") +
                     (aim.tricks ? " tricks" : " points") + ", to play " +
                     std::to_string(play.turn);
  for (std::uint32_t seat = 0; seat < play.seats; ++seat) {
    text += "\n  " + std::to_string(seat) + ": " + to_string(CardSet(play.hand[seat])) +
            "  table " + to_string(CardSet(play.table[seat]));
  }
  return text + "\n  called " + to_string(CardSet(play.bound)) + " run_min " +
         std::to_string(play.run_min) + " window " + std::to_string(play.window) + " trumps " +
         to_string(CardSet(play.trumps));
}

/// Empty if the solver agrees with brute force on all questions about this moment.
std::string disagreement(Solver& solver, const Endgame& endgame, const SolverAim& aim) {
  const Play& play = endgame.play;
  const int truth = test::brute_force(play, aim);
  const auto problem = [&](const std::string& what) {
    return what + ", brute force " + std::to_string(truth) + ": " + text_of(endgame, aim);
  };
  if (truth > 0 && !solver.reaches(play, aim, truth)) return problem("does not reach the value");
  if (solver.reaches(play, aim, truth + 1)) return problem("reaches more than the value");
  const int value = solver.value(play, aim);
  if (value != truth) return problem("value " + std::to_string(value));
  return {};
}

std::string disagreement_after_each_card(Solver& solver, const Endgame& endgame,
                                         const SolverAim& aim) {
  const Play& play = endgame.play;
  const std::array<std::int8_t, kNumCards> values = solver.values(play, aim);
  const CardSet legal(legal_cards(play));
  for (Card card = 0; card < kNumCards; ++card) {
    const auto problem = [&](const std::string& what) {
      return card_name(card) + " " + what + ": " + text_of(endgame, aim);
    };
    if (!legal.contains(card) && values[card] != -1) return problem("is not legal");
    if (!legal.contains(card)) continue;
    Play next = play;
    play_card(next, CardSet::of(card).bits());
    int truth = test::brute_force(next, aim);
    if (aim.tricks && next.on_table == 0) truth += (aim.side >> next.turn) & 1;
    if (values[card] != truth)
      return problem(std::to_string(values[card]) + " is not " + std::to_string(truth));
    if (!solver.reaching_cards(play, aim, truth).contains(card)) return problem("does not reach");
    if (solver.reaching_cards(play, aim, truth + 1).contains(card)) return problem("reaches more");
  }
  return {};
}

TEST(Solver, equals_brute_force_on_random_endgames_of_up_to_four_tricks) {
  const int blocks = test::scaled(5, 50, 1000, 10000);
  const std::string problem = test::for_blocks(blocks, [](int block) -> std::string {
    Solver solver;
    for (int i = 0; i < 100; ++i) {
      const auto seed = static_cast<std::uint64_t>(100 * block + i);
      const Endgame endgame = test::random_endgame(seed);
      Rng rng(~seed);
      const SolverAim aim = test::random_aim(rng, endgame.play.seats);
      std::string text = disagreement(solver, endgame, aim);
      if (text.empty() && i % 10 == 0) text = disagreement_after_each_card(solver, endgame, aim);
      if (!text.empty()) return "endgame " + std::to_string(seed) + " " + text;
    }
    return {};
  });
  EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace schafkopf
