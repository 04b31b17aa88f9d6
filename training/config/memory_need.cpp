#include "training/config/memory_need.h"

#include <fmt/format.h>

#include <optional>

#include "env/base/available_memory.h"
#include "training/games/trajectory.h"

namespace schafkopf {
namespace {

constexpr std::uint64_t kAlwaysTried = 1'000'000'000;
/// Of each weight: itself, its gradient and the two moments of the optimiser; and the copy of all
/// but the gradient that an update that fails leaves.
constexpr std::uint64_t kPerWeight = 7 * sizeof(float);
/// Decisions with a choice of a game: random play from the deal has so many, others half as many again.
constexpr std::uint64_t kDecisionsOfGame = 16;

std::uint64_t weights_of(std::int64_t inputs, std::int64_t width, std::int64_t layers) {
  return static_cast<std::uint64_t>(width * (inputs + (layers - 1) * width));
}

std::uint64_t bytes_of_weights(const TrainConfig& config) {
  if (config.device != "cpu") return 0;
  const NetworkShape shape = network_shape(config);
  std::uint64_t weights = weights_of(shape.inputs, config.width, config.layers);
  if (config.critic != "shared") {
    const std::int64_t width = config.critic_width > 0 ? config.critic_width : config.width;
    weights += weights_of(shape.inputs, width, config.layers);
  }
  return weights * kPerWeight;
}

std::uint64_t bytes_of_games(std::int64_t games) {
  return static_cast<std::uint64_t>(games) * kDecisionsOfGame *
         (sizeof(PlayerView) + sizeof(Decision));
}

}  // namespace

std::uint64_t least_bytes(const TrainConfig& config) {
  const std::int64_t recorded = config.clone_records.empty() ? 0 : config.clone_games;
  return bytes_of_weights(config) + bytes_of_games(config.games_per_update + recorded);
}

void check_memory(const TrainConfig& config) {
  const std::uint64_t needed = least_bytes(config);
  if (needed < kAlwaysTried) return;
  const std::optional<std::uint64_t> available = memory_short_of(needed);
  if (!available) return;
  throw NotEnoughMemory(
      fmt::format("width = {}, layers = {}, games_per_update = {}: they need {} of memory or more "
                  "({} of it for "
                  "weights), {} are available",
                  config.width, config.layers, config.games_per_update, bytes_text(needed),
                  bytes_text(bytes_of_weights(config)), bytes_text(*available)));
}

}  // namespace schafkopf
