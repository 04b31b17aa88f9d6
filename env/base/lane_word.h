// A word of a block of games: lane k is game k. Brings the operations that play.h asks of a word.
// `Isa` is a type of an unnamed namespace of the one file that compiles it for its instruction set
// (kLanes games; Vector and Signed: that many words): everything here then has internal linkage, and no other file of the
// program can run into instructions that its processor lacks.
#pragma once

#include <cstddef>
#include <cstdint>

#define SCHAFKOPF_LANE [[gnu::always_inline]] inline

namespace schafkopf {

template <class Isa>
struct LaneWord {
  using Vector = Isa::Vector;
  Vector v;

  SCHAFKOPF_LANE friend LaneWord operator&(LaneWord a, LaneWord b) { return {a.v & b.v}; }
  SCHAFKOPF_LANE friend LaneWord operator|(LaneWord a, LaneWord b) { return {a.v | b.v}; }
  SCHAFKOPF_LANE friend LaneWord operator^(LaneWord a, LaneWord b) { return {a.v ^ b.v}; }
  SCHAFKOPF_LANE friend LaneWord operator+(LaneWord a, LaneWord b) { return {a.v + b.v}; }
  SCHAFKOPF_LANE friend LaneWord operator-(LaneWord a, LaneWord b) { return {a.v - b.v}; }
  SCHAFKOPF_LANE friend LaneWord operator~(LaneWord a) { return {~a.v}; }
  SCHAFKOPF_LANE friend LaneWord operator<<(LaneWord a, int n) { return {a.v << n}; }
  SCHAFKOPF_LANE friend LaneWord operator>>(LaneWord a, int n) { return {a.v >> n}; }
  SCHAFKOPF_LANE friend LaneWord operator<<(LaneWord a, LaneWord n) { return {a.v << n.v}; }
  SCHAFKOPF_LANE friend LaneWord operator>>(LaneWord a, LaneWord n) { return {a.v >> n.v}; }

  SCHAFKOPF_LANE friend LaneWord operator*(LaneWord a, std::uint32_t n) { return {a.v * n}; }

  SCHAFKOPF_LANE static LaneWord all(std::uint32_t value) { return {Vector{} + value}; }
};

// What play.h calls.

template <class Isa>
SCHAFKOPF_LANE LaneWord<Isa> word_like(LaneWord<Isa>, std::uint32_t value) {
  return LaneWord<Isa>::all(value);
}
template <class Isa>
SCHAFKOPF_LANE LaneWord<Isa> all_if(LaneWord<Isa> x) {
  return {Isa::all_if(x.v)};
}
template <class Isa>
SCHAFKOPF_LANE LaneWord<Isa> all_equal(LaneWord<Isa> a, LaneWord<Isa> b) {
  return {Isa::all_equal(a.v, b.v)};
}
/// Both below 2^31, as every count and number of cards is: signed arithmetic is at hand everywhere.
template <class Isa>
SCHAFKOPF_LANE LaneWord<Isa> all_at_least(LaneWord<Isa> a, LaneWord<Isa> b) {
  return {Isa::all_at_least(a.v, b.v)};
}
/// A block of games nearly always has a lane that is set: asking costs more than the work.
template <class Isa>
SCHAFKOPF_LANE bool any(LaneWord<Isa>) {
  return true;
}
template <class Isa>
SCHAFKOPF_LANE LaneWord<Isa> count(LaneWord<Isa> x) {
  using W = LaneWord<Isa>;
  x = x - ((x >> 1) & W::all(0x55555555u));
  x = (x & W::all(0x33333333u)) + ((x >> 2) & W::all(0x33333333u));
  x = (x + (x >> 4)) & W::all(0x0F0F0F0Fu);
  x = x + (x >> 8);
  return (x + (x >> 16)) & W::all(0x3Fu);
}
template <class Isa>
SCHAFKOPF_LANE LaneWord<Isa> pick(const LaneWord<Isa> (&words)[4], LaneWord<Isa> seat) {
  const auto odd = (seat.v & 1u) != 0, upper = (seat.v & 2u) != 0;
  return {upper ? (odd ? words[3].v : words[2].v) : (odd ? words[1].v : words[0].v)};
}
template <class Isa>
SCHAFKOPF_LANE void change(LaneWord<Isa> (&words)[4], LaneWord<Isa> seat, LaneWord<Isa> off,
                           LaneWord<Isa> on) {
  for (std::uint32_t s = 0; s < 4; ++s) {
    words[s].v = seat.v == s ? ((words[s].v & ~off.v) | on.v) : words[s].v;
  }
}

// Rows of memory, one per game, as words of lanes.

/// a[k], b[k], a[k + 1], b[k + 1] ... of each group of four lanes (16 bytes), its lower or its upper
/// half, in units of one or two lanes: the two first steps of a transposition.
template <class Isa>
struct LaneShuffle {
  using V = LaneWord<Isa>::Vector;
  // clang-format off
  SCHAFKOPF_LANE static V low(V a, V b) {
    if constexpr (Isa::kLanes == 8) return __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    else return __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29);
  }
  SCHAFKOPF_LANE static V high(V a, V b) {
    if constexpr (Isa::kLanes == 8) return __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    else return __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31);
  }
  // as words of 64 bits, for which g++ knows the cheap instruction
  using Pairs = Isa::Draws;
  SCHAFKOPF_LANE static V low_pairs(V a, V b) {
    const auto c = reinterpret_cast<Pairs>(a), d = reinterpret_cast<Pairs>(b);
    if constexpr (Isa::kLanes == 8) return reinterpret_cast<V>(__builtin_shufflevector(c, d, 0, 4, 2, 6));
    else return reinterpret_cast<V>(__builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14));
  }
  SCHAFKOPF_LANE static V high_pairs(V a, V b) {
    const auto c = reinterpret_cast<Pairs>(a), d = reinterpret_cast<Pairs>(b);
    if constexpr (Isa::kLanes == 8) return reinterpret_cast<V>(__builtin_shufflevector(c, d, 1, 5, 3, 7));
    else return reinterpret_cast<V>(__builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15));
  }
  /// Groups 0 (and 2) of a, then of b; groups 1 (and 3).
  SCHAFKOPF_LANE static V even_groups(V a, V b) {
    if constexpr (Isa::kLanes == 8) return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11);
    else return __builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
  }
  SCHAFKOPF_LANE static V odd_groups(V a, V b) {
    if constexpr (Isa::kLanes == 8) return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15);
    else return __builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
  }
  // clang-format on
};

