// The exact solver against trying every card, against itself under symmetries, and what it rejects.
#include "agents/solver/solver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>

#include "env/base/available_memory.h"
#include "env/base/random.h"
#include "tests/cpp/agents/brute_force.h"
#include "tests/cpp/agents/random_endgame.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/parallel.h"
#include "tests/cpp/support/scale.h"

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
         std::to_string(play.run_min) + " switches " + std::to_string(play.switches) + " trumps " +
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

/// The seat with the most trumps.
std::uint32_t trump_holder(const Play& play) {
  std::uint32_t best = 0;
  for (std::uint32_t seat = 1; seat < play.seats; ++seat) {
    const auto held = [&](std::uint32_t s) { return count_bits(play.hand[s] & play.trumps); };
    if (held(seat) > held(best)) best = seat;
  }
  return best;
}

TEST(Solver, equals_brute_force_where_the_hand_with_the_most_trumps_plays_alone) {
  const int blocks = test::scaled(5, 50, 500, 5000);
  const std::string problem = test::for_blocks(blocks, [](int block) -> std::string {
    Solver solver;
    for (int i = 0; i < 100; ++i) {
      const auto seed = static_cast<std::uint64_t>(1'000'000 + 100 * block + i);
      const Endgame endgame = test::random_endgame(seed);
      const std::uint32_t alone = 1u << trump_holder(endgame.play);
      const std::uint32_t all = (1u << endgame.play.seats) - 1;
      Rng rng(seed);
      const std::uint32_t side = rng.next_below(2) == 0 ? alone : all & ~alone;
      const SolverAim aim{.side = static_cast<std::uint8_t>(side),
                          .tricks = rng.next_below(4) == 0};
      const std::string text = disagreement(solver, endgame, aim);
      if (!text.empty()) return "endgame " + std::to_string(seed) + " " + text;
    }
    return {};
  });
  EXPECT_EQ(problem, "");
}

/// Changes of the question that a wrong solver could make; each must be noticed.
struct Fault {
  const char* name;
  void (*make)(Play& play, SolverAim& aim);
};
constexpr Fault kFaults[] = {
    {"forgets the called card", [](Play& play, SolverAim&) { play.bound = 0; }},
    {"lets the called card be discarded", [](Play& play, SolverAim&) { play.switches = 8; }},
    {"never lets it be discarded", [](Play& play, SolverAim&) { play.switches = 0; }},
    {"never lets its owner run away", [](Play& play, SolverAim&) { play.run_min = 8; }},
    {"always lets him run away", [](Play& play, SolverAim&) { play.run_min = 0; }},
    {"ranks the tens by index", [](Play& play, SolverAim&) { play.low_tens = 0; }},
    {"forgets the second trump rank", [](Play& play, SolverAim&) { play.second = 0; }},
    {"mistakes who wants what", [](Play&, SolverAim& aim) { aim.fewest = !aim.fewest; }},
    {"counts points for tricks", [](Play&, SolverAim& aim) { aim.tricks = !aim.tricks; }},
    {"forgets the tricks so far", [](Play& play, SolverAim&) { play.taken[0] = 0; }},
};

TEST(Solver, a_planted_fault_is_caught_by_the_comparison_with_brute_force) {
  for (const Fault& fault : kFaults) {
    Solver solver;
    bool caught = false;
    for (std::uint64_t seed = 0; seed < 3000 && !caught; ++seed) {
      const Endgame endgame = test::random_endgame(seed);
      Rng rng(~seed);
      const SolverAim aim = test::random_aim(rng, endgame.play.seats);
      Play wrong = endgame.play;
      SolverAim wrong_aim = aim;
      fault.make(wrong, wrong_aim);
      caught = solver.value(wrong, wrong_aim) != test::brute_force(endgame.play, aim);
    }
    EXPECT_TRUE(caught) << fault.name;
  }
}

/// A random moment with more cards than brute force can do.
Endgame random_moment(std::uint64_t seed) {
  return test::random_endgame(seed, test::scaled(5, 6, 6));
}

