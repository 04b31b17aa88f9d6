#include "agents/solver/solver_table.h"

#include <algorithm>

#include "env/base/bits.h"

namespace schafkopf {

PositionTable::PositionTable(std::size_t bytes) {
  buckets_.resize(size_of(bytes) / sizeof(Bucket));
  mask_ = buckets_.size() - 1;
}

void PositionTable::clear() {
  if (epoch_ == kMaxEpoch) {
    std::ranges::fill(buckets_, Bucket{});
    epoch_ = 0;
  }
  ++epoch_;
}

bool PositionTable::look_up(const Entry* bucket, Entry& key) {
  for (const Entry* entry = bucket; entry != bucket + kBucket; ++entry) {
    if (!entry->is_same(key)) continue;
    key.lower = entry->lower;
    key.upper = entry->upper;
    key.card = entry->card;
    return true;
  }
  return false;
}

void PositionTable::store(Entry* bucket, const Entry& entry) {
  Entry* place = bucket;
  int fewest = 64;
  for (Entry* other = bucket; other != bucket + kBucket; ++other) {
    const bool old = other->epoch != entry.epoch;
    const int cards = other->is_same(entry) ? -2 : old ? -1 : count_bits(other->cards);
    if (cards < fewest) {
      fewest = cards;
      place = other;
    }
  }
  *place = entry;
}

}  // namespace schafkopf
