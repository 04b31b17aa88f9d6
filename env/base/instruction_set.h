// Instruction sets that hot code is compiled for besides that of the build: the fastest that the
// processor has is chosen when first asked for, or the one that SCHAFKOPF_KERNEL names. Files that
// are compiled so are alone (cmake/SchafkopfKernels.cmake).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace schafkopf {

/// The slowest first. kScalar: compiled as the rest of the library, one game at a time.
enum class InstructionSet : std::uint8_t { kScalar, kAvx2, kAvx512 };
inline constexpr std::array<std::string_view, 3> kInstructionSetNames = {"scalar", "avx2",
                                                                         "avx512"};

[[nodiscard]] constexpr std::string_view name_of(InstructionSet set) {
  return kInstructionSetNames[static_cast<std::size_t>(set)];
}
/// Whether this library was compiled for a set and the processor at hand has it.
[[nodiscard]] bool is_supported(InstructionSet set);
/// By name. Throws std::invalid_argument naming the allowed ones, or what is missing.
[[nodiscard]] InstructionSet instruction_set(std::string_view name);
/// What SCHAFKOPF_KERNEL names, else the fastest supported one. Read once.
/// Throws as instruction_set does.
[[nodiscard]] InstructionSet default_instruction_set();

}  // namespace schafkopf