TEST(Solver, a_table_for_which_there_is_no_memory_is_refused_before_any_is_taken) {
  for (const std::size_t bytes : {std::size_t{1} << 50, ~std::size_t{0}}) {
    EXPECT_EQ(test::error_of<NotEnoughMemory>([&] {
                (void)Solver(bytes);
              }).find("solver: table_bytes = " + std::to_string(bytes) + " needs "),
              0U);
  }
}

TEST(Solver, no_answer_depends_on_the_order_of_moves_on_pruning_or_on_the_table) {
  SolverOptions plain, scrambled, small;
  plain.plain = true;
  scrambled.scramble = 12345;
  small.table_bytes = 1;  // the least there is
  Solver solver, others[] = {Solver(plain), Solver(scrambled), Solver(small)};
  const int rounds = test::scaled(60, 300, 2000);
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(rounds); ++seed) {
    const Endgame endgame = random_moment(seed);
    Rng rng(~seed);
    const SolverAim aim = test::random_aim(rng, endgame.play.seats);
    const int value = solver.value(endgame.play, aim);
    for (Solver& other : others) {
      const int need = rng.next_below(kTotalPoints + 1);
      ASSERT_EQ(other.reaches(endgame.play, aim, need), value >= need) << text_of(endgame, aim);
      ASSERT_EQ(other.value(endgame.play, aim), value) << seed << text_of(endgame, aim);
    }
    ASSERT_EQ(Solver(small).value(endgame.play, aim), value);
  }
}

/// Every seat's words moved by one seat.
Play turned(const Play& play) {
  Play next = play;
  const auto seats = play.seats;
  for (std::uint32_t seat = 0; seat < seats; ++seat) {
    const std::uint32_t to = (seat + 1) % seats;
    next.hand[to] = play.hand[seat];
    next.table[to] = play.table[seat];
    next.taken[to] = play.taken[seat];
  }
  next.turn = (play.turn + 1) % seats;
  next.winner = (play.winner + 1) % seats;
  return next;
}

TEST(Solver, no_answer_depends_on_where_the_players_sit) {
  Solver solver;
  const int rounds = test::scaled(100, 500, 5000);
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(rounds); ++seed) {
    const Endgame endgame = random_moment(seed);
    Rng rng(~seed);
    const SolverAim aim = test::random_aim(rng, endgame.play.seats);
    const auto seats = static_cast<int>(endgame.play.seats);
    SolverAim next = aim;
    next.side =
        static_cast<std::uint8_t>((aim.side << 1 | aim.side >> (seats - 1)) & ((1 << seats) - 1));
    ASSERT_EQ(solver.value(turned(endgame.play), next), solver.value(endgame.play, aim))
        << text_of(endgame, aim);
  }
}

/// Plain cards of two suits change places, cards of the trump ranks stay.
std::uint32_t renamed(std::uint32_t cards, int a, int b, std::uint32_t fixed) {
  const std::uint32_t in_a = cards & ~fixed & (0xFFu << (8 * a));
  const std::uint32_t in_b = cards & ~fixed & (0xFFu << (8 * b));
  return (cards & ~(in_a | in_b)) | in_a >> (8 * a) << (8 * b) | in_b >> (8 * b) << (8 * a);
}

TEST(Solver, plain_suits_may_change_their_names) {
  Solver solver;
  int compared = 0;
  const int rounds = test::scaled(100, 500, 5000);
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(rounds); ++seed) {
    const Endgame endgame = random_moment(seed);
    Rng rng(~seed);
    const SolverAim aim = test::random_aim(rng, endgame.play.seats);
    Play play = endgame.play;
    const std::uint32_t fixed = play.top | play.second;
    const int a = rng.next_below(kNumSuits), b = rng.next_below(kNumSuits);
    if (renamed(play.trumps, a, b, fixed) != play.trumps) continue;  // one of them is trump
    for (std::uint32_t* words : {play.hand, play.table, play.taken}) {
      for (int seat = 0; seat < kNumSeats; ++seat) words[seat] = renamed(words[seat], a, b, fixed);
    }
    play.call_group = renamed(play.call_group, a, b, fixed);
    play.bound = renamed(play.bound, a, b, fixed);
    play.led_group = renamed(play.led_group, a, b, fixed);
    ASSERT_EQ(solver.value(play, aim), solver.value(endgame.play, aim)) << text_of(endgame, aim);
    compared += static_cast<int>(a != b);
  }
  EXPECT_GT(compared, rounds / 10);
}

