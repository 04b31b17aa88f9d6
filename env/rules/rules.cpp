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
namespace {

// Text of values

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string plain_text(bool value) { return value ? "true" : "false"; }
std::string plain_text(std::int64_t value) { return fmt::format("{}", value); }
std::string plain_text(double value) { return fmt::format("{:#}", value); }
std::string plain_text(const std::string& value) { return quoted(value); }
std::string plain_text(const std::vector<std::string>& values) {
  std::vector<std::string> items(values.size());
  std::ranges::transform(values, items.begin(), quoted);
  return fmt::format("[{}]", fmt::join(items, ", "));
}
std::string plain_text(const FieldTable& table) {
  std::vector<std::string> items;
  for (const auto& [key, value] : table) {
    items.push_back(fmt::format("{} = {}", key,
                                std::visit([](const auto& v) { return plain_text(v); }, value)));
  }
  return items.empty() ? "{}" : fmt::format("{{ {} }}", fmt::join(items, ", "));
}

[[noreturn]] void reject(std::string_view key, std::string_view part, const FieldValue& value,
                         std::string_view allowed) {
  throw RuleError(
      fmt::format("{}{}", key, part),
      fmt::format("{}{} = {}, allowed {}", key, quotable(part), quotable(to_text(value)), allowed));
}

// One codec per member type: allowed_text, encode (member -> value), decode (value -> member, or
// throws).

template <class E>
  requires std::is_enum_v<E>
bool is_allowed(const Field& field, E value) {
  const auto index = static_cast<unsigned>(value);
  return index < static_cast<unsigned>(kNumValues<E>) && ((field.allowed >> index) & 1u) != 0;
}

template <class E>
std::vector<std::string> allowed_names(const Field& field) {
  std::vector<std::string> names;
  for (int i = 0; i < kNumValues<E>; ++i) {
    if (is_allowed(field, static_cast<E>(i))) names.emplace_back(name_of(static_cast<E>(i)));
  }
  return names;
}

template <class E>
std::optional<E> find_value(const Field& field, std::string_view name) {
  for (int i = 0; i < kNumValues<E>; ++i) {
    const E value = static_cast<E>(i);
    if (is_allowed(field, value) && name_of(value) == name) return value;
  }
  return std::nullopt;
}

std::string allowed_text(const Field&, bool) { return "true or false"; }
FieldValue encode(bool member) { return member; }
void decode(const Field& field, const FieldValue& value, bool& member) {
  const bool* flag = std::get_if<bool>(&value);
  if (flag == nullptr) reject(field.key, "", value, allowed_text(field, member));
  member = *flag;
}

std::string allowed_text(const Field& field, int) {
  return fmt::format("{}..{}", field.min, field.max);
}
FieldValue encode(int member) { return std::int64_t{member}; }
void decode(const Field& field, const FieldValue& value, int& member) {
  const std::int64_t* number = std::get_if<std::int64_t>(&value);
  if (number == nullptr) reject(field.key, "", value, "an integer " + allowed_text(field, member));
  if (*number < field.min || *number > field.max)
    reject(field.key, "", value, allowed_text(field, member));
  member = static_cast<int>(*number);
}

template <class E>
  requires std::is_enum_v<E>
std::string allowed_text(const Field& field, E) {
  return fmt::format("{}", fmt::join(allowed_names<E>(field), " | "));
}
template <class E>
  requires std::is_enum_v<E>
FieldValue encode(E member) {
  return std::string(name_of(member));
}
/// What is allowed, and which of it a mistyped name most likely meant.
template <class E>
std::string allowed_near(const Field& field, std::string_view name, const std::string& allowed) {
  return allowed + nearest_hint(name, allowed_names<E>(field));
}

template <class E>
  requires std::is_enum_v<E>
void decode(const Field& field, const FieldValue& value, E& member) {
  const std::string* name = std::get_if<std::string>(&value);
  const auto found = name == nullptr ? std::nullopt : find_value<E>(field, *name);
  if (!found) {
    const std::string allowed = allowed_text(field, member);
    reject(field.key, "", value,
           name == nullptr ? allowed : allowed_near<E>(field, *name, allowed));
  }
  member = *found;
}

template <class E>
std::string allowed_text(const Field& field, EnumSet<E>) {
  return fmt::format("a list of {}", fmt::join(allowed_names<E>(field), ", "));
}
template <class E>
FieldValue encode(EnumSet<E> member) {
  std::vector<std::string> names;
  for (unsigned i = 0; i < 32; ++i) {
    if (((member.bits() >> i) & 1u) != 0) names.emplace_back(name_of(static_cast<E>(i)));
  }
  return names;
}
template <class E>
void decode(const Field& field, const FieldValue& value, EnumSet<E>& member) {
  const auto* names = std::get_if<std::vector<std::string>>(&value);
  if (names == nullptr) reject(field.key, "", value, allowed_text(field, member));
  EnumSet<E> set;
  for (const std::string& name : *names) {
    const auto found = find_value<E>(field, name);
    if (!found) {
      reject(field.key, "", value, allowed_near<E>(field, name, allowed_text(field, member)));
    }
    set.add(*found);
  }
  member = set;
}

std::string allowed_text(const Field&, Card) { return "a card such as EO or H10"; }
FieldValue encode(Card member) { return member < kNumCards ? card_name(member) : std::string("?"); }
void decode(const Field& field, const FieldValue& value, Card& member) {
  const std::string* name = std::get_if<std::string>(&value);
  const auto card = name == nullptr ? std::nullopt : parse_card(*name);
  if (!card) reject(field.key, "", value, allowed_text(field, member));
  member = *card;
}

std::string allowed_text(const Field&, const std::vector<std::string>&) {
  return "a list of names";
}
FieldValue encode(const std::vector<std::string>& member) { return member; }
void decode(const Field& field, const FieldValue& value, std::vector<std::string>& member) {
  const auto* names = std::get_if<std::vector<std::string>>(&value);
  if (names == nullptr) reject(field.key, "", value, allowed_text(field, member));
  member = *names;
}

std::string allowed_text(const Field&, const RoundTriggers&) {
  return fmt::format("a table of {} -> {}", fmt::join(names_of(RoundEvent{}), ", "),
                     fmt::join(names_of(SpecialRound{}), ", "));
}
FieldValue encode(const RoundTriggers& member) {
  FieldTable table;
  for (std::size_t i = 0; i < member.size(); ++i) {
    if (member[i] == SpecialRound::kNone) continue;
    table[std::string(name_of(static_cast<RoundEvent>(i)))] = std::string(name_of(member[i]));
  }
  return table;
}
void decode(const Field& field, const FieldValue& value, RoundTriggers& member) {
  const auto* table = std::get_if<FieldTable>(&value);
  if (table == nullptr) reject(field.key, "", value, allowed_text(field, member));
  RoundTriggers triggers{};
  for (const auto& [event_name, mode_value] : *table) {
    const std::string* mode_name = std::get_if<std::string>(&mode_value);
    const auto event = find_value<RoundEvent>(Field{}, event_name);
    const auto mode =
        mode_name == nullptr ? std::nullopt : find_value<SpecialRound>(Field{}, *mode_name);
    if (!event || !mode) reject(field.key, "", value, allowed_text(field, member));
    triggers[static_cast<std::size_t>(*event)] = *mode;
  }
  member = triggers;
}

// Tariffs: a name, or a table of changes to a base

constexpr int kMaxFactor = 64;
/// Single games with points: `solo` sets those that a table does not name (G.2 "solo (= wenz,
/// geier, ...)").
constexpr TariffKey kFollowSolo[] = {
    TariffKey::kWenz,        TariffKey::kGeier,           TariffKey::kFarbwenz,
    TariffKey::kFarbgeier,   TariffKey::kHabicht,         TariffKey::kEisenbahner,
    TariffKey::kFarbhabicht, TariffKey::kFarbeisenbahner,
};

FieldValue widen(const FieldScalar& scalar) {
  return std::visit([](const auto& value) { return FieldValue(value); }, scalar);
}

/// Factor of a tariff by key, or null.
int* find_factor(Tariff& tariff, std::string_view key) {
  if (key == "tout_factor") return &tariff.tout_factor;
  if (key == "sie_factor") return &tariff.sie_factor;
  if (key == "hochzeit_factor") return &tariff.hochzeit_factor;
  return nullptr;
}

/// Amount in half units.
int decode_half_units(std::string_view key, const std::string& part, const FieldScalar& scalar) {
  double amount = -1.0;
  if (const auto* whole = std::get_if<std::int64_t>(&scalar)) amount = static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&scalar)) amount = *number;
  const double halves = 2.0 * amount;
  if (!(amount >= 0.0) || amount > kMaxAmount || halves != std::floor(halves)) {
    reject(key, "." + part, widen(scalar), fmt::format("0..{} in steps of 0.5", kMaxAmount));
  }
  return static_cast<int>(halves);
}

