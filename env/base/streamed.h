// Stores past the caches, for memory that is larger than they are: a line that is written as a whole
// is not read first, and what else lies in the caches stays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <immintrin.h>
#endif

namespace schafkopf {

enum class Stores : std::uint8_t { kCached, kStreamed };

/// Bytes that one call reads and writes from which on streaming stores pay: less may still lie in the
/// last cache when somebody reads it (env/PERFORMANCE.md, section 4).
inline constexpr std::size_t kStreamedFrom = std::size_t{24} << 20;

/// As memcpy, by streaming stores where the target and the size are multiples of 16. Other threads see
/// it after end_streamed.
inline void copy_streamed(void* to, const void* from, std::size_t bytes) {
#ifdef __SSE2__
  constexpr std::size_t kWord = sizeof(__m128i);
  if ((reinterpret_cast<std::uintptr_t>(to) | bytes) % kWord == 0) [[likely]] {
    auto* words = static_cast<__m128i*>(to);
    const auto* source = static_cast<const __m128i*>(from);
    for (std::size_t i = 0; i < bytes / kWord; ++i) {
      _mm_stream_si128(words + i, _mm_loadu_si128(source + i));
    }
    return;
  }
#endif
  std::memcpy(to, from, bytes);
}

/// Before another thread is told of what was copied.
inline void end_streamed() {
#ifdef __SSE2__
  _mm_sfence();
#endif
}

}  // namespace schafkopf
