// Rule sets: presets, reading and writing, checks, hash, and the table of systems that are not
// built.
#include "env/rules/rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "env/rules/embedded_presets.h"
#include "env/rules/rule_fields.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/source_dir.h"

namespace schafkopf {
namespace {

using test::error_of;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Names = std::vector<std::string>;

const std::string kSource = source_dir();

std::string read_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  EXPECT_TRUE(stream.good()) << path;
  return {std::istreambuf_iterator<char>(stream), {}};
}

const nlohmann::json& presets_json() {
  static const auto json = nlohmann::json::parse(read_text(kSource + "/tests/data/presets.json"));
  return json;
}

PlainValue from_json(const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    const auto names = json.get<Names>();
    return PlainList(names.begin(), names.end());
  }
  PlainTable table;
  for (const auto& [key, value] : json.items()) table[key] = value.get<std::string>();
  return table;
}

RuleSet rules_from_json(const std::string& name) {
  RuleSet rules;
  for (const auto& [key, value] : presets_json()["presets"][name].items()) {
    set_field(rules, key, from_json(value));
  }
  return rules;
}

/// Defaults with some switches changed; each line is a line of a rule file.
template <class... Line>
RuleSet changed(const Line&... lines) {
  return parse_rules(((std::string(lines) + '\n') + ...), "x.toml");
}

template <class... Line>
std::string rejection(const Line&... lines) {
  return error_of([&] { (void)changed(lines...); });
}

// ---- the field table ----

TEST(RuleFields, start_with_the_90_switches_of_J_1_in_order) {
  const auto fields = rule_fields();
  const auto& switches = presets_json()["switches"];
  ASSERT_EQ(switches.size(), 90u);
  std::vector<std::string> further;  // a house rule of one's own comes after them
  for (std::size_t i = switches.size(); i < fields.size(); ++i) further.push_back(fields[i].key);
  EXPECT_EQ(further, std::vector<std::string>(kFurtherSwitches.begin(), kFurtherSwitches.end()));
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i < switches.size()) {
      EXPECT_EQ(fields[i].key, switches[i]["name"].get<std::string>());
    }
    EXPECT_FALSE(fields[i].meaning.empty()) << fields[i].key;
    EXPECT_FALSE(fields[i].source.empty()) << fields[i].key;
  }
}

TEST(RuleFields, have_the_defaults_of_J_1) {
  RuleSet rules;
  for (const auto& item : presets_json()["switches"]) {
    set_field(rules, item["name"].get<std::string>(), from_json(item["default"]));
    EXPECT_EQ(rules, RuleSet{}) << item["name"];
  }
}

TEST(RuleFields, accept_every_listed_value_and_no_other_name) {
  int compared = 0;
  for (const auto& item : presets_json()["switches"]) {
    const std::string key = item["name"], values = item["values"];
    if (values.find(" | ") == std::string::npos ||
        values.find_first_of("0123456789(") != std::string::npos)
      continue;
    if (key == "last_chooses_options" || key == "tariff") continue;
    std::string rest = values;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(" | "), rest.size());
      RuleSet rules;
      EXPECT_NO_THROW(set_field(rules, key, rest.substr(0, end))) << key << " " << rest;
      rest.erase(0, std::min(end + 3, rest.size()));
    }
    EXPECT_THAT(rejection(key + " = \"nonsense\""), HasSubstr(key + " = \"nonsense\", allowed: "));
    EXPECT_THAT(rejection(key + " = true"), HasSubstr(key + " = true, allowed: "));
    ++compared;
  }
  EXPECT_GT(compared, 10);
}

// ---- presets ----

class Presets : public testing::TestWithParam<std::string> {};

std::string title_of(const std::string& name) {
  static const std::map<std::string, std::string> kTitles = {
      {"official_1989",
       "official_1989: the official rules of 1989, main part and tariff, no variant"},
      {"official_1989_full",
       "official_1989_full: the official rules with all variants that can be active together"},
      {"schafkopfschule_base",
       "schafkopfschule_base: basic rules; the official values fill its gaps"},
      {"course_002", "course_002: standard rules of the course; its variants are overrides"},
      {"wikipedia_pure", "wikipedia_pure: the pure game with Rufspiel, Solo, Wenz, Tout and Sie"},
      {"wikipedia_extended", "wikipedia_extended: the pure game with the extending games"},
      {"tournament_2024", "tournament_2024: the tournament of 2024, played for points"}};
  return kTitles.at(name);
}

