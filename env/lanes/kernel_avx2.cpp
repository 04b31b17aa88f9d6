// The step of blocks of games, compiled for AVX2 (cmake/SchafkopfKernels.cmake).
#include <immintrin.h>

#include "env/base/lanes_avx2.h"
#include "env/lanes/kernels.h"
#include "env/lanes/lane_step.h"
#include "env/lanes/mask_bytes.h"

namespace schafkopf {
namespace {

struct OfThisFile {};
struct Isa : LanesAvx2<OfThisFile> {
  SCHAFKOPF_LANE static Draws widened_seats(const std::uint8_t* seats) {
    return reinterpret_cast<Draws>(_mm256_cvtepu8_epi64(_mm_loadu_si32(seats)));
  }
  SCHAFKOPF_LANE static Draws widened_decisions(const std::uint32_t* decisions) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(decisions));
    return reinterpret_cast<Draws>(_mm256_cvtepu32_epi64(four));
  }
  /// Lower and upper words of as many masks.
  SCHAFKOPF_LANE static void load_masks(const std::uint64_t* masks, Draws& low, Draws& high) {
    Draws a, b;
    __builtin_memcpy(&a, masks, sizeof a);
    __builtin_memcpy(&b, masks + 4, sizeof b);
    low = __builtin_shufflevector(a, b, 0, 2, 4, 6);
    high = __builtin_shufflevector(a, b, 1, 3, 5, 7);
  }
  /// Set bits of each word.
  SCHAFKOPF_LANE static Draws counts(Draws words) {
    const __m256i of_four =
        _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const __m256i nibble = _mm256_set1_epi8(0x0F), all = reinterpret_cast<__m256i>(words);
    const __m256i low = _mm256_shuffle_epi8(of_four, _mm256_and_si256(all, nibble));
    const __m256i high =
        _mm256_shuffle_epi8(of_four, _mm256_and_si256(_mm256_srli_epi16(all, 4), nibble));
    return reinterpret_cast<Draws>(
        _mm256_sad_epu8(_mm256_add_epi8(low, high), _mm256_setzero_si256()));
  }
  /// Of the lower halves of words.
  SCHAFKOPF_LANE static Draws products(Draws a, Draws b) {
    return reinterpret_cast<Draws>(
        _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
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
        _mm256_min_epu16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
  }
  /// Low and high halves of words, in the order of the lanes.
  SCHAFKOPF_LANE static void store_masks(Vector low, Vector high, std::uint64_t* masks) {
    const auto a = reinterpret_cast<__m256i>(low), b = reinterpret_cast<__m256i>(high);
    const __m256i first = _mm256_unpacklo_epi32(a, b), second = _mm256_unpackhi_epi32(a, b);
    _mm256_store_si256(reinterpret_cast<__m256i*>(masks),
                       _mm256_permute2x128_si256(first, second, 0x20));
    _mm256_store_si256(reinterpret_cast<__m256i*>(masks + 4),
                       _mm256_permute2x128_si256(first, second, 0x31));
  }
  SCHAFKOPF_LANE static Vector widened(const std::uint8_t* bytes) {
    const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(bytes));
    return reinterpret_cast<Vector>(_mm256_cvtepu8_epi32(eight));
  }
};

void play(LaneBlock& block) { LaneStepper<Isa>::step<false>(block); }
void play_and_show(LaneBlock& block) { LaneStepper<Isa>::step<true>(block); }

void draw(const LaneDraws& draws) { draw_actions<Isa>(draws); }

void mask_bytes(const MaskRows& rows) { write_masks(rows); }

}  // namespace

constinit const LaneKernel kAvx2Kernel{
    InstructionSet::kAvx2, static_cast<int>(Isa::kLanes), play, play_and_show, draw, mask_bytes};

}  // namespace schafkopf
