// The step of blocks of games, compiled for AVX512 (cmake/SchafkopfKernels.cmake).
#include <immintrin.h>

#include "env/lanes/kernels.h"
#include "env/lanes/lane_step.h"

namespace schafkopf {
namespace {

struct Isa {
  static constexpr std::size_t kLanes = 16;
  using Vector = std::uint32_t __attribute__((vector_size(64)));
  using Signed = std::int32_t __attribute__((vector_size(64)));

  using Pairs = std::uint16_t __attribute__((vector_size(64)));
  using SignedPairs = std::int16_t __attribute__((vector_size(64)));
  using Draws = std::uint64_t __attribute__((vector_size(64)));

  SCHAFKOPF_LANE static Draws widened_seats(const std::uint8_t* seats) {
    const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(seats));
    return reinterpret_cast<Draws>(_mm512_cvtepu8_epi64(eight));
  }
  SCHAFKOPF_LANE static Draws widened_decisions(const std::uint32_t* decisions) {
    const __m256i eight = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(decisions));
    return reinterpret_cast<Draws>(_mm512_cvtepu32_epi64(eight));
  }
  SCHAFKOPF_LANE static std::uint32_t bits(Vector mask) {
    return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask));
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
};

void play(LaneBlock& block) { LaneStepper<Isa>::step<false>(block); }
void play_and_show(LaneBlock& block) { LaneStepper<Isa>::step<true>(block); }

void draw(const LaneDraws& draws) { draw_actions<Isa>(draws); }

}  // namespace

constinit const LaneKernel kAvx512Kernel{InstructionSet::kAvx512, static_cast<int>(Isa::kLanes),
                                         play, play_and_show, draw};

}  // namespace schafkopf