TEST_P(Presets, equal_J_2_in_every_switch) {
  const RuleSet rules = preset(GetParam());
  const auto& expected = presets_json()["presets"][GetParam()];
  ASSERT_EQ(expected.size(), 90u);
  const RuleSet wanted = rules_from_json(GetParam());
  for (const auto& [key, value] : expected.items())
    EXPECT_EQ(get_field(rules, key), get_field(wanted, key)) << key;
  EXPECT_EQ(rules, wanted);
}

TEST_P(Presets, are_the_files_in_configs_and_written_from_the_field_table) {
  const std::string path = kSource + "/configs/rules/" + GetParam() + ".toml";
  const std::string expected = to_toml(rules_from_json(GetParam()), title_of(GetParam()));
  if (std::getenv("SCHAFKOPF_WRITE_PRESETS") != nullptr)
    std::ofstream(path, std::ios::binary) << expected;
  EXPECT_EQ(read_text(path), expected)
      << "regenerate: SCHAFKOPF_WRITE_PRESETS=1 with --gtest_filter=*Presets*";
  EXPECT_EQ(load_rules(path), preset(GetParam()));
}

TEST_P(Presets, are_valid_and_normal) {
  const RuleSet rules = preset(GetParam());
  EXPECT_NO_THROW(validate(rules));
  EXPECT_EQ(normalised(rules), rules);
}

INSTANTIATE_TEST_SUITE_P(J_2, Presets,
                         testing::Values("official_1989", "official_1989_full",
                                         "schafkopfschule_base", "course_002", "wikipedia_pure",
                                         "wikipedia_extended", "tournament_2024"),
                         [](const auto& test) { return test.param; });

TEST(Preset, research_is_official_1989_with_another_tariff_and_no_kontra) {
  RuleSet expected = preset("official_1989");
  expected.tariff = named_tariff("10/20/50");
  expected.kontra_window = KontraWindow::kOff;
  EXPECT_EQ(preset("research"), expected);
}

TEST(Preset, names_are_the_embedded_files) {
  std::set<std::string_view> embedded, names(preset_names().begin(), preset_names().end());
  for (const EmbeddedPreset& item : embedded_presets()) embedded.insert(item.name);
  EXPECT_EQ(embedded, names);
}

TEST(Preset, unknown_name_is_an_error_with_the_known_names) {
  const std::string message = error_of([] { (void)preset("offical"); });
  EXPECT_THAT(message, HasSubstr("\"offical\""));
  EXPECT_THAT(message, HasSubstr("official_1989"));
  EXPECT_THAT(error_of([] { (void)find_rules("offical"); }), HasSubstr("tournament_2024"));
}

// ---- tariffs ----

TEST(TariffTable, R_153_to_R_159_named_tariffs_of_G_2) {
  const Tariff official = named_tariff("official_pfennig");
  EXPECT_EQ(official[TariffKey::kRuf], 10);
  EXPECT_EQ(official[TariffKey::kHochzeit], 20);
  EXPECT_EQ(official[TariffKey::kFarbgeier], 50);
  EXPECT_EQ(official[TariffKey::kMarch], 70);
  const Tariff research = named_tariff("10/20/50");
  EXPECT_EQ(research[TariffKey::kRuf], 20);
  EXPECT_EQ(research[TariffKey::kSchneider], 10);
  EXPECT_EQ(research.hochzeit_factor, 2);
  const Tariff course = named_tariff("10/20/30 Solo 50");
  EXPECT_EQ(course[TariffKey::kRuf], 10);
  EXPECT_EQ(course[TariffKey::kSolo], 50);
  EXPECT_EQ(named_tariff("tournament_2024")[TariffKey::kWenz], 20);
  EXPECT_EQ(named_tariff("tournament_2024").unit, "points");
}

