// The step of blocks of games, compiled for AVX2 (cmake/SchafkopfKernels.cmake).
#include <immintrin.h>

#include "env/lanes/kernels.h"
#include "env/lanes/lane_step.h"

namespace schafkopf {
namespace {

struct Isa {
  static constexpr std::size_t kLanes = 8;
  using Vector = std::uint32_t __attribute__((vector_size(32)));
  using Signed = std::int32_t __attribute__((vector_size(32)));

  using Pairs = std::uint16_t __attribute__((vector_size(32)));
  using SignedPairs = std::int16_t __attribute__((vector_size(32)));
  using Draws = std::uint64_t __attribute__((vector_size(32)));

  SCHAFKOPF_LANE static Draws widened_seats(const std::uint8_t* seats) {
    return reinterpret_cast<Draws>(_mm256_cvtepu8_epi64(_mm_loadu_si32(seats)));
  }
  SCHAFKOPF_LANE static Draws widened_decisions(const std::uint32_t* decisions) {
    const __m128i four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(decisions));
    return reinterpret_cast<Draws>(_mm256_cvtepu32_epi64(four));
  }
  SCHAFKOPF_LANE static std::uint32_t bits(Vector mask) {
    return static_cast<std::uint32_t>(_mm256_movemask_ps(reinterpret_cast<__m256>(mask)));
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

}  // namespace

constinit const LaneKernel kAvx2Kernel{InstructionSet::kAvx2, static_cast<int>(Isa::kLanes), play,
                                       play_and_show, draw};

}  // namespace schafkopf