TEST(Solver, the_best_card_brings_what_the_position_is_worth) {
  Solver solver;
  const int rounds = test::scaled(50, 200, 2000);
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(rounds); ++seed) {
    const Endgame endgame = random_moment(seed);
    const Play& play = endgame.play;
    if (play.hand[play.turn] == 0) continue;
    Rng rng(~seed);
    const SolverAim aim = test::random_aim(rng, play.seats);
    const auto values = solver.values(play, aim);
    const bool many = (((aim.side >> play.turn) & 1) != 0) != aim.fewest;
    int best = many ? -1 : 1000;
    for (const Card card : CardSet(legal_cards(play))) {
      best = many ? std::max<int>(best, values[card]) : std::min<int>(best, values[card]);
    }
    ASSERT_EQ(best, solver.value(play, aim)) << text_of(endgame, aim);
    ASSERT_EQ(solver.reaching_cards(play, aim, best).empty(), false);
  }
}

/// Class of a finished or searched game from its two counts.
PayoffClass class_of(const Play& play, std::uint8_t side, const PayoffLimits& limits) {
  const int points = test::brute_force(play, {.side = side});
  const int tricks = test::brute_force(play, {.side = side, .tricks = true});
  std::uint32_t own = 0, others = 0;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    (((side >> seat) & 1) != 0 ? own : others) |= play.taken[seat];
  }
  if (others == 0 && tricks == count_bits(play.hand[play.turn])) return PayoffClass::kAllTricks;
  if (points >= limits.win_schneider) return PayoffClass::kWonSchneider;
  if (points >= limits.win) return PayoffClass::kWon;
  if (points >= limits.out_of_schneider) return PayoffClass::kLost;
  return own == 0 && tricks == 0 ? PayoffClass::kNoTrick : PayoffClass::kSchneider;
}

TEST(Solver, payoff_classes_are_what_points_and_tricks_say) {
  Solver solver;
  int seen[6] = {};
  const int rounds = test::scaled(300, 3000, 30000);
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(rounds); ++seed) {
    Endgame endgame = test::random_endgame(seed, 3);
    Play& play = endgame.play;
    Rng rng(~seed);
    const auto side = static_cast<std::uint8_t>(1 + rng.next_below((1 << play.seats) - 2));
    const std::uint32_t all = play.taken[0] | play.taken[1] | play.taken[2] | play.taken[3];
    if (seed % 2 == 0) {  // Schwarz is rare: give all tricks so far to one seat
      for (std::uint32_t& cards : play.taken) cards = 0;
      play.taken[rng.next_below(static_cast<int>(play.seats))] = all;
    }
    const PayoffClass truth = class_of(play, side, {});
    ++seen[static_cast<int>(truth)];
    ASSERT_EQ(solver.payoff_class(play, side), truth) << text_of(endgame, {.side = side});
    const auto classes = solver.payoff_classes(play, side);
    for (const Card card : CardSet(legal_cards(play))) {
      if (play.hand[play.turn] == 0) break;
      Play next = play;
      play_card(next, CardSet::of(card).bits());
      ASSERT_EQ(classes[card], static_cast<int>(class_of(next, side, {})))
          << card_name(card) << text_of(endgame, {.side = side});
    }
  }
  for (const int count : seen) EXPECT_GT(count, 0);
}

/// Two cards each, EO GO and so on trump, Herz the trump suit.
Play partner_game(std::string_view a, std::string_view b, std::string_view c, std::string_view d) {
  Play play{};
  play.seats = 4;
  play.top = CardSet::rank(Rank::kOber).bits();
  play.second = CardSet::rank(Rank::kUnter).bits();
  play.trumps = play.top | play.second | CardSet::suit(Suit::kHerz).bits();
  play.run_min = 3;
  play.switches = 1;
  play.hand[0] = parse_cards(a).bits();
  play.hand[1] = parse_cards(b).bits();
  play.hand[2] = parse_cards(c).bits();
  play.hand[3] = parse_cards(d).bits();
  return play;
}

