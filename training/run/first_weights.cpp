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

[[noreturn]] void refuse_shape(const NetworkShape& found, const NetworkShape& shape) {
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
    if (reads_more(found, shape)) {
      notes.push_back(
          fmt::format("{}: {} inputs, the run has {}: the new ones begin without weight",
                      config.init, found.inputs, shape.inputs));
      file.tensors = with_inputs(std::move(file.tensors), found, shape);
    } else if (found != shape) {
      refuse_shape(found, shape);
    }
    const std::vector<std::string> missing = learner.start_from(file.tensors);
    if (!missing.empty()) {
      notes.push_back(fmt::format("{}: no {} ({} tensors): the critic starts at random",
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

}  // namespace schafkopf
