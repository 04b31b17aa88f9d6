#include "tests/cpp/support/source_dir.h"

namespace schafkopf {

std::string source_dir() { return SCHAFKOPF_SOURCE_DIR; }

}  // namespace schafkopf
