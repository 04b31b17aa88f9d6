// The inner loops of the encoder, each in a portable form and in the widest vector form that the
// target has: bits to bytes and floats, bytes to floats, cards to the canonical index, proven
// voids. Both forms give the same values. Internal to env/encoder.cpp and its test.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace schafkopf::kernels {

inline constexpr int kTrumpGroup = 16;  // group bits: 1 << slot for plain suits, 16 for trumps

/// What decides the group of a card: per rank the suits in which it is trump (bit per suit), and
/// per suit the group bit of its plain cards.
struct Groups {
  std::uint8_t trump_suits[8] = {};
  std::uint8_t plain[4] = {1, 2, 4, 8};
};

namespace portable {

/// 64 bits to 64 bytes 0 / 1, lowest bit first.
inline void expand_bits(std::uint64_t bits, std::uint8_t* out) {
  for (int i = 0; i < 8; ++i) {
    const std::uint64_t spread = ((bits >> (8 * i)) & 0xFFu) * 0x0101010101010101u;
    // bit j stays in byte j; adding 0x7F.. moves it to the top bit of its byte
    const std::uint64_t one_each = spread & 0x8040201008040201u;
    const std::uint64_t bytes =
        (((one_each & 0x7F7F7F7F7F7F7F7Fu) + 0x7F7F7F7F7F7F7F7Fu) | one_each) >> 7;
    const std::uint64_t values = bytes & 0x0101010101010101u;
    for (int j = 0; j < 8; ++j) out[8 * i + j] = static_cast<std::uint8_t>(values >> (8 * j));
  }
}

/// 64 bits to 64 floats 0 / 1.
inline void expand_bits(std::uint64_t bits, float* out) {
  for (int i = 0; i < 64; ++i) out[i] = static_cast<float>((bits >> i) & 1u);
}

/// n bytes to floats, each with its own scale.
inline void scale_bytes(const std::uint8_t* bytes, const float* scale, int n, float* out) {
  for (int i = 0; i < n; ++i) out[i] = static_cast<float>(bytes[i]) * scale[i];
}

/// Seats that did not follow, 5 group bits in the byte of the relative seat: the led group of every
/// trick to which a seat played another group (a seat that can follow must, R-112).
///
/// plays  32 bytes of OrderLine::plays; seats 3 or 4
inline std::uint32_t void_groups(const std::uint8_t* plays, int seats, const Groups& groups) {
  std::uint32_t voids = 0;
  for (int first = 0; first < 32 && (plays[first] & 0x80) != 0; first += seats) {
    std::uint32_t led = 0;
    for (int i = first; i < first + seats && i < 32 && (plays[i] & 0x80) != 0; ++i) {
      const unsigned card = plays[i] & 31u, suit = card >> 3;
      const bool trump = ((groups.trump_suits[card & 7u] >> suit) & 1u) != 0;
      const std::uint32_t group = trump ? kTrumpGroup : groups.plain[suit];
      if (i == first) led = group;
      if (group != led) voids |= led << (8 * ((plays[i] >> 5) & 3));
    }
  }
  return voids;
}

}  // namespace portable

/// Words of cards from the absolute to the canonical index (card_map.h), in place.
inline void permute_words(std::uint32_t (&words)[16], std::uint32_t kept,
                          const std::uint8_t* slots) {
  const std::uint32_t s0 = 8u * slots[0], s1 = 8u * slots[1];
  const std::uint32_t s2 = 8u * slots[2], s3 = 8u * slots[3];
  for (std::uint32_t& word : words) {  // one vector operation each: uniform shifts
    const std::uint32_t rest = word & ~kept;
    word = (word & kept) | ((rest & 0xFFu) << s0) | (((rest >> 8) & 0xFFu) << s1) |
           (((rest >> 16) & 0xFFu) << s2) | ((rest >> 24) << s3);
  }
}

#if defined(__AVX512BW__) && defined(__AVX512VL__)

inline void expand_bits(std::uint64_t bits, std::uint8_t* out) {
  _mm512_storeu_si512(out, _mm512_maskz_set1_epi8(bits, 1));
}
inline void expand_bits(std::uint64_t bits, float* out) {
  const __m512 one = _mm512_set1_ps(1.0F);
  for (int i = 0; i < 4; ++i) {
    const auto mask = static_cast<__mmask16>(bits >> (16 * i));
    _mm512_storeu_ps(out + 16 * i, _mm512_maskz_mov_ps(mask, one));
  }
}

#elif defined(__AVX2__)

