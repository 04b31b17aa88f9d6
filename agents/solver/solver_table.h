// What the exact solver keeps about positions at the beginning of tricks.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace schafkopf {

/// Spreads the bits of a number.
[[nodiscard]] inline std::uint64_t mix(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  x ^= x >> 32;
  x *= 0xD6E8FEB86659FD93u;
  return x ^ (x >> 32);
}

class PositionTable {
 public:
  /// What is known about a position: bounds of the count from there on.
  struct Entry {
    std::uint32_t cards = 0, low_owner = 0, high_owner = 0;  // owner's number, bit by bit
    std::uint32_t leader : 2 = 0, bound : 1 = 0, lower : 7 = 0, upper : 7 = 0, card : 5 = 0;
    std::uint32_t epoch : 10 = 0;  // 0 = empty

    [[nodiscard]] bool is_same(const Entry& other) const {
      return cards == other.cards && low_owner == other.low_owner &&
             high_owner == other.high_owner && leader == other.leader && bound == other.bound &&
             epoch == other.epoch;
    }
  };

  /// bytes  rounded down to a power of two, at least 64 KiB: size_of
  explicit PositionTable(std::size_t bytes);
  [[nodiscard]] static std::size_t size_of(std::size_t bytes) {
    return std::bit_floor(std::max(bytes, std::size_t{1} << 16));
  }

  /// Forgets everything.
  void clear();

  /// The key of a position: nothing is known about it yet.
  [[nodiscard]] Entry key_of(const std::uint32_t (&hand)[4], int leader, bool bound) const {
    Entry key;
    key.cards = hand[0] | hand[1] | hand[2] | hand[3];
    key.low_owner = hand[1] | hand[3];
    key.high_owner = hand[2] | hand[3];
    key.leader = static_cast<std::uint32_t>(leader) & 3u;
    key.bound = bound ? 1u : 0u;
    key.epoch = epoch_ & kMaxEpoch;
    return key;
  }

  static constexpr int kBucket = 4;
  /// The entries among which the position stands, if it does.
  [[nodiscard]] Entry* bucket_of(const Entry& key) {
    const std::uint64_t owners = std::uint64_t{key.low_owner} << 32 | key.high_owner;
    const std::uint64_t rest =
        std::uint64_t{key.cards} << 3 | std::uint64_t{key.leader} << 1 | std::uint64_t{key.bound};
    return buckets_[mix(owners ^ mix(rest)) & mask_].entries;
  }

  /// Fills in what is known. Keys are complete, so that no two positions are ever mistaken for each
  /// other.
  [[nodiscard]] static bool look_up(const Entry* bucket, Entry& key);
  /// Keeps an entry in place of its older self, of one that is out of date or of the one with the
  /// fewest cards.
  static void store(Entry* bucket, const Entry& entry);

 private:
  struct alignas(64) Bucket {
    Entry entries[kBucket];
  };
  static_assert(sizeof(Bucket) == 64);  // a cache line
  static constexpr std::uint32_t kMaxEpoch = 1023;

  std::vector<Bucket> buckets_;
  std::size_t mask_ = 0;
  std::uint32_t epoch_ = 0;
};

}  // namespace schafkopf
