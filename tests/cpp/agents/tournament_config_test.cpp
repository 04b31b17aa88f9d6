// Tournament files: what is read, and how mistakes are named.
#include "agents/tournament/tournament_config.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agents/player_identity.h"
#include "agents/registry.h"
#include "agents/tournament/tournament_fields.h"
#include "agents/tournament/tournament_plan.h"
#include "tests/cpp/support/aggregate.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/source_dir.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string path_of(const std::string& name) {
  return source_dir() + "/configs/tournament/" + name;
}

std::string mistake_in(const std::string& text) {
  try {
    const TournamentOptions options = parse_tournament_config(text, "t.toml");
    check_tournament_config(options);
    (void)wishes_of(options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no error";
}

constexpr const char* kTwo = "agents = [\"rules\", \"random\"]\n";

TEST(TournamentConfig, the_default_file_lists_every_key_with_its_default) {
  std::ifstream stream(path_of("default.toml"));
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  EXPECT_EQ(to_toml(parse_tournament_config(kTwo, "t.toml")), text);
  for (const FieldRow& field : tournament_config_fields()) {
    EXPECT_THAT(text, HasSubstr("\n" + std::string(field.key) + " = ")) << field.key;
  }
}

TEST(TournamentConfig, every_shipped_file_can_be_read_and_written_back) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(path_of(""))) {
    const TournamentOptions config = load_tournament_config(entry.path().string());
    EXPECT_NO_THROW(check_tournament_config(config)) << entry.path();
    const std::string text = to_toml(config);
    EXPECT_EQ(to_toml(parse_tournament_config(text, "again")), text) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 3);
}

TEST(TournamentConfig, names_pairings_and_formats_reach_the_options) {
  const TournamentOptions options = parse_tournament_config(
      R"(agents = ["rules", { name = "half \"drunk\"", spec = "rules:random=0.5" }, "random"]
against = "rules"
pairings = [{ one = "random", others = "half \"drunk\"", precision = 2 }]
formats = ["2v2", "1v3"]
track = "bidding"
card_player = "random"
precision = 0.5
)",
      "t.toml");
  check_tournament_config(options);
  EXPECT_EQ(options.agents[1].name, "half \"drunk\"");
  EXPECT_EQ(options.agents[1].spec, "rules:random=0.5");
  const std::vector<PairingWish> wishes = wishes_of(options);
  ASSERT_EQ(wishes.size(), 3u);
  EXPECT_EQ(wishes[0].one, "half \"drunk\"");
  EXPECT_FALSE(wishes[0].both_directions);
  EXPECT_TRUE(wishes[2].both_directions);
  EXPECT_EQ(wishes[2].precision, 2.0);
  EXPECT_THAT(options.formats, ElementsAre(Format::kTwoAgainstTwo, Format::kOneAgainstThree));
  EXPECT_EQ(options.track, Track::kBidding);
  EXPECT_EQ(options.card_player, "random");
}

TEST(TournamentConfig, mistakes_name_file_line_key_and_what_is_allowed) {
  const std::string two = kTwo;
  EXPECT_THAT(mistake_in(two + "\nblokcs = 5\n"),
              AllOf(HasSubstr("t.toml:3: unknown key \"blokcs\""), HasSubstr("blocks")));
  EXPECT_THAT(mistake_in(two + "blocks = 0\n"),
              HasSubstr("t.toml:2: blocks = 0, allowed: integer 1..2000000000"));
  EXPECT_THAT(mistake_in(two + "blocks = \"many\"\n"), HasSubstr("t.toml:2: blocks = \"many\""));
  EXPECT_THAT(mistake_in(two + "precision = -1\n"), HasSubstr("precision = -1, allowed: number"));
  EXPECT_THAT(mistake_in(two + "precision = nan\n"), HasSubstr("precision = nan, allowed"));
  EXPECT_THAT(mistake_in(two + "track = \"half\"\n"),
              HasSubstr("t.toml:2: track = \"half\", allowed: full, card_play, bidding"));
  EXPECT_THAT(mistake_in(two + "formats = [\"1v3\", \"3v1\"]\n"),
              HasSubstr("formats = [\"1v3\", \"3v1\"], allowed: list of 1v3, 2v2"));
  EXPECT_THAT(mistake_in("agents = [1]\n"), HasSubstr("t.toml:1: agents = [1], allowed"));
  EXPECT_THAT(mistake_in("agents = [{ nmae = \"x\", spec = \"rules\" }]\n"), HasSubstr("nmae"));
  EXPECT_THAT(mistake_in(two + "pairings = [{ one = \"rules\" }]\n"),
              HasSubstr("t.toml:2: pairings: others is missing"));
  EXPECT_THAT(mistake_in(two + "greedy = 1\n"), HasSubstr("greedy = 1, allowed: true, false"));
  EXPECT_THAT(mistake_in(two + "blocks = \n"), HasSubstr("t.toml:2: "));
  EXPECT_THAT(mistake_in(""), HasSubstr("agents is missing or empty"));
}