TEST(TariffTable, R_160_half_laufende_doubles_the_scale_only_for_an_odd_half) {
  const Tariff five = named_tariff("5/20 half Laufende");  // 2.5 per Laufendem
  EXPECT_EQ(five.scale, 2);
  EXPECT_EQ(five[TariffKey::kLaufende], 5);
  EXPECT_EQ(five[TariffKey::kSolo], 40);
  const Tariff ten = named_tariff("10/50 half Laufende");
  EXPECT_EQ(ten.scale, 1);
  EXPECT_EQ(ten[TariffKey::kLaufende], 5);
  EXPECT_EQ(ten[TariffKey::kSolo], 50);
}

TEST(TariffTable, custom_fields_change_the_base_and_solo_spreads) {
  const RuleSet rules = changed(R"(tariff = { base = "10/50", solo = 60, wenz = 45 })");
  EXPECT_EQ(rules.tariff.name, "custom");
  EXPECT_EQ(rules.tariff[TariffKey::kRuf], 10);
  EXPECT_EQ(rules.tariff[TariffKey::kSolo], 60);
  EXPECT_EQ(rules.tariff[TariffKey::kGeier], 60);
  EXPECT_EQ(rules.tariff[TariffKey::kWenz], 45);
  EXPECT_EQ(rules.tariff.hochzeit_factor, 2);
}

TEST(TariffTable, custom_halves_set_the_scale_and_come_back_as_halves) {
  const RuleSet rules = changed(R"(tariff = { base = "5/20", laufende = 2.5, name = "ours" })");
  EXPECT_EQ(rules.tariff.scale, 2);
  EXPECT_EQ(rules.tariff[TariffKey::kSolo], 40);
  const auto table = std::get<PlainTable>(get_field(rules, "tariff"));
  EXPECT_EQ(table.at("laufende"), PlainValue(2.5));
  EXPECT_EQ(table.at("solo"), PlainValue(std::int64_t{20}));
  EXPECT_EQ(parse_rules(to_toml(rules), "x.toml"), rules);
  const RuleSet same =
      changed(R"(tariff = { base = "5/20", laufende = 2.5, name = "5/20 half Laufende" })");
  EXPECT_EQ(same.tariff, named_tariff("5/20 half Laufende"));
}

TEST(TariffTable, a_name_that_none_has_is_answered_with_all_names) {
  const std::string error = test::error_of([] { (void)named_tariff("10/55"); });
  EXPECT_TRUE(error.starts_with("tariff = \"10/55\", allowed: ")) << error;
  EXPECT_EQ(test::error_of(
                [] { (void)parse_rules("tariff = { base = \"10/20\", unit = 3 }\n", "t.toml"); }),
            "t.toml:1: tariff.unit = 3, allowed: text");
  EXPECT_NE(error.find("10/50"), std::string::npos) << error;
}

TEST(TariffTable, amounts_are_allowed_up_to_a_million) {
  const RuleSet rules = parse_rules("tariff = { wenz = 1000000 }\n", "x.toml");
  EXPECT_EQ(rules.tariff[TariffKey::kWenz], 1'000'000 * rules.tariff.scale);
  EXPECT_EQ(parse_rules(to_toml(rules), "x.toml"), rules);
}

TEST(TariffTable, wrong_fields_are_named) {
  EXPECT_THAT(rejection(R"(tariff = "10/30")"), HasSubstr("\"10/20/50\""));
  EXPECT_THAT(rejection("tariff = { wenz = 2.3 }"),
              HasSubstr("tariff.wenz = 2.3, allowed: 0..1000000"));
  EXPECT_THAT(rejection("tariff = { ruf = 1000001 }"), HasSubstr("tariff.ruf = 1000001"));
  EXPECT_THAT(rejection("tariff = { rufspiel = 10 }"),
              HasSubstr("tariff: unknown part \"rufspiel\", allowed: base, name"));
  EXPECT_THAT(rejection("tariff = { sie_factor = 0 }"),
              HasSubstr("tariff.sie_factor = 0, allowed: integer 1..64"));
  EXPECT_THAT(rejection(R"(tariff = { name = "10/20", solo = 30 })"), HasSubstr("tariff.name"));
}

