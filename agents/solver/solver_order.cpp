// In which order moves are tried: no answer depends on it, only the number of positions.
#include <cstdint>

#include "agents/solver/solver_search.h"
#include "env/base/bits.h"

namespace schafkopf {
namespace {

/// Weights of a rank, by what is known of the trick after the card: it surely goes where the seat
/// wants it, it may well, it may not, it surely does not.
struct Weights {
  int base, worth, trump, alone;
  int other;  // per card held in the group (leads), per number of the card (answers)
  int more;   // per point that the others may add (leads), for the highest of a group (answers)
};
constexpr Weights kLeads[4] = {{930, 16, -30, 30, 0, 44},
                               {870, 11, 60, 220, 1, 43},
                               {600, -29, 0, -140, -5, -3},
                               {0, 4, -30, 70, 0, -3}};
constexpr Weights kAnswers[4] = {{1270, 8, -300, 0, -2, -20},
                                 {0, -5, -10, 150, 1, -30},
                                 {440, 33, -20, -30, 30, 90},
                                 {-200, -35, -50, 100, -22, -40}};

}  // namespace

/// The order of the cards themselves, or one that is random for tests.
int SolverSearch::chance_rank(std::uint32_t card) const {
  if (scramble_ == 0) return 0;
  return static_cast<int>(mix((num_positions_ ^ scramble_) << 32 | card) & 1023u);
}

/// Rank of a lead: what is first tried. kLeads and kAnswers were found by trial, with the number of
/// positions searched as the measure; the result of the search does not depend on them.
int SolverSearch::lead_rank(const Position& position, const Move& move) const {
  const int seat = position.leader;
  const Plan& plan = *move.plan;
  if (plain_ || scramble_ != 0) return chance_rank(move.card);
  const bool counted = is_counted(seat);
  const std::uint32_t mine = counted ? plan.counted_after[0] : plan.others_after[0];
  const std::uint32_t theirs = counted ? plan.others_after[0] : plan.counted_after[0];
  const int outlook = move.sure > 0 ? 0 : move.sure < 0 ? 3 : mine > theirs ? 1 : 2;
  const Weights& weights = kLeads[outlook];
  const std::uint32_t held = position.hand[seat] & plan.led;
  return weights.base + weights.worth * move.worth +
         ((move.card & layout_.trumps()) != 0 ? weights.trump : 0) +
         (held == move.card ? weights.alone : 0) + weights.other * count_bits(held) +
         history_.rank(position.tricks, seat, number_of(move.card)) +
         weights.more *
             (wants_many(seat) == (outlook < 2) ? plan.counted_adds : plan.others_add)[0];
}

int SolverSearch::answer_rank(const Position& position, const Trick& trick, std::uint32_t others,
                              const Move& move) const {
  if (plain_ || scramble_ != 0) return chance_rank(move.card);
  const bool beats = move.card > trick.best && (move.card & move.plan->can_win) != 0;
  const bool good = is_counted(beats ? trick.seat : trick.winner) == wants_many(trick.seat);
  const int outlook = move.sure > 0 ? 0 : move.sure < 0 ? 3 : good ? 1 : 2;
  const Weights& weights = kAnswers[outlook];
  const int number = number_of(move.card);
  const std::uint32_t held = position.hand[trick.seat] & layout_.group(number);
  return weights.base + weights.worth * move.worth +
         ((move.card & layout_.trumps()) != 0 ? weights.trump : 0) +
         (held == move.card ? weights.alone : 0) + weights.other * number +
         (higher_than(move.card, others & layout_.group(number)) != 0 ? weights.more : 0);
}

}  // namespace schafkopf
