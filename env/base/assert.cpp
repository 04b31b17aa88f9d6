#include "env/base/assert.h"

#include <stdexcept>
#include <string>

namespace schafkopf {

void assertion_failed(const char* condition, const char* file, int line) {
  throw std::logic_error(std::string(file) + ":" + std::to_string(line) +
                         ": assertion failed: " + condition + " (a mistake in this program)");
}

}  // namespace schafkopf
