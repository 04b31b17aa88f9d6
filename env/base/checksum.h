// Checksum of bytes that are written and read again: journals, weights. It finds damage, not
// malice.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "env/base/random.h"

namespace schafkopf {

/// Every step is a bijection of the sum so far, so a change within one word of 8 bytes is always
/// found.
///
/// before  checksum of the bytes before these, for texts in pieces
[[nodiscard]] inline std::uint64_t checksum_of(std::string_view bytes, std::uint64_t before = 0) {
  std::uint64_t sum = before ^ bytes.size();
  for (std::size_t i = 0; i < bytes.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, std::min(sizeof word, bytes.size() - i));
    sum = mix64(sum ^ word);
  }
  return sum;
}

}  // namespace schafkopf
