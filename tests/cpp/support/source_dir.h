// The source tree that the tests read configs/, tests/data/ and tests/golden/ from. Its path is
// compiled into source_dir.cpp alone, so that a compiler cache serves every other file to any tree.
#pragma once

#include <string>

namespace schafkopf {

/// Absolute path, without a slash at its end.
[[nodiscard]] std::string source_dir();

}  // namespace schafkopf
