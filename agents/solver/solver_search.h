// The search behind solver.h: alpha-beta over a table of positions at the beginning of tricks.
//
// Positions are kept in the numbers of SolverLayout and closed up: when cards leave the game, the
// higher cards of their runs move down. Positions that differ only in cards of no consequence are
// thus the same, and nothing else is: order, worth and owners of all cards in play are kept.
#pragma once

#include <cstddef>
#include <cstdint>

#include "agents/solver/lead_history.h"
#include "agents/solver/solver.h"
#include "agents/solver/solver_layout.h"
#include "agents/solver/solver_table.h"

namespace schafkopf {

class SolverSearch {
 public:
  explicit SolverSearch(const SolverOptions& options);

  /// Take a position that has been checked.
  void prepare(const PlayState<std::uint32_t>& play, const SolverAim& aim);
  /// Whether the side's count reaches `need`, points so far included.
  [[nodiscard]] bool reaches(int need);
  [[nodiscard]] int value();
  /// What the side has, and what is still to be taken, the running trick included.
  [[nodiscard]] int taken() const { return taken_; }
  [[nodiscard]] int left() const { return root_.left; }

  [[nodiscard]] std::uint64_t num_positions() const { return num_positions_; }

 private:
  /// What is asked: whether the count is at most `low`, at least `high`, or exactly what between.
  /// A result up to `low` is an upper bound, from `high` on a lower bound.
  struct Window {
    int low = 0, high = 1;
    [[nodiscard]] bool is_null() const { return high - low == 1; }
    [[nodiscard]] bool contains(int value) const { return low < value && value < high; }
  };
  /// The beginning of a trick.
  struct Position {
    alignas(16) std::uint32_t hand[4];
    std::uint32_t bound;  // called card while its duties hold, else 0
    int leader;
    int tricks;  // cards per hand
    int left;    // what the remaining tricks are worth
  };
  /// A running trick.
  struct Trick {
    std::uint32_t best = 0;   // card, a mask with one bit
    std::uint32_t cards = 0;  // cards on the table
    std::uint32_t bound = 0;
    int seat = 0;    // to play
    int winner = 0;  // seat of the best card
    int played = 0;
    int worth = 0;  // of the cards on the table, and of the trick itself
  };
  /// What follows from the group of the first card; by number of cards played before.
  struct Plan {
    std::uint32_t led = 0, can_win = 0;
    std::uint32_t legal[4] = {};
    /// Cards that can win a trick and are legal for the seats that come later: those of the counted
    /// side, and of the others.
    std::uint32_t counted_after[4] = {}, others_after[4] = {};
    int counted_adds[4] = {}, others_add[4] = {};  // see estimate
  };
  /// The hands of the counted side, or those of the others.
  struct Camp {
    std::uint32_t cards = 0, trumps = 0;
  };
  /// How it goes for a seat that draws trumps, see sure_draw. Sets of seats have one bit for each.
  struct Drawing {
    int most = 0;                    // trumps of the longest other hand
    int longest = 0;                 // the same after the rounds of top trumps
    int strong = 0;                  // trumps of the others then that can beat a low one
    int lost = 0;                    // low trumps lost at most
    int low_loss = 0;                // and what these are worth
    std::uint32_t strong_alone = 0;  // seats with strong trumps only
    std::uint32_t longer = 0;        // trumps of hands that then have more than one
    std::uint32_t falls = 0;         // seats that lose a trump in a lost trick
    std::uint32_t drawn = 0;         // seats that have no trump in a lost trick
    std::uint32_t led = 0;           // group of the plain card that is given up first
  };
  struct Move {
    std::uint32_t card;
    int worth;
    int sure;  // see outlook
    int rank;
    int chain;  // the same for cards that only their worth tells apart
    int limit;  // the seat gets no better value, as another card of the chain has shown
    const Plan* plan;
  };
  static constexpr int kNoMove = -1, kMostCount = 128;

