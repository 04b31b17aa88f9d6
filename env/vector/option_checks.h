// What options of a batch may be, one check for each group of them. Internal to env/vector.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "env/vector/vector_env.h"
#include "env/view/policy.h"

namespace schafkopf::batch_options {

/// Throws std::invalid_argument "vector env: MESSAGE" unless the condition holds.
void require(bool condition, const std::string& message);

/// Throws as require, naming the option and what is allowed.
void check(const VectorEnvOptions& options);

/// Those who play what the caller does not: one, or one for each other seat.
[[nodiscard]] std::span<const std::shared_ptr<BatchPolicy>> opponents_of(
    const VectorEnvOptions& options);
[[nodiscard]] bool any_cheats(std::span<const std::shared_ptr<BatchPolicy>> players);

}  // namespace schafkopf::batch_options
