// Settings of a run that were given and that nothing reads, because another one switches off what
// they belong to.
#pragma once

#include <string>
#include <vector>

#include "training/config/config.h"

namespace schafkopf {

/// A line for each reason: "teacher = \"rules\", teacher_until = 0.5 have no effect: teacher_share = 0".
/// A key with its default value is not named, and none twice.
[[nodiscard]] std::vector<std::string> unread_settings(const TrainConfig& config);

}  // namespace schafkopf
