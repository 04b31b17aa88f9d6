// The step of blocks of games, compiled for AVX512 (cmake/SchafkopfKernels.cmake).
#include "env/lanes/kernels.h"
#include "env/lanes/lane_step.h"

namespace schafkopf {
namespace {

struct Isa {
  static constexpr std::size_t kLanes = 16;
  using Vector = std::uint32_t __attribute__((vector_size(64)));
  using Signed = std::int32_t __attribute__((vector_size(64)));
};

void play(LaneBlock& block) { LaneStepper<Isa>::step<false>(block); }
void play_and_show(LaneBlock& block) { LaneStepper<Isa>::step<true>(block); }

void draw(const LaneDraws& draws) { draw_actions<Isa>(draws); }

}  // namespace

constinit const LaneKernel kAvx512Kernel{InstructionSet::kAvx512, static_cast<int>(Isa::kLanes),
                                         play, play_and_show, draw};

}  // namespace schafkopf
