// RuleSet, cards, actions and contracts for Python.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

#include "bindings/common.h"
#include "env/contract.h"
#include "env/settle.h"

namespace schafkopf::python {
namespace {

FieldScalar scalar_from(const std::string& key, const py::handle& value) {
  if (py::isinstance<py::bool_>(value)) return value.cast<bool>();
  if (py::isinstance<py::int_>(value)) return value.cast<std::int64_t>();
  if (py::isinstance<py::float_>(value)) return value.cast<double>();
  if (py::isinstance<py::str>(value)) return value.cast<std::string>();
  throw std::invalid_argument(
      fmt::format("{}: a value of type {} is not a bool, an int, a float or a str", key,
                  py::type::handle_of(value).attr("__name__").cast<std::string>()));
}

FieldValue field_from(const std::string& key, const py::handle& value) {
  if (py::isinstance<py::dict>(value)) {
    FieldTable table;
    for (const auto& [name, entry] : py::reinterpret_borrow<py::dict>(value)) {
      table[py::str(name)] = scalar_from(key, entry);
    }
    return table;
  }
  if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value) ||
      py::isinstance<py::set>(value)) {
    std::vector<std::string> names;
    for (const py::handle entry : value) names.push_back(py::str(entry));
    return names;
  }
  return std::visit([](auto scalar) -> FieldValue { return scalar; }, scalar_from(key, value));
}

py::object field_to_python(const FieldValue& value) {
  return std::visit(
      [](const auto& inner) -> py::object {
        using Value = std::decay_t<decltype(inner)>;
        if constexpr (std::is_same_v<Value, FieldTable>) {
          py::dict table;
          for (const auto& [key, entry] : inner) {
            table[py::str(key)] =
                std::visit([](const auto& scalar) { return py::object(py::cast(scalar)); }, entry);
          }
          return table;
        } else {
          return py::cast(inner);
        }
      },
      value);
}

std::shared_ptr<const Rules> compile(NamedRules asked) {
  auto rules = std::make_shared<Rules>();
  rules->compiled = CompiledRules::make(asked);
  rules->asked = std::move(asked);
  return rules;
}

py::dict rules_to_dict(const Rules& rules) {
  py::dict result;
  for (const FieldInfo& field : rule_fields()) {
    result[py::str(field.key)] = field_to_python(get_field(rules.compiled->rules(), field.key));
  }
  return result;
}

py::object get_switch(const Rules& rules, const std::string& key) {
  for (const FieldInfo& field : rule_fields()) {
    if (field.key == key) return field_to_python(get_field(rules.compiled->rules(), key));
  }
  throw py::attribute_error(fmt::format("RuleSet has no switch '{}'", key));
}

std::shared_ptr<const Rules> replaced(const Rules& rules, const py::kwargs& switches) {
  NamedRules asked = rules.asked;
  for (const auto& [name, value] : switches) {
    const std::string key = py::str(name);
    set_field(asked.rules, key, field_from(key, value));
    asked.own_switches.push_back(key);
  }
  if (!switches.empty()) {
    asked.rules = checked(asked.rules);
    asked.name = "custom";
  }
  return compile(std::move(asked));
}

std::string repr_contract(const Contract& contract) {
  const ContractRow& row = contract_row(contract.contract);
  std::string text = fmt::format("Contract('{}'", row.name);
  if (contract.declarer >= 0) text += fmt::format(", declarer={}", contract.declarer);
  if (row.trump_suit == TrumpSuit::kAnnounced) {
    text += fmt::format(", suit='{}'", to_string(contract.suit));
  }
  if (contract.called != kNoCard) {
    text += fmt::format(", called='{}'", card_name(contract.called));
  }
  if (contract.tout) text += ", tout=True";
  if (contract.bid != 0) text += fmt::format(", bid={}", contract.bid);
  return text + ")";
}

Contract make_contract(const std::string& name, int declarer,
                       const std::optional<Text<"suit">>& suit, const py::object& called,
                       bool tout) {
  Contract contract;
  const NamedContract named = parse_contract(name);
  // Of an unknown name contract_class_from makes the error, with the known ones.
  contract.contract = named.row != nullptr ? named.row->contract : contract_class_from(name);
  contract.tout = tout || named.tout;
  if (contract.tout && contract_row(contract.contract).tout_action == 0) {
    throw std::invalid_argument(fmt::format("{} has no Tout form", name));
  }
  if (suit) contract.suit = suit_from(*suit);
  if (!called.is_none()) contract.called = card_from(called);
  contract.declarer = declarer == -1 ? -1 : seat_from(declarer, "declarer");
  return contract;
}

