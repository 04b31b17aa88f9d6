#include "env/base/instruction_set.h"

#include <array>
#include <cstdlib>
#include <string>

#include "env/base/refuse.h"

namespace schafkopf {
namespace {

constexpr std::array kSets = {InstructionSet::kScalar, InstructionSet::kAvx2,
                              InstructionSet::kAvx512};

std::string names(bool (*listed)(InstructionSet)) {
  std::string text;
  for (const InstructionSet set : kSets) {
    if (!listed(set)) continue;
    if (!text.empty()) text += ", ";
    text += name_of(set);
  }
  return text;
}

/// @param what  that names it: an option or a variable of the environment
InstructionSet named(std::string_view what, std::string_view name) {
  for (const InstructionSet set : kSets) {
    if (name_of(set) != name) continue;
    if (is_supported(set)) return set;
    refuse(std::string(what) + " " + std::string(name) +
           ": this processor lacks its instructions; allowed: " + names(is_supported));
  }
  refuse(std::string(what) + " \"" + std::string(name) +
         "\" is unknown; allowed: " + names([](InstructionSet) { return true; }));
}

InstructionSet chosen() {
  if (const char* name = std::getenv("SCHAFKOPF_KERNEL"); name != nullptr && *name != '\0') {
    return named("SCHAFKOPF_KERNEL", name);
  }
  if (is_supported(InstructionSet::kAvx512)) return InstructionSet::kAvx512;
  return is_supported(InstructionSet::kAvx2) ? InstructionSet::kAvx2 : InstructionSet::kScalar;
}

}  // namespace

bool is_supported(InstructionSet set) {
#if defined(SCHAFKOPF_KERNELS)
  // all that cmake/SchafkopfKernels.cmake asks of the compiler: lzcnt would not even fail where it
  // is missing, but count otherwise
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
                    __builtin_cpu_supports("lzcnt");
  if (set == InstructionSet::kAvx2) return avx2;
  if (set == InstructionSet::kAvx512) {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  }
#endif
  return set == InstructionSet::kScalar;
}

InstructionSet instruction_set(std::string_view name) { return named("kernel", name); }

InstructionSet default_instruction_set() {
  static const InstructionSet set = chosen();
  return set;
}

}  // namespace schafkopf
