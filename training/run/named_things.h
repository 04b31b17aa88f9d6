// What a configuration names and a run reads: rules, generators of contracts, recorded games.
#pragma once

#include "training/config/config.h"

namespace schafkopf {

/// Who declares in generated deals, of games that are learned and of those that are evaluated. Raises
/// as check_named_things.
void check_generators(const TrainConfig& config);

/// Look at all of them, players apart, which may come with a run before. Raises std::invalid_argument
/// "key = \"value\": what is wrong", as a run does when it begins.
void check_named_things(const TrainConfig& config);

}  // namespace schafkopf