/// 32 bits to a byte mask 0xFF / 0.
inline __m256i byte_mask(std::uint32_t bits) {
  const __m256i spread =
      _mm256_shuffle_epi8(_mm256_set1_epi32(static_cast<int>(bits)),
                          _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                           2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3));
  const __m256i select = _mm256_set1_epi64x(static_cast<long long>(0x8040201008040201u));
  return _mm256_cmpeq_epi8(_mm256_and_si256(spread, select), select);
}
inline void expand_bits(std::uint64_t bits, std::uint8_t* out) {
  const __m256i one = _mm256_set1_epi8(1);
  for (int i = 0; i < 2; ++i) {
    const __m256i mask = byte_mask(static_cast<std::uint32_t>(bits >> (32 * i)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + 32 * i), _mm256_and_si256(mask, one));
  }
}
inline void expand_bits(std::uint64_t bits, float* out) {
  const __m256i select = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
  const __m256 one = _mm256_set1_ps(1.0F);
  for (int i = 0; i < 8; ++i) {
    const __m256i spread = _mm256_set1_epi32(static_cast<int>((bits >> (8 * i)) & 0xFFu));
    const __m256i mask = _mm256_cmpeq_epi32(_mm256_and_si256(spread, select), select);
    _mm256_storeu_ps(out + 8 * i, _mm256_and_ps(_mm256_castsi256_ps(mask), one));
  }
}

#else

using portable::expand_bits;

#endif

#if defined(__AVX2__)

inline void scale_bytes(const std::uint8_t* bytes, const float* scale, int n, float* out) {
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i raw = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes + i));
    const __m256 values = _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(raw));
    _mm256_storeu_ps(out + i, _mm256_mul_ps(values, _mm256_loadu_ps(scale + i)));
  }
  portable::scale_bytes(bytes + i, scale + i, n - i, out + i);
}

/// As portable::void_groups, all tricks at once: one trick is one 32-bit lane.
inline std::uint32_t void_groups(const std::uint8_t* plays, int seats, const Groups& groups) {
  if (seats != 4) return portable::void_groups(plays, seats, groups);
  const __m256i line = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(plays));
  const __m256i rank = _mm256_and_si256(line, _mm256_set1_epi8(7));
  const __m256i suit = _mm256_and_si256(_mm256_srli_epi16(line, 3), _mm256_set1_epi8(3));
  std::uint64_t by_rank = 0;
  std::uint32_t by_suit = 0;
  std::memcpy(&by_rank, groups.trump_suits, sizeof by_rank);
  std::memcpy(&by_suit, groups.plain, sizeof by_suit);
  const __m256i ranks = _mm256_set1_epi64x(static_cast<long long>(by_rank));
  const __m256i plain = _mm256_set1_epi32(static_cast<int>(by_suit));
  const __m256i suit_bit = _mm256_shuffle_epi8(_mm256_set1_epi32(0x08040201), suit);  // 1 << suit
  const __m256i trump =
      _mm256_cmpeq_epi8(_mm256_and_si256(_mm256_shuffle_epi8(ranks, rank), suit_bit), suit_bit);
  const __m256i group =
      _mm256_blendv_epi8(_mm256_shuffle_epi8(plain, suit), _mm256_set1_epi8(kTrumpGroup), trump);
  const __m256i led = _mm256_shuffle_epi8(
      group, _mm256_setr_epi8(0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 8, 8, 12, 12, 12, 12, 0, 0, 0, 0, 4, 4,
                              4, 4, 8, 8, 8, 8, 12, 12, 12, 12));
  const __m256i absent = _mm256_cmpgt_epi8(line, _mm256_set1_epi8(-1));  // bit 7 clear
  const __m256i follows = _mm256_or_si256(absent, _mm256_cmpeq_epi8(group, led));
  const __m256i missing = _mm256_andnot_si256(follows, led);
  // byte i of a trick belongs to seat leader + i: rotate by 8 * leader, so that byte = seat
  const __m256i shift = _mm256_and_si256(_mm256_srli_epi32(line, 2), _mm256_set1_epi32(0x18));
  const __m256i back = _mm256_sub_epi32(_mm256_set1_epi32(32), shift);
  const __m256i turned =
      _mm256_or_si256(_mm256_sllv_epi32(missing, shift), _mm256_srlv_epi32(missing, back));
  __m128i any = _mm_or_si128(_mm256_castsi256_si128(turned), _mm256_extracti128_si256(turned, 1));
  any = _mm_or_si128(any, _mm_shuffle_epi32(any, 0x4E));
  any = _mm_or_si128(any, _mm_shuffle_epi32(any, 0xB1));
  return static_cast<std::uint32_t>(_mm_cvtsi128_si32(any));
}

#else

using portable::scale_bytes;
using portable::void_groups;

#endif

/// Bytes 5 bits wide, packed to 20 bits: seat s has bits 5 s .. 5 s + 4.
inline std::uint32_t pack_groups(std::uint32_t voids) {
  return (voids & 0x1Fu) | ((voids >> 3) & 0x3E0u) | ((voids >> 6) & 0x7C00u) |
         ((voids >> 9) & 0xF8000u);
}

}  // namespace schafkopf::kernels
