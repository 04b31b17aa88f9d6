// Bytes that end with a checksum, for tests that change some of them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "env/base/checksum.h"

namespace schafkopf::test {

/// Makes the checksum at the end right again.
inline void sum_up(std::vector<std::uint8_t>& bytes) {
  const std::size_t size = bytes.size() - sizeof(std::uint64_t);
  const std::uint64_t sum =
      checksum_of(std::string_view(reinterpret_cast<const char*>(bytes.data()), size));
  std::memcpy(bytes.data() + size, &sum, sizeof sum);
}

}  // namespace schafkopf::test
