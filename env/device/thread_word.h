// A word of the game of one thread of a device. With std::uint32_t itself the seats of a PlayState
// would be indexed, which keeps it in memory: here they are picked by masks, so it stays in registers.
#pragma once

#include <cstdint>

#include "env/cards/play.h"

namespace schafkopf {

struct ThreadWord {
  std::uint32_t v;

  friend constexpr ThreadWord operator&(ThreadWord a, ThreadWord b) { return {a.v & b.v}; }
  friend constexpr ThreadWord operator|(ThreadWord a, ThreadWord b) { return {a.v | b.v}; }
  friend constexpr ThreadWord operator^(ThreadWord a, ThreadWord b) { return {a.v ^ b.v}; }
  friend constexpr ThreadWord operator+(ThreadWord a, ThreadWord b) { return {a.v + b.v}; }
  friend constexpr ThreadWord operator-(ThreadWord a, ThreadWord b) { return {a.v - b.v}; }
  friend constexpr ThreadWord operator~(ThreadWord a) { return {~a.v}; }
  friend constexpr ThreadWord operator>>(ThreadWord a, int n) { return {a.v >> n}; }
};

// What play.h calls.

constexpr ThreadWord word_like(ThreadWord, std::uint32_t value) { return {value}; }
constexpr ThreadWord all_if(ThreadWord x) { return {all_if(x.v)}; }
constexpr ThreadWord all_equal(ThreadWord a, ThreadWord b) { return {all_equal(a.v, b.v)}; }
constexpr ThreadWord all_at_least(ThreadWord a, ThreadWord b) { return {all_at_least(a.v, b.v)}; }
constexpr ThreadWord count(ThreadWord x) { return {count(x.v)}; }
/// The games of neighbouring threads end their tricks at different times, so work is never skipped.
constexpr bool any(ThreadWord) { return true; }

/// All ones where `seat` is this one.
constexpr ThreadWord at_seat(ThreadWord seat, std::uint32_t number) {
  return {all_equal(seat.v, number)};
}
constexpr ThreadWord pick(const ThreadWord (&words)[4], ThreadWord seat) {
  return (words[0] & at_seat(seat, 0)) | (words[1] & at_seat(seat, 1)) |
         (words[2] & at_seat(seat, 2)) | (words[3] & at_seat(seat, 3));
}
constexpr void change(ThreadWord (&words)[4], ThreadWord seat, ThreadWord off, ThreadWord on) {
  for (std::uint32_t s = 0; s < 4; ++s) {
    const ThreadWord here = at_seat(seat, s);
    words[s] = (words[s] & ~(off & here)) | (on & here);
  }
}

}  // namespace schafkopf