// ---- reading and writing ----

/// A rule set that differs from the defaults in every switch but the ones that J would refuse
/// together.
RuleSet unusual_rules() {
  return parse_rules(R"(
players = 5
partner_trump_suit = "S"
deal_packets = "4x2"
contracts = ["RUF", "GEIER", "BETTEL_MIX"]
all_pass = "last_chooses"
last_chooses_options = ["stock"]
muss_card = "H10"
doubling_names = ["Kontra \"laut\"", 'Re\', "Stoß §"]
tariff = { unit = "Euro", ruf = 0.5 }
bock_triggers = ["SOLO_LOST", "POINTS_60_60"]
special_round_triggers = { ALL_PASS = "kreuzbock", MANUAL = "hadsch" }
reuegeld = 1000000
)",
                     "x.toml");
}

TEST(RulesToml, round_trip_of_defaults_presets_and_unusual_rules) {
  EXPECT_EQ(parse_rules(to_toml(RuleSet{}), "x.toml"), RuleSet{});
  EXPECT_EQ(parse_rules(to_toml(unusual_rules()), "x.toml"), unusual_rules());
  for (const std::string_view name : preset_names()) {
    EXPECT_EQ(parse_rules(to_toml(preset(name)), "x.toml"), preset(name)) << name;
  }
}

TEST(RulesToml, a_title_of_several_lines_is_a_comment_in_each) {
  for (const char* title : {"a\nplayers = 3", "a\r\nplayers = 3\n", "a\nb\n\nc"}) {
    EXPECT_EQ(parse_rules(to_toml(RuleSet{}, title), "x.toml"), RuleSet{}) << title;
  }
}

TEST(RulesToml, fields_round_trip_by_key) {
  RuleSet copy;
  for (const FieldInfo& info : rule_fields())
    set_field(copy, info.key, get_field(unusual_rules(), info.key));
  EXPECT_EQ(copy, unusual_rules());
}

TEST(RulesToml, preset_plus_overrides) {
  const NamedRules named =
      read_rules("laufende_min_wenz = 2\npreset = \"wikipedia_pure\"\n", "dir/ours.toml");
  RuleSet expected = preset("wikipedia_pure");
  expected.laufende_min_wenz = 2;
  EXPECT_EQ(named.rules, expected);
  EXPECT_EQ(named.name, "ours");
  EXPECT_EQ(named.preset, "wikipedia_pure");
  EXPECT_THAT(named.own_switches, ElementsAre("laufende_min_wenz"));
}

TEST(RulesToml, tables_can_be_sections) {
  const RuleSet rules = parse_rules(
      "[tariff]\nbase = \"10/20\"\nsolo = 25\n[special_round_triggers]\nSCHWARZ = \"bock\"\n",
      "x.toml");
  EXPECT_EQ(rules.tariff[TariffKey::kWenz], 25);
  EXPECT_EQ(rules.special_round_triggers[static_cast<std::size_t>(RoundEvent::kSchwarz)],
            SpecialRound::kBock);
}

struct BadText {
  const char* name;
  const char* text;
  const char* message;
};
void PrintTo(const BadText& bad, std::ostream* out) { *out << bad.name; }
class RulesTomlError : public testing::TestWithParam<BadText> {};

TEST_P(RulesTomlError, names_file_line_key_and_what_is_allowed) {
  EXPECT_THAT(error_of([] { (void)parse_rules(GetParam().text, "dir/x.toml"); }),
              HasSubstr(GetParam().message));
}