  void set_config(const PlayState<std::uint32_t>& play, const SolverAim& aim);
  [[nodiscard]] bool is_new_deal(const PlayState<std::uint32_t>& play);
  void close_up(std::uint32_t gone);
  [[nodiscard]] int solve(Window window);
  int at_trick(const Position& position, Window window);
  [[nodiscard]] bool bounds_answer(const Position& position, Window window, int& value) const;
  int lead(const Position& start, Window window, int& best_card);
  int answer(Position& position, const Trick& trick, const Plan& plan, Window window);
  int try_moves(Position& position, const Trick& trick, Move* moves, int num_moves, Window window,
                int* best_card);
  static void limit_others(Move* first, const Move* end, int value, bool many);
  int play_later(Position& position, const Trick& trick, const Move& move, Window window,
                 bool many);
  int play(Position& position, const Trick& trick, const Move& move, Window window);
  int finish_trick(const Position& position, const Trick& trick, Window window);
  [[nodiscard]] std::uint32_t may_lead(const Position& position) const;
  [[nodiscard]] std::uint32_t may_answer(std::uint32_t hand, std::uint32_t led,
                                         std::uint32_t bound) const;
  [[nodiscard]] static std::uint32_t others_of(const Position& position, int seat) {
    const auto& hand = position.hand;
    return (hand[0] | hand[1] | hand[2] | hand[3]) ^ hand[seat];
  }
  void make_plan(const Position& position, const Trick& trick, std::uint32_t group,
                 Plan& plan) const;
  void estimate(int leader, Plan& plan) const;
  int list_moves(const Trick& trick, const Plan& plan, std::uint32_t legal, std::uint32_t others,
                 Move* moves) const;
  int lead_moves(const Position& position, const Trick& trick, int best_card, Plan* plans,
                 Move* moves) const;
  int answer_moves(const Position& position, const Trick& trick, const Plan& plan,
                   Move* moves) const;
  [[nodiscard]] int outlook(const Trick& trick, const Plan& plan, std::uint32_t card) const;
  [[nodiscard]] int chance_rank(std::uint32_t card) const;
  [[nodiscard]] int lead_rank(const Position& position, const Move& move) const;
  [[nodiscard]] int answer_rank(const Position& position, const Trick& trick, std::uint32_t others,
                                const Move& move) const;
  void remove(Position& position, std::uint32_t cards) const;
  [[nodiscard]] int contribution(const Position& position, int seat, std::uint32_t cashed) const;
  [[nodiscard]] std::uint32_t suit_winners(const Position& position, int leader, std::uint32_t own,
                                           std::uint32_t group, int led) const;
  [[nodiscard]] std::uint32_t plain_winners(const Position& position, int leader, int led) const;
  [[nodiscard]] std::uint32_t winners(const Position& position, int leader) const;
  [[nodiscard]] int waits_with_trumps(const Position& position, std::uint32_t trumps) const;
  [[nodiscard]] Drawing draw(const Position& position, int seat, int rounds,
                             std::uint32_t low) const;
  void count_losses(Drawing& drawing, std::uint32_t low, bool comes_in, int used) const;
  [[nodiscard]] int added_loss(const Drawing& drawing, std::uint32_t hand, int other,
                               int plain_lost) const;
  [[nodiscard]] bool must_follow(const Position& position, int seat) const;
  [[nodiscard]] int sure_draw(const Position& position, int seat, int goal) const;
  [[nodiscard]] int sure_wait(const Position& position, int seat) const;
  [[nodiscard]] int sure_trumps(const Position& position, const Camp& own, const Camp& others,
                                int goal) const;
  [[nodiscard]] int sure_cash(const Position& position) const;
  [[nodiscard]] bool is_clear(const Position& position, int need, int& value) const;
  [[nodiscard]] int last_trick(const Position& position) const;
  [[nodiscard]] bool wants_many(int seat) const { return ((many_ >> seat) & 1u) != 0; }
  [[nodiscard]] bool is_counted(int seat) const { return ((counted_ >> seat) & 1u) != 0; }
  [[nodiscard]] int next_seat(int seat) const { return seat + 1 == seats_ ? 0 : seat + 1; }

  SolverWords words_;
  SolverAim aim_;
  SolverLayout layout_;
  bool configured_ = false, asked_plain_ = false, plain_ = false;
  std::uint32_t scramble_ = 0;
  std::uint32_t many_ = 0;     // seats that want the count to be high
  std::uint32_t counted_ = 0;  // seats whose tricks count
  int lone_ = -1;              // seat that plays alone against the others, -1 if there is none
  int seats_ = 4;
  int trick_worth_ = 0;  // of a trick itself: 1 where tricks are counted

  Position root_{};
  Trick root_trick_{};
  Plan root_plan_{};
  int taken_ = 0;

  PositionTable table_;
  LeadHistory history_;
  std::uint32_t dealt_[kNumSeats] = {};
  std::uint64_t num_positions_ = 0;
};

}  // namespace schafkopf
