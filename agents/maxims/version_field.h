// The version of the rule agent as a field: a number from 1 to the newest.
#pragma once

#include <string>

#include "agents/maxims/maxim.h"
#include "env/base/field.h"

namespace schafkopf {

template <>
struct FieldCodec<RuleVersion> : NoNames {
  static std::string allowed(const Field&) { return FieldCodec<int>::allowed(range()); }
  static bool read(const Field&, const PlainValue& value, RuleVersion& version) {
    int number = 0;
    if (!FieldCodec<int>::read(range(), value, number)) return false;
    version = static_cast<RuleVersion>(number);
    return true;
  }
  static PlainValue write(RuleVersion version) {
    return FieldCodec<int>::write(static_cast<int>(version));
  }

 private:
  static Field range() { return {.min = 1, .max = static_cast<int>(kNewestRules)}; }
};

}  // namespace schafkopf
