// The generator of random rule sets: what it gives is valid, covers the switches, and depends on
// its seed alone (RULES J).
#include "tests/cpp/support/random_rules.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

namespace schafkopf::test {
namespace {

TEST(RandomRules, J_every_rule_set_is_valid_and_already_normalised) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const RuleSet rules = random_rules(seed);
    ASSERT_NO_THROW(validate(rules)) << seed;
    ASSERT_EQ(normalised(rules), rules) << seed;
  }
  EXPECT_EQ(random_rules(7), random_rules(7));
  EXPECT_NE(random_rules(7), random_rules(8));
}

TEST(RandomRules, J_every_switch_takes_several_values) {
  std::map<std::string, std::set<std::string>> values;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const RuleSet rules = random_rules(seed);
    for (const FieldInfo& field : rule_fields()) {
      values[field.key].insert(to_text(get_field(rules, field.key)));
    }
  }
  const std::set<std::string> fixed = {"two_player_extension", "doubling_names"};
  for (const auto& [key, found] : values) {
    if (!fixed.contains(key)) {
      EXPECT_GT(found.size(), 1U) << key;
    }
  }
  EXPECT_EQ(values.at("special_round").size(), static_cast<std::size_t>(kNumValues<SpecialRound>));
  EXPECT_EQ(values.at("all_pass").size(), static_cast<std::size_t>(kNumValues<AllPass>));
}

}  // namespace
}  // namespace schafkopf::test
