#include "agents/solver/solver.h"

#include <fmt/format.h>

#include "agents/solver/solver_search.h"
#include "agents/solver/solver_table.h"
#include "env/base/available_memory.h"
#include "env/base/refuse.h"

namespace schafkopf {
namespace {

using Play = PlayState<std::uint32_t>;

[[noreturn]] void reject(const std::string& what) { refuse("solver: " + what); }

void check_trick(const Play& play) {
  if (play.turn >= play.seats) {
    reject(fmt::format("seat to play {}, allowed: 0..{}", play.turn, play.seats - 1));
  }
  if (play.on_table >= play.seats) {
    reject(fmt::format("{} cards on the table, allowed: 0..{}", play.on_table, play.seats - 1));
  }
  const std::uint32_t leader = (play.turn + play.seats - play.on_table) % play.seats;
  for (std::uint32_t i = 0; i < kNumSeats; ++i) {
    const std::uint32_t seat = (leader + i) % play.seats;
    const int expected = i < play.on_table ? 1 : 0;
    if (i < play.seats && count_bits(play.table[seat]) != expected) {
      reject(
          fmt::format("seat {} has {} cards on the table, allowed: {} ({} cards played, seat {} to "
                      "play)",
                      seat, count_bits(play.table[seat]), expected, play.on_table, play.turn));
    }
  }
  if (play.on_table != 0 && (play.winner >= play.seats || play.table[play.winner] == 0)) {
    reject(fmt::format("seat {} is said to win the trick but has no card in it", play.winner));
  }
}

void check_hands(const Play& play) {
  const int size = count_bits(play.hand[play.turn]);
  std::uint32_t seen = 0;
  for (std::uint32_t seat = 0; seat < kNumSeats; ++seat) {
    const bool used = seat < play.seats;
    const int expected = !used ? 0 : size - (play.table[seat] != 0 ? 1 : 0);
    if (count_bits(play.hand[seat]) != expected) {
      reject(fmt::format("seat {} holds {} cards, allowed: {} (seat {} to play holds {})", seat,
                         count_bits(play.hand[seat]), expected, play.turn, size));
    }
    for (const std::uint32_t cards : {play.hand[seat], play.table[seat], play.taken[seat]}) {
      if ((cards & seen) != 0) {
        reject("in two places: " + to_string(CardSet(cards & seen)));
      }
      seen |= cards;
    }
  }
}

void check(const Play& play, const SolverAim& aim) {
  if (play.seats != 3 && play.seats != 4) {
    reject(fmt::format("{} seats, allowed: 3 and 4", play.seats));
  }
  const std::uint32_t all = (1u << play.seats) - 1;
  if ((aim.side & ~all) != 0) reject(fmt::format("side {}, allowed: 0..{}", aim.side, all));
  check_trick(play);
  check_hands(play);
}

void check_count(int count) {
  if (count < 0 || count > kTotalPoints + 1) {
    reject(fmt::format("count {}, allowed: 0..{}", count, kTotalPoints + 1));
  }
}

bool has_taken(const Play& play, std::uint32_t side) {
  std::uint32_t cards = 0;
  for (std::uint32_t seat = 0; seat < kNumSeats; ++seat) {
    if (((side >> seat) & 1u) != 0) cards |= play.taken[seat];
  }
  return cards != 0;
}

/// Tricks that the side took with the card just played, 0 or 1.
int won_tricks(const Play& after, const SolverAim& aim) {
  if (!aim.tricks || after.on_table != 0) return 0;
  return static_cast<int>((aim.side >> after.turn) & 1u);  // the winner is to lead
}

int tricks_left(const Play& play) { return count_bits(play.hand[play.turn]); }

/// Calls fill(position after the card, card) for each legal card; equal cards are left to the table
/// of positions.
template <class Fill>
void for_each_card(const Play& play, Fill fill) {
  if (tricks_left(play) == 0) return;
  for (const Card card : CardSet(legal_cards(play))) {
    Play next = play;
    play_card(next, CardSet::of(card).bits());
    fill(next, card);
  }
}

}  // namespace

Solver::Solver(const SolverOptions& options) {
  SolverOptions smaller = options;
  smaller.table_bytes /= 4;  // hands without points have few positions
  require_memory(
      fmt::format("solver: table_bytes = {}", options.table_bytes),
      PositionTable::size_of(options.table_bytes) + PositionTable::size_of(smaller.table_bytes));
  for_points_ = std::make_unique<SolverSearch>(options);
  for_tricks_ = std::make_unique<SolverSearch>(smaller);
}
Solver::~Solver() = default;
Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;

SolverSearch& Solver::search_for(const SolverAim& aim) {
  return aim.tricks ? *for_tricks_ : *for_points_;
}

bool Solver::reaches(const Play& play, std::uint8_t side, int points) {
  return reaches(play, SolverAim{.side = side}, points);
}

int Solver::points(const Play& play, std::uint8_t side) {
  return value(play, SolverAim{.side = side});
}

bool Solver::takes_all(const Play& play, std::uint8_t side) {
  return reaches(play, {.side = side, .tricks = true}, tricks_left(play));
}

bool Solver::takes_none(const Play& play, std::uint8_t side) {
  return !reaches(play, {.side = side, .fewest = true, .tricks = true}, 1);
}

bool Solver::reaches(const Play& play, const SolverAim& aim, int count) {
  check(play, aim);
  check_count(count);
  SolverSearch& search = search_for(aim);
  search.prepare(play, aim);
  return search.reaches(count);
}

int Solver::value(const Play& play, const SolverAim& aim) {
  check(play, aim);
  SolverSearch& search = search_for(aim);
  search.prepare(play, aim);
  return search.value();
}

CardSet Solver::reaching_cards(const Play& play, const SolverAim& aim, int count) {
  check(play, aim);
  check_count(count);
  CardSet cards;
  for_each_card(play, [&](const Play& next, Card card) {
    SolverSearch& search = search_for(aim);
    search.prepare(next, aim);
    if (search.reaches(count - won_tricks(next, aim))) cards.add(card);
  });
  return cards;
}

std::array<std::int8_t, kNumCards> Solver::values(const Play& play, const SolverAim& aim) {
  check(play, aim);
  std::array<std::int8_t, kNumCards> found;
  found.fill(-1);
  for_each_card(play, [&](const Play& next, Card card) {
    SolverSearch& search = search_for(aim);
    search.prepare(next, aim);
    found[card] = static_cast<std::int8_t>(search.value() + won_tricks(next, aim));
  });
  return found;
}

PayoffClass Solver::payoff_class(const Play& play, std::uint8_t side, const PayoffLimits& limits) {
  check(play, {.side = side});
  return classify(play, side, limits);
}

std::array<std::int8_t, kNumCards> Solver::payoff_classes(const Play& play, std::uint8_t side,
                                                          const PayoffLimits& limits) {
  check(play, {.side = side});
  std::array<std::int8_t, kNumCards> found;
  found.fill(-1);
  for_each_card(play, [&](const Play& next, Card card) {
    found[card] = static_cast<std::int8_t>(classify(next, side, limits));
  });
  return found;
}

/// The cheap question first: who wins; then only the limits on that side.
PayoffClass Solver::classify(const Play& play, std::uint8_t side, const PayoffLimits& limits) {
  const auto asks = [&](const SolverAim& aim, int count) {
    SolverSearch& search = search_for(aim);
    search.prepare(play, aim);
    return search.reaches(count);
  };
  const SolverAim points{.side = side}, tricks{.side = side, .tricks = true};
  if (asks(points, limits.win)) {
    if (!asks(points, limits.win_schneider)) return PayoffClass::kWon;
    const bool all = !has_taken(play, ~std::uint32_t{side}) && asks(tricks, tricks_left(play));
    return all ? PayoffClass::kAllTricks : PayoffClass::kWonSchneider;
  }
  if (asks(points, limits.out_of_schneider)) return PayoffClass::kLost;
  const bool some = has_taken(play, side) || asks(tricks, 1);
  return some ? PayoffClass::kSchneider : PayoffClass::kNoTrick;
}

std::uint64_t Solver::num_positions() const {
  return for_points_->num_positions() + for_tricks_->num_positions();
}

}  // namespace schafkopf
