#include "agents/network/shipped.h"

#include "agents/network/weights.h"

// The assembler copies the file; CMake says where it lies and compiles anew when it changes.
asm(R"(
  .section .rodata
  .balign 16
schafkopf_shipped_baseline_begin:
  .incbin ")" SCHAFKOPF_SHIPPED_BASELINE R"("
schafkopf_shipped_baseline_end:
  .byte 0
  .previous
)");

// Named by the assembler. Hidden: names of one file that are asked for through a table of addresses
// are all the first of their section on AArch64.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming)
extern const char schafkopf_shipped_baseline_begin[] __attribute__((visibility("hidden")));
extern const char schafkopf_shipped_baseline_end[] __attribute__((visibility("hidden")));
// NOLINTEND(readability-identifier-naming)
}

namespace schafkopf {

std::string_view shipped_bytes(std::string_view name) {
  if (name != "baseline") return {};
  return {schafkopf_shipped_baseline_begin, schafkopf_shipped_baseline_end};
}

std::vector<std::string> shipped_weights() { return {"baseline"}; }

}  // namespace schafkopf
