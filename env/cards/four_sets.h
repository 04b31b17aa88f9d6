// Sets of cards of all seats side by side: what the end of a deal counts of each of them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "env/base/bits.h"
#include "env/cards/card.h"

namespace schafkopf {

/// Bits of a set, or a number, of each seat.
using FourSets = std::uint32_t __attribute__((vector_size(16)));
static_assert(sizeof(FourSets) == kNumSeats * sizeof(std::uint32_t));

[[nodiscard]] inline FourSets load_four(const std::uint32_t (&words)[kNumSeats]) {
  FourSets sets;
  std::memcpy(&sets, words, sizeof sets);
  return sets;
}

/// Of the four bytes of each word, whose sum is one byte too.
[[nodiscard]] constexpr FourSets sums_of_bytes(FourSets x) {
  x += x >> 16;
  return (x + (x >> 8)) & 0xFFu;
}

/// As points_of(CardSet), of each seat.
[[nodiscard]] constexpr FourSets points_of(FourSets sets) {
  constexpr std::uint32_t kOfEachSuit = CardSet::rank(Rank::k7).bits();
  const auto has = [sets](Rank rank) { return (sets >> static_cast<int>(rank)) & kOfEachSuit; };
  static_assert(kRankPoints[7] == 8 + 2 + 1 && kRankPoints[6] == 8 + 2 && kRankPoints[5] == 4 &&
                kRankPoints[4] == 2 + 1 && kRankPoints[3] == 2);
  const FourSets aces = has(Rank::kAss), ober = has(Rank::kOber), full = aces + has(Rank::k10);
  const FourSets twos = full + ober + has(Rank::kUnter);
  return sums_of_bytes((full << 3) + (has(Rank::kKoenig) << 2) + (twos << 1) + aces + ober);
}

/// As CardSet::count, of each seat.
[[nodiscard]] constexpr FourSets count_cards(FourSets sets) {
  return sums_of_bytes(counts_of_bytes(sets));
}

/// Numbers below 256 as bytes.
[[nodiscard]] inline std::array<std::uint8_t, kNumSeats> bytes_of(FourSets numbers) {
#ifdef __SSE2__
  const auto words = reinterpret_cast<__m128i>(numbers);
  const __m128i halves = _mm_packs_epi32(words, words);
  return std::bit_cast<std::array<std::uint8_t, kNumSeats>>(
      _mm_cvtsi128_si32(_mm_packus_epi16(halves, halves)));
#else
  std::array<std::uint8_t, kNumSeats> bytes;
  for (std::size_t k = 0; k < kNumSeats; ++k) bytes[k] = static_cast<std::uint8_t>(numbers[k]);
  return bytes;
#endif
}

/// All cards of the seats of a mask, bit per seat.
[[nodiscard]] inline std::uint32_t cards_of_seats(FourSets sets, unsigned seats) {
  constexpr FourSets kBits = {1, 2, 4, 8};
  const FourSets asked = (FourSets{} + seats) & kBits;
  const FourSets chosen = sets & reinterpret_cast<FourSets>(asked != 0);
  return chosen[0] | chosen[1] | chosen[2] | chosen[3];
}

}  // namespace schafkopf