/// Points of a bid (RULES D.5).
int bid_from(int bid) {
  if (bid == 0 || (bid >= 70 && bid <= 120 && bid % 10 == 0)) return bid;
  throw std::invalid_argument(fmt::format("bid = {}, allowed 0, 70, 80, ... 120 (R-098)", bid));
}

void register_cards(py::module_& module) {
  module.def(
      "card_name", [](const py::object& card) { return card_name(card_from(card)); },
      py::arg("card"), "Name of a card number 0..31: \"EO\".");
  module.def(
      "parse_card", [](const py::object& card) { return static_cast<int>(card_from(card)); },
      py::arg("name"), "Number 0..31 of a card; X, T and Z stand for 10.");
  module.def(
      "action_name",
      [](int action) {
        if (action < 0 || action >= kNumActions) {
          throw std::invalid_argument(fmt::format("action {}, allowed 0..127", action));
        }
        return action_name(action);
      },
      py::arg("action"), "Name of an action number 0..127: \"PASS\", \"CARD EA\", \"C_SOLO\".");
  module.def(
      "parse_action",
      [](const std::string& name) { return static_cast<int>(action_from(py::str(name))); },
      py::arg("name"), "Number 0..127 of an action name; a bare card means CARD.");
  module.def(
      "phase_name",
      [](int phase) {
        if (phase < 0 || phase >= kNumPhases) {
          throw std::invalid_argument(
              fmt::format("phase {}, allowed 0..{}", phase, kNumPhases - 1));
        }
        return std::string(phase_name(static_cast<Phase>(phase)));
      },
      py::arg("phase"), "Name of a phase number, as in VectorEnv.phase.");
}

