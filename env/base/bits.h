// Number of set bits without a call: portable builds have no instruction for it, and std::popcount
// asks the compiler's library there.
#pragma once

#include <bit>
#include <cstdint>

namespace schafkopf {

/// Set bits of each byte of a word of 32 bits, or of each word of a vector of them.
template <class Words>
[[nodiscard]] constexpr Words counts_of_bytes(Words x) {
  x -= (x >> 1) & 0x55555555u;
  x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
  return (x + (x >> 4)) & 0x0F0F0F0Fu;
}

[[nodiscard]] constexpr int count_bits(std::uint32_t x) {
#ifdef __POPCNT__
  return std::popcount(x);
#else
  return static_cast<int>((counts_of_bytes(x) * 0x01010101u) >> 24);
#endif
}

[[nodiscard]] constexpr int count_bits(std::uint64_t x) {
#ifdef __POPCNT__
  return std::popcount(x);
#else
  x -= (x >> 1) & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + ((x >> 2) & 0x3333333333333333u);
  return static_cast<int>((((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u) >> 56);
#endif
}
static_assert(count_bits(0xFFFFFFFFu) == 32 && count_bits(~std::uint64_t{0}) == 64);
static_assert(count_bits(0x80000001u) == 2 && count_bits(std::uint64_t{0x8000000180000001u}) == 4);

}  // namespace schafkopf
