// What must hold, for checks outside of GoogleTest's assertions.
#pragma once

#include <stdexcept>
#include <string>

namespace schafkopf::test {

/// Throws with the text if something does not hold.
inline void must(bool holds, const std::string& what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace schafkopf::test