/// A square of kLanes words of kLanes games, turned over its diagonal.
template <class Isa>
SCHAFKOPF_LANE void transpose(typename LaneWord<Isa>::Vector (&r)[Isa::kLanes]) {
  using S = LaneShuffle<Isa>;
  using V = LaneWord<Isa>::Vector;
  constexpr std::size_t n = Isa::kLanes;
  V t[n];
  // squares of four, side by side in the groups of a vector
#pragma GCC unroll 4
  for (std::size_t k = 0; k < n; k += 4) {
    const V a = S::low(r[k], r[k + 1]), b = S::high(r[k], r[k + 1]);
    const V c = S::low(r[k + 2], r[k + 3]), d = S::high(r[k + 2], r[k + 3]);
    t[k] = S::low_pairs(a, c);
    t[k + 1] = S::high_pairs(a, c);
    t[k + 2] = S::low_pairs(b, d);
    t[k + 3] = S::high_pairs(b, d);
  }
  // squares of groups
  if constexpr (n == 8) {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      r[k] = S::even_groups(t[k], t[k + 4]);
      r[k + 4] = S::odd_groups(t[k], t[k + 4]);
    }
  } else {
#pragma GCC unroll 4
    for (std::size_t k = 0; k < 4; ++k) {
      const V even = S::even_groups(t[k], t[k + 4]), odd = S::odd_groups(t[k], t[k + 4]);
      const V even2 = S::even_groups(t[k + 8], t[k + 12]),
              odd2 = S::odd_groups(t[k + 8], t[k + 12]);
      r[k] = S::even_groups(even, even2);
      r[k + 8] = S::odd_groups(even, even2);
      r[k + 4] = S::even_groups(odd, odd2);
      r[k + 12] = S::odd_groups(odd, odd2);
    }
  }
}

/// kWords words from `rows[k] + at` on, of every game k. `rows` is an array of pointers, or what has them
/// like one.
template <class Isa, std::size_t kWords, class Rows>
SCHAFKOPF_LANE void load_words(const Rows& rows, std::size_t at, LaneWord<Isa> (&words)[kWords]) {
  using V = LaneWord<Isa>::Vector;
  constexpr std::size_t n = Isa::kLanes;
  static_assert(kWords % n == 0);
#pragma GCC unroll 4
  for (std::size_t first = 0; first < kWords; first += n) {
    V square[n];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < n; ++k)
      __builtin_memcpy(&square[k], rows[k] + at + first, sizeof(V));
    transpose<Isa>(square);
#pragma GCC unroll 16
    for (std::size_t k = 0; k < n; ++k) words[first + k].v = square[k];
  }
}

