// Checksum of bytes that are written and read again: journals, weights, games; and a hash that
// names things, such as rule sets. They find damage and tell things apart; neither stands against
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

/// FNV-1a, byte by byte: its values stand in files and pages and stay as they are.
inline constexpr std::uint64_t kHashOfNothing = 0xCBF29CE484222325U;
/// before  hash of the bytes before these
[[nodiscard]] constexpr std::uint64_t hash_of_bytes(std::string_view bytes,
                                                    std::uint64_t before = kHashOfNothing) {
  for (const char byte : bytes) {
    before = (before ^ static_cast<unsigned char>(byte)) * 0x100000001B3U;
  }
  return before;
}

}  // namespace schafkopf
