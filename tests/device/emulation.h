// The kernel of env/device on this processor: the same source, launched thread after thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "env/device/card_trace.h"

namespace schafkopf::test {

/// A launch has blocks of so many threads, the last one mostly beyond the games.
inline constexpr std::uint32_t kThreadsPerBlock = 128;

namespace emulated {
struct Index {
  std::uint32_t x;
};
inline thread_local Index blockIdx{}, threadIdx{};
inline constexpr Index blockDim{kThreadsPerBlock};
#define __global__ inline  // as CUDA calls it
#include "env/device/card_traces.cu"
#undef __global__
}  // namespace emulated

/// hashes[i] of starts[i] with keys[i], all of equal length.
inline void emulate_card_traces(std::span<const PlayState<std::uint32_t>> starts,
                                std::span<const std::uint64_t> keys,
                                std::span<std::uint64_t> hashes) {
  const auto num_games = static_cast<std::uint32_t>(starts.size());
  const std::uint32_t num_blocks = (num_games + kThreadsPerBlock - 1) / kThreadsPerBlock;
  for (emulated::blockIdx.x = 0; emulated::blockIdx.x < num_blocks; ++emulated::blockIdx.x) {
    for (emulated::threadIdx.x = 0; emulated::threadIdx.x < kThreadsPerBlock;
         ++emulated::threadIdx.x) {
      emulated::schafkopf_card_traces(starts.data(), keys.data(), hashes.data(), num_games);
    }
  }
}

}  // namespace schafkopf::test