/// The same into the rows.
template <class Isa, std::size_t kWords, class Rows>
SCHAFKOPF_LANE void store_words(const Rows& rows, std::size_t at, const LaneWord<Isa>* words) {
  using V = LaneWord<Isa>::Vector;
  constexpr std::size_t n = Isa::kLanes;
  static_assert(kWords % n == 0);
#pragma GCC unroll 4
  for (std::size_t first = 0; first < kWords; first += n) {
    V square[n];
#pragma GCC unroll 16
    for (std::size_t k = 0; k < n; ++k) square[k] = words[first + k].v;
    transpose<Isa>(square);
#pragma GCC unroll 16
    for (std::size_t k = 0; k < n; ++k)
      __builtin_memcpy(rows[k] + at + first, &square[k], sizeof(V));
  }
}

/// Eight words of sixteen games: half a transposition.
template <class Isa, class Rows>
SCHAFKOPF_LANE void load_half(const Rows& rows, std::size_t at, LaneWord<Isa> (&words)[8]) {
  using S = LaneShuffle<Isa>;
  using V = LaneWord<Isa>::Vector;
  static_assert(Isa::kLanes == 16);
  V t[8];  // t[j]: words 0 to 3 of games j, 4 + j, 8 + j, 12 + j; t[4 + j]: words 4 to 7
#pragma GCC unroll 4
  for (std::size_t j = 0; j < 4; ++j) {
    const V first = Isa::load_halves(rows[j] + at, rows[4 + j] + at);
    const V last = Isa::load_halves(rows[8 + j] + at, rows[12 + j] + at);
    // clang-format off
    t[j] = __builtin_shufflevector(first, last, 0, 1, 2, 3, 8, 9, 10, 11, 16, 17, 18, 19, 24, 25, 26, 27);
    t[4 + j] = __builtin_shufflevector(first, last, 4, 5, 6, 7, 12, 13, 14, 15, 20, 21, 22, 23, 28, 29, 30, 31);
    // clang-format on
  }
#pragma GCC unroll 2
  for (std::size_t k = 0; k < 8; k += 4) {
    const V a = S::low(t[k], t[k + 1]), b = S::high(t[k], t[k + 1]);
    const V c = S::low(t[k + 2], t[k + 3]), d = S::high(t[k + 2], t[k + 3]);
    words[k].v = S::low_pairs(a, c);
    words[k + 1].v = S::high_pairs(a, c);
    words[k + 2].v = S::low_pairs(b, d);
    words[k + 3].v = S::high_pairs(b, d);
  }
}

/// Eight words into the rows of sixteen games.
template <class Isa, class Rows>
SCHAFKOPF_LANE void store_half(const Rows& rows, std::size_t at, const LaneWord<Isa>* words) {
  using S = LaneShuffle<Isa>;
  using V = LaneWord<Isa>::Vector;
  static_assert(Isa::kLanes == 16);
  V t[8];  // t[j]: words 0 to 3 of games j, 4 + j, 8 + j, 12 + j; t[4 + j]: words 4 to 7
#pragma GCC unroll 2
  for (std::size_t k = 0; k < 8; k += 4) {
    const V a = S::low(words[k].v, words[k + 1].v), b = S::high(words[k].v, words[k + 1].v);
    const V c = S::low(words[k + 2].v, words[k + 3].v), d = S::high(words[k + 2].v, words[k + 3].v);
    t[k] = S::low_pairs(a, c);
    t[k + 1] = S::high_pairs(a, c);
    t[k + 2] = S::low_pairs(b, d);
    t[k + 3] = S::high_pairs(b, d);
  }
#pragma GCC unroll 4
  for (std::size_t j = 0; j < 4; ++j) {
    // clang-format off
    const V first = __builtin_shufflevector(t[j], t[4 + j], 0, 1, 2, 3, 16, 17, 18, 19, 4, 5, 6, 7, 20, 21, 22, 23);
    const V last = __builtin_shufflevector(t[j], t[4 + j], 8, 9, 10, 11, 24, 25, 26, 27, 12, 13, 14, 15, 28, 29, 30, 31);
    // clang-format on
    Isa::store_halves(first, rows[j] + at, rows[4 + j] + at);
    Isa::store_halves(last, rows[8 + j] + at, rows[12 + j] + at);
  }
}

}  // namespace schafkopf
