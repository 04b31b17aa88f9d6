// What may be played, what is worth trying and in which order, and what is sure about a trick. One
// file, so that the small functions become part of the two that the search calls.
#include <cstdint>

#include "agents/solver/solver_search.h"
#include "env/base/assert.h"
#include "env/base/bits.h"

namespace schafkopf {
namespace {

constexpr int kFirst = 10000;  // rank of the best card of an earlier search
/// Weights of a rank, by what is known of the trick after the card: it surely goes where the seat
/// wants it, it may well, it may not, it surely does not.
struct Weights {
  int base, worth, trump, alone;
  int other;  // per card held in the group (leads), per number of the card (answers)
  int more;   // per point that the others may add (leads), for the highest of a group (answers)
};
constexpr Weights kLeads[4] = {{930, 16, -45, 30, 0, 44},
                               {870, 11, 68, 220, 1, 43},
                               {812, -13, 0, -140, -11, -3},
                               {0, 4, -30, 70, 0, -3}};
constexpr Weights kAnswers[4] = {{1270, 8, -260, 27, -2, -17},
                                 {0, 1, -23, 150, 1, -24},
                                 {440, 45, -28, 4, 30, 105},
                                 {-200, -47, -50, 115, -9, -40}};

}  // namespace

/// What each seat may answer to a lead of this group, and who can still beat what.
void SolverSearch::make_plan(const Position& position, const Trick& trick, std::uint32_t group,
                             Plan& plan) const {
  const std::uint32_t can_win = group | layout_.trumps();
  plan.can_win = can_win;
  plan.led = group;
  SCHAFKOPF_ASSERT(seats_ == 3 || seats_ == 4);
  int seat = trick.seat;
  for (int i = 1; i < seats_; ++i) {
    seat = next_seat(seat);
    plan.legal[i] = may_answer(position.hand[seat], group, trick.bound);
  }
  std::uint32_t counted = 0, others = 0;
  for (int i = seats_ - 1; i > 0; --i) {
    plan.counted_after[i] = counted;
    plan.others_after[i] = others;
    (is_counted(seat) ? counted : others) |= plan.legal[i] & can_win;
    seat = seat == 0 ? seats_ - 1 : seat - 1;
  }
  plan.counted_after[0] = counted;
  plan.others_after[0] = others;
}

/// What the seats that come later add to a trick that surely goes to one side: who wants it to go
/// there can add his dearest legal card, and the others add no less than their cheapest.
void SolverSearch::estimate(int leader, Plan& plan) const {
  int seat = leader == 0 ? seats_ - 1 : leader - 1;
  plan.counted_adds[seats_ - 1] = plan.others_add[seats_ - 1] = 0;
  for (int i = seats_ - 1; i > 0; --i) {
    const int most = layout_.dearest(plan.legal[i], 1), least = layout_.cheapest(plan.legal[i], 1);
    const bool many = wants_many(seat);
    plan.counted_adds[i - 1] = plan.counted_adds[i] + (many ? most : least);
    plan.others_add[i - 1] = plan.others_add[i] + (many ? least : most);
    seat = seat == 0 ? seats_ - 1 : seat - 1;
  }
}

/// Whether the trick surely goes where the seat wants it after this card (1), surely not (-1), or
/// not yet known (0).
int SolverSearch::outlook(const Trick& trick, const Plan& plan, std::uint32_t card) const {
  const bool beats = card > trick.best && (card & plan.can_win) != 0;
  const std::uint32_t best = beats ? card : trick.best;
  const bool counted = is_counted(beats ? trick.seat : trick.winner);
  const std::uint32_t threat =
      counted ? plan.others_after[trick.played] : plan.counted_after[trick.played];
  if (threat > best) return 0;
  return counted == wants_many(trick.seat) ? 1 : -1;
}

// ---- rules of play (RULES E.3): those of play.h, in the numbers of the layout ----------

namespace {

/// What the functions of play.h read; a word that they read and that is not here does not compile.
struct Duties {
  std::uint32_t trumps, led_group, call_group, bound, run_min, switches;
};

}  // namespace

std::uint32_t SolverSearch::may_lead(const Position& position) const {
  const Duties duties{layout_.trumps(), 0, layout_.call_group(), position.bound, words_.run_min,
                      words_.switches};
  return schafkopf::may_lead(duties, position.hand[position.leader]);
}

std::uint32_t SolverSearch::may_answer(std::uint32_t hand, std::uint32_t led,
                                       std::uint32_t bound) const {
  const Duties duties{layout_.trumps(), led, layout_.call_group(), bound, words_.run_min,
                      words_.switches};
  const std::uint32_t follow = schafkopf::must_follow(duties, hand);
  return follow != 0 ? follow : schafkopf::may_discard(duties, hand);
}

/// Legal cards worth trying, with what is sure about the trick after them.
///
/// Cards between which no card of the others ranks (`others`, the best card of the trick included)
/// win and lose the same tricks, now and later. Equal worth: one of them stands for all. Unequal
/// worth in a trick that surely goes where the seat wants it: the dearest; surely elsewhere: the
/// cheapest. Proof: let the seat play the other card where it would have played this one, and the
/// other way round. The trick decides the difference in his favour now, and the later trick,
/// whoever gets it, can take back no more than that. A trick that may go either way: both are tried,
/// as a chain; by the same proof their values differ by no more than their worth. The called card
/// stands alone while it is bound.
int SolverSearch::list_moves(const Trick& trick, const Plan& plan, std::uint32_t legal,
                             std::uint32_t others, Move* moves) const {
  int num_moves = 0;
  std::uint32_t last = 0;  // card before this one, if both may stand for each other
  for (std::uint32_t rest = legal; rest != 0; rest &= rest - 1) {
    const std::uint32_t card = rest & (0u - rest);
    const int number = number_of(card);
    const int worth = layout_.points(number);
    const bool linked = !plain_ && (last & layout_.group(number)) != 0 &&
                        (others & (card - last) & ~last) == 0 && ((card | last) & trick.bound) == 0;
    last = card;
    if (linked) {
      Move& before = moves[num_moves - 1];
      if (before.worth == worth) continue;
      if (before.sure != 0) {
        if ((before.sure > 0) == (worth > before.worth)) before.card = card, before.worth = worth;
        continue;
      }
    }
    Move& move = moves[num_moves++];
    move.chain = linked ? moves[num_moves - 2].chain : number;
    move.limit = wants_many(trick.seat) ? kMostCount : -1;
    move.card = card;
    move.worth = worth;
    move.sure = plain_ ? 0 : outlook(trick, plan, card);
    move.plan = &plan;
  }
  return num_moves;
}

// ---- order of the moves: no answer depends on it, only the number of positions ----------

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

// ---- moves of a seat ----------

/// Cards to lead, best first guess with the highest rank. `best_card` is that of an earlier search.
int SolverSearch::lead_moves(const Position& position, const Trick& trick, int best_card,
                             Plan* plans, Move* moves) const {
  const std::uint32_t others = others_of(position, position.leader);
  int num_moves = 0;
  for (std::uint32_t rest = may_lead(position); rest != 0; ++plans) {
    const std::uint32_t group = layout_.group(number_of(rest));
    make_plan(position, trick, group, *plans);
    estimate(trick.seat, *plans);
    const int last = num_moves + list_moves(trick, *plans, rest & group, others, moves + num_moves);
    for (; num_moves < last; ++num_moves) {
      Move& move = moves[num_moves];
      const bool first = number_of(move.card) == best_card && !plain_;
      move.rank = first ? kFirst : lead_rank(position, move);
    }
    rest &= ~group;
  }
  return num_moves;
}

/// Cards to answer with, and their ranks where there is a choice.
int SolverSearch::answer_moves(const Position& position, const Trick& trick, const Plan& plan,
                               Move* moves) const {
  const std::uint32_t others = others_of(position, trick.seat) | trick.best;
  const int num_moves = list_moves(trick, plan, plan.legal[trick.played], others, moves);
  if (num_moves == 1) return 1;
  for (int i = 0; i < num_moves; ++i) {
    moves[i].rank = answer_rank(position, trick, others, moves[i]);
  }
  return num_moves;
}

}  // namespace schafkopf
