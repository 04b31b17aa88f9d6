// The Python class Agent, shared by the files that take agents as arguments.
#pragma once

#include <memory>
#include <mutex>

#include "env/policy.h"

namespace schafkopf::python {

/// A player, and the lock that keeps two Python threads apart while the GIL is released.
struct Agent {
  std::shared_ptr<BatchPolicy> policy;
  std::shared_ptr<std::mutex> mutex;
};

}  // namespace schafkopf::python
