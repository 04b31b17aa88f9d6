// The options of the rule agent as fields; its version is a number from 1 to the newest.
#pragma once

#include <string>
#include <string_view>

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

inline constexpr std::string_view kVersionKey = "version";

struct RuleOptions {
  double random = 0.0;
  RuleVersion version = kNewestRules;
};
template <FieldsOf<RuleOptions> Options, class Visitor>
void visit_fields(Options& o, Visitor&& visit) {
  visit(Field{.key = "random", .meaning = "chance of a uniformly random action instead", .max = 1},
        o.random);
  visit(Field{.key = kVersionKey, .meaning = "1 = the player of older figures, with its faults"},
        o.version);
}

}  // namespace schafkopf