std::string decode_text(std::string_view key, const std::string& part, const FieldScalar& scalar) {
  const auto* text = std::get_if<std::string>(&scalar);
  if (text == nullptr) reject(key, "." + part, widen(scalar), "a text");
  return *text;
}

/// Applies one entry of a tariff table; amounts of `tariff` are in half units.
void decode_tariff_entry(std::string_view key, const std::string& part, const FieldScalar& scalar,
                         const FieldTable& table, Tariff& tariff) {
  if (part == "base") return;  // read before
  if (part == "name") {
    tariff.name = decode_text(key, part, scalar);
  } else if (part == "unit") {
    tariff.unit = decode_text(key, part, scalar);
  } else if (int* factor = find_factor(tariff, part)) {
    decode(Field{.key = fmt::format("{}.{}", key, part), .min = 1, .max = kMaxFactor},
           widen(scalar), *factor);
  } else if (const auto amount = find_value<TariffKey>(Field{}, part)) {
    const int halves = decode_half_units(key, part, scalar);
    tariff.amounts[static_cast<std::size_t>(*amount)] = halves;
    if (*amount != TariffKey::kSolo) return;
    for (const TariffKey other : kFollowSolo) {
      if (!table.contains(name_of(other))) tariff.amounts[static_cast<std::size_t>(other)] = halves;
    }
  } else {
    throw RuleError(
        fmt::format("{}.{}", key, part),
        fmt::format(
            "{}.{} is no field of a tariff, allowed base, name, unit, tout_factor, sie_factor, "
            "hochzeit_factor, {}",
            key, quotable(part), fmt::join(names_of(TariffKey{}), ", ")));
  }
}

