#include "env/base/instruction_set.h"

#include <cstdlib>
#include <string>

#include "env/base/refuse.h"

namespace schafkopf {
namespace {

std::string names() {
  std::string text;
  for (const std::string_view name : kInstructionSetNames) {
    if (!text.empty()) text += ", ";
    text += name;
  }
  return text;
}

InstructionSet chosen() {
  if (const char* name = std::getenv("SCHAFKOPF_KERNEL"); name != nullptr && *name != '\0') {
    return instruction_set(name);
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

InstructionSet instruction_set(std::string_view name) {
  for (const InstructionSet set :
       {InstructionSet::kScalar, InstructionSet::kAvx2, InstructionSet::kAvx512}) {
    if (name_of(set) != name) continue;
    if (is_supported(set)) return set;
    refuse("kernel " + std::string(name) + ": this processor lacks its instructions; allowed: " +
           names() + ", as far as the processor has them");
  }
  refuse("kernel \"" + std::string(name) + "\" (SCHAFKOPF_KERNEL) is unknown; allowed: " + names());
}

InstructionSet default_instruction_set() {
  static const InstructionSet set = chosen();
  return set;
}

}  // namespace schafkopf
