// Words of lanes of AVX2: 8 games or views. For the files that are compiled for it
// (cmake/SchafkopfKernels.cmake); `File` is a type of an unnamed namespace of theirs (lane_word.h).
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "env/base/lane_word.h"

namespace schafkopf {

template <class File>
struct LanesAvx2 {
  static constexpr std::size_t kLanes = 8;
  using Vector = std::uint32_t __attribute__((vector_size(32)));
  using Signed = std::int32_t __attribute__((vector_size(32)));

  using Pairs = std::uint16_t __attribute__((vector_size(32)));
  using Draws = std::uint64_t __attribute__((vector_size(32)));

  SCHAFKOPF_LANE static std::uint32_t bits(Vector mask) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
  }
  SCHAFKOPF_LANE static Vector all_if(Vector x) { return reinterpret_cast<Vector>(x != 0); }
  SCHAFKOPF_LANE static Vector all_equal(Vector a, Vector b) {
    return reinterpret_cast<Vector>(a == b);
  }
  SCHAFKOPF_LANE static Vector all_at_least(Vector a, Vector b) {
    return reinterpret_cast<Vector>(reinterpret_cast<Signed>(a) >= reinterpret_cast<Signed>(b));
  }

  // Bytes: each word is four.

  /// Byte k of a word: that of `table` in the same sixteen bytes at index[k] & 15, 0 from 128 on.
  SCHAFKOPF_LANE static Vector shuffled_bytes(Vector table, Vector index) {
    return reinterpret_cast<Vector>(
        _mm256_shuffle_epi8(reinterpret_cast<__m256i>(table), reinterpret_cast<__m256i>(index)));
  }
  /// Sixteen bytes, again and again.
  SCHAFKOPF_LANE static Vector sixteen_bytes(const std::uint8_t* bytes) {
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    return reinterpret_cast<Vector>(_mm256_broadcastsi128_si256(sixteen));
  }
  /// Sums of the four bytes of each word.
  SCHAFKOPF_LANE static Vector sums_of_bytes(Vector words) {
    const __m256i pairs =
        _mm256_maddubs_epi16(reinterpret_cast<__m256i>(words), _mm256_set1_epi8(1));
    return reinterpret_cast<Vector>(_mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  }
  SCHAFKOPF_LANE static Vector least_bytes(Vector a, Vector b) {
    return reinterpret_cast<Vector>(
        _mm256_min_epu8(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  }
  SCHAFKOPF_LANE static Vector difference_of_bytes(Vector a, Vector b) {
    return reinterpret_cast<Vector>(
        _mm256_sub_epi8(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  }
  /// At most 255.
  SCHAFKOPF_LANE static Vector bounded_sum_of_bytes(Vector a, Vector b) {
    return reinterpret_cast<Vector>(
        _mm256_adds_epu8(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  }
};

}  // namespace schafkopf