TEST(Solver, counts_what_the_highest_trumps_bring) {
  Solver solver;
  const Play play = partner_game("EO GO", "E10 G10", "EA GA", "SA S10");
  EXPECT_EQ(solver.points(play, 0b0001), 6 + 20 + 22 + 21);
  EXPECT_TRUE(solver.takes_all(play, 0b0001));
  EXPECT_TRUE(solver.takes_none(play, 0b0010));
  EXPECT_FALSE(solver.takes_none(play, 0b0001));
  Play whole = play;
  whole.taken[0] = ~(play.hand[0] | play.hand[1] | play.hand[2] | play.hand[3]);
  EXPECT_EQ(solver.payoff_class(whole, 0b0001), PayoffClass::kAllTricks);
  EXPECT_EQ(solver.payoff_class(whole, 0b1110), PayoffClass::kNoTrick);
}

TEST(Solver, knows_that_a_called_ace_can_neither_be_kept_nor_thrown_away) {
  Solver solver;
  // EO takes one trick; only without its duties EA goes to the friend's SA before.
  Play play = partner_game("E7 S7", "EA E8", "EO S8", "SA S9");
  EXPECT_EQ(solver.value(play, {.side = 0b0100}), 3 + 0);
  play.call_group = CardSet::suit(Suit::kEichel).bits() & ~play.trumps;
  play.bound = parse_cards("EA").bits();
  EXPECT_EQ(solver.value(play, {.side = 0b0100}), 3 + 11);
}

template <class Change>
std::string rejection(Change change) {
  Play play = partner_game("E7 S7", "EA E8", "EO S8", "SA S9");
  SolverAim aim{.side = 0b0100};
  int count = 5;
  change(play, aim, count);
  Solver solver;
  return test::error_of<std::invalid_argument>([&] { (void)solver.reaches(play, aim, count); });
}

TEST(Solver, rejects_what_cannot_be_in_words) {
  EXPECT_EQ(rejection([](Play&, SolverAim&, int&) {}), "no error");
  EXPECT_EQ(rejection([](Play& play, SolverAim&, int&) { play.seats = 5; }),
            "solver: 5 seats, allowed: 3 and 4");
  EXPECT_EQ(rejection([](Play&, SolverAim& aim, int&) { aim.side = 16; }),
            "solver: side 16, allowed: 0..15");
  EXPECT_EQ(rejection([](Play&, SolverAim&, int& count) { count = 122; }),
            "solver: count 122, allowed: 0..121");
  EXPECT_EQ(rejection([](Play& play, SolverAim&, int&) { play.turn = 4; }),
            "solver: seat to play 4, allowed: 0..3");
  EXPECT_EQ(rejection([](Play& play, SolverAim&, int&) { play.on_table = 4; }),
            "solver: 4 cards on the table, allowed: 0..3");
  EXPECT_EQ(rejection([](Play& play, SolverAim&, int&) { play.on_table = 1; }),
            "solver: seat 3 has 0 cards on the table, allowed: 1 (1 cards played, seat 0 to play)");
  EXPECT_EQ(rejection([](Play& play, SolverAim&, int&) { play.hand[1] = 0; }),
            "solver: seat 1 holds 0 cards, allowed: 2 (seat 0 to play holds 2)");
  EXPECT_EQ(rejection([](Play& play, SolverAim&, int&) { play.hand[1] = play.hand[0]; }),
            "solver: in two places: E7 S7");
  EXPECT_EQ(rejection([](Play& play, SolverAim&, int&) { play.taken[1] = play.hand[0]; }),
            "solver: in two places: E7 S7");
  EXPECT_EQ(rejection([](Play& play, SolverAim&, int&) {
              play_card(play, parse_cards("E7").bits());
              play.winner = 3;
            }),
            "solver: seat 3 is said to win the trick but has no card in it");
}

}  // namespace
}  // namespace schafkopf
