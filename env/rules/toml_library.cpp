// The one file in which the TOML library is compiled; all others see its declarations.
//
// What its parser takes for granted of a text is checked here, in every build: without that a header
// like "[[#" is undefined behaviour where NDEBUG is set, and the end of the process where it is not.
#undef NDEBUG
#include "env/rules/toml_reader.h"

namespace schafkopf {
namespace {

[[noreturn]] void refuse_broken_toml() { throw BrokenToml(); }

}  // namespace
}  // namespace schafkopf

#define TOML_ASSERT(condition) ((condition) ? void() : schafkopf::refuse_broken_toml())
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
