// The kernel: one game of card play for each thread of a device. Compiled by NVRTC
// (tests/device/nvrtc.py), and by any C++ compiler for tests (tests/device/emulation.h).
#include "env/device/card_trace.h"

/// Game i from starts[i] on with the draws of keys[i]: hashes[i] is its card_trace.
///
/// num_games  of each of the three arrays; threads beyond it do nothing
extern "C" __global__ void schafkopf_card_traces(const schafkopf::PlayState<std::uint32_t>* starts,
                                                 const std::uint64_t* keys, std::uint64_t* hashes,
                                                 std::uint32_t num_games) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < num_games) hashes[i] = schafkopf::card_trace(starts[i], keys[i]);
}