TEST(TournamentConfig, the_table_has_every_member_but_those_of_the_place) {
  constexpr std::size_t kPlace = 4;  // journal, resume, places, file
  EXPECT_EQ(tournament_config_fields().size() + kPlace, num_members<TournamentOptions>())
      << "a member that tournament_fields.h does not name cannot be set";
}

/// Another value than the default, in TOML.
std::string other_value(const FieldSlot& slot) {
  static const std::map<std::string_view, std::string> texts = {
      {"agents", R"(["rules", "random", "rules:version=1"])"},
      {"against", "\"rules\""},
      {"pairings", R"([{ one = "rules", others = "random", both_directions = false }])"},
      {"formats", R"(["2v2"])"},
      {"rules", "\"course_002\""},
      {"generator", "\"mixed\""},
      {"contract_list", "\"" + source_dir() + "/tests/data/solver_deals.txt\""},
      {"card_player", "\"random\""}};
  if (const auto text = texts.find(slot.field.key); text != texts.end()) return text->second;
  if (const bool* flag = std::get_if<bool>(&slot.value)) return *flag ? "false" : "true";
  if (const auto* number = std::get_if<std::int64_t>(&slot.value))
    return std::to_string(*number + 4);
  if (std::holds_alternative<double>(slot.value)) return "0.5";
  for (const std::string_view name : slot.names) {
    if (quoted_text(name) != to_text(slot.value)) return quoted_text(name);
  }
  return "no value";
}

TEST(TournamentConfig, every_key_means_the_same_in_a_file_and_in_a_setting) {
  const TournamentOptions before = parse_tournament_config(kTwo, "t.toml");
  for (const FieldSlot& slot : slots_of(before)) {
    const std::string key(slot.field.key), value = other_value(slot);
    ASSERT_NE(value, "no value") << key << ": a text of any kind needs its example above";
    TournamentOptions set = before;
    set_tournament_config(set, fmt::format("{}={}", key, value));
    const std::string file = fmt::format("{}{} = {}\n", key == "agents" ? "" : kTwo, key, value);
    EXPECT_EQ(to_toml(parse_tournament_config(file, "t.toml")), to_toml(set)) << key;
    EXPECT_NE(to_toml(set), to_toml(before)) << key;
    EXPECT_EQ(to_toml(parse_tournament_config(to_toml(set), "t.toml")), to_toml(set)) << key;
  }
}

TEST(TournamentConfig, what_changes_the_games_of_a_block_is_part_of_a_journal) {
  // how many blocks, how they are cut up, and what belongs to a league day
  const std::vector<std::string_view> free = {"schedule", "blocks",  "precision",     "first_check",
                                              "players",  "threads", "blocks_at_once"};
  const TournamentOptions before = parse_tournament_config(kTwo, "t.toml");
  for (const FieldSlot& slot : slots_of(before)) {
    const std::string key(slot.field.key);
    TournamentOptions set = before;
    if (key == "card_player") set_tournament_config(set, "track=bidding");
    const JournalIdentity identity = identity_of(set);
    set_tournament_config(set, fmt::format("{}={}", key, other_value(slot)));
    EXPECT_EQ(identity_of(set) != identity, !is_among(free, key))
        << key << ": identity_of in tournament_plan.cpp, or the list above";
  }
}

TEST(TournamentConfig, settings_that_contradict_each_other_are_named_with_their_line) {
  const std::string two = kTwo;
  EXPECT_THAT(mistake_in(two + "track = \"full\"\ngenerator = \"mixed\"\n"),
              HasSubstr("t.toml:3: generator = \"mixed\" has no effect with track = \"full\""));
  EXPECT_THAT(mistake_in(two + "generator = \"mixed\"\ncontract_list = \"x\"\n"),
              HasSubstr("generator = \"mixed\" contradicts contract_list"));
  EXPECT_THAT(mistake_in(two + "card_player = \"random\"\n"),
              HasSubstr("card_player = \"random\" has no effect with track = \"card_play\""));
  EXPECT_THAT(mistake_in(two + "first_check = 7\n"),
              HasSubstr("first_check = 7 has no effect without a precision"));
  EXPECT_THAT(mistake_in(two + "players = 8\n"),
              HasSubstr("players = 8 has no effect with schedule = \"round_robin\""));
  EXPECT_THAT(mistake_in(two + "schedule = \"league\"\n"),
              HasSubstr("schedule = \"league\" needs \"full\""));
  EXPECT_THAT(mistake_in(two + "against = \"nobody\"\n"),
              HasSubstr("t.toml:2: against = \"nobody\" is none of the agents"));
}

