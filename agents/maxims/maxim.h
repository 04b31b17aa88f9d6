// What a maxim is: a named piece of playing knowledge with its source, which proposes an action or
// does not apply (RULES I; METHODS section 6; "W" = Wiesegger, Schafkopf-Buch, with its chapter).
#pragma once

#include <cstdint>
#include <string_view>

namespace schafkopf {

/// Versions of the rule agent. An older one keeps its faults, so that figures measured against it
/// stay comparable; they differ in card play only. What a version changed are the maxims that name
/// it (maxims.h: Versions).
enum class RuleVersion : std::uint8_t { kFirst = 1, kSecond = 2, kThird = 3 };
inline constexpr RuleVersion kNewestRules = RuleVersion::kThird;
/// Of players that ask the rule agent without a version in their name: it stays when a newer one comes.
inline constexpr RuleVersion kUnnamedRules = RuleVersion::kThird;
/// By number. Throws std::invalid_argument naming those there are.
[[nodiscard]] RuleVersion rule_version(int number);

/// The versions that know a maxim; by default all.
struct Versions {
  RuleVersion first = RuleVersion::kFirst;
  RuleVersion last = kNewestRules;

  [[nodiscard]] constexpr bool contain(RuleVersion version) const {
    return first <= version && version <= last;
  }
};
inline constexpr Versions kSinceSecond{.first = RuleVersion::kSecond};

/// What a person reads of a maxim. All texts live as long as the program.
struct MaximText {
  std::string_view name;
  std::string_view source;    // "I-13; W 10.3"
  std::string_view sentence;  // why, in English
};

/// A maxim about decisions seen as `Seen`; proposes a `Proposal` or says that it does not apply.
template <class Seen, class Proposal>
struct MaximOf {
  std::string_view name;
  std::string_view source;
  std::string_view sentence;
  Proposal (*propose)(const Seen&);
};

}  // namespace schafkopf
