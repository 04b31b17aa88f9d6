// Speed of the whole training loop, as the house measures it: environment, acting and update.
#pragma once

#include <string>

#include "training/config/config.h"

namespace schafkopf {

/// Train for about 20 seconds in a temporary folder and report, as lines of text, decisions/s per
/// core (all, and with a choice) and the shares of environment, acting and update.
[[nodiscard]] std::string training_benchmark(TrainConfig config);

}  // namespace schafkopf