Tariff decode_tariff_table(const Field& field, const FieldTable& table, const Tariff& current) {
  Tariff base = current;
  if (const auto it = table.find("base"); it != table.end()) {
    base = named_tariff(decode_text(field.key, "base", it->second));
  }
  Tariff tariff = base;
  for (int& amount : tariff.amounts) amount = 2 * amount / base.scale;
  for (const auto& [part, scalar] : table)
    decode_tariff_entry(field.key, part, scalar, table, tariff);
  tariff.scale =
      std::ranges::any_of(tariff.amounts, [](int amount) { return amount % 2 != 0; }) ? 2 : 1;
  if (tariff.scale == 1) {
    for (int& amount : tariff.amounts) amount /= 2;
  }
  if (tariff == base) return tariff;
  if (!table.contains("name") && tariff.name == base.name) tariff.name = "custom";
  if (const auto known = find_tariff(tariff.name); known && *known != tariff) {
    reject(field.key, ".name", tariff.name,
           "a name of its own: this tariff of RULES G.2 has other amounts");
  }
  return tariff;
}

std::string allowed_text(const Field&, const Tariff&) {
  return tariff_names() + ", or a table of its fields (base, name, unit, ruf, solo, ...)";
}

FieldTable tariff_table(const Tariff& tariff) {
  FieldTable table;
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

FieldValue encode(const Tariff& member) {
  if (find_tariff(member.name) == member) return member.name;
  return tariff_table(member);
}

void decode(const Field& field, const FieldValue& value, Tariff& member) {
  if (const auto* table = std::get_if<FieldTable>(&value)) {
    member = decode_tariff_table(field, *table, member);
    return;
  }
  const std::string* name = std::get_if<std::string>(&value);
  const auto tariff = name == nullptr ? std::nullopt : find_tariff(*name);
  if (!tariff) reject(field.key, "", value, allowed_text(field, member));
  member = *tariff;
}

// Unknown keys

/// A switch with the value that it has in a rule set.
struct Slot {
  Field field;
  FieldValue value;
  std::string allowed;
};

/// Every switch of a rule set. The other functions work on this list, so that the members are
/// visited by two instantiations only: this one, and the one that assigns.
std::vector<Slot> slots_of(const RuleSet& rules) {
  std::vector<Slot> slots;
  visit_fields(rules, [&](const Field& field, const auto& member) {
    slots.push_back({field, encode(member), allowed_text(field, member)});
  });
  return slots;
}

[[noreturn]] void throw_unknown_key(std::string_view key) {
  std::vector<std::string_view> keys = {"preset"};
  for (const Slot& slot : slots_of(RuleSet())) keys.push_back(slot.field.key);
  throw RuleError(std::string(key),
                  fmt::format("\"{}\" is no switch{}", quotable(key), nearest_hint(key, keys)) +
                      "; `schafkopf rules show` lists all");
}

/// Text of a value as Python literal.
std::string python_text(const FieldValue& value) {
  if (const bool* flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  const auto* table = std::get_if<FieldTable>(&value);
  if (table == nullptr) return to_text(value);
  std::vector<std::string> items;
  for (const auto& [key, scalar] : *table) {
    items.push_back(fmt::format("{}: {}", quoted(key), python_text(widen(scalar))));
  }
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

}  // namespace

std::vector<std::string> official_doubling_names() {
  return {"Stoß", "Re", "Supra", "Resupra", "Hirsch", "Bock"};
}

std::string to_text(const FieldValue& value) {
  return std::visit([](const auto& v) { return plain_text(v); }, value);
}

void set_field(RuleSet& rules, std::string_view key, const FieldValue& value) {
  bool known = false;
  visit_fields(rules, [&](const Field& field, auto& member) {
    if (field.key != key) return;
    known = true;
    auto changed = member;
    decode(field, value, changed);
    member = std::move(changed);
  });
  if (!known) throw_unknown_key(key);
}

FieldValue get_field(const RuleSet& rules, std::string_view key) {
  std::vector<Slot> slots = slots_of(rules);
  const auto slot = std::ranges::find(slots, key, [](const Slot& s) { return s.field.key; });
  if (slot == slots.end()) throw_unknown_key(key);
  return std::move(slot->value);
}

std::vector<FieldInfo> rule_fields() {
  std::vector<FieldInfo> infos;
  for (const Slot& slot : slots_of(RuleSet())) {
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
    throw RuleError("tariff", fmt::format("tariff scale = {}, allowed 1 | 2", rules.tariff.scale));
  }
  RuleSet copy;
  for (const Slot& slot : slots_of(rules)) set_field(copy, slot.field.key, slot.value);
}

std::uint64_t hash_rules(const RuleSet& rules) {
  // A switch after those of RULES J.1 counts only where it is not at its default: the hashes of
  // older rule sets stay.
  constexpr std::size_t kAlwaysHashed = 90;
  const std::vector<Slot> slots = slots_of(rules), defaults = slots_of(RuleSet());
  std::string text;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (i >= kAlwaysHashed && slots[i].value == defaults[i].value) continue;
    text += fmt::format("{}={}\n", slots[i].field.key, to_text(slots[i].value));
  }
  text += to_text(tariff_table(rules.tariff));
  std::uint64_t hash = hash_of_bytes(text);  // then the finaliser of splitmix64
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9u;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EBu;
  return hash ^ (hash >> 31);
}

std::string to_string(const RuleSet& rules) {
  const std::vector<Slot> slots = slots_of(rules), defaults = slots_of(RuleSet());
  std::vector<std::string> items;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].value == defaults[i].value) continue;
    items.push_back(fmt::format("{}={}", slots[i].field.key, python_text(slots[i].value)));
  }
  return fmt::format("RuleSet({})", fmt::join(items, ", "));
}

}  // namespace schafkopf
