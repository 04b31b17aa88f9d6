// The table of fields: one description of a key gives reading, writing, checks and messages.
#include "env/base/field.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "env/rules/toml_reader.h"
#include "tests/cpp/support/errors.h"

namespace schafkopf {
namespace {

using test::error_of;
using testing::ElementsAre;
using testing::HasSubstr;

enum class Colour : std::uint8_t { kRed, kGreen, kBlue };
constexpr auto names_of(Colour) { return make_names("red", "green", "blue"); }

struct Lamp {
  std::string place;
  double watts = 5.0;
  friend bool operator==(const Lamp&, const Lamp&) = default;
};
template <FieldsOf<Lamp> L, class Visitor>
void visit_fields(L& lamp, Visitor&& visit) {
  visit(Field{.key = "place", .meaning = "where it stands", .required = true}, lamp.place);
  visit(Field{.key = "watts", .meaning = "power", .unit = "W", .max = 100}, lamp.watts);
}

struct Room {
  int chairs = 4;
  std::uint64_t number = 7;
  bool open = true;
  double height = 2.5;
  std::string name = "hall";
  std::string floor = "wood";
  Colour colour = Colour::kGreen;
  EnumSet<Colour> curtains = {Colour::kRed};
  std::vector<Lamp> lamps;
  friend bool operator==(const Room&, const Room&) = default;
};
template <FieldsOf<Room> R, class Visitor>
void visit_fields(R& room, Visitor&& visit) {
  visit(Field{.key = "chairs", .meaning = "seats", .min = 1, .max = 40, .group = "things"},
        room.chairs);
  visit(Field{.key = "number", .meaning = "of the door"}, room.number);
  visit(Field{.key = "open", .meaning = "for guests", .group = "looks"}, room.open);
  visit(Field{.key = "height", .meaning = "of the room", .unit = "m", .above_min = true},
        room.height);
  visit(Field{.key = "name", .meaning = "on the door"}, room.name);
  visit(Field{.key = "floor", .meaning = "of what", .names = "wood, stone"}, room.floor);
  visit(Field{.key = "colour", .meaning = "of the walls", .allowed = 0b011}, room.colour);
  visit(Field{.key = "curtains", .meaning = "colours of them", .source = "002"}, room.curtains);
  visit(Field{.key = "lamps", .meaning = "all of them"}, room.lamps);
}

std::string mistake_in(const std::string& text) {
  return error_of([&] {
    Room room;
    assign_toml(room, read_toml(text, "r.toml"));
  });
}

Room unusual() {
  Room room;
  room.chairs = 40;
  room.number = ~std::uint64_t{0} >> 1;
  room.open = false;
  room.height = 1e-3;
  room.name = "a \"b\"\t\x7F\x01";
  room.floor = "stone";
  room.colour = Colour::kRed;
  room.curtains = {Colour::kBlue, Colour::kRed};
  room.lamps = {{"table", 5.0}, {"door", 7.5}};
  return room;
}

TEST(Fields, what_is_written_is_read_again) {
  for (const Room& room : {Room(), unusual()}) {
    Room again;
    assign_toml(again, read_toml(commented_file(slots_of(room), "# head\n"), "r.toml"));
    EXPECT_EQ(again, room);
  }
}

TEST(Fields, control_characters_of_a_text_are_written_as_toml_has_them) {
  EXPECT_EQ(quoted_text("a\tb\x1b\x7f\"\\"), R"("a\u0009b\u001B\u007F\"\\")");
}

TEST(Fields, a_file_has_heads_meanings_sources_and_what_is_allowed) {
  const std::string text = commented_file(slots_of(unusual()), "# A room.\n");
  EXPECT_THAT(text, HasSubstr("# A room.\n\n# ---- things ----\n\n# seats [integer 1..40]\n"
                              "chairs = 40\n"));
  EXPECT_THAT(text, HasSubstr("\n# of the room [number above 0 (m)]\nheight = 0.001\n"));
  EXPECT_THAT(text, HasSubstr("\n# colours of them [002]\n#   list of red, green, blue\n"
                              "curtains = [\"red\", \"blue\"]\n"));
  EXPECT_THAT(text,
              HasSubstr("lamps = [{ place = \"table\" }, { place = \"door\", watts = 7.5 }]"));
}

TEST(Fields, a_mistake_names_place_key_value_what_is_allowed_and_the_nearest) {
  EXPECT_EQ(mistake_in("open = true\nchairs = 0\n"),
            "r.toml:2: chairs = 0, allowed: integer 1..40");
  EXPECT_EQ(mistake_in("chairs = 1.5\n"), "r.toml:1: chairs = 1.5, allowed: integer 1..40");
  EXPECT_EQ(mistake_in("number = -1\n"),
            "r.toml:1: number = -1, allowed: integer 0..18446744073709551615");
  EXPECT_EQ(mistake_in("height = 0\n"), "r.toml:1: height = 0, allowed: number above 0 (m)");
  EXPECT_EQ(mistake_in("height = nan\n"), "r.toml:1: height = nan, allowed: number above 0 (m)");
  EXPECT_EQ(mistake_in("open = 1\n"), "r.toml:1: open = 1, allowed: true, false");
  EXPECT_EQ(mistake_in("name = 1979-05-27\n"), "r.toml:1: name = 1979-05-27, allowed: text");
  EXPECT_EQ(mistake_in("floor = \"stoen\"\n"),
            "r.toml:1: floor = \"stoen\", allowed: wood, stone; the nearest one is \"stone\"");
  EXPECT_EQ(mistake_in("colour = \"blue\"\n"), "r.toml:1: colour = \"blue\", allowed: red, green");
  EXPECT_EQ(mistake_in("curtains = [\"red\", \"bleu\"]\n"),
            "r.toml:1: curtains = [\"red\", \"bleu\"], allowed: list of red, green, blue; "
            "the nearest one is \"blue\"");
  EXPECT_EQ(mistake_in("curtains = [\"rx\"]\n"),  // no more than half of it is right
            "r.toml:1: curtains = [\"rx\"], allowed: list of red, green, blue");
  EXPECT_EQ(mistake_in("curtains = [\"erd\"]\n"),  // two letters are swapped
            "r.toml:1: curtains = [\"erd\"], allowed: list of red, green, blue; the nearest one "
            "is \"red\"");
  EXPECT_EQ(mistake_in("\n\nchars = 3\n"),
            "r.toml:3: unknown key \"chars\", allowed: chairs, number, open, height, name, floor, "
            "colour, curtains, lamps; the nearest one is \"chairs\"");
  EXPECT_EQ(mistake_in("chairs = \n").find("r.toml:1: "), 0u);
}

TEST(Fields, a_mistake_inside_of_a_field_names_both) {
  EXPECT_EQ(mistake_in("lamps = [{ place = \"x\", wats = 3 }]\n"),
            "r.toml:1: lamps: unknown key \"wats\", allowed: place, watts; the nearest one is "
            "\"watts\"");
  EXPECT_EQ(mistake_in("lamps = [{ place = \"x\", watts = 300 }]\n"),
            "r.toml:1: lamps: watts = 300, allowed: number 0..100 (W)");
  EXPECT_EQ(mistake_in("lamps = [{ watts = 3 }]\n"),
            "r.toml:1: lamps: place is missing (where it stands)");
  EXPECT_EQ(mistake_in("lamps = [\"x\"]\n"),
            "r.toml:1: lamps = [\"x\"], allowed: list of table { place, watts }");
}

TEST(Fields, a_setting_needs_no_quotation_marks_and_names_itself_in_errors) {
  Room room;
  EXPECT_EQ(assign_setting(room, "colour=red"), "colour");
  assign_setting(room, "chairs=12");
  assign_setting(room, "lamps=[{ place = \"x\" }]");
  EXPECT_EQ(room.colour, Colour::kRed);
  EXPECT_EQ(room.chairs, 12);
  EXPECT_EQ(room.lamps, std::vector<Lamp>({{"x", 5.0}}));
  assign_setting(room, "name=[[#");  // no TOML, but a text
  EXPECT_EQ(room.name, "[[#");
  assign_setting(room, "name=x\n[[#");
  EXPECT_EQ(room.name, "x\n[[#");
  const Room before = room;
  EXPECT_EQ(error_of([&] { assign_setting(room, "chairs=many"); }),
            "--set chairs=many: chairs = \"many\", allowed: integer 1..40");
  EXPECT_EQ(error_of([&] { assign_setting(room, "chairs"); }),
            "--set chairs: no key, allowed: key=value");
  EXPECT_EQ(error_of([&] { assign_setting(room, "name=x\nopen=false"); }), "no error");
  EXPECT_EQ(room.open, before.open);  // one assignment is one key
}

TEST(Fields, whole_numbers_of_64_bits_are_read_from_every_format_and_more_names_the_range) {
  const std::string most = "18446744073709551615", more = "18446744073709551616";
  const std::string range = ", allowed: integer 0.." + most;
  Room room;
  assign_toml(room, read_toml("number = " + most + "  # the last door\nchairs = 3\n", "r.toml"));
  EXPECT_EQ(room.number, ~std::uint64_t{0});
  EXPECT_EQ(room.chairs, 3);
  room.number = 0;
  assign_setting(room, "number=" + most);
  EXPECT_EQ(room.number, ~std::uint64_t{0});
  EXPECT_EQ(mistake_in("chairs = 3\nnumber = " + more + "\n"),
            "r.toml:2: number = " + more + range);
  EXPECT_EQ(error_of([&] { assign_setting(room, "number=" + more); }),
            "--set number=" + more + ": number = " + more + range);
  EXPECT_EQ(error_of([&] { assign_text(room, "number", more); }), "number = " + more + range);
  EXPECT_EQ(error_of([&] { assign_text(room, "number", "-1"); }), "number = -1" + range);
  assign_text(room, "height", "100000000000000000000");  // a number without a point
  EXPECT_EQ(room.height, 1e20);
  const PlainValue door = ~std::uint64_t{0};
  assign_field(room, "height", door);  // a whole number is one with a point, too
  EXPECT_EQ(room.height, 0x1p64);
  EXPECT_EQ(error_of([&] { assign_field(room, "name", door); }),
            "name = " + most + ", allowed: text");
}

TEST(Fields, a_long_number_inside_of_a_table_is_no_other_number) {
  EXPECT_THAT(mistake_in("[lamps]\nwatts = 18446744073709551615\n"), HasSubstr("r.toml:2: "));
  EXPECT_THAT(mistake_in("number = 1\n[x]\nnumber = 18446744073709551615\n"),
              HasSubstr("r.toml:3: "));
  EXPECT_THAT(mistake_in("number = 99999999999999999999x\n"), HasSubstr("r.toml:1: "));
}

struct Guests {
  std::vector<int> ages;
  std::optional<int> limit;
};
template <FieldsOf<Guests> G, class Visitor>
void visit_fields(G& guests, Visitor&& visit) {
  visit(Field{.key = "ages", .meaning = "years", .max = 120, .entries = 2}, guests.ages);
  visit(Field{.key = "limit", .meaning = "how many", .max = 9}, guests.limit);
}

TEST(Fields, a_list_may_have_a_length_and_a_member_may_be_left_open) {
  Guests guests;
  assign_field(guests, "ages", PlainList{std::int64_t{3}, std::int64_t{120}});
  EXPECT_THAT(guests.ages, ElementsAre(3, 120));
  EXPECT_EQ(error_of([&] { assign_field(guests, "ages", PlainList(3, std::int64_t{1})); }),
            "ages = [1, 1, 1], allowed: list of integer 0..120, at most 2");
  assign_field(guests, "limit", std::int64_t{9});
  EXPECT_EQ(guests.limit, 9);
  assign_field(guests, "limit", kNothing);
  EXPECT_EQ(guests.limit, std::nullopt);
  EXPECT_EQ(error_of([&] { assign_field(guests, "limit", std::int64_t{10}); }),
            "limit = 10, allowed: integer 0..9, None");
}

TEST(Fields, texts_of_registry_strings_are_read_by_the_type_of_the_member) {
  Room room;
  assign_text(room, "name", "12");
  assign_text(room, "number", "18446744073709551615");
  assign_text(room, "height", "3");
  EXPECT_EQ(room.name, "12");
  EXPECT_EQ(room.number, ~std::uint64_t{0});
  EXPECT_EQ(room.height, 3.0);
  EXPECT_EQ(error_of([&] { assign_text(room, "chairs", "2x", "parameter"); }),
            "chairs = \"2x\", allowed: integer 1..40");
  EXPECT_THAT(error_of([&] { assign_text(room, "chars", "2", "parameter"); }),
              HasSubstr("unknown parameter \"chars\", allowed: chairs, "));
}

TEST(Fields, what_code_sets_is_checked_by_the_same_table) {
  Room room = unusual();
  EXPECT_NO_THROW(check_fields(room));
  room.chairs = 41;
  EXPECT_EQ(error_of([&] { check_fields(room); }), "chairs = 41, allowed: integer 1..40");
}

TEST(Fields, documentation_has_defaults_and_what_is_allowed) {
  EXPECT_THAT(described(slots_of(Lamp())),
              ElementsAre("place: where it stands [text]", "watts=5.0: power [number 0..100 (W)]"));
  const std::vector<FieldRow> rows = field_rows(slots_of(Room()));
  EXPECT_EQ(rows[1].group, "things");
  EXPECT_EQ(rows[3].unit, "m");
  EXPECT_EQ(rows[8].group, "looks");
}

TEST(TomlReader, a_dotted_key_has_the_line_of_its_last_known_part) {
  const TomlText text = read_toml("a = 1\n[b]\nc = 2\nd = 3\n", "x.toml");
  EXPECT_EQ(text.place_of("b.d"), "x.toml:4");
  EXPECT_EQ(text.place_of("b.e"), "x.toml:2");
  EXPECT_EQ(text.place_of("e"), "x.toml:1");
}

}  // namespace
}  // namespace schafkopf
