// The bytes of an input as choices: small numbers, one byte each, so that a change of one byte
// changes one choice. With the functions of Rng that random_rules.h and random_play.h ask.
#pragma once

#include <cstdint>
#include <string_view>

namespace schafkopf::fuzz {

class ByteSource {
 public:
  explicit ByteSource(std::string_view bytes) : left_(bytes) {}

  [[nodiscard]] bool is_empty() const { return left_.empty(); }
  /// Counts up when all bytes are used up: who draws until a value fits must end.
  std::uint8_t byte() {
    if (left_.empty()) return past_++;
    const auto byte = static_cast<std::uint8_t>(left_.front());
    left_.remove_prefix(1);
    return byte;
  }
  std::uint64_t next() {
    std::uint64_t value = 0;
    for (int i = 0; i < 8; ++i) value = value << 8 | byte();
    return value;
  }
  int next_below(int count) {
    const int value = count > 256 ? byte() << 8 | byte() : byte();
    return value % count;
  }

 private:
  std::string_view left_;
  std::uint8_t past_ = 0;
};

}  // namespace schafkopf::fuzz