TEST(RulesToml, no_hint_where_the_value_is_right_or_is_several) {
  for (const std::string text :
       {"claims_enabled = true\nclaims_enabled = true\n", "claims enabled = true\n",
        "claims_enabled = true false\n", "contracts = [RUF]\n", "contracts = [RUF,\n"}) {
    const std::string error = error_of([&] { (void)parse_rules(text, "x.toml"); });
    EXPECT_TRUE(error.starts_with("x.toml:")) << error;
    EXPECT_EQ(error.find(';'), std::string::npos) << error;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Text, RulesTomlError,
    testing::Values(
        BadText{"range", "# ours\n\nlaufende_min_wenz = 9\n",
                "dir/x.toml:3: laufende_min_wenz = 9, allowed: integer 1..4"},
        BadText{"unshown", "doubling_names = [\"Re\", \"Sto\\u001B[2J\"]\n",
                "dir/x.toml:1: doubling_names = \"Sto\\x1b[2J\", allowed: one line of at most 40 "
                "bytes that can be shown"},
        BadText{"turned", "\ntariff = { unit = \"\\u202Epf\" }\n",
                "dir/x.toml:2: tariff.unit = \"\\xe2\\x80\\xaepf\", allowed: one line"},
        BadText{"below", "called_discard_window = 0\n",
                "dir/x.toml:1: called_discard_window = 0, allowed: integer 1..2"},
        BadText{"integer", "players = \"four\"\n",
                "dir/x.toml:1: players = \"four\", allowed: integer 2..5"},
        BadText{"word", "players = 4\npreset = research  # ours\n",
                "dir/x.toml:2: Error while parsing value: could not determine value type; a text "
                "stands in quotation marks: \"research\""},
        BadText{"path", "preset = ../ours.toml\n",
                "; a text stands in quotation marks: \"../ours.toml\""},
        BadText{"large_truth", "claims_enabled = True\n", "; allowed: true"},
        BadText{"fraction", "players = 4.0\n", "dir/x.toml:1: players = 4.0, allowed: integer"},
        BadText{"boolean", "claims_enabled = 1\n",
                "dir/x.toml:1: claims_enabled = 1, allowed: true, false"},
        BadText{"name", "deck = \"long\"\n",
                "dir/x.toml:1: deck = \"long\", allowed: long32, short24"},
        BadText{"suit", "partner_trump_suit = \"E\"\n",
                "partner_trump_suit = \"E\", allowed: H, S"},
        BadText{"list", "contracts = \"RUF\"\n", "contracts = \"RUF\", allowed: list of RUF, SOLO"},
        BadText{"item", "contracts = [\"RUF\", \"SIE\"]\n",
                "contracts = [\"RUF\", \"SIE\"], allowed: list of RUF"},
        BadText{"mixed", "contracts = [\"RUF\", 1]\n", "dir/x.toml:1: contracts = "},
        BadText{"card", "muss_card = \"E1\"\n", "muss_card = \"E1\", allowed: a card"},
        BadText{"event", "bock_triggers = [\"MANUAL\"]\n",
                "bock_triggers = [\"MANUAL\"], allowed: list of ALL_PASS"},
        BadText{"mode", "special_round_triggers = { MANUAL = \"x\" }\n",
                "allowed: table of ALL_PASS"},
        BadText{"unknown", "\nlaufende_min_wens = 2\n",
                "dir/x.toml:2: unknown switch \"laufende_min_wens\"; the nearest one is "
                "\"laufende_min_wenz\""},
        BadText{"far", "extends = 2\n", "dir/x.toml:1: unknown switch \"extends\""},
        BadText{"unknown_date", "kontra_windov = 2024-05-02\n",
                "the nearest one is \"kontra_window\""},
        BadText{"tariff", "\n[tariff]\nruf = 5\nwenz = -1\n",
                "dir/x.toml:4: tariff.wenz = -1, allowed: 0..1000000"},
        BadText{"preset", "\npreset = \"official\"\n",
                "dir/x.toml:2: preset = \"official\", allowed: official_1989, "},
        BadText{"preset_type", "preset = 1\n", "dir/x.toml:1: preset = 1, allowed: official_1989"},
        BadText{"together", "deck = \"long32\"\nplayers = 3\n",
                "dir/x.toml:2: players = 3 with deck"},
        BadText{"twice", "players = 4\nplayers = 4\n", "dir/x.toml:2: "},
        BadText{"syntax", "players = 4\ndeck =\n", "dir/x.toml:2: "}),
    [](const auto& test) { return test.param.name; });

TEST(RulesToml, missing_file_is_named) {
  try {
    (void)load_rules("/nowhere/x.toml");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/nowhere/x.toml: No such file"));
  }
}

TEST(RulesToml, a_wrong_value_leaves_the_rules_unchanged) {
  RuleSet rules;
  EXPECT_THROW(set_field(rules, "tariff", PlainTable{{"solo", std::int64_t{60}}, {"wenz", "x"}}),
               RuleError);
  EXPECT_EQ(rules, RuleSet{});
}

TEST(RulesText, repr_shows_what_differs_in_python_notation) {
  EXPECT_EQ(to_string(RuleSet{}), "RuleSet()");
  EXPECT_EQ(
      to_string(changed("claims_enabled = true", R"(contracts = ["SOLO"])", R"(tariff = "10/20")",
                        R"(special_round_triggers = { MANUAL = "bock" })")),
      "RuleSet(contracts=[\"SOLO\"], claims_enabled=True, tariff=\"10/20\", "
      "special_round_triggers={\"MANUAL\": \"bock\"})");
}

// ---- Rejected and Normalised of RULES J ----

TEST(RulesRejected, every_combination_of_J_names_switch_and_what_is_allowed) {
  EXPECT_THAT(rejection("players = 3"), HasSubstr("players = 3 with deck = \"long32\", allowed"));
  EXPECT_THAT(rejection("players = 2"), HasSubstr("keeps a 2, and no table plays it"));
  EXPECT_THAT(rejection("contracts = []"), HasSubstr("contracts = [], allowed"));
  EXPECT_THAT(rejection(R"(auction_style = "direct")", R"(solo_contest = "steigern")"),
              HasSubstr("solo_contest = \"steigern\" with auction_style = \"direct\""));
  EXPECT_THAT(rejection(R"(special_round = "schieber")", R"(deck = "short24")"),
              HasSubstr("special_round = \"schieber\""));
  EXPECT_THAT(rejection(R"(special_round = "teufel")", R"(deck = "short24")"),
              HasSubstr("special_round = \"teufel\""));
  EXPECT_THAT(
      rejection(R"(special_round_triggers = { SCHWARZ = "teufel" })", R"(deck = "short24")"),
      HasSubstr("special_round_triggers"));
  EXPECT_THAT(rejection("ramsch_payers = 2", "players = 3", R"(deck = "short24")"),
              HasSubstr("ramsch_payers = 2 with players = 3, allowed: 1"));
  EXPECT_THAT(rejection(R"(kontra_window = "off")", "kontra_ask_before_first = true"),
              HasSubstr("kontra_ask_before_first = true with kontra_window = \"off\""));
  EXPECT_THAT(rejection(R"(muss_card = "E7")", R"(deck = "short24")"),
              HasSubstr("muss_card = \"E7\", allowed"));
  EXPECT_THAT(rejection(R"(contracts = ["RUF"])", "players = 3", R"(deck = "short24")"),
              HasSubstr("contracts"));
}

TEST(RulesRejected, every_combination_of_J_names_a_row_of_the_rules) {
  const char* const kShort = R"(deck = "short24")";
  const std::string texts[] = {
      rejection("players = 3"),
      rejection("players = 2"),
      rejection("contracts = []"),
      rejection(R"(contracts = ["RUF"])", "players = 3", kShort),
      rejection(R"(auction_style = "direct")", R"(solo_contest = "steigern")"),
      rejection(R"(special_round = "schieber")", kShort),
      rejection(R"(special_round_triggers = { SCHWARZ = "teufel" })", kShort),
      rejection("ramsch_payers = 2", "players = 3", kShort),
      rejection(R"(kontra_window = "off")", "kontra_ask_before_first = true"),
      rejection(R"(muss_card = "E7")", kShort),
      rejection(R"(all_pass = "last_chooses")", "last_chooses_options = []"),
  };
  for (const std::string& text : texts) EXPECT_THAT(text, testing::ContainsRegex("R-[01]")) << text;
}

TEST(RulesRejected, what_lies_just_inside_is_accepted) {
  EXPECT_EQ(rejection("players = 3", R"(deck = "short24")"), "no error");
  EXPECT_EQ(rejection("players = 2", "two_player_extension = true"), "no error");
  EXPECT_EQ(rejection("players = 5", R"(deck = "short24")"), "no error");
  EXPECT_EQ(rejection(R"(solo_contest = "steigern")", R"(contracts = ["SOLO"])"), "no error");
  EXPECT_EQ(rejection(R"(special_round = "schieber")"), "no error");
  EXPECT_EQ(rejection("ramsch_payers = 2"), "no error");
  EXPECT_EQ(rejection(R"(kontra_window = "off")"), "no error");
  EXPECT_EQ(rejection(R"(muss_card = "E9")", R"(deck = "short24")"), "no error");
}

TEST(RulesRejected, integers_outside_their_range) {
  const std::vector<std::tuple<std::string, std::int64_t, std::int64_t>> ranges = {
      {"cut_min_cards", 0, 8},
      {"cut_max_times", 0, 64},
      {"misdeal_penalty_per_player", 0, 1'000'000},
      {"runaway_min_others", 0, 8},
      {"called_discard_window", 1, 2},
      {"max_doublings_partner", 0, 8},
      {"max_doublings_solo", 0, 8},
      {"max_doublings_per_seat", 0, 8},
      {"laufende_min_ober", 1, 14},
      {"laufende_min_wenz", 1, 4},
      {"ramsch_payers", 1, 2},
      {"reuegeld", 0, 1'000'000},
      {"special_round_games", 0, 64},
      {"schieber_cards", 2, 4},
      {"session_tables", 0, 64},
      {"session_rounds", 0, 64},
      {"participation_bonus", 0, 1'000'000},
      {"participation_min_games", 0, 64},
      {"round_time_limit_min", 0, 1'000'000}};
  RuleSet rules;
  std::size_t integers = 0;
  visit_fields(rules, [&](const Field&, const auto& member) {
    integers += std::is_same_v<std::remove_cvref_t<decltype(member)>, int> ? 1 : 0;
  });
  EXPECT_EQ(ranges.size(), integers - 1) << "all but players, of which some ask for other switches";
  for (const auto& [key, low, high] : ranges) {
    const std::string name = key, allowed = fmt::format("allowed: integer {}..{}", low, high);
    const auto rejected = [&](std::int64_t value) {
      return rejection(fmt::format("{} = {}", name, value));
    };
    EXPECT_EQ(rejected(low), "no error");
    EXPECT_EQ(rejected(high), "no error");
    EXPECT_THAT(rejected(low - 1), HasSubstr(allowed));
    EXPECT_THAT(rejected(high + 1), HasSubstr(allowed));
  }
}

TEST(RulesRejected, members_set_in_code_are_checked_too) {
  RuleSet rules;
  rules.laufende_min_wenz = 5;
  EXPECT_THAT(error_of([&] { validate(rules); }),
              HasSubstr("laufende_min_wenz = 5, allowed: integer 1..4"));
  rules = RuleSet{};
  rules.partner_trump_suit = Suit::kGras;
  EXPECT_THAT(error_of([&] { validate(rules); }), HasSubstr("partner_trump_suit"));
  rules = RuleSet{};
  rules.muss_card = 32;
  EXPECT_THAT(error_of([&] { validate(rules); }), HasSubstr("muss_card"));
  rules = RuleSet{};
  rules.contracts.add(ContractClass::kSie);
  EXPECT_THAT(error_of([&] { validate(rules); }), HasSubstr("contracts"));
  rules = RuleSet{};
  rules.tariff.scale = 3;
  EXPECT_THAT(error_of([&] { validate(rules); }), HasSubstr("tariff scale = 3"));
}

TEST(RulesNormalised, three_players_lose_the_partner_games) {
  const std::string three = "players = 3\ndeck = \"short24\"";
  const RuleSet rules =
      changed(three, R"(hochzeit = "before_auction")", R"(renonce = "announced")",
              R"(all_pass = "muss_spiel")", R"(special_round = "allgaeuer")",
              R"(special_round_triggers = { SCHWARZ = "kreuzbock", MANUAL = "hadsch" })");
  EXPECT_EQ(rules.contracts, (EnumSet{ContractClass::kSolo, ContractClass::kWenz}));
  EXPECT_EQ(rules.hochzeit, HochzeitMode::kOff);
  EXPECT_EQ(rules.renonce, Renonce::kOff);
  EXPECT_EQ(rules.all_pass, AllPass::kThrowIn);
  EXPECT_EQ(rules.special_round, SpecialRound::kNone);
  EXPECT_EQ(to_text(get_field(rules, "special_round_triggers")), "{ MANUAL = \"hadsch\" }");
  EXPECT_EQ(rules.deal_packets, DealPackets::k2x4);  // eight cards each
  EXPECT_TRUE(rules.sie_enabled);
  EXPECT_EQ(changed(three, R"(special_round = "kreuzbock")").special_round, SpecialRound::kNone);
  EXPECT_EQ(changed(three, R"(special_round = "kreuzrunde")").special_round, SpecialRound::kNone);
  EXPECT_EQ(changed(three, R"(special_round = "hadsch")").special_round, SpecialRound::kHadsch);
  EXPECT_EQ(changed(three, R"(all_pass = "kreuzbock")").all_pass, AllPass::kThrowIn);
  EXPECT_EQ(changed(three, R"(all_pass = "ramsch")").all_pass, AllPass::kRamsch);
}

TEST(RulesNormalised, six_card_hands_have_their_packets_and_no_sie) {
  const RuleSet rules = changed(R"(deck = "short24")");
  EXPECT_EQ(hand_size(rules), 6);
  EXPECT_EQ(rules.deal_packets, DealPackets::k2x3);
  EXPECT_FALSE(rules.sie_enabled);
  EXPECT_TRUE(changed(R"(deck = "short24")", R"(sie_short_deck = "six_highest")").sie_enabled);
  EXPECT_EQ(changed(R"(deck = "short24")", R"(deal_packets = "4x2")").deal_packets,
            DealPackets::k3x2);
  EXPECT_EQ(changed(R"(deck = "short24")", R"(deal_packets = "1x8")").deal_packets,
            DealPackets::k1x6);
  EXPECT_EQ(changed(R"(deal_packets = "3x2")").deal_packets, DealPackets::k4x2);
  EXPECT_EQ(normalised(rules), rules);
}

// ---- hash ----

TEST(RulesHash, is_stable_over_builds_and_machines) {
  // A change of these numbers breaks the link of old weights and records to their rules: say why.
  EXPECT_EQ(hash_rules(RuleSet{}), 15920994270150716092u);
  EXPECT_EQ(hash_rules(preset("research")), 15587886088083411578u);
}

TEST(RulesHash, differs_with_every_switch) {
  std::set<std::uint64_t> hashes = {hash_rules(RuleSet{})};
  RuleSet rules;
  visit_fields(rules, [&](const Field& field, auto& member) {
    using Member = std::remove_reference_t<decltype(member)>;
    const Member before = member;
    if constexpr (std::is_same_v<Member, bool>) {
      member = !member;
    } else if constexpr (std::is_same_v<Member, Card> || std::is_same_v<Member, int>) {
      member = static_cast<Member>(member + 1);
    } else if constexpr (std::is_enum_v<Member>) {
      member = static_cast<Member>(static_cast<int>(member) == 0 ? 1 : 0);
    } else if constexpr (std::is_same_v<Member, Tariff>) {
      member.amounts[0] += 1;
    } else if constexpr (std::is_same_v<Member, RoundTriggers>) {
      member[1] = SpecialRound::kBock;
    } else if constexpr (std::is_same_v<Member, Names>) {
      member.pop_back();
    } else {
      member = Member::from_bits(member.bits() ^ 1u);
    }
    EXPECT_TRUE(hashes.insert(hash_rules(rules)).second) << field.key;
    EXPECT_NE(rules, RuleSet{}) << field.key;
    member = before;
  });
  EXPECT_EQ(hashes.size(), rule_fields().size() + 1);
  EXPECT_EQ(rules, RuleSet{});
}

}  // namespace
}  // namespace schafkopf