TEST(TournamentConfig, one_key_can_be_changed_without_quotes) {
  TournamentOptions config = parse_tournament_config(kTwo, "t.toml");
  set_tournament_config(config, "track=full");
  set_tournament_config(config, "blocks=12");
  set_tournament_config(config, "agents=[\"random\", \"rules\", {name = \"x\", spec = \"rules\"}]");
  EXPECT_EQ(config.track, Track::kFull);
  EXPECT_EQ(config.blocks, 12);
  EXPECT_EQ(config.agents[2].name, "x");
  EXPECT_THROW(set_tournament_config(config, "blocks"), std::invalid_argument);
  EXPECT_THROW(set_tournament_config(config, "blocks=x"), std::invalid_argument);
  EXPECT_EQ(config.blocks, 12);
  set_tournament_config(config, "seed", ~std::uint64_t{0});
  EXPECT_EQ(config.seed, ~std::uint64_t{0});
  EXPECT_EQ(config.places.at("blocks"), "--set blocks=12");
  set_tournament_config(config, "blocks", std::int64_t{12});  // no text says so any more
  EXPECT_FALSE(config.places.contains("blocks"));
  EXPECT_THROW(set_tournament_config(config, "seed", std::int64_t{-1}), FieldError);
}

TEST(TournamentConfig, paths_of_files_can_be_made_absolute) {
  const test::TemporaryFile file("some.jsonl");
  file.write("x");
  const std::string path = std::filesystem::relative(file.path()).string();
  TournamentOptions config = parse_tournament_config(
      "agents = [\"net:" + path + ",greedy=false\", \"rules:random=0.5\", \"net:none\"]\n" +
          "contract_list = \"" + path + "\"\nrules = \"research\"\n",
      "t.toml");
  make_paths_absolute(config);
  EXPECT_EQ(config.agents[0].spec, "net:" + file.path() + ",greedy=false");
  EXPECT_EQ(config.agents[0].name, "net:" + path + ",greedy=false");
  EXPECT_EQ(config.agents[1].spec, "rules:random=0.5");
  EXPECT_EQ(config.agents[1].name, "");
  EXPECT_EQ(config.agents[2].spec, "net:none");
  EXPECT_EQ(config.contract_list, file.path());
  EXPECT_EQ(config.rules.name(), "research");
  EXPECT_EQ(config.generator, "heuristic");
}

TEST(TournamentConfig, of_an_engine_words_with_a_slash_that_are_files_get_their_whole_path) {
  const test::TemporaryFile file("my bot.sh"), namesake("bot");
  file.write("x");
  namesake.write("x");
  const auto absolute = [](const std::string& spec) {
    TournamentOptions config = parse_tournament_config("agents = [\"rules\"]\n", "t.toml");
    config.agents = {{.spec = spec}};
    make_paths_absolute(config);
    return config.agents[0].spec;
  };
  const std::string there = std::filesystem::relative(file.path()).string();
  EXPECT_EQ(absolute("engine:'" + there + "' --level=3,4"),
            "engine:command='" + file.path() + "' --level=3,4");
  EXPECT_EQ(absolute("engine:time=2,sh '" + there + "'"),
            "engine:time=2,command=sh '" + file.path() + "'");
  // of PATH, whatever lies in the working folder
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(std::filesystem::path(namesake.path()).parent_path());
  const std::string name = std::filesystem::path(namesake.path()).filename().string();
  EXPECT_EQ(absolute("engine:" + name), "engine:" + name);
  EXPECT_EQ(player_files("engine:" + name), "");
  EXPECT_NE(player_files("engine:./" + name), "");
  std::filesystem::current_path(before);
  EXPECT_EQ(absolute("engine:a 'quote that does not end"), "engine:a 'quote that does not end");
}

TEST(TournamentConfig, what_cannot_be_played_is_found_without_playing) {
  const std::string two = kTwo;
  const auto mistake = [](const std::string& text) {
    try {
      check_playable(parse_tournament_config(text, "t.toml"));
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(mistake(two + "blocks = 2000000000\n"), "no error");
  EXPECT_THAT(mistake("agents = [\"rules\", \"net:none\"]\n"), HasSubstr("net:none"));
  EXPECT_THAT(mistake(two + "contract_list = \"none\"\n"), HasSubstr("contract_list = \"none\""));
  EXPECT_THAT(mistake(two + "track = \"bidding\"\ncard_player = \"foo\"\n"), HasSubstr("foo"));
  EXPECT_THAT(mistake(two + "rules = \"none.toml\"\n"),
              HasSubstr("t.toml:2: rules = \"none.toml\""));
  const std::string league =
      two + "schedule = \"league\"\ntrack = \"full\"\nrules = \"tournament_2024\"\n";
  EXPECT_EQ(mistake(league), "no error");
  EXPECT_THAT(mistake(league + "players = 7\n"), HasSubstr("7"));
  EXPECT_THAT(mistake(two + "pairings = [{ one = \"rules\", others = \"random\", prec = 1 }]\n"),
              HasSubstr("t.toml:2: pairings: unknown key \"prec\", allowed: one, others"));
}

TEST(TournamentConfig, a_missing_file_is_named) {
  EXPECT_THAT(
      test::error_of<std::runtime_error>([] { (void)load_tournament_config("no/such.toml"); }),
      HasSubstr("no/such.toml"));
}

}  // namespace
}  // namespace schafkopf
