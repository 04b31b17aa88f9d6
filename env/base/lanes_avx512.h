// Words of lanes of AVX-512: 16 games or views. For the files that are compiled for it
// (cmake/SchafkopfKernels.cmake); `File` is a type of an unnamed namespace of theirs (lane_word.h).
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "env/base/lane_word.h"

namespace schafkopf {

template <class File>
struct LanesAvx512 {
  static constexpr std::size_t kLanes = 16;
  using Vector = std::uint32_t __attribute__((vector_size(64)));
  using Signed = std::int32_t __attribute__((vector_size(64)));

  using Pairs = std::uint16_t __attribute__((vector_size(64)));
  using Draws = std::uint64_t __attribute__((vector_size(64)));

  SCHAFKOPF_LANE static std::uint32_t bits(Vector mask) {
    return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask));
  }
  // By arithmetic: a comparison ends in a mask register, and the way there and back takes 8 cycles.
  SCHAFKOPF_LANE static Vector one_if(Vector x) {
    return reinterpret_cast<Vector>(
        _mm512_min_epu32(reinterpret_cast<__m512i>(x), _mm512_set1_epi32(1)));
  }
  SCHAFKOPF_LANE static Vector all_if(Vector x) { return -one_if(x); }
  SCHAFKOPF_LANE static Vector all_equal(Vector a, Vector b) { return one_if(a ^ b) - 1u; }
  SCHAFKOPF_LANE static Vector all_at_least(Vector a, Vector b) {
    return ~reinterpret_cast<Vector>(reinterpret_cast<Signed>(a - b) >> 31);
  }
  SCHAFKOPF_LANE static Vector load_halves(const std::uint32_t* low, const std::uint32_t* high) {
    const __m512i first =
        _mm512_castsi256_si512(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(low)));
    const __m256i second = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(high));
    return reinterpret_cast<Vector>(_mm512_inserti64x4(first, second, 1));
  }
  SCHAFKOPF_LANE static void store_halves(Vector both, std::uint32_t* low, std::uint32_t* high) {
    const auto words = reinterpret_cast<__m512i>(both);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(low), _mm512_castsi512_si256(words));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(high), _mm512_extracti64x4_epi64(words, 1));
  }

  // Bytes: each word is four.

  /// Byte k of a word: that of `table` in the same sixteen bytes at index[k] & 15, 0 from 128 on.
  SCHAFKOPF_LANE static Vector shuffled_bytes(Vector table, Vector index) {
    return reinterpret_cast<Vector>(
        _mm512_shuffle_epi8(reinterpret_cast<__m512i>(table), reinterpret_cast<__m512i>(index)));
  }
  /// Sixteen bytes, again and again.
  SCHAFKOPF_LANE static Vector sixteen_bytes(const std::uint8_t* bytes) {
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    return reinterpret_cast<Vector>(_mm512_broadcast_i32x4(sixteen));
  }
  /// Sums of the four bytes of each word.
  SCHAFKOPF_LANE static Vector sums_of_bytes(Vector words) {
    const __m512i pairs =
        _mm512_maddubs_epi16(reinterpret_cast<__m512i>(words), _mm512_set1_epi8(1));
    return reinterpret_cast<Vector>(_mm512_madd_epi16(pairs, _mm512_set1_epi16(1)));
  }
  SCHAFKOPF_LANE static Vector least_bytes(Vector a, Vector b) {
    return reinterpret_cast<Vector>(
        _mm512_min_epu8(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
  SCHAFKOPF_LANE static Vector difference_of_bytes(Vector a, Vector b) {
    return reinterpret_cast<Vector>(
        _mm512_sub_epi8(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
  /// At most 255.
  SCHAFKOPF_LANE static Vector bounded_sum_of_bytes(Vector a, Vector b) {
    return reinterpret_cast<Vector>(
        _mm512_adds_epu8(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
};

}  // namespace schafkopf
