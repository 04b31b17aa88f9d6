// RuleSet and DealContext for Python; cards and contracts are in cards.cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>
#include <variant>

#include "bindings/common.h"
#include "bindings/pickles.h"
#include "bindings/plain_values.h"
#include "bindings/unmade.h"
#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/cards/contract.h"
#include "env/price/settle.h"

namespace schafkopf::python {
namespace {

std::shared_ptr<const Rules> compile(NamedRules asked) {
  auto rules = std::make_shared<Rules>();
  rules->compiled = CompiledRules::make(asked);
  rules->asked = std::move(asked);
  return rules;
}

/// The preset of that name, or what all switches have by default.
RuleSet base_of(std::string_view name) {
  return std::ranges::find(preset_names(), name) != preset_names().end() ? preset(name) : RuleSet();
}

py::dict rules_to_dict(const Rules& rules) {
  py::dict result;
  for (const FieldInfo& field : rule_fields()) {
    result[py::str(field.key)] = to_python(get_field(rules.compiled->rules(), field.key));
  }
  return result;
}

py::object get_switch(const Rules& rules, const py::str& name) {
  const std::string key = py::str(name.attr("encode")("utf-8", "replace").attr("decode")());
  const std::vector<FieldInfo> fields = rule_fields();
  std::vector<std::string_view> keys;
  for (const FieldInfo& field : fields) {
    if (field.key == key) return to_python(get_field(rules.compiled->rules(), key));
    keys.push_back(field.key);
  }
  throw py::attribute_error(
      fmt::format("RuleSet has no switch '{}'{}", key, nearest_hint(key, keys)));
}

/// Objects of classes of the caller have attributes of their own.
void set_switch(const py::object& self, const py::str& key, const py::object& value) {
  const std::string name = utf8_from(key, "name");
  const std::vector<FieldInfo> fields = rule_fields();
  if (std::ranges::find(fields, name, &FieldInfo::key) != fields.end()) {
    throw py::attribute_error(fmt::format(
        "RuleSet: {} cannot be changed, allowed: rules.replace({}=...), a copy", name, name));
  }
  py::module_::import("builtins").attr("object").attr("__setattr__")(self, key, value);
}

/// Whether these are the switches of the preset whose name they have.
bool is_preset(const CompiledRules& rules) {
  const auto names = preset_names();
  return std::ranges::find(names, rules.name()) != names.end() &&
         rules_from(py::str(rules.name()))->compiled->hash() == rules.hash();
}

/// What RuleSet makes the same of: a preset by its name; of other rules only what differs from "",
/// since its own default is "research".
std::string repr_rules(const Rules& rules) {
  if (is_preset(*rules.compiled)) return fmt::format("RuleSet(\"{}\")", rules.compiled->name());
  const std::string text = to_string(rules.compiled->rules());
  const std::string switches = text.substr(text.find('(') + 1);
  return fmt::format("RuleSet(\"\"{}{}", switches == ")" ? "" : ", ", switches);
}

std::shared_ptr<const Rules> replaced(const Rules& rules, const py::kwargs& switches) {
  NamedRules asked = rules.asked;
  for (const auto& [name, value] : switches) {
    const std::string key = py::str(name);
    set_field(asked.rules, key, short_value_from(value));
    asked.own_switches.push_back(key);
  }
  if (!switches.empty()) {
    asked.rules = checked(asked.rules);
    asked.name = "custom";
  }
  return compile(std::move(asked));
}

/// (name, preset, switches that are not as in `name`, own switches).
py::tuple pickled_rules(const Rules& rules) {
  const NamedRules& asked = rules.asked;
  const RuleSet base = base_of(asked.name);
  const py::dict changed;
  for (const FieldInfo& field : rule_fields()) {
    const PlainValue value = get_field(asked.rules, field.key);
    if (value != get_field(base, field.key)) changed[py::str(field.key)] = to_python(value);
  }
  return py::make_tuple(asked.name, asked.preset, changed, asked.own_switches);
}

std::shared_ptr<Rules> unpickled_rules(const py::handle& state) {
  const py::tuple parts = pickled_tuple(state, 4, "RuleSet");
  NamedRules asked;
  asked.name = parts[0].cast<Text<"name">>().value;
  asked.preset = parts[1].cast<Text<"preset">>().value;
  asked.rules = base_of(asked.name);
  if (!py::isinstance<py::dict>(parts[2]) || !py::isinstance<py::list>(parts[3])) {
    throw std::invalid_argument("RuleSet: a pickle with a dict and a list was expected");
  }
  for (const auto& [key, value] : py::reinterpret_borrow<py::dict>(parts[2])) {
    set_field(asked.rules, std::string(py::str(key)), short_value_from(value));
  }
  for (const py::handle key : parts[3]) asked.own_switches.emplace_back(py::str(key));
  asked.rules = checked(asked.rules);
  return std::const_pointer_cast<Rules>(compile(std::move(asked)));
}

void register_rule_set(py::module_& module) {
  py::class_<Rules, std::shared_ptr<Rules>>(
      module, "RuleSet",
      R"(House rules of a table: a preset or a TOML file, plus changed switches.

Args:    preset: name of a preset or path of a TOML file; "" starts from the defaults.
         **switches: any switch, as in configs/rules/*.toml.
Raises:  ValueError: unknown preset or switch, wrong type or value, or a combination that RULES J
         rejects; of a file with its line.  OSError: the file cannot be read.

Every switch is an attribute with the value that is played.)")
      .def(py::init([](const TextOrPath<"preset">& preset, const py::kwargs& switches) {
             return std::const_pointer_cast<Rules>(make_python_rules(preset, switches));
           }),
           py::arg("preset") = "research")
      .def_property_readonly(
          "name", [](const Rules& r) { return r.compiled->name(); },
          "Name of the preset or file that the rules came from.")
      .def_property_readonly(
          "hash", [](const Rules& r) { return r.compiled->hash(); },
          "Hash of all switches, 0..2^64-1: equal rules have the same, and results name it.")
      .def_property_readonly(
          "seats", [](const Rules& r) { return r.compiled->seats(); },
          "Seats that play, 3 or 4 (RULES B.2); with five players the dealer sits out.")
      .def_property_readonly(
          "tariff_scale", [](const Rules& r) { return r.compiled->tariff_scale(); },
          "Parts of a tariff unit that amounts are counted in; payoffs are multiples of "
          "1/tariff_scale.")
      .def(
          "replace",
          [](const Rules& r, const py::kwargs& switches) {
            return std::const_pointer_cast<Rules>(replaced(r, switches));
          },
          R"(Copy with changed switches.

Args:    **switches: any switch, as in configs/rules/*.toml.
Raises:  ValueError: unknown switch, wrong type or value, or a combination that RULES J rejects.)")
      .def("to_dict", &rules_to_dict, "All switches by name.")
      .def(
          "to_toml",
          [](const Rules& r) { return to_toml(r.compiled->rules(), r.compiled->name()); },
          "Complete rule file with comments.")
      .def("__getattr__", &get_switch)
      .def("__setattr__", &set_switch)
      .def("__repr__", &repr_rules)
      .def(
          "__eq__",
          [](const Rules& a, const Rules& b) { return a.compiled->rules() == b.compiled->rules(); },
          py::is_operator())
      .def("__hash__",
           [](const Rules& r) { return static_cast<py::ssize_t>(r.compiled->hash() >> 1); })
      .def(py::pickle(&pickled_rules, &unpickled_rules));

  module.def(
      "preset_names",
      [] { return std::vector<std::string>(preset_names().begin(), preset_names().end()); },
      "Names of the shipped rule sets.");
  module.def(
      "rule_fields",
      [] {
        py::list rows;
        for (const FieldInfo& field : rule_fields()) {
          py::dict row;
          row["key"] = field.key;
          row["group"] = field.group;
          row["meaning"] = field.meaning;
          row["source"] = field.source;
          row["allowed"] = field.allowed;
          row["default"] = to_python(field.default_value);
          rows.append(row);
        }
        return rows;
      },
      "The switches: key, group, meaning, source, allowed values, default.");
}

/// Number of a mode by its name.
std::uint8_t special_round_from(const std::string& name) {
  constexpr auto kNames = names_of(SpecialRound{});
  const auto* const found = std::ranges::find(kNames, name);
  if (found != kNames.end()) return static_cast<std::uint8_t>(found - kNames.begin());
  throw std::invalid_argument(fmt::format("special_round = \"{}\", allowed: {}{}", quotable(name),
                                          fmt::join(kNames, ", "), nearest_hint(name, kNames)));
}

using Pot = Whole<"stock", int, 0, kMaxStock>;
using Bock = Whole<"bock", int, 0, kMaxBock>;
using GamesLeft = Whole<"games_left", std::uint8_t>;

DealContext make_context(Pot stock, Bock bock, const Text<"special_round">& special_round,
                         GamesLeft games_left, const py::object& owed) {
  DealContext context;
  context.stock = stock;
  context.bock = static_cast<std::uint8_t>(bock.value);
  context.special_round = special_round_from(special_round);
  context.games_left = games_left;
  std::size_t seat = 0;
  for_each_element(owed, "owed", "list of sums of games, one per seat", [&](const py::handle& sum) {
    if (seat == kNumSeats) throw std::invalid_argument("more than 4 seats");
    context.owed[seat++] = whole_from<std::uint8_t>(sum, "games", 0, kOwesAll);
  });
  return context;
}

void register_context(py::module_& module) {
  py::class_<DealContext>(module, "DealContext",
                          R"(What a deal inherits from its session.

Args:    stock: pot in 1/tariff_scale units.
         bock: number of factors 2.
         special_round: name of the mode, as in the switch of that name.
         games_left: games of the mode, this one included.
         owed: per seat, games owed in an Allgaeuer Runde: 1 RUF + 2 WENZ + 4 SOLO.
Raises:  ValueError: a value out of range, an unknown mode.)")
      .def(py::init(&make_context), py::arg("stock") = 0, py::arg("bock") = 0,
           py::arg("special_round") = "none", py::arg("games_left") = 0,
           py::arg("owed") = py::list())
      .def_static(
          "first",
          [](const py::object& rules) { return rules_from(rules)->compiled->first_context(); },
          py::arg("rules") = "research",
          R"(Context of a first deal: the special round that the rules name.

Raises:  ValueError: unknown rules.)")
      .def_readonly("stock", &DealContext::stock, "Pot in 1/tariff_scale units (RULES G.7).")
      .def_property_readonly(
          "bock", [](const DealContext& c) { return static_cast<int>(c.bock); },
          "Number of factors 2 on the price of this deal (RULES G.8).")
      .def_property_readonly(
          "special_round", [](const DealContext& c) { return std::string(name_of(c.mode())); },
          "Name of the mode of the deal, as in the switch special_round (RULES C.20); \"none\" = a "
          "normal deal.")
      .def_property_readonly(
          "games_left", [](const DealContext& c) { return static_cast<int>(c.games_left); },
          "Games of the special round that are still to be played, this one included.")
      .def_property_readonly(
          "owed",
          [](const DealContext& c) {
            return std::vector<int>(std::begin(c.owed), std::end(c.owed));
          },
          "Per seat, games owed in an Allgaeuer Runde as a sum: 1 RUF + 2 WENZ + 4 SOLO (RULES "
          "C.20).")
      .def(
          "__eq__", [](const DealContext& a, const DealContext& b) { return a == b; },
          py::is_operator())
      .def(py::pickle(
          [](const DealContext& c) {
            return py::make_tuple(c.stock, int{c.bock}, std::string(name_of(c.mode())),
                                  int{c.games_left},
                                  std::vector<int>(std::begin(c.owed), std::end(c.owed)));
          },
          [](const py::object& state) {
            const py::tuple parts = pickled_tuple(state, 5, "DealContext");
            if (!py::isinstance<py::list>(parts[4])) refuse_keyword("owed", parts[4], "a list");
            return make_context(parts[0].cast<Pot>(), parts[1].cast<Bock>(),
                                parts[2].cast<Text<"special_round">>(), parts[3].cast<GamesLeft>(),
                                py::reinterpret_borrow<py::object>(parts[4]));
          }))
      .def("__repr__", [](const DealContext& c) {
        const std::vector<int> owed(std::begin(c.owed), std::end(c.owed));
        return fmt::format(
            "DealContext(stock={}, bock={}, special_round='{}', games_left={}, owed=[{}])", c.stock,
            c.bock, name_of(c.mode()), c.games_left, fmt::join(owed, ", "));
      });
}

}  // namespace

std::shared_ptr<const Rules> make_python_rules(const std::string& base, const py::dict& switches) {
  NamedRules asked = base.empty() ? make_rules("", {}) : find_rules(base);
  auto rules = compile(std::move(asked));
  if (switches.empty()) return rules;
  return replaced(*rules, py::reinterpret_borrow<py::kwargs>(switches));
}

std::shared_ptr<const Rules> rules_from(const py::handle& value) {
  if (py::isinstance<Rules>(value)) {
    if (!is_made(value)) refuse_unmade_object();
    return value.cast<std::shared_ptr<Rules>>();
  }
  const py::object text = text_of_path(value);
  if (py::isinstance<py::str>(text)) {
    // Presets are immutable and asked for often: each is read once, under the GIL.
    static std::map<std::string, std::shared_ptr<const Rules>> presets;
    const std::string name = utf8_from(text, "rules");
    if (const auto found = presets.find(name); found != presets.end()) return found->second;
    if (name.empty()) (void)find_rules(name);  // no rule set has no name: says which there are
    auto rules = make_python_rules(name, {});
    for (const std::string_view preset : preset_names()) {
      if (preset == name) presets[name] = rules;
    }
    return rules;
  }
  if (py::isinstance<py::dict>(text)) {
    const py::dict switches = py::reinterpret_borrow<py::dict>(text).attr("copy")();
    const auto preset = switches.attr("pop")("preset", "").cast<TextOrPath<"preset">>();
    return make_python_rules(preset, switches);
  }
  throw std::invalid_argument(fmt::format(
      "rules: {} came, allowed: a preset name, a path, a dict or a RuleSet", describe_array(text)));
}

py::object rules_to_python(const std::shared_ptr<const CompiledRules>& compiled) {
  const CompiledRules& rules = *compiled;
  if (is_preset(rules)) return py::str(rules.name());
  auto own = std::make_shared<Rules>();
  own->asked = {.name = rules.name(), .preset = {}, .rules = rules.rules(), .own_switches = {}};
  own->compiled = compiled;
  return py::cast(own);
}

int seat_from(int seat, const char* what) {
  if (seat < 0 || seat >= kNumSeats) {
    throw std::invalid_argument(fmt::format("{} = {}, allowed: seats 0..3", what, seat));
  }
  return seat;
}

std::vector<double> in_tariff_units(const std::array<std::int32_t, kNumSeats>& amounts,
                                    const CompiledRules& rules) {
  std::vector<double> result;
  for (int seat = 0; seat < rules.seats(); ++seat) {
    result.push_back(static_cast<double>(amounts[static_cast<std::size_t>(seat)]) /
                     rules.tariff_scale());
  }
  return result;
}

void register_rules(py::module_& module) {
  register_rule_set(module);
  register_context(module);
}

}  // namespace schafkopf::python
