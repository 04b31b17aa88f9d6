#include "training/run/first_weights.h"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

#include "agents/network/net_agent.h"
#include "agents/network/weights.h"
#include "training/learner/grown_inputs.h"
#include "training/work/checked.h"

namespace schafkopf {
namespace {

/// What begins with a network has its shape, or reads more.
void check_shape(const NetworkShape& found, const NetworkShape& shape) {
  if (found == shape || reads_more(found, shape)) return;
  const std::string hint = found.observation == shape.observation
                               ? ""
                               : fmt::format(" (observation = {} is that of the file)",
                                             static_cast<int>(found.observation));
  throw std::invalid_argument(fmt::format(
      "{} on observation {} ({} inputs), the run has {} on observation {} ({} inputs), allowed: "
      "the same architecture, width and layers, and all of its input_sections with the same "
      "meaning{}",
      architecture_name(found), static_cast<int>(found.observation), found.inputs,
      architecture_name(shape), static_cast<int>(shape.observation), shape.inputs, hint));
}

}  // namespace

std::vector<std::string> start_from_weights(Learner& learner, const NetworkShape& shape,
                                            const TrainConfig& config, const CompiledRules& rules) {
  std::vector<std::string> notes;
  checked("init", config.init, [&] {
    WeightsFile file = read_player_weights(config.init);
    NetworkShape found = read_network_shape(file, config.init);
    found.value_scale = shape.value_scale;
    check_shape(found, shape);
    if (found != shape) {
      notes.push_back(
          fmt::format("{}: {} inputs, the run has {}: the new ones begin without weight",
                      config.init, found.inputs, shape.inputs));
      file.tensors = with_inputs(std::move(file.tensors), found, shape);
    }
    const std::vector<std::string> missing = learner.start_from(file.tensors);
    if (!missing.empty()) {
      notes.push_back(fmt::format("{}: no {} that fits ({} tensors): the critic starts at random",
                                  config.init, missing.front(), missing.size()));
    }
    const auto hash = file.metadata.find("rules_hash");
    if (hash == file.metadata.end() || hash->second != fmt::format("{:016x}", rules.hash())) {
      notes.push_back(
          fmt::format("{}: trained with other rules than {}", config.init, rules.name()));
    }
  });
  return notes;
}

void check_follows(const TrainConfig& before, const TrainConfig& config) {
  check_shape(network_shape(before), network_shape(config));
}

}  // namespace schafkopf
