// The step of blocks of games, compiled for AVX512 (cmake/SchafkopfKernels.cmake).
#include <immintrin.h>

#include "env/base/lanes_avx512.h"
#include "env/lanes/kernels.h"
#include "env/lanes/lane_step.h"
#include "env/lanes/mask_bytes.h"

namespace schafkopf {
namespace {

struct OfThisFile {};
struct Isa : LanesAvx512<OfThisFile> {
  SCHAFKOPF_LANE static Draws widened_seats(const std::uint8_t* seats) {
    const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(seats));
    return reinterpret_cast<Draws>(_mm512_cvtepu8_epi64(eight));
  }
  SCHAFKOPF_LANE static Draws widened_decisions(const std::uint32_t* decisions) {
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(decisions));
    return reinterpret_cast<Draws>(_mm512_cvtepu32_epi64(eight));
  }
  /// Lower and upper words of as many masks.
  SCHAFKOPF_LANE static void load_masks(const std::uint64_t* masks, Draws& low, Draws& high) {
    Draws a, b;
    __builtin_memcpy(&a, masks, sizeof a);
    __builtin_memcpy(&b, masks + 8, sizeof b);
    low = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
    high = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
  }
  /// Set bits of each word.
  SCHAFKOPF_LANE static Draws counts(Draws words) {
    const __m512i of_four =
        _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m512i nibble = _mm512_set1_epi8(0x0F), all = reinterpret_cast<__m512i>(words);
    const __m512i low = _mm512_shuffle_epi8(of_four, _mm512_and_si512(all, nibble));
    const __m512i high =
        _mm512_shuffle_epi8(of_four, _mm512_and_si512(_mm512_srli_epi16(all, 4), nibble));
    return reinterpret_cast<Draws>(
        _mm512_sad_epu8(_mm512_add_epi8(low, high), _mm512_setzero_si512()));
  }
  /// Of the lower halves of words.
  SCHAFKOPF_LANE static Draws products(Draws a, Draws b) {
    return reinterpret_cast<Draws>(
        _mm512_mul_epu32(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
  /// Number of the bit of `word` to which its n-th one goes, given as 1 << n.
  SCHAFKOPF_LANE static int place(std::uint64_t nth, std::uint64_t word) {
    return static_cast<int>(_tzcnt_u64(_pdep_u64(nth, word)));
  }
  using Bytes = std::uint8_t __attribute__((vector_size(32)));
  SCHAFKOPF_LANE static Bytes least(Bytes a, Bytes b) {
    return reinterpret_cast<Bytes>(
        _mm256_min_epu8(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  }
  SCHAFKOPF_LANE static Pairs least(Pairs a, Pairs b) {
    return reinterpret_cast<Pairs>(
        _mm512_min_epu16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
  }
  /// Low and high halves of words, in the order of the lanes.
  SCHAFKOPF_LANE static void store_masks(Vector low, Vector high, std::uint64_t* masks) {
    const auto wide = [](Vector half, bool upper) {
      const auto words = reinterpret_cast<__m512i>(half);
      return _mm512_cvtepu32_epi64(upper ? _mm512_extracti64x4_epi64(words, 1)
                                         : _mm512_castsi512_si256(words));
    };
    for (int upper = 0; upper < 2; ++upper) {
      const __m512i both =
          _mm512_or_si512(wide(low, upper != 0), _mm512_slli_epi64(wide(high, upper != 0), 32));
      _mm512_store_si512(masks + 8 * upper, both);
    }
  }
  SCHAFKOPF_LANE static Vector widened(const std::uint8_t* bytes) {
    const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    return reinterpret_cast<Vector>(_mm512_cvtepu8_epi32(sixteen));
  }
};

void play(LaneBlock& block) { LaneStepper<Isa>::step<false>(block); }
void play_and_show(LaneBlock& block) { LaneStepper<Isa>::step<true>(block); }

void draw(const LaneDraws& draws) { draw_actions<Isa>(draws); }

void mask_bytes(const MaskRows& rows) { write_masks(rows); }

}  // namespace

constinit const LaneKernel kAvx512Kernel{
    InstructionSet::kAvx512, static_cast<int>(Isa::kLanes), play, play_and_show, draw, mask_bytes};

}  // namespace schafkopf
