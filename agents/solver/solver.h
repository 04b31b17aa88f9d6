// Exact solver: what a side reaches with open cards and best play of everybody (METHODS section 6).
// Works from any moment of card play, with three or four seats, every trump set and plain order,
// and all duties of the called card, which it reads from PlayState. The search: solver_search.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "env/cards/card.h"
#include "env/cards/play.h"

namespace schafkopf {

class SolverSearch;

/// What is counted, and who wants it. The seats of `side` play together, the others against them.
struct SolverAim {
  std::uint8_t side = 0;  // bit per seat: the seats whose tricks are counted
  /// The side wants few (Ramsch: one seat against the others; games without tricks), else many.
  bool fewest = false;
  /// Counts tricks from now on, the running one included, else card points with those in `taken`.
  bool tricks = false;
};

/// Outcomes of a game for points from the worst to the best for the side. Each contains the next:
/// a side that makes all tricks has more than 90 points, and so on.
enum class PayoffClass : std::uint8_t {
  kNoTrick,    // the side is Schwarz
  kSchneider,  // below the first limit
  kLost,       // below the second limit
  kWon,        // below the third limit
  kWonSchneider,
  kAllTricks
};

/// Card points from which the side is out of Schneider, wins, and wins with Schneider (RULES G.1).
struct PayoffLimits {
  int out_of_schneider = 31;
  int win = 61;
  int win_schneider = 91;
};

/// For tests and measurements; the answers are the same whatever is chosen.
struct SolverOptions {
  /// Size of the table of positions, rounded down to a power of two, at least 64 KiB.
  std::size_t table_bytes = std::size_t{1} << 21;
  /// Alpha-beta with the table alone: no bounds, no dominated cards left out, no order of moves.
  bool plain = false;
  /// Not zero: moves are tried in a random order that depends on this number.
  std::uint32_t scramble = 0;
};

/// Not thread-safe: a solver owns its table of positions. What it answers never depends on what it
/// was asked before.
///
/// All questions throw std::invalid_argument for positions that cannot arise in card play (wrong
/// sizes of hands, cards twice, a trick that does not fit the seat to play), for sides that are no
/// set of seats and for counts out of range. When no card is left they answer for the finished
/// game. One that was moved from may only be assigned to or destroyed.
class Solver {
 public:
  /// Throws NotEnoughMemory (available_memory.h) for tables larger than the memory that is left.
  explicit Solver(const SolverOptions& options = {});
  /// table_bytes  as in SolverOptions
  explicit Solver(std::size_t table_bytes) : Solver(SolverOptions{.table_bytes = table_bytes}) {}
  ~Solver();
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;

  // Card points of the side, which wants many; points in `taken` count
  /// Whether the side reaches at least `points`.
  [[nodiscard]] bool reaches(const PlayState<std::uint32_t>& play, std::uint8_t side, int points);
  /// The points it reaches.
  [[nodiscard]] int points(const PlayState<std::uint32_t>& play, std::uint8_t side);
  /// Best class that the side can force; Schwarz counts the tricks in `taken` too.
  [[nodiscard]] PayoffClass payoff_class(const PlayState<std::uint32_t>& play, std::uint8_t side,
                                         const PayoffLimits& limits = {});

  // Tricks from now on, the running one included
  /// Whether the side can take all of them.
  [[nodiscard]] bool takes_all(const PlayState<std::uint32_t>& play, std::uint8_t side);
  /// Whether the side, which wants none, can keep clear of all of them.
  [[nodiscard]] bool takes_none(const PlayState<std::uint32_t>& play, std::uint8_t side);

  // Any aim
  /// Whether the count of the side is at least `count` if everybody plays best for his own end.
  [[nodiscard]] bool reaches(const PlayState<std::uint32_t>& play, const SolverAim& aim, int count);
  /// The count of the side if everybody plays best for his own end.
  [[nodiscard]] int value(const PlayState<std::uint32_t>& play, const SolverAim& aim);

  // The same after each legal card of the seat to play
  /// Legal cards after which the count is at least `count`.
  [[nodiscard]] CardSet reaching_cards(const PlayState<std::uint32_t>& play, const SolverAim& aim,
                                       int count);
  /// Count after each legal card, -1 for other cards.
  [[nodiscard]] std::array<std::int8_t, kNumCards> values(const PlayState<std::uint32_t>& play,
                                                          const SolverAim& aim);
  /// Class after each legal card as a number, -1 for other cards.
  [[nodiscard]] std::array<std::int8_t, kNumCards> payoff_classes(
      const PlayState<std::uint32_t>& play, std::uint8_t side, const PayoffLimits& limits = {});

  /// Positions searched since the start, at the beginning of tricks: a measure of work that does
  /// not depend on the machine.
  [[nodiscard]] std::uint64_t num_positions() const;

 private:
  [[nodiscard]] PayoffClass classify(const PlayState<std::uint32_t>& play, std::uint8_t side,
                                     const PayoffLimits& limits);

  [[nodiscard]] SolverSearch& search_for(const SolverAim& aim);

  std::unique_ptr<SolverSearch> for_points_, for_tricks_;  // each with its table
};

}  // namespace schafkopf
