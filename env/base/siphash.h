// SipHash-2-4 of one word (Aumasson and Bernstein, 2012): who knows the result, and the word, does
// not find the key.
#pragma once

#include <bit>
#include <cstdint>

namespace schafkopf {

namespace detail {

struct SipState {
  std::uint64_t v0, v1, v2, v3;

  constexpr void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  constexpr void take(std::uint64_t word) {
    v3 ^= word;
    round();
    round();
    v0 ^= word;
  }
};

}  // namespace detail

/// A word under a key of two words; its bytes are those of a little-endian machine.
[[nodiscard]] constexpr std::uint64_t siphash(std::uint64_t key0, std::uint64_t key1,
                                              std::uint64_t word) {
  detail::SipState state{key0 ^ 0x736F6D6570736575u, key1 ^ 0x646F72616E646F6Du,
                         key0 ^ 0x6C7967656E657261u, key1 ^ 0x7465646279746573u};
  state.take(word);
  state.take(std::uint64_t{8} << 56);  // the length in bytes
  state.v2 ^= 0xFF;
  for (int i = 0; i < 4; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace schafkopf
