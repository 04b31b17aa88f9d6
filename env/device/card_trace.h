// Random card play of one game, folded into a hash: what one thread of a device does, so that a
// million games there can be compared with Game by a number each.
#pragma once

#include <cstdint>

#include "env/base/random.h"
#include "env/cards/play.h"
#include "env/device/thread_word.h"

namespace schafkopf {

/// One decision more: legal cards, the one that was played and who played it, who is next (after the
/// last card of a trick its winner).
constexpr std::uint64_t fold_card(std::uint64_t hash, std::uint32_t legal, std::uint32_t card,
                                  std::uint32_t seat, std::uint32_t next) {
  const std::uint64_t cards = (std::uint64_t{legal} << 32) | card;
  return mix64(mix64(hash ^ cards) + ((seat << 8) | next));
}
/// What a seat has won at the end.
constexpr std::uint64_t fold_taken(std::uint64_t hash, std::uint32_t taken) {
  return mix64(hash ^ taken);
}

/// Number of the draw for the next card: of its seat, by the cards played so far.
constexpr std::uint64_t card_draw(std::uint64_t key, std::uint32_t seat, std::uint32_t num_played) {
  return draw_of(key, draw_number(seat, num_played));
}

/// The n-th set bit of `cards`, counted from the lowest; 0 <= n < their number.
constexpr std::uint32_t nth_card(std::uint32_t cards, int n) {
  for (; n > 0; --n) cards &= cards - 1;
  return cards & (0u - cards);
}

/// The same state in another word; both are 32 words of 32 bits.
constexpr PlayState<ThreadWord> to_thread(const PlayState<std::uint32_t>& from) {
  PlayState<ThreadWord> to{};
  for (int s = 0; s < 4; ++s) {
    to.hand[s].v = from.hand[s];
    to.table[s].v = from.table[s];
    to.taken[s].v = from.taken[s];
    to.played[s].v = from.played[s];
  }
  to.trumps.v = from.trumps;
  to.top.v = from.top;
  to.second.v = from.second;
  to.low_tens.v = from.low_tens;
  to.call_group.v = from.call_group;
  to.bound.v = from.bound;
  to.run_min.v = from.run_min;
  to.switches.v = from.switches;
  to.led_group.v = from.led_group;
  to.beaters.v = from.beaters;
  to.winner.v = from.winner;
  to.turn.v = from.turn;
  to.on_table.v = from.on_table;
  to.num_played.v = from.num_played;
  to.next_stop.v = from.next_stop;
  to.seats.v = from.seats;
  return to;
}

/// Random legal cards until `next_stop` of them are played. Card number n of a deal is drawn as
/// VectorEnv draws its actions, without claims: below(card_draw(key, seat, n), count of the mask).
constexpr std::uint64_t card_trace(const PlayState<std::uint32_t>& start, std::uint64_t key) {
  PlayState<ThreadWord> state = to_thread(start);
  std::uint64_t hash = key;
  while (state.num_played.v < state.next_stop.v) {
    const ThreadWord seat = state.turn;
    const std::uint32_t legal = legal_cards(state).v;
    const std::uint64_t draw = card_draw(key, seat.v, state.num_played.v);
    const std::uint32_t card = nth_card(legal, below(draw, count_bits(legal)));
    play_card(state, ThreadWord{card});
    hash = fold_card(hash, legal, card, seat.v, state.turn.v);
  }
  for (const ThreadWord taken : state.taken) hash = fold_taken(hash, taken.v);
  return hash;
}

}  // namespace schafkopf
