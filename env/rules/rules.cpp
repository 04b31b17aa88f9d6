#include "env/rules/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "env/base/checksum.h"
#include "env/base/input_limits.h"
#include "env/base/nearest.h"
#include "env/rules/rule_fields.h"

namespace schafkopf {

// Types that only switches have

template <>
struct FieldCodec<Card> : NoNames {
  static std::string allowed(const Field&) { return "a card such as EO or H10"; }
  static bool read(const Field&, const PlainValue& value, Card& member) {
    const auto* name = std::get_if<std::string>(&value);
    const auto card = name == nullptr ? std::nullopt : parse_card(*name);
    if (card) member = *card;
    return card.has_value();
  }
  static PlainValue write(Card member) {
    return member < kNumCards ? card_name(member) : std::string("?");
  }
};

template <>
struct FieldCodec<RoundTriggers> : NoNames {
  static std::string allowed(const Field&) {
    return fmt::format("table of {} -> {}", fmt::join(names_of(RoundEvent{}), ", "),
                       fmt::join(names_of(SpecialRound{}), ", "));
  }
  static bool read(const Field&, const PlainValue& value, RoundTriggers& member) {
    const auto* table = std::get_if<PlainTable>(&value);
    if (table == nullptr) return false;
    RoundTriggers triggers{};
    for (const auto& [event_name, mode_name] : *table) {
      RoundEvent event{};
      SpecialRound mode{};
      if (!FieldCodec<RoundEvent>::read({}, event_name, event)) return false;
      if (!FieldCodec<SpecialRound>::read({}, mode_name, mode)) return false;
      triggers[static_cast<std::size_t>(event)] = mode;
    }
    member = triggers;
    return true;
  }
  static PlainValue write(const RoundTriggers& member) {
    PlainTable table;
    for (std::size_t i = 0; i < member.size(); ++i) {
      if (member[i] == SpecialRound::kNone) continue;
      table.emplace(name_of(static_cast<RoundEvent>(i)), std::string(name_of(member[i])));
    }
    return table;
  }
};

namespace {

// Tariffs: a name, or a table of changes to a base

constexpr int kMaxFactor = 64;
/// Single games with points: `solo` sets those that a table does not name (G.2 "solo (= wenz,
/// geier, ...)").
constexpr TariffKey kFollowSolo[] = {
    TariffKey::kWenz,        TariffKey::kGeier,           TariffKey::kFarbwenz,
    TariffKey::kFarbgeier,   TariffKey::kHabicht,         TariffKey::kEisenbahner,
    TariffKey::kFarbhabicht, TariffKey::kFarbeisenbahner,
};

/// Factor of a tariff by key, or null.
int* find_factor(Tariff& tariff, std::string_view key) {
  if (key == "tout_factor") return &tariff.tout_factor;
  if (key == "sie_factor") return &tariff.sie_factor;
  if (key == "hochzeit_factor") return &tariff.hochzeit_factor;
  return nullptr;
}

/// A part of the table of a tariff, in messages "tariff.ruf".
std::string part_of(const Field& field, std::string_view part) {
  return fmt::format("{}.{}", field.key, part);
}

/// Amount in half units.
int half_units(const Field& field, std::string_view part, const PlainValue& value) {
  const double amount = number_in(value).value_or(-1.0), halves = 2.0 * amount;
  if (!(amount >= 0.0) || amount > kMaxAmount || halves != std::floor(halves)) {
    refuse_value(part_of(field, part), value, fmt::format("0..{} in steps of 0.5", kMaxAmount));
  }
  return static_cast<int>(halves);
}

std::string text_of(const Field& field, std::string_view part, const PlainValue& value) {
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) refuse_value(part_of(field, part), value, "text");
  return *text;
}

/// Applies one entry of a tariff table; amounts of `tariff` are in half units.
void read_tariff_entry(const Field& field, const std::string& part, const PlainValue& value,
                       const PlainTable& table, Tariff& tariff) {
  TariffKey amount{};
  if (part == "base") return;  // read before
  if (part == "name") {
    tariff.name = text_of(field, part, value);
  } else if (part == "unit") {
    tariff.unit = text_of(field, part, value);
  } else if (int* factor = find_factor(tariff, part)) {
    const std::string key = part_of(field, part);
    assign_member(Field{.key = key, .min = 1, .max = kMaxFactor}, value, *factor);
  } else if (FieldCodec<TariffKey>::read({}, part, amount)) {
    const int halves = half_units(field, part, value);
    tariff.amounts[static_cast<std::size_t>(amount)] = halves;
    if (amount != TariffKey::kSolo) return;
    for (const TariffKey other : kFollowSolo) {
      if (!table.contains(name_of(other))) tariff.amounts[static_cast<std::size_t>(other)] = halves;
    }
  } else {
    std::vector<std::string_view> parts = {"base",        "name",       "unit",
                                           "tout_factor", "sie_factor", "hochzeit_factor"};
    for (const std::string_view name : names_of(TariffKey{})) parts.push_back(name);
    try {
      refuse_key("part", part, parts);
    } catch (const FieldError& error) {
      detail::rethrow_inside(field.key, error);
    }
  }
}

Tariff read_tariff_table(const Field& field, const PlainTable& table, const Tariff& current) {
  Tariff base = current;
  if (const auto it = table.find("base"); it != table.end()) {
    base = named_tariff(text_of(field, "base", it->second));
  }
  Tariff tariff = base;
  for (int& amount : tariff.amounts) amount = 2 * amount / base.scale;
  for (const auto& [part, value] : table) read_tariff_entry(field, part, value, table, tariff);
  tariff.scale =
      std::ranges::any_of(tariff.amounts, [](int amount) { return amount % 2 != 0; }) ? 2 : 1;
  if (tariff.scale == 1) {
    for (int& amount : tariff.amounts) amount /= 2;
  }
  if (tariff == base) return tariff;
  if (!table.contains("name") && tariff.name == base.name) tariff.name = "custom";
  if (const auto known = find_tariff(tariff.name); known && *known != tariff) {
    refuse_value(part_of(field, "name"), tariff.name,
                 "a name of its own, because this tariff of RULES G.2 has other amounts");
  }
  return tariff;
}

PlainTable tariff_table(const Tariff& tariff) {
  PlainTable table;
  table["name"] = tariff.name;
  table["unit"] = tariff.unit;
  for (int i = 0; i < kNumTariffKeys; ++i) {
    const int amount = tariff.amounts[static_cast<std::size_t>(i)];
    const auto key = std::string(name_of(static_cast<TariffKey>(i)));
    if (amount % tariff.scale == 0) {
      table[key] = std::int64_t{amount / tariff.scale};
    } else {
      table[key] = static_cast<double>(amount) / tariff.scale;
    }
  }
  table["tout_factor"] = std::int64_t{tariff.tout_factor};
  table["sie_factor"] = std::int64_t{tariff.sie_factor};
  table["hochzeit_factor"] = std::int64_t{tariff.hochzeit_factor};
  return table;
}

}  // namespace