void register_rule_set(py::module_& module) {
  py::class_<Rules, std::shared_ptr<Rules>>(
      module, "RuleSet",
      R"(House rules of a table: a preset or a TOML file, plus changed switches.

Args:    preset: name of a preset or path of a TOML file; "" starts from the defaults.
         **switches: any of the 90 switches, as in configs/rules/*.toml.
Raises:  ValueError: unknown switch, wrong type or value, or a combination that RULES J rejects.

Every switch is an attribute with the value that is played.)")
      .def(py::init([](const Text<"preset">& preset, const py::kwargs& switches) {
             return std::const_pointer_cast<Rules>(make_python_rules(preset, switches));
           }),
           py::arg("preset") = "research")
      .def_property_readonly("name", [](const Rules& r) { return r.compiled->name(); })
      .def_property_readonly("hash", [](const Rules& r) { return r.compiled->hash(); })
      .def_property_readonly("seats", [](const Rules& r) { return r.compiled->seats(); })
      .def_property_readonly("tariff_scale",
                             [](const Rules& r) { return r.compiled->tariff_scale(); })
      .def(
          "replace",
          [](const Rules& r, const py::kwargs& switches) {
            return std::const_pointer_cast<Rules>(replaced(r, switches));
          },
          "Copy with changed switches.")
      .def("to_dict", &rules_to_dict, "All switches by name.")
      .def(
          "to_toml",
          [](const Rules& r) { return to_toml(r.compiled->rules(), r.compiled->name()); },
          "Complete rule file with comments.")
      .def("__getattr__", &get_switch)
      .def("__repr__", [](const Rules& r) { return to_string(r.compiled->rules()); })
      .def("__eq__",
           [](const Rules& a, const py::object& b) {
             return py::isinstance<Rules>(b) &&
                    a.compiled->rules() == b.cast<const Rules&>().compiled->rules();
           })
      .def("__hash__",
           [](const Rules& r) { return static_cast<py::ssize_t>(r.compiled->hash() >> 1); });

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
          row["default"] = field_to_python(field.default_value);
          rows.append(row);
        }
        return rows;
      },
      "The 90 switches: key, group, meaning, source, allowed values, default.");
}

void register_contract(py::module_& module) {
  std::vector<std::string> classes;
  for (const std::string_view name : names_of(ContractClass{})) classes.emplace_back(name);
  module.attr("CONTRACT_CLASSES") = py::tuple(py::cast(classes));
  std::vector<std::string> modes;
  for (const std::string_view name : names_of(SpecialRound{})) modes.emplace_back(name);
  module.attr("SPECIAL_ROUNDS") = py::tuple(py::cast(modes));
  py::class_<Contract>(module, "Contract",
                       "Class, declarer and what was named with it; Tout is a flag or a suffix.")
      .def(py::init([](const Text<"name">& name, Whole<"declarer", int, -1, kNumSeats - 1> declarer,
                       const std::optional<Text<"suit">>& suit, const py::object& called, bool tout,
                       Whole<"bid", int, 0, 120> bid) {
             Contract contract = make_contract(name, declarer, suit, called, tout);
             contract.bid = bid_from(bid);
             return contract;
           }),
           py::arg("name"), py::arg("declarer") = -1, py::arg("suit") = py::none(),
           py::arg("called") = py::none(), py::arg("tout") = false, py::arg("bid") = 0)
      .def_property_readonly(
          "name", [](const Contract& c) { return std::string(contract_row(c.contract).name); })
      .def_readonly("declarer", &Contract::declarer)
      .def_readonly("tout", &Contract::tout)
      .def_readonly("bid", &Contract::bid)
      .def_property_readonly("suit",
                             [](const Contract& c) -> std::optional<std::string> {
                               const bool named =
                                   contract_row(c.contract).trump_suit == TrumpSuit::kAnnounced;
                               if (!named) return std::nullopt;
                               return std::string(to_string(c.suit));
                             })
      .def_property_readonly("called",
                             [](const Contract& c) -> std::optional<std::string> {
                               if (c.called == kNoCard) return std::nullopt;
                               return card_name(c.called);
                             })
      .def("__eq__",
           [](const Contract& a, const py::object& b) {
             return py::isinstance<Contract>(b) && a == b.cast<const Contract&>();
           })
      .def("__hash__", [](const Contract& c) { return py::hash(py::str(repr_contract(c))); })
      .def("__repr__", &repr_contract);
}

/// "ramsch" or its number.
std::uint8_t special_round_from(const std::string& name) {
  for (int i = 0; i < kNumValues<SpecialRound>; ++i) {
    if (name_of(static_cast<SpecialRound>(i)) == name) return static_cast<std::uint8_t>(i);
  }
  throw std::invalid_argument(fmt::format("special_round = \"{}\", allowed: {}", name,
                                          fmt::join(names_of(SpecialRound{}), ", ")));
}

std::uint8_t small_number(int value, const char* what) {
  if (value >= 0 && value <= 255) return static_cast<std::uint8_t>(value);
  throw std::invalid_argument(fmt::format("{} = {}, allowed 0..255", what, value));
}

DealContext make_context(Whole<"stock"> stock, Whole<"bock"> bock,
                         const Text<"special_round">& special_round, Whole<"games_left"> games_left,
                         const std::vector<Whole<"owed">>& owed) {
  constexpr int kMaxBock = 16;
  if (stock < 0 || stock > kMaxStock) {
    throw std::invalid_argument(fmt::format("stock = {}, allowed 0..{}", stock.value, kMaxStock));
  }
  if (bock < 0 || bock > kMaxBock) {
    throw std::invalid_argument(fmt::format("bock = {}, allowed 0..{}", bock.value, kMaxBock));
  }
  if (owed.size() > kNumSeats) {
    throw std::invalid_argument(fmt::format("owed: {} seats, allowed 4", owed.size()));
  }
  DealContext context;
  context.stock = stock;
  context.bock = static_cast<std::uint8_t>(bock.value);
  context.special_round = special_round_from(special_round);
  context.games_left = small_number(games_left, "games_left");
  for (std::size_t seat = 0; seat < owed.size(); ++seat) {
    if (owed[seat] < 0 || owed[seat] > kOwesAll) {
      throw std::invalid_argument(fmt::format("owed: {}, allowed 0..7", owed[seat].value));
    }
    context.owed[seat] = static_cast<std::uint8_t>(owed[seat].value);
  }
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
          "Context of a first deal: the special round that the rules name.")
      .def_readonly("stock", &DealContext::stock)
      .def_property_readonly("bock", [](const DealContext& c) { return static_cast<int>(c.bock); })
      .def_property_readonly("special_round",
                             [](const DealContext& c) { return std::string(name_of(c.mode())); })
      .def_property_readonly("games_left",
                             [](const DealContext& c) { return static_cast<int>(c.games_left); })
      .def_property_readonly("owed",
                             [](const DealContext& c) {
                               return std::vector<int>(std::begin(c.owed), std::end(c.owed));
                             })
      .def("__eq__",
           [](const DealContext& a, const py::object& b) {
             return py::isinstance<DealContext>(b) && a == b.cast<const DealContext&>();
           })
      .def("__repr__", [](const DealContext& c) {
        return fmt::format("DealContext(stock={}, bock={}, special_round='{}', games_left={})",
                           c.stock, c.bock, name_of(c.mode()), c.games_left);
      });
}

/// Cards on the table in order, none twice.
std::vector<Card> trick_from(const py::object& trick, int most) {
  (void)card_set_from(trick);
  std::vector<Card> table = card_list_from(trick);
  if (table.size() <= static_cast<std::size_t>(most)) return table;
  throw std::invalid_argument(
      fmt::format("trick: {} cards, allowed at most {}", table.size(), most));
}

void register_rule_functions(py::module_& module) {
  module.def(
      "legal",
      [](const py::object& hand, const py::object& trick, const std::string& contract,
         const std::string& suit, const py::object& called, bool released,
         const py::object& rules) {
        const auto compiled = rules_from(rules)->compiled;
        const std::vector<Card> table = trick_from(trick, compiled->seats() - 1);
        const CardSet cards = card_set_from(hand);
        for (const Card card : table) {
          if (!cards.contains(card)) continue;
          throw std::invalid_argument(
              fmt::format("{} is in the hand and in the trick", card_name(card)));
        }
        return names_of_cards(legal(cards, table, contract_class_from(contract), suit_from(suit),
                                    called.is_none() ? kNoCard : card_from(called), released,
                                    compiled->rules()));
      },
      py::arg("hand"), py::arg("trick"), py::arg("contract"), py::arg("suit") = "H",
      py::arg("called") = py::none(), py::arg("released") = false, py::arg("rules") = "research",
      R"(Legal cards of a hand (RULES E.3); hands may be partial.

Args:    trick: cards on the table in order;  called: called card, if there is one.
         released: the called card is free (its owner ran away, or it was searched).)");
  module.def(
      "callable",
      [](const py::object& hand, const py::object& rules) {
        return names_of_cards(callable(card_set_from(hand), rules_from(rules)->compiled->rules()));
      },
      py::arg("hand"), py::arg("rules") = "research", "Aces that a hand may call (RULES C.1).");
  module.def(
      "laufende",
      [](const py::object& party, const std::string& contract, const std::string& suit,
         const py::object& rules) {
        return laufende(card_set_from(party), contract_class_from(contract), suit_from(suit),
                        rules_from(rules)->compiled->rules());
      },
      py::arg("party"), py::arg("contract"), py::arg("suit") = "H", py::arg("rules") = "research",
      "Payable Laufende of the cards that a party was dealt (RULES G.4).");
  module.def(
      "trick_winner",
      [](const py::object& trick, const std::string& contract, const std::string& suit,
         const py::object& rules) {
        const auto compiled = rules_from(rules)->compiled;
        const std::vector<Card> table = trick_from(trick, compiled->seats());
        if (table.empty()) throw std::invalid_argument("trick: no card");
        return trick_winner(table, contract_class_from(contract), suit_from(suit),
                            compiled->rules());
      },
      py::arg("trick"), py::arg("contract"), py::arg("suit") = "H", py::arg("rules") = "research",
      "Index in the trick of the winning card (RULES E.1).");
}

}  // namespace

std::shared_ptr<const Rules> make_python_rules(const std::string& base, const py::dict& switches) {
  NamedRules asked = base.empty() ? make_rules("", {}) : find_rules(base);
  const auto rules = compile(std::move(asked));
  if (switches.empty()) return rules;
  return replaced(*rules, py::reinterpret_borrow<py::kwargs>(switches));
}

std::shared_ptr<const Rules> rules_from(const py::handle& value) {
  if (py::isinstance<Rules>(value)) return value.cast<std::shared_ptr<Rules>>();
  if (py::isinstance<py::str>(value)) {
    // Presets are immutable and asked for often: each is read once, under the GIL.
    static std::map<std::string, std::shared_ptr<const Rules>> presets;
    const auto name = value.cast<std::string>();
    if (const auto found = presets.find(name); found != presets.end()) return found->second;
    const auto rules = make_python_rules(name, {});
    for (const std::string_view preset : preset_names()) {
      if (preset == name) presets[name] = rules;
    }
    return rules;
  }
  if (py::isinstance<py::dict>(value)) {
    py::dict switches = py::reinterpret_borrow<py::dict>(value).attr("copy")();
    const auto preset = switches.attr("pop")("preset", "").cast<std::string>();
    return make_python_rules(preset, switches);
  }
  throw std::invalid_argument(
      fmt::format("rules: a {} came, allowed: a preset name, a path, a dict or a RuleSet",
                  describe_array(value)));
}

Card card_from(const py::handle& value) {
  if (py::isinstance<py::str>(value)) {
    const auto name = value.cast<std::string>();
    if (const auto card = parse_card(name)) return *card;
    throw std::invalid_argument(fmt::format(
        "\"{}\" is no card; cards are written suit E G H S, rank 7 8 9 U O K 10 A", name));
  }
  return whole_from<Card>(value, "card", 0, kNumCards - 1);
}

std::vector<Card> card_list_from(const py::handle& value) {
  std::vector<Card> cards;
  if (py::isinstance<py::str>(value)) {
    for (const py::handle word : value.attr("split")()) cards.push_back(card_from(word));
    return cards;
  }
  for (const py::handle entry : value) cards.push_back(card_from(entry));
  return cards;
}

CardSet card_set_from(const py::handle& value) {
  CardSet set;
  for (const Card card : card_list_from(value)) {
    if (set.contains(card)) {
      throw std::invalid_argument(fmt::format("{} comes twice", card_name(card)));
    }
    set.add(card);
  }
  return set;
}

std::vector<std::string> names_of_cards(CardSet cards) {
  std::vector<std::string> names;
  for (const Card card : cards) names.push_back(card_name(card));
  return names;
}

Action action_from(const py::handle& value) {
  if (py::isinstance<py::str>(value)) {
    const auto name = value.cast<std::string>();
    if (const auto action = parse_action(name)) return *action;
    throw std::invalid_argument(fmt::format("\"{}\" is no action (RULES D.1)", name));
  }
  return whole_from<Action>(value, "action", 0, kNumActions - 1);
}

Contract contract_from(const py::handle& value) {
  if (py::isinstance<Contract>(value)) return value.cast<Contract>();
  if (py::isinstance<py::str>(value)) {
    return make_contract(value.cast<std::string>(), -1, std::nullopt, py::none(), false);
  }
  if (!py::isinstance<py::dict>(value)) {
    throw std::invalid_argument(fmt::format(
        "contract: a {} came, allowed: a Contract, a name or a dict", describe_array(value)));
  }
  const auto given = py::reinterpret_borrow<py::dict>(value);
  for (const auto& [key, unused] : given) {
    const std::string name = py::str(key);
    static const std::vector<std::string> kKeys = {"class", "suit",     "called",
                                                   "tout",  "declarer", "bid"};
    if (std::find(kKeys.begin(), kKeys.end(), name) == kKeys.end()) {
      throw std::invalid_argument(
          fmt::format("contract: unknown key \"{}\", allowed {}", name, fmt::join(kKeys, ", ")));
    }
  }
  if (!given.contains("class"))
    throw std::invalid_argument("contract: the key \"class\" is missing");
  const auto get = [&given](const char* key, const py::object& otherwise) {
    return given.contains(key) ? py::object(given[key]) : otherwise;
  };
  Contract contract =
      make_contract(given["class"].cast<Text<"class">>(),
                    whole_from<int>(get("declarer", py::int_(-1)), "declarer", -1, kNumSeats - 1),
                    get("suit", py::none()).cast<std::optional<Text<"suit">>>(),
                    get("called", py::none()), get("tout", py::bool_(false)).cast<bool>());
  contract.bid = bid_from(whole_from<int>(get("bid", py::int_(0)), "bid", 0, 120));
  return contract;
}

Suit suit_from(const std::string& name) {
  for (int suit = 0; suit < kNumSuits; ++suit) {
    if (name == to_string(static_cast<Suit>(suit))) return static_cast<Suit>(suit);
  }
  throw std::invalid_argument(fmt::format("suit \"{}\", allowed E, G, H, S", name));
}

ContractClass contract_class_from(const std::string& name) {
  std::string known;
  for (const ContractRow& row : contract_table()) {
    if (row.name == name) return row.contract;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", row.name);
  }
  throw std::invalid_argument(fmt::format("contract \"{}\", allowed {}", name, known));
}

int seat_from(int seat, const char* what) {
  if (seat < 0 || seat >= kNumSeats) {
    throw std::invalid_argument(fmt::format("{} = {}, allowed seats 0..3", what, seat));
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
  register_cards(module);
  register_rule_set(module);
  register_contract(module);
  register_context(module);
  register_rule_functions(module);
}

}  // namespace schafkopf::python
