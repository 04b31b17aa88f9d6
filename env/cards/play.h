// Card play as mask arithmetic (RULES E; PERFORMANCE section 4), templated on the word type: one
// game with std::uint32_t, a block of games with a vector of 32-bit lanes. No containers,
// exceptions, branches on data or host calls: a device thread is a third instantiation (env/device).
#pragma once

#include <cstdint>

#include "env/base/bits.h"

namespace schafkopf {

// Word operations for one game; a lane type brings its own overloads of the same names.
constexpr std::uint32_t all_if(std::uint32_t x) { return 0u - static_cast<std::uint32_t>(x != 0); }
constexpr std::uint32_t all_equal(std::uint32_t a, std::uint32_t b) {
  return 0u - static_cast<std::uint32_t>(a == b);
}
constexpr std::uint32_t all_at_least(std::uint32_t a, std::uint32_t b) {
  return 0u - static_cast<std::uint32_t>(a >= b);
}
/// Whether some lane of a mask is set: lets work be skipped that no lane needs.
constexpr bool any(std::uint32_t mask) { return mask != 0; }
constexpr std::uint32_t count(std::uint32_t x) { return static_cast<std::uint32_t>(count_bits(x)); }
constexpr std::uint32_t word_like(std::uint32_t, std::uint32_t value) { return value; }
constexpr std::uint32_t pick(const std::uint32_t (&words)[4], std::uint32_t seat) {
  return words[seat];
}
/// words[seat] = (words[seat] & ~off) | on
constexpr void change(std::uint32_t (&words)[4], std::uint32_t seat, std::uint32_t off,
                      std::uint32_t on) {
  words[seat] = (words[seat] & ~off) | on;
}
/// a where the mask is all ones, b where it is zero; never `?:` on data.
template <class W>
constexpr W blend(W mask, W a, W b) {
  return b ^ (mask & (a ^ b));
}

/// Cards in play. The contract is data: trump groups, called card, limits.
template <class W>
struct PlayState {
  W hand[4];
  W table[4];   // one-hot card of the running trick by seat
  W taken[4];   // cards of won tricks
  W played[4];  // all cards played by seat
  // contract
  W trumps;      // whole trump set
  W top;         // strongest trump rank, E > G > H > S
  W second;      // next trump rank, or 0
  W low_tens;    // tens, where they rank between 9 and Unter (C.14), else 0
  W call_group;  // plain cards of the called suit, or 0
  W bound;       // called card while its duties hold (E.3), else 0
  W run_min;     // other cards needed to run away
  W switches;    // what the house rules change (play_switches)
  // trick
  W led_group;  // group of the led card
  W beaters;    // cards that beat the best card of the trick
  W winner;     // seat of the best card
  W turn;       // seat to play
  W on_table;   // cards in the running trick
  W num_played;
  W next_stop;  // number of cards played at which scalar code must look
  W seats;      // 3 or 4
};

/// The word `switches`: its low byte is the number of cards left in hand from which on the called
/// card may be discarded; each bit above is a switch of card play that is on or off.
inline constexpr std::uint32_t kDiscardWindow = 0xFFu;

/// What the switches of a rule set say to the rules below. A template, since this room knows no rule
/// set; nothing else turns switches into words of card play.
template <class Rules>
constexpr std::uint32_t play_switches(const Rules& rules) {
  return static_cast<std::uint32_t>(rules.called_discard_window);
}
/// Cards of the call suit beside the called card that are needed to run away; a number that no hand
/// reaches switches it off.
template <class Rules>
constexpr std::uint32_t needed_to_run_away(const Rules& rules) {
  return rules.runaway_enabled ? static_cast<std::uint32_t>(rules.runaway_min_others) : 32u;
}
template <class Rules>
constexpr void take_over_switches(PlayState<std::uint32_t>& state, const Rules& rules) {
  state.run_min = needed_to_run_away(rules);
  state.switches = play_switches(rules);
}

inline constexpr std::uint32_t kMiddleRanks = 0x38383838u;  // U, O, K

/// Whole suit of a one-hot card.
template <class W>
constexpr W suit_mask(W card) {
  const W low = word_like(card, 0x7F7F7F7Fu), high = word_like(card, 0x80808080u);
  const W filled = (((card & low) + low) | card) & high;
  return filled | (filled - (filled >> 7));
}

/// Cards that follow when `card` is led: the trump set or the plain cards of its suit (E.1).
template <class W>
constexpr W group_of(const PlayState<W>& state, W card) {
  return blend(all_if(card & state.trumps), state.trumps, suit_mask(card) & ~state.trumps);
}

/// Cards that beat `card` when its group is led or trumped (E.1, plain order by index or C.14).
template <class W>
constexpr W beaters_of(const PlayState<W>& state, W card, W group) {
  const W below = card - word_like(card, 1u);
  const W middle = word_like(card, kMiddleRanks);
  W above = ~(card | below);
  above = above & ~(state.low_tens & all_if(card & middle));
  above = above | (middle & all_if(card & state.low_tens));
  const W plain =
      blend(all_if(card & state.trumps), state.top | state.second, state.trumps) | (group & above);
  const W in_second = state.top | (state.second & below);
  return blend(all_if(card & state.top), state.top & below,
               blend(all_if(card & state.second), in_second, plain));
}

// The duties of one seat. `Duties` is a PlayState, or what a solver that numbers the cards anew has
// of one: trumps, led_group, call_group, bound, run_min, switches.

/// The called card in this hand while its duties hold, else 0 (E.3 `own`).
template <class Duties, class W>
constexpr W bound_card(const Duties& state, W hand) {
  return hand & state.bound;
}

/// What the seat on lead may play: the called suit only with the called card, unless it may run
/// away (E.3.3, E.3.4; ).
template <class Duties, class W>
constexpr W may_lead(const Duties& state, W hand) {
  const W called = bound_card(state, hand);
  const W others = hand & state.call_group & ~called;
  const W may_run_away = all_at_least(count(others), state.run_min);
  return hand & ~(all_if(called) & ~may_run_away & others);
}

/// What a seat that can follow may play: the led group, the called card when it is searched
/// (E.3.1; R-115).
template <class Duties, class W>
constexpr W must_follow(const Duties& state, W hand) {
  const W follow = hand & state.led_group;
  const W searched = follow & bound_card(state, hand);
  return blend(all_if(searched), searched, follow);
}

/// What a seat that cannot follow may play: anything but the called card before its window
/// (E.3.2; ).
template <class Duties, class W>
constexpr W may_discard(const Duties& state, W hand) {
  const W window = state.switches & word_like(hand, kDiscardWindow);
  const W early = ~all_at_least(window, count(hand));
  return hand & ~(bound_card(state, hand) & early);
}

/// Legal cards of the seat to play: a non-empty subset of its hand (E.3).
template <class W>
constexpr W legal_cards(const PlayState<W>& state) {
  const W hand = pick(state.hand, state.turn);
  const W on_lead = ~all_if(state.on_table);
  const W follow = must_follow(state, hand);
  return blend(on_lead, may_lead(state, hand),
               blend(all_if(follow), follow, may_discard(state, hand)));
}

/// Give the trick to its winner where `full` is set.
template <class W>
constexpr void take_trick(PlayState<W>& state, W full) {
  const W trick = state.table[0] | state.table[1] | state.table[2] | state.table[3];
  change(state.taken, state.winner, full ^ full, full & trick);
  for (W& word : state.table) word = word & ~full;
  state.on_table = state.on_table & ~full;
}

/// Play a one-hot legal card for the seat to play, finish the trick, pass the turn.
template <class W>
constexpr void play_card(PlayState<W>& state, W card) {
  const W on_lead = ~all_if(state.on_table);
  const W group = group_of(state, card);
  const W owned = all_if(pick(state.hand, state.turn) & state.bound);
  // the duties end with the called card itself or when its owner leads its suit without it (E.3.5)
  state.bound = state.bound & ~card & ~(owned & on_lead & all_if(card & state.call_group));
  state.led_group = blend(on_lead, group, state.led_group);
  const W better = on_lead | all_if(card & state.beaters);
  state.beaters = blend(better, beaters_of(state, card, group), state.beaters);
  state.winner = blend(better, state.turn, state.winner);
  const W none = card ^ card;
  change(state.hand, state.turn, card, none);
  change(state.table, state.turn, none, card);
  change(state.played, state.turn, none, card);
  const W one = word_like(card, 1u);
  state.num_played = state.num_played + one;
  state.on_table = state.on_table + one;
  const W full = all_equal(state.on_table, state.seats);
  const W next = state.turn + one;
  state.turn = blend(full, state.winner, next & ~all_equal(next, state.seats));
  if (any(full)) take_trick(state, full);
}

}  // namespace schafkopf
