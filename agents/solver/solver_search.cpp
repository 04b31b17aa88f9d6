#include "agents/solver/solver_search.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "env/base/assert.h"
#include "env/base/bits.h"

namespace schafkopf {
namespace {

constexpr std::uint32_t kMaxEpoch = 1023;

/// Weights of a rank, by what is known of the trick after the card: it surely goes where the seat
/// wants it, it may well, it may not, it surely does not.
struct Weights {
  int base, worth, trump, alone;
  int other;  // per card held in the group (leads), per number of the card (answers)
  int more;   // per point that the others may add (leads), for the highest of a group (answers)
};
constexpr int kFirst = 10000;  // the best card of an earlier search
constexpr Weights kLeads[4] = {{930, 16, -30, 30, 0, 44},
                               {870, 11, 60, 220, 1, 43},
                               {600, -29, 0, -140, -5, -3},
                               {0, 4, -30, 70, 0, -3}};
constexpr Weights kAnswers[4] = {{1270, 8, -300, 0, -2, -20},
                                 {0, -5, -10, 150, 1, -30},
                                 {440, 33, -20, -30, 30, 90},
                                 {-200, -35, -50, 100, -22, -40}};

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

}  // namespace

SolverSearch::SolverSearch(const SolverOptions& options)
    : asked_plain_(options.plain), plain_(options.plain), scramble_(options.scramble) {
  const std::size_t bytes = std::bit_floor(std::max(options.table_bytes, std::size_t{1} << 16));
  table_.resize(bytes / sizeof(Bucket));
  bucket_mask_ = table_.size() - 1;
}

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
  start_table();
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

void SolverSearch::start_table() {
  if (epoch_ == kMaxEpoch) {
    std::ranges::fill(table_, Bucket{});
    epoch_ = 0;
  }
  ++epoch_;
}

bool SolverSearch::reaches(int need) { return taken_ + solve(need - taken_) >= need; }

/// Halves the interval with null windows; each answer is as sharp as the search found it.
int SolverSearch::value() {
  int low = 0, high = root_.left;
  while (low < high) {
    const int need = (low + high + 1) / 2;
    const int found = solve(need);
    if (found >= need) {
      low = found;
    } else {
      high = found;
    }
  }
  return taken_ + low;
}

int SolverSearch::solve(int need) {
  if (need <= 0) return 0;
  if (need > root_.left) return root_.left;
  if (root_trick_.played == 0) return at_trick(root_, need);
  Position position = root_;
  return answer(position, root_trick_, root_plan_, need);
}

// ---- search: a result >= need is a lower bound, a result < need an upper bound ----------

int SolverSearch::at_trick(const Position& position, int need) {
  if (need <= 0) return 0;
  if (need > position.left) return position.left;
  if (position.tricks == 1) return last_trick(position);

  Entry entry = key_of(position);
  Entry* bucket = bucket_of(entry);
  __builtin_prefetch(bucket);
  ++num_positions_;
  int value = 0, best_card = kNoMove;
  if (!plain_ && is_clear(position, need, value)) return value;
  if (look_up(bucket, entry)) {
    if (static_cast<int>(entry.lower) >= need) return static_cast<int>(entry.lower);
    if (static_cast<int>(entry.upper) < need) return static_cast<int>(entry.upper);
    best_card = static_cast<int>(entry.card);
  } else {
    entry.upper = static_cast<std::uint32_t>(position.left) & 127u;
  }
  value = lead(position, need, best_card);
  if (value >= need) {
    entry.lower = static_cast<std::uint32_t>(value) & 127u;
  } else {
    entry.upper = static_cast<std::uint32_t>(value) & 127u;
  }
  entry.card = static_cast<std::uint32_t>(best_card) & 31u;
  store(bucket, entry);
  return value;
}

int SolverSearch::lead(const Position& start, int need, int& best_card) {
  Position position = start;
  Trick trick;
  trick.bound = position.bound;
  trick.seat = position.leader;
  trick.worth = trick_worth_;
  const std::uint32_t others = others_of(position, position.leader);
  Plan plans[5];
  Move moves[32];
  int num_moves = 0, num_plans = 0;
  for (std::uint32_t rest = may_lead(position); rest != 0; ++num_plans) {
    const std::uint32_t group = layout_.group(number_of(rest));
    Plan& plan = plans[num_plans];
    make_plan(position, trick, group, plan);
    estimate(trick.seat, plan);
    const int last = num_moves + list_moves(trick, plan, rest & group, others, moves + num_moves);
    for (; num_moves < last; ++num_moves) {
      Move& move = moves[num_moves];
      const bool first = number_of(move.card) == best_card && !plain_;
      move.rank = first ? kFirst : lead_rank(position, move);
    }
    rest &= ~group;
  }
  return try_moves(position, trick, moves, num_moves, need, &best_card);
}

/// What each seat may answer to a lead of this group, and who can still beat what.
void SolverSearch::make_plan(const Position& position, const Trick& trick, std::uint32_t group,
                             Plan& plan) const {
  const std::uint32_t can_win = group | layout_.trumps();
  plan.can_win = can_win;
  plan.led = group;
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

int SolverSearch::answer(Position& position, const Trick& trick, const Plan& plan, int need) {
  const std::uint32_t others = others_of(position, trick.seat) | trick.best;
  Move moves[32];
  const int num_moves = list_moves(trick, plan, plan.legal[trick.played], others, moves);
  if (num_moves > 1) {
    for (int i = 0; i < num_moves; ++i)
      moves[i].rank = answer_rank(position, trick, others, moves[i]);
  }
  return try_moves(position, trick, moves, num_moves, need, nullptr);
}

int SolverSearch::try_moves(Position& position, const Trick& trick, Move* moves, int num_moves,
                            int need, int* best_card) {
  const bool many = wants_many(trick.seat);
  int best = many ? -1 : 128;
  for (int i = 0; i < num_moves; ++i) {
    for (int j = i + 1; j < num_moves; ++j) {
      if (moves[j].rank > moves[i].rank) std::swap(moves[i], moves[j]);
    }
    const int value = play(position, trick, moves[i], need);
    if (many ? value <= best : value >= best) continue;
    best = value;
    if (best_card != nullptr) *best_card = number_of(moves[i].card);
    if (many ? best >= need : best < need) break;
  }
  return best;
}

int SolverSearch::play(Position& position, const Trick& trick, const Move& move, int need) {
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
    if (counted && worth >= need) return worth;
    if (!counted && position.left - worth < need) return position.left - worth;
  }
  next.bound &= ~card;
  position.hand[trick.seat] ^= card;
  int value = 0;
  if (next.played == seats_) {
    value = finish_trick(position, next, need);
  } else {
    next.seat = next_seat(trick.seat);
    value = answer(position, next, *move.plan, need);
  }
  position.hand[trick.seat] ^= card;
  return value;
}

int SolverSearch::finish_trick(const Position& position, const Trick& trick, int need) {
  Position next = position;
  remove(next, trick.cards);
  next.bound = trick.bound;
  next.leader = trick.winner;
  next.tricks = position.tricks - 1;
  next.left = position.left - trick.worth;
  const int gain = is_counted(trick.winner) ? trick.worth : 0;
  if (next.tricks == 0) return gain;
  return gain + at_trick(next, need - gain);
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
/// whoever gets it, can take back no more than that. The called card stands alone while it is
/// bound.
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
    move.card = card;
    move.worth = worth;
    move.sure = plain_ ? 0 : outlook(trick, plan, card);
    move.plan = &plan;
  }
  return num_moves;
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

// ---- order of the moves ----------

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

// ---- table of positions ----------

SolverSearch::Entry SolverSearch::key_of(const Position& position) const {
  const auto& hand = position.hand;
  Entry key;
  key.cards = hand[0] | hand[1] | hand[2] | hand[3];
  key.low_owner = hand[1] | hand[3];
  key.high_owner = hand[2] | hand[3];
  key.leader = static_cast<std::uint32_t>(position.leader) & 3u;
  key.bound = position.bound != 0 ? 1u : 0u;
  key.epoch = epoch_ & kMaxEpoch;
  return key;
}

SolverSearch::Entry* SolverSearch::bucket_of(const Entry& key) {
  const std::uint64_t owners = std::uint64_t{key.low_owner} << 32 | key.high_owner;
  const std::uint64_t rest =
      std::uint64_t{key.cards} << 3 | std::uint64_t{key.leader} << 1 | std::uint64_t{key.bound};
  return table_[mix(owners ^ mix(rest)) & bucket_mask_].entries;
}

/// Fills in what the table knows. Keys are complete, so that no two positions are ever mistaken for
/// each other.
bool SolverSearch::look_up(Entry* bucket, Entry& key) const {
  for (const Entry* entry = bucket; entry != bucket + kBucket; ++entry) {
    if (!entry->is_same(key)) continue;
    key.lower = entry->lower;
    key.upper = entry->upper;
    key.card = entry->card;
    return true;
  }
  return false;
}

/// Keeps an entry in place of its older self, of one that is out of date or of the one with the
/// fewest cards.
void SolverSearch::store(Entry* bucket, const Entry& entry) const {
  Entry* place = bucket;
  int fewest = 64;
  for (Entry* other = bucket; other != bucket + kBucket; ++other) {
    const bool old = other->epoch != entry.epoch;
    const int cards = other->is_same(entry) ? -2 : old ? -1 : count_bits(other->cards);
    if (cards < fewest) {
      fewest = cards;
      place = other;
    }
  }
  *place = entry;
}

}  // namespace schafkopf
