#include "agents/solver_search.h"

#include <algorithm>
#include <bit>

#include "env/assert.h"
#include "env/bits.h"

namespace schafkopf {
namespace {

constexpr int kBucket = 4;  // entries of one cache line
constexpr std::uint32_t kMaxEpoch = 1023;

int number_of(std::uint32_t card) { return std::countr_zero(card); }

std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

}  // namespace

SolverSearch::SolverSearch(std::size_t table_bytes) {
  const std::size_t bytes = std::bit_floor(std::max(table_bytes, std::size_t{1} << 16));
  table_.resize(bytes / sizeof(Entry));
  bucket_mask_ = table_.size() / kBucket - 1;
}

// ---- from the game to a position ----------------------------------------------------------------

void SolverSearch::prepare(const PlayState<std::uint32_t>& play, const SolverAim& aim) {
  set_config(solver_words(play), aim);
  root_ = {};
  root_trick_ = {};
  std::uint32_t present = 0;
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
  root_.left = worth_of(present) + root_.tricks * trick_worth_;
  root_.leader = static_cast<int>((play.turn + play.seats - play.on_table) % play.seats);
  root_trick_.bound = root_.bound;
  root_trick_.seat = static_cast<int>(play.turn);
  root_trick_.played = static_cast<int>(play.on_table);
  root_trick_.worth = worth_of(root_trick_.cards) + trick_worth_;
  if (play.on_table != 0) {
    root_trick_.winner = static_cast<int>(play.winner);
    root_trick_.best = layout_.numbers_of(play.table[play.winner]);
    root_trick_.led = layout_.group(number_of(layout_.numbers_of(play.table[root_.leader])));
  }
  close_up(~present);
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

/// A table of positions serves one order of cards and one aim.
void SolverSearch::set_config(const SolverWords& words, const SolverAim& aim) {
  taken_ = 0;
  const bool same = configured_ && words == words_ && aim.side == aim_.side &&
                    aim.fewest == aim_.fewest && aim.tricks == aim_.tricks;
  if (same) return;
  words_ = words;
  aim_ = aim;
  configured_ = true;
  layout_ = SolverLayout(words, aim.tricks);
  seats_ = static_cast<int>(words.seats);
  const std::uint32_t all = (1u << seats_) - 1;
  counted_ = aim.side;
  many_ = aim.fewest ? all & ~counted_ : counted_;
  trick_worth_ = aim.tricks ? 1 : 0;
  start_table();
}

void SolverSearch::start_table() {
  if (epoch_ == kMaxEpoch) {
    std::fill(table_.begin(), table_.end(), Entry{});
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
  return answer(position, root_trick_, need);
}

// ---- search: a result >= need is a lower bound, a result < need an upper bound ------------------

int SolverSearch::at_trick(const Position& position, int need) {
  if (need <= 0) return 0;
  if (need > position.left) return position.left;
  if (position.tricks == 1) return last_trick(position);
  ++num_positions_;
  Entry entry = key_of(position);
  Entry* bucket = bucket_of(entry);
  int best_card = kNoMove;
  if (look_up(bucket, entry)) {
    if (static_cast<int>(entry.lower) >= need) return static_cast<int>(entry.lower);
    if (static_cast<int>(entry.upper) < need) return static_cast<int>(entry.upper);
    best_card = static_cast<int>(entry.card);
  } else {
    entry.upper = static_cast<std::uint32_t>(position.left) & 127u;
  }
  const int value = lead(position, need, best_card);
  if (value >= need) {
    entry.lower = static_cast<std::uint32_t>(value) & 127u;
  } else {
    entry.upper = static_cast<std::uint32_t>(value) & 127u;
  }
  entry.card = static_cast<std::uint32_t>(best_card) & 31u;
  store(bucket, entry);
  return value;
}

int SolverSearch::lead(Position position, int need, int& best_card) {
  const int seat = position.leader;
  Trick trick;
  trick.bound = position.bound;
  trick.seat = seat;
  trick.worth = trick_worth_;
  std::uint32_t others = 0;
  for (int other = 0; other < seats_; ++other) {
    if (other != seat) others |= position.hand[other];
  }
  Move moves[32];
  const int num_moves = list_moves(may_lead(position), others, moves);
  rank_leads(position, best_card, moves, num_moves);
  return try_moves(position, trick, moves, num_moves, need, &best_card);
}

int SolverSearch::answer(Position& position, const Trick& trick, int need) {
  std::uint32_t others = trick.best;
  for (int other = 0; other < seats_; ++other) {
    if (other != trick.seat) others |= position.hand[other];
  }
  Move moves[32];
  const int num_moves = list_moves(may_answer(position.hand[trick.seat], trick), others, moves);
  if (num_moves > 1) rank_answers(position, trick, moves, num_moves);
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
    const int value = play(position, trick, moves[i].card, need);
    if (many ? value <= best : value >= best) continue;
    best = value;
    if (best_card != nullptr) *best_card = number_of(moves[i].card);
    if (many ? best >= need : best < need) break;
  }
  return best;
}

int SolverSearch::play(Position& position, const Trick& trick, std::uint32_t card, int need) {
  const int number = number_of(card);
  Trick next = trick;
  next.cards |= card;
  next.worth += layout_.points(number);
  ++next.played;
  if (trick.played == 0) {
    next.led = layout_.group(number);
    next.best = card;
    next.winner = trick.seat;
    const bool owned = (position.hand[trick.seat] & trick.bound) != 0;
    if (owned && (card & layout_.call_group()) != 0) next.bound = 0;
  } else if (card > trick.best && (card & (trick.led | layout_.trumps())) != 0) {
    next.best = card;
    next.winner = trick.seat;
  }
  next.bound &= ~card;
  position.hand[trick.seat] ^= card;
  int value = 0;
  if (next.played == seats_) {
    value = finish_trick(position, next, need);
  } else {
    next.seat = next_seat(trick.seat);
    value = answer(position, next, need);
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

// ---- rules of play (RULES E.3), as in play.h
// -----------------------------------------------------

std::uint32_t SolverSearch::may_lead(const Position& position) const {
  const std::uint32_t hand = position.hand[position.leader];
  const std::uint32_t called = hand & position.bound;
  if (called == 0) return hand;
  const std::uint32_t others = hand & layout_.call_group() & ~called;
  const bool may_run_away = static_cast<std::uint32_t>(count_bits(others)) >= words_.run_min;
  return may_run_away ? hand : hand & ~others;
}

std::uint32_t SolverSearch::may_answer(std::uint32_t hand, const Trick& trick) const {
  const std::uint32_t follow = hand & trick.led;
  if (follow != 0) {
    const std::uint32_t searched = follow & trick.bound;
    return searched != 0 ? searched : follow;
  }
  const bool early = static_cast<std::uint32_t>(count_bits(hand)) > words_.window;
  return early ? hand & ~trick.bound : hand;
}

/// One card of every set of legal cards that are worth the same and between which no card of the
/// others (`others`, the best card of the trick included) ranks.
int SolverSearch::list_moves(std::uint32_t legal, std::uint32_t others, Move* moves) const {
  int num_moves = 0;
  for (std::uint32_t rest = legal; rest != 0; rest &= rest - 1) {
    const std::uint32_t card = rest & (0u - rest);
    const std::uint32_t above = layout_.above(number_of(card));
    const std::uint32_t own = above & legal;
    if (own != 0) {  // is the next own card of the run an equal?
      const std::uint32_t next = own & (0u - own);
      if ((others & above & (next - 1)) == 0) continue;
    }
    moves[num_moves++] = {card, 0};
  }
  return num_moves;
}

/// Takes cards out of the game; what ranks above them in their runs moves down.
void SolverSearch::remove(Position& position, std::uint32_t cards) const {
  while (cards != 0) {
    const int number = 31 - std::countl_zero(cards);
    cards ^= 1u << number;
    const std::uint32_t above = layout_.above(number);
    if (above == 0) continue;
    for (std::uint32_t& hand : position.hand) hand = (hand & ~above) | ((hand & above) >> 1);
  }
}

int SolverSearch::worth_of(std::uint32_t cards) const {
  int worth = 0;
  for (; cards != 0; cards &= cards - 1) worth += layout_.points(number_of(cards));
  return worth;
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

// ---- order of the moves
// ---------------------------------------------------------------------------

void SolverSearch::rank_leads(const Position& position, int first, Move* moves,
                              int num_moves) const {
  std::uint32_t others = 0;
  for (int seat = 0; seat < seats_; ++seat) {
    if (seat != position.leader) others |= position.hand[seat];
  }
  for (int i = 0; i < num_moves; ++i) {
    const int number = number_of(moves[i].card);
    const std::uint32_t stronger = others & layout_.group(number) & ~((moves[i].card << 1) - 1);
    moves[i].rank = (stronger == 0 ? 100 : 0) + layout_.points(number);
    if (number == first) moves[i].rank = 1000;
  }
}

void SolverSearch::rank_answers(const Position& position, const Trick& trick, Move* moves,
                                int num_moves) const {
  (void)position;
  const bool last = trick.played == seats_ - 1;
  const bool ours = is_counted(trick.winner) == wants_many(trick.seat);
  for (int i = 0; i < num_moves; ++i) {
    const int number = number_of(moves[i].card);
    const bool beats =
        moves[i].card > trick.best && (moves[i].card & (trick.led | layout_.trumps())) != 0;
    const bool good =
        (beats ? is_counted(trick.seat) : is_counted(trick.winner)) == wants_many(trick.seat);
    const int worth = layout_.points(number);
    (void)ours;
    moves[i].rank = good ? (last ? 200 : 100) + 4 * worth - number : -4 * worth - number;
  }
}

// ---- table of positions
// ---------------------------------------------------------------------------

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
  const std::uint64_t rest = std::uint64_t{key.cards} << 3 | key.leader << 1 | key.bound;
  return &table_[(mix(owners ^ mix(rest)) & bucket_mask_) * kBucket];
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
