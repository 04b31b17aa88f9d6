#include "agents/solver/solver_search.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "env/base/assert.h"
#include "env/base/bits.h"
#include "env/base/interruption.h"

namespace schafkopf {

SolverSearch::SolverSearch(const SolverOptions& options)
    : asked_plain_(options.plain),
      plain_(options.plain),
      scramble_(options.scramble),
      table_(options.table_bytes) {}

// ---- from the game to a position ----------

void SolverSearch::prepare(const PlayState<std::uint32_t>& play, const SolverAim& aim) {
  set_config(play, aim);
  root_ = {};
  root_trick_ = {};
  std::uint32_t present = 0, led = 0;
  for (int seat = 0; seat < seats_; ++seat) {
    root_.hand[seat] = layout_.numbers_of(play.hand[seat]);
    root_trick_.cards |= play.table[seat];
    present |= root_.hand[seat];
    if (is_counted(seat) && !aim.tricks) taken_ += points_of(CardSet(play.taken[seat]));
  }
  root_trick_.cards = layout_.numbers_of(root_trick_.cards);
  present |= root_trick_.cards;
  root_.bound = layout_.called();
  root_.tricks = count_bits(root_.hand[play.turn]);
  root_.left = layout_.points_of_all(present) + root_.tricks * trick_worth_;
  SCHAFKOPF_ASSERT(play.seats > 0);
  root_.leader = static_cast<int>((play.turn + play.seats - play.on_table) % play.seats);
  root_trick_.bound = root_.bound;
  root_trick_.seat = static_cast<int>(play.turn);
  root_trick_.played = static_cast<int>(play.on_table);
  root_trick_.worth = layout_.points_of_all(root_trick_.cards) + trick_worth_;
  if (play.on_table != 0) {
    root_trick_.winner = static_cast<int>(play.winner);
    root_trick_.best = layout_.numbers_of(play.table[play.winner]);
    led = layout_.group(number_of(layout_.numbers_of(play.table[root_.leader])));
  }
  close_up(~present);
  if (play.on_table != 0) {
    Trick start;
    start.seat = root_.leader;
    start.bound = root_.bound;
    make_plan(root_, start, led, root_plan_);
    estimate(root_.leader, root_plan_);
  }
}

/// Moves everything down over the cards that have left the game.
void SolverSearch::close_up(std::uint32_t gone) {
  remove(root_, gone);
  Position table{};
  table.hand[0] = root_trick_.cards;
  table.hand[1] = root_trick_.best;
  remove(table, gone);
  root_trick_.cards = table.hand[0];
  root_trick_.best = table.hand[1];
}

/// A table of positions serves one order of cards and one aim, and one deal: what is left of others
/// would only take up room.
void SolverSearch::set_config(const PlayState<std::uint32_t>& play, const SolverAim& aim) {
  const SolverWords words = solver_words(play);
  taken_ = 0;
  const bool same = configured_ && words == words_ && aim.side == aim_.side &&
                    aim.fewest == aim_.fewest && aim.tricks == aim_.tricks;
  const bool new_deal = is_new_deal(play);
  if (same && !new_deal) return;
  table_.clear();
  history_.clear();
  if (same) return;
  words_ = words;
  // what bounds and equal cards rest on is proved for the duties of E.3, not for a further switch
  plain_ = asked_plain_ || (words.switches & ~kDiscardWindow) != 0;
  aim_ = aim;
  configured_ = true;
  layout_ = SolverLayout(words, aim.tricks);
  seats_ = static_cast<int>(words.seats);
  const std::uint32_t all = (1u << seats_) - 1;
  counted_ = aim.side;
  lone_ = -1;
  for (const std::uint32_t side : {counted_, all & ~counted_}) {
    if (std::has_single_bit(side)) lone_ = std::countr_zero(side);
  }
  many_ = aim.fewest ? all & ~counted_ : counted_;
  trick_worth_ = aim.tricks ? 1 : 0;
}

/// Whether the hands at the start of play differ from those of the last question.
bool SolverSearch::is_new_deal(const PlayState<std::uint32_t>& play) {
  bool is_new = false;
  for (int seat = 0; seat < kNumSeats; ++seat) {
    const std::uint32_t hand = play.hand[seat] | play.played[seat];
    is_new = is_new || hand != dealt_[seat];
    dealt_[seat] = hand;
  }
  return is_new;
}

bool SolverSearch::reaches(int need) {
  need -= taken_;
  return solve({need - 1, need}) >= need;
}

/// Against a hand that plays alone it is much less work to show that it gets no more than that it
/// gets so much, since only one seat's cards must all be tried: null windows come from that side,
/// each as far as the last search found, until one holds. Otherwise one open window.
int SolverSearch::value() {
  if (root_.left == 0) return taken_;  // perhaps no card is left
  if (lone_ < 0 || plain_) return taken_ + solve({-1, root_.left + 1});
  int low = 0, high = root_.left;
  const bool from_above = wants_many(lone_);
  while (low < high) {
    const int need = from_above ? high : low + 1;
    const int found = solve({need - 1, need});
    if (found >= need) {
      low = found;
    } else {
      high = found;
    }
  }
  return taken_ + low;
}

int SolverSearch::solve(Window window) {
  if (window.high <= 0) return 0;
  if (window.low >= root_.left) return root_.left;
  if (root_trick_.played == 0) return at_trick(root_, window);
  Position position = root_;
  return answer(position, root_trick_, root_plan_, window);
}

// ---- search ----------

namespace {

constexpr std::uint64_t kAskedAt = (std::uint64_t{1} << 14) - 1;  // positions: some milliseconds

}  // namespace

int SolverSearch::at_trick(const Position& position, Window window) {
  if (window.high <= 0) return 0;
  if (window.low >= position.left) return position.left;
  if (position.tricks == 1) return last_trick(position);

  PositionTable::Entry entry = table_.key_of(position.hand, position.leader, position.bound != 0);
  PositionTable::Entry* bucket = table_.bucket_of(entry);
  __builtin_prefetch(bucket);
  if ((++num_positions_ & kAskedAt) == 0) check_interruption();
  int value = 0, best_card = kNoMove;
  if (!plain_ && bounds_answer(position, window, value)) return value;
  if (PositionTable::look_up(bucket, entry)) {
    const auto lower = static_cast<int>(entry.lower), upper = static_cast<int>(entry.upper);
    if (lower >= window.high || lower == upper) return lower;
    if (upper <= window.low) return upper;
    best_card = static_cast<int>(entry.card);
  } else {
    entry.upper = static_cast<std::uint32_t>(position.left) & 127u;
  }
  value = lead(position, window, best_card);
  if (value > window.low) entry.lower = static_cast<std::uint32_t>(value) & 127u;
  if (value < window.high) entry.upper = static_cast<std::uint32_t>(value) & 127u;
  entry.card = static_cast<std::uint32_t>(best_card) & 31u;
  PositionTable::store(bucket, entry);
  return value;
}

/// Whether bounds end the search here; then `value` is the bound.
bool SolverSearch::bounds_answer(const Position& position, Window window, int& value) const {
  if (window.is_null()) return is_clear(position, window.high, value);
  return (is_clear(position, window.high, value) && !window.contains(value)) ||
         (is_clear(position, window.low + 1, value) && !window.contains(value));
}

int SolverSearch::lead(const Position& start, Window window, int& best_card) {
  Position position = start;
  Trick trick;
  trick.bound = position.bound;
  trick.seat = position.leader;
  trick.worth = trick_worth_;
  Plan plans[5];
  Move moves[32];
  const int num_moves = lead_moves(position, trick, best_card, plans, moves);
  return try_moves(position, trick, moves, num_moves, window, &best_card);
}

int SolverSearch::answer(Position& position, const Trick& trick, const Plan& plan, Window window) {
  Move moves[32];
  const int num_moves = answer_moves(position, trick, plan, moves);
  if (num_moves == 1) return play(position, trick, moves[0], window);
  return try_moves(position, trick, moves, num_moves, window, nullptr);
}

namespace {

/// The move that is tried first, now in front.
template <class Move>
const Move& bring_best(Move* first, const Move* end) {
  for (Move* move = first + 1; move != end; ++move) {
    if (move->rank > first->rank) std::swap(*first, *move);
  }
  return *first;
}

}  // namespace

/// Where two cards of one hand may stand for each other but for their worth, the values of the two
/// moves differ by no more than the cards (list_moves says why): where that is not enough to change
/// the result, the second is not searched.
int SolverSearch::try_moves(Position& position, const Trick& trick, Move* moves, int num_moves,
                            Window window, int* best_card) {
  const bool many = wants_many(trick.seat);
  int best = many ? -1 : kMostCount;
  for (int i = 0; i < num_moves; ++i) {
    const Move& move = bring_best(moves + i, moves + num_moves);
    if (many ? move.limit <= window.low : move.limit >= window.high) {
      best = many ? std::max(best, move.limit) : std::min(best, move.limit);
      continue;
    }
    const int value = i == 0 ? play(position, trick, move, window)
                             : play_later(position, trick, move, window, many);
    const bool cuts = many ? value >= window.high : value <= window.low;
    if (trick.played == 0) {
      history_.add(position.tricks, trick.seat, number_of(move.card), cuts);
    }
    if (many ? value > best : value < best) {
      best = value;
      if (best_card != nullptr) *best_card = number_of(move.card);
    }
    if (cuts) break;
    (many ? window.low : window.high) =
        many ? std::max(window.low, best) : std::min(window.high, best);
    limit_others(moves + i, moves + num_moves, value, many);
  }
  return best;
}

/// What the value of the first move says of those after it.
void SolverSearch::limit_others(Move* first, const Move* end, int value, bool many) {
  for (Move* move = first + 1; move != end; ++move) {
    if (move->chain != first->chain) continue;
    const int apart = std::abs(move->worth - first->worth);
    move->limit =
        many ? std::min(move->limit, value + apart) : std::max(move->limit, value - apart);
  }
}

/// In an open window first asks whether the move is better than those before, which it seldom is.
int SolverSearch::play_later(Position& position, const Trick& trick, const Move& move,
                             Window window, bool many) {
  if (window.is_null()) return play(position, trick, move, window);
  const Window null =
      many ? Window{window.low, window.low + 1} : Window{window.high - 1, window.high};
  const int value = play(position, trick, move, null);
  const bool better = many ? value >= null.high : value <= null.low;
  if (!better || !window.contains(value)) return value;
  (many ? window.low : window.high) = many ? value - 1 : value + 1;
  return play(position, trick, move, window);
}

int SolverSearch::play(Position& position, const Trick& trick, const Move& move, Window window) {
  const std::uint32_t card = move.card;
  Trick next = trick;
  next.cards |= card;
  next.worth += layout_.points(number_of(card));
  ++next.played;
  if (trick.played == 0) {
    const bool owned = (position.hand[trick.seat] & trick.bound) != 0;
    if (owned && (card & layout_.call_group()) != 0) next.bound = 0;
  }
  if (card > trick.best && (card & move.plan->can_win) != 0) {
    next.best = card;
    next.winner = trick.seat;
  }
  if (move.sure != 0) {  // who gets the trick is known: is that enough?
    const bool counted = (move.sure > 0) == wants_many(trick.seat);
    const int worth =
        next.worth + (counted ? move.plan->counted_adds : move.plan->others_add)[trick.played];
    if (counted && worth >= window.high) return worth;
    if (!counted && position.left - worth <= window.low) return position.left - worth;
  }
  next.bound &= ~card;
  position.hand[trick.seat] ^= card;
  int value = 0;
  if (next.played == seats_) {
    value = finish_trick(position, next, window);
  } else {
    next.seat = next_seat(trick.seat);
    value = answer(position, next, *move.plan, window);
  }
  position.hand[trick.seat] ^= card;
  return value;
}

int SolverSearch::finish_trick(const Position& position, const Trick& trick, Window window) {
  Position next = position;
  remove(next, trick.cards);
  next.bound = trick.bound;
  next.leader = trick.winner;
  next.tricks = position.tricks - 1;
  next.left = position.left - trick.worth;
  const int gain = is_counted(trick.winner) ? trick.worth : 0;
  if (next.tricks == 0) return gain;
  return gain + at_trick(next, {window.low - gain, window.high - gain});
}

/// Takes cards out of the game; what ranks above them in their runs moves down.
void SolverSearch::remove(Position& position, std::uint32_t cards) const {
  using Hands [[gnu::vector_size(16)]] = std::uint32_t;
  Hands hands;
  std::memcpy(&hands, position.hand, sizeof(hands));
  while (cards != 0) {
    const int number = 31 - std::countl_zero(cards);
    cards ^= 1u << number;
    const std::uint32_t above = layout_.above(number);
    if (above != 0) hands = (hands & ~above) | ((hands & above) >> 1);
  }
  std::memcpy(position.hand, &hands, sizeof(hands));
}

/// One card each: nothing is left to choose.
int SolverSearch::last_trick(const Position& position) const {
  int winner = position.leader;
  std::uint32_t best = position.hand[winner];
  const std::uint32_t can_win = layout_.group(number_of(best)) | layout_.trumps();
  for (int i = 1, seat = winner; i < seats_; ++i) {
    seat = next_seat(seat);
    const std::uint32_t card = position.hand[seat];
    if (card > best && (card & can_win) != 0) {
      best = card;
      winner = seat;
    }
  }
  return is_counted(winner) ? position.left : 0;
}

}  // namespace schafkopf
