// The versions of the rule agent: version 1 stays what every figure was measured against.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/maxims/rule_agent.h"
#include "agents/registry.h"
#include "agents/tournament/tournament_plan.h"
#include "env/base/random.h"
#include "env/game/game.h"
#include "tests/cpp/agents/rule_choice.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/scale.h"

namespace schafkopf {
namespace {

using rule_choice::after;
using rule_choice::choice;
using rule_choice::single;
using test::error_of;

/// Folds every decision of four players of a registry string in seeded games into one number.
std::uint64_t decisions_of(const std::string& spec, const std::string& preset, int games) {
  const auto rules = CompiledRules::load(preset);
  const std::unique_ptr<BatchPolicy> player = make_agent(spec);
  const CompiledRules* const set[] = {rules.get()};
  const RuleTable table{.rules = set, .features = {}};
  const RngKey key{};
  std::uint64_t hash = 0;
  for (int i = 0; i < games; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const int dealer = i % rules->seats();
    const DealContext context = rules->first_context();
    Game game(*rules, deal_for(seed, rules->rules(), dealer, context), dealer, context);
    while (!game.is_terminal()) {
      const PlayerView view = game.view(game.current_player());
      const FullView full = game.full_view(game.current_player());
      const ViewBatch batch{.size = 1,
                            .cards = &view.cards,
                            .order = &view.order,
                            .events = &view.events,
                            .rule_index = nullptr,
                            .rules = &table,
                            .full = &full};
      Action action = kActionPass;
      player->act(batch, {&key, 1}, {&action, 1});
      hash = mix64(hash ^ (static_cast<std::uint64_t>(action) << 8 ^
                           static_cast<std::uint64_t>(game.current_player())));
      game.apply(action);
    }
  }
  return hash;
}

/// The number that this scale of the test compares.
std::uint64_t at_scale(std::uint64_t quick, std::uint64_t normal, std::uint64_t full) {
  switch (test::scaled(0, 1, 2)) {
    case 0:
      return quick;
    case 1:
      return normal;
    default:
      return full;
  }
}

// All numbers were computed before there was a second version. They change with nothing but the
// game itself (deals, actions) and the bids.
TEST(RuleVersions, version_1_decides_what_the_first_rule_agent_decided) {
  EXPECT_EQ(decisions_of("rules:version=1", "research", test::scaled(500, 4000, 20'000)),
            at_scale(3271251968827448823U, 15378292478962843402U, 10355569813868200828U));
}

TEST(RuleVersions, version_1_decides_what_the_first_rule_agent_decided_in_every_preset) {
  constexpr std::array<std::uint64_t, 8> kDecisions = {
      6918132825877467981U,  8618711072443125214U,  6918132825877467981U, 6918132825877467981U,
      11307349841235605742U, 10230828355892156303U, 9466529198636022487U, 12417143499560454385U};
  const std::span<const std::string_view> presets = preset_names();
  ASSERT_EQ(presets.size(), kDecisions.size());
  for (std::size_t i = 0; i < presets.size(); ++i) {
    const std::string preset(presets[i]);
    EXPECT_EQ(decisions_of("rules:version=1", preset, 150), kDecisions[i]) << preset;
  }
}

// Computed before there was a third version.
TEST(RuleVersions, version_2_decides_what_the_second_rule_agent_decided) {
  EXPECT_EQ(decisions_of("rules:version=2", "research", test::scaled(500, 4000, 20'000)),
            at_scale(7098416029303640919U, 3094227511983905856U, 2988965953888125024U));
}

TEST(RuleVersions, version_2_decides_what_the_second_rule_agent_decided_in_every_preset) {
  constexpr std::array<std::uint64_t, 8> kDecisions = {
      18400999244960339517U, 6750091108843403331U, 18400999244960339517U, 18400999244960339517U,
      2012829658741563177U,  747432627664032052U,  14811542844968672384U, 8137275844776179614U};
  const std::span<const std::string_view> presets = preset_names();
  ASSERT_EQ(presets.size(), kDecisions.size());
  for (std::size_t i = 0; i < presets.size(); ++i) {
    const std::string preset(presets[i]);
    EXPECT_EQ(decisions_of("rules:version=2", preset, 150), kDecisions[i]) << preset;
  }
}

TEST(RuleVersions, searchers_of_version_1_decide_what_they_did_from_the_first_rule_agent) {
  const int games = test::scaled(3, 20, 20);
  EXPECT_EQ(decisions_of("pimc:3,version=1", "research", games),
            at_scale(17932405180025255484U, 636106332583195091U, 636106332583195091U));
  EXPECT_EQ(decisions_of("oracle:version=1", "research", games),
            at_scale(10668320475649823174U, 11184392937622170617U, 11184392937622170617U));
  if (games == 20) {  // asks the rule agent for no card, so it has no versions
    EXPECT_EQ(decisions_of("ismcts:100", "research", games), 17056005028488664942U);
  }
}

TEST(RuleVersions, the_newest_is_the_default_and_names_say_which_it_is) {
  EXPECT_EQ(make_agent("rules")->name(), "rules:version=3");
  EXPECT_EQ(make_agent("rules:0.25,version=1")->name(), "rules:random=0.25,version=1");
  EXPECT_EQ(make_agent("pimc:30")->name(), "pimc:worlds=30,version=3");
  EXPECT_EQ(make_agent("oracle")->name(), "oracle:version=3");
  EXPECT_EQ(with_version("rules"), "rules:version=3");
  EXPECT_EQ(with_version("rules:random=0.1"), "rules:random=0.1,version=3");
  EXPECT_EQ(with_version("pimc:30,version=1"), "pimc:30,version=1");
  EXPECT_EQ(with_version("oracle:1"), "oracle:1");
  EXPECT_EQ(with_version("ismcts:100"), "ismcts:100");
  EXPECT_EQ(with_version("net:version=1"), "net:version=1");
}

TEST(RuleVersions, a_journal_names_the_version_so_that_none_goes_on_with_another) {
  TournamentOptions options;
  options.rules = CompiledRules::load("research");
  options.agents = {{"rules"}, {"rules:version=1", "old"}, {"random"}};
  const JournalIdentity identity = identity_of(options);
  using testing::Contains;
  using testing::Pair;
  EXPECT_THAT(identity, Contains(Pair("agent 1", "rules = rules:version=3")));
  EXPECT_THAT(identity, Contains(Pair("agent 2", "old = rules:version=1")));
  EXPECT_THAT(identity, Contains(Pair("agent 3", "random = random")));
}

TEST(RuleVersions, an_unknown_version_is_refused_with_those_there_are) {
  const auto error_of = [](const std::string& spec) -> std::string {
    return test::error_of<std::invalid_argument>([&] { (void)make_agent(spec); });
  };
  for (const char* const name : {"rules", "pimc", "oracle"}) {
    for (const char* const version : {"0", "4", "-1"}) {
      const std::string spec = std::string(name) + ":version=" + version;
      EXPECT_EQ(error_of(spec),
                "agent \"" + spec + "\": version = " + version + ", allowed: integer 1..3");
    }
  }
  EXPECT_THAT(error_of("rules:version=new"), testing::HasSubstr("allowed: integer 1..3"));
}

// A Herz-Solo of seat 2, who trumps a suit that stands behind Herz in the order of cards.
TEST(RuleVersions, versions_1_and_2_take_an_ace_for_higher_than_the_trump_that_took_its_suit) {
  const Game game = after(
      "E8 E7 G8 G7 H8 SU S10 S8 | E10 E9 G10 G9 HU H9 SK S9 |"
      " EO EU GO GU HO HA H10 H7 | EA EK GA GK HK SO SA S7",
      single("SOLO", 2), "S8 S9 H7");
  EXPECT_EQ(choice(game, RuleVersion::kFirst), "SA (win_what_pays)");
  EXPECT_EQ(choice(game, RuleVersion::kSecond), "SA (win_what_pays)");
  EXPECT_EQ(choice(game, RuleVersion::kThird), "S7 (stay_low_when_beaten)");
}

// The same with a suit before Herz: the higher small trumps are missed.
TEST(RuleVersions, versions_1_and_2_do_not_overruff_with_a_higher_trump_that_is_no_picture) {
  const Game game = after(
      "EK E9 E7 G9 G8 H7 SU S9 | EA E10 E8 G10 GK H9 S10 SK |"
      " EO EU GO GU HO H10 H8 SA | GA G7 HA HK HU SO S8 S7",
      single("SOLO", 2), "E7 E8 H8");
  const Situation old(game.view(3), game.rules(), RuleVersion::kSecond);
  EXPECT_EQ(old.beaters(old.best, old.led) & old.hand, parse_cards("HU SO"));
  const Situation now(game.view(3), game.rules(), RuleVersion::kThird);
  EXPECT_EQ(now.beaters(now.best, now.led) & now.hand, parse_cards("HA HK HU SO"));
  EXPECT_EQ(choice(game, RuleVersion::kThird).substr(0, 2), "HA");
}

TEST(RuleVersions, bids_and_doublings_are_the_same_in_every_version) {
  for (const std::string_view name : preset_names()) {
    const auto rules = CompiledRules::load(std::string(name));
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
      Game game(*rules, deal_for(seed, rules->rules(), 0, rules->first_context()), 0,
                rules->first_context());
      while (!game.is_terminal()) {
        const PlayerView view = game.view(game.current_player());
        const Action action = RuleAgent::choose(view, *rules);
        if (view.phase() != Phase::kPlay) {
          for (const RuleVersion older : {RuleVersion::kFirst, RuleVersion::kSecond}) {
            ASSERT_EQ(action, RuleAgent::choose(view, *rules, older))
                << name << ", seed " << seed << ", version " << static_cast<int>(older);
          }
          ++compared;
        }
        game.apply(action);
      }
    }
    EXPECT_GT(compared, 0) << name;
  }
}

TEST(RuleVersions, each_version_explains_itself_with_its_own_maxims) {
  const auto names_of_maxims = [](RuleVersion version) {
    std::set<std::string_view> names;
    for (const MaximText& text : all_maxims(version)) names.insert(text.name);
    return names;
  };
  const auto first = names_of_maxims(RuleVersion::kFirst);
  const auto second = names_of_maxims(RuleVersion::kSecond);
  const auto third = names_of_maxims(RuleVersion::kThird);
  std::vector<std::string_view> added;
  std::ranges::set_difference(second, first, std::back_inserter(added));
  EXPECT_THAT(added, testing::ElementsAre("drive_out_with_an_ober", "lead_the_own_call",
                                          "ruff_with_a_small_trump"));
  const auto rules = CompiledRules::load("research");
  std::set<std::string_view> used;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Game game(*rules, random_deal(seed), static_cast<int>(seed % 4));
    while (!game.is_terminal()) {
      const PlayerView view = game.view(game.current_player());
      for (const auto& [version, names] :
           {std::pair(RuleVersion::kFirst, &first), std::pair(RuleVersion::kSecond, &second),
            std::pair(RuleVersion::kThird, &third)}) {
        const Explanation found = RuleAgent::explain(view, *rules, version);
        EXPECT_EQ(found.action, RuleAgent::choose(view, *rules, version));
        EXPECT_TRUE(names->contains(found.maxim)) << found.maxim;
        if (version == kNewestRules) used.insert(found.maxim);
      }
      game.apply(RuleAgent::choose(view, *rules));
    }
  }
  for (const std::string_view name : added) EXPECT_TRUE(used.contains(name)) << name;
}

}  // namespace
}  // namespace schafkopf
