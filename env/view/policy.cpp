#include "env/view/policy.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/base/assert.h"

namespace schafkopf {
namespace {

/// Whether a row of probabilities has a finite sum above zero, which no NaN lets through.
bool can_be_drawn(std::span<const float> probabilities) {
  const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
  return std::isfinite(sum) && sum > 0.0;
}

}  // namespace

std::uint64_t hash_of(const PlayerView& view) {
  std::uint64_t words[sizeof(PlayerView) / sizeof(std::uint64_t)];
  std::memcpy(words, &view, sizeof words);
  std::uint64_t hash = 0;
  for (const std::uint64_t word : words) hash = mix64(hash ^ word);
  return hash;
}

RngKey key_of_question(const PlayerView& view, std::uint64_t seed, std::uint64_t row) {
  return {.seed = seed,
          .env = row,
          .episode = hash_of(view),
          .decision = static_cast<std::uint32_t>(view.order.num_plays + view.order.num_events),
          .seat = static_cast<std::uint32_t>(view.seat())};
}

std::unique_ptr<BatchPolicy> copy_of(const BatchPolicy& player) {
  std::unique_ptr<BatchPolicy> copy = player.clone();
  if (copy == nullptr) {
    throw std::invalid_argument("player " + player.name() + ": clone() gave nothing");
  }
  return copy;
}

Action sample_action(std::span<const float> probabilities, double u) {
  double total = 0.0;
  for (const float p : probabilities) total += static_cast<double>(p);
  // Scaled by the sum, so that rounding of the row cannot lose the last action.
  const double threshold = u * total;
  double sum = 0.0;
  Action last = kActionPass;
  for (std::size_t a = 0; a < probabilities.size(); ++a) {
    if (!(probabilities[a] > 0.0F)) continue;
    sum += static_cast<double>(probabilities[a]);
    last = static_cast<Action>(a);
    if (sum > threshold) break;
  }
  return last;
}

void BatchPolicy::act(const ViewBatch& batch, std::span<const RngKey> keys,
                      std::span<Action> actions) {
  SCHAFKOPF_ASSERT(keys.size() == batch.size && actions.size() == batch.size);
  // Rows in tiles: the scratch stays small however large the batch is.
  constexpr std::size_t kTile = 256;
  std::vector<float> probabilities(std::min(batch.size, kTile) * kNumActions);
  for (std::size_t begin = 0; begin < batch.size; begin += kTile) {
    ViewBatch tile = batch;
    tile.size = std::min(kTile, batch.size - begin);
    tile.cards += begin;
    tile.order += begin;
    tile.events += begin;
    if (tile.rule_index != nullptr) tile.rule_index += begin;
    if (tile.full != nullptr) tile.full += begin;
    const std::span rows = std::span(probabilities).first(tile.size * kNumActions);
    policy(tile, rows, {});
    for (std::size_t row = 0; row < tile.size; ++row) {
      const std::span own = rows.subspan(row * kNumActions, kNumActions);
      if (!can_be_drawn(own) && !legal_actions(tile.cards[row]).empty()) {
        throw std::runtime_error("player " + name() + ": policy() gave row " +
                                 std::to_string(begin + row) +
                                 " no probabilities to draw from; allowed: a finite sum above 0");
      }
      actions[begin + row] = sample_action(own, unit_interval(draw(keys[begin + row])));
    }
  }
}

}  // namespace schafkopf