template <>
struct FieldCodec<Tariff> : NoNames {
  static std::string allowed(const Field&) {
    return tariff_names() + ", or a table of its fields (base, name, unit, ruf, solo, ...)";
  }
  static bool read(const Field& field, const PlainValue& value, Tariff& member) {
    if (const auto* table = std::get_if<PlainTable>(&value)) {
      member = read_tariff_table(field, *table, member);
      return true;
    }
    const auto* name = std::get_if<std::string>(&value);
    const auto tariff = name == nullptr ? std::nullopt : find_tariff(*name);
    if (tariff) member = *tariff;
    return tariff.has_value();
  }
  static PlainValue write(const Tariff& member) {
    if (find_tariff(member.name) == member) return member.name;
    return tariff_table(member);
  }
};

namespace {

[[noreturn]] void throw_unknown_key(std::string_view key) {
  if (key == "preset") {
    throw RuleError("preset",
                    "preset: what a rule set begins with cannot be changed in it, allowed: another "
                    "rule set of that preset");
  }
  std::vector<std::string_view> keys = {"preset"};
  const std::vector<FieldSlot> slots = slots_of(RuleSet());
  for (const FieldSlot& slot : slots) keys.push_back(slot.field.key);
  throw RuleError(std::string(key),
                  fmt::format("unknown switch \"{}\"{}; `schafkopf rules show` lists all",
                              quotable(key), nearest_hint(key, keys)));
}

struct FieldValue {
  std::string_view key;
  PlainValue value;
};

/// Keys and values in order, without the texts of FieldSlot, which cost most of it.
std::vector<FieldValue> values_of(const RuleSet& rules) {
  std::vector<FieldValue> values;
  visit_fields(rules, [&]<class T>(const Field& field, const T& member) {
    values.push_back({field.key, CodecOf<T>::write(member)});
  });
  return values;
}

bool is_switch(std::string_view key) {
  static const RuleSet rules;
  bool known = false;
  visit_fields(rules, [&](const Field& field, const auto&) { known |= field.key == key; });
  return known;
}

/// Text of a value as Python literal.
std::string python_text(const PlainValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  const auto* table = std::get_if<PlainTable>(&value);
  if (table == nullptr) return to_text(value);
  std::vector<std::string> items;
  for (const auto& [key, inner] : *table) {
    items.push_back(fmt::format("{}: {}", quoted_text(key), python_text(inner)));
  }
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

}  // namespace

std::vector<std::string> official_doubling_names() {
  return {"Stoß", "Re", "Supra", "Resupra", "Hirsch", "Bock"};
}

std::vector<FieldSlot> slots_of_rules(const RuleSet& rules) { return slots_of(rules); }

void set_field(RuleSet& rules, std::string_view key, const PlainValue& value) {
  if (!is_switch(key)) throw_unknown_key(key);
  try {
    assign_field(rules, key, value, "switch");
  } catch (const FieldError& error) {
    throw RuleError(error.key(), error.what());
  }
}

PlainValue get_field(const RuleSet& rules, std::string_view key) {
  PlainValue value;
  bool known = false;
  visit_fields(rules, [&]<class T>(const Field& field, const T& member) {
    if (field.key != key) return;
    value = CodecOf<T>::write(member);
    known = true;
  });
  if (!known) throw_unknown_key(key);
  return value;
}

std::vector<FieldInfo> rule_fields() {
  std::vector<FieldInfo> infos;
  for (const FieldSlot& slot : slots_of(RuleSet())) {
    infos.push_back({.key = std::string(slot.field.key),
                     .group = std::string(slot.field.group),
                     .meaning = std::string(slot.field.meaning),
                     .source = std::string(slot.field.source),
                     .allowed = slot.allowed,
                     .default_value = slot.value});
  }
  return infos;
}

void check_values(const RuleSet& rules) {
  if (rules.tariff.scale != 1 && rules.tariff.scale != 2) {
    throw RuleError("tariff", fmt::format("tariff scale = {}, allowed: 1, 2", rules.tariff.scale));
  }
  try {
    check_fields(rules);
  } catch (const FieldError& error) {
    throw RuleError(error.key(), error.what());
  }
}

std::uint64_t hash_rules(const RuleSet& rules) {
  // A switch after those of RULES J.1 counts only where it is not at its default: the hashes of
  // older rule sets stay.
  constexpr std::size_t kAlwaysHashed = 90;
  const std::vector<FieldValue> values = values_of(rules), defaults = values_of(RuleSet());
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i >= kAlwaysHashed && values[i].value == defaults[i].value) continue;
    text += fmt::format("{}={}\n", values[i].key, to_text(values[i].value));
  }
  text += to_text(PlainValue(tariff_table(rules.tariff)));
  std::uint64_t hash = hash_of_bytes(text);  // then the finaliser of splitmix64
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
  return hash ^ (hash >> 31);
}

std::string to_string(const RuleSet& rules) {
  const std::vector<FieldValue> values = values_of(rules), defaults = values_of(RuleSet());
  std::vector<std::string> items;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].value == defaults[i].value) continue;
    items.push_back(fmt::format("{}={}", values[i].key, python_text(values[i].value)));
  }
  return fmt::format("RuleSet({})", fmt::join(items, ", "));
}

}  // namespace schafkopf
