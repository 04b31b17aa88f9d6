#include "env/rules_unbuilt.h"

#include <fmt/format.h>

#include <algorithm>

namespace schafkopf {
namespace {

// Not listed: switches of systems that a row below keeps off (hochzeit_*, muss_*, stock_*,
// bock_length, schieber_*, ...), and switches that act through injected events or on sessions
// without changing a dealt game (cut_*, knock_allowed, misdeal_*, infraction_policy, rounds, bonus,
// tie_break).
// clang-format off
constexpr UnbuiltRow kUnbuilt[] = {
    {"deck",                      "long32",          "long32",    "the short deck"},
    {"players",                   "4",               "4",         "tables with two, three or five players"},
    {"deal_direction",            "cw",              "cw",        "dealing counter-clockwise"},
    {"first_dealer",              "seat0 random",    "random",    "the first dealer by the highest card"},
    {"contracts",                 "RUF SOLO WENZ",   "",          "the other contracts"},
    {"herz_solo_precedence",      "false",           "false",     "precedence of the Herz-Solo"},
    {"hochzeit",                  "off",             "off",       "the Hochzeit"},
    {"renonce",                   "off",             "off",       "calling without a card of the suit"},
    {"solo_contest",              "rank",            "rank",      "bidding for points"},
    {"all_pass",                  "throw_in ramsch", "throw_in",  "Stock, Muss-Spiel, Kreuzbock and Bock after all pass"},
    {"claims_enabled",            "false",           "false",     "claiming and conceding the rest"},
    {"history_view",              "full",            "full",      "views without the older tricks"},
    {"legen",                     "off",             "off",       "doubling on half the hand"},
    {"ramsch_kontra",             "false",           "false",     "Kontra in the Ramsch"},
    {"laufende_by_claim",         "false",           "false",     "Laufende on demand"},
    {"schwarz_by_claim",          "false",           "false",     "Schwarz on demand"},
    {"ramsch_virgin_announced",   "false",           "false",     "the announced Jungfrau"},
    {"reuegeld",                  "0",               "0",         "the Reuegeld"},
    {"bock_triggers",             "",                "",          "Bock games"},
    {"special_round",             "none",            "none",      "special rounds"},
    {"special_round_triggers",    "",                "",          "special rounds"},
    {"last_round_dealer_old_one", "false",           "false",     "the last round dealt by the Old One's holder"},
    {"last_round_mode",           "normal",          "normal",    "a last round with rules of its own"},
};
// clang-format on

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string> list;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    list.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return list;
}

bool contains(const std::vector<std::string>& list, std::string_view item) {
  return std::ranges::find(list, item) != list.end();
}

/// A scalar as it stands in the table: without quotation marks.
std::string bare_text(const FieldValue& value) {
  const std::string* text = std::get_if<std::string>(&value);
  return text != nullptr ? *text : to_text(value);
}

/// Value of the same type as `like` from its bare text.
FieldValue from_bare_text(std::string_view text, const FieldValue& like) {
  if (std::holds_alternative<bool>(like)) return text == "true";
  if (std::holds_alternative<std::int64_t>(like)) return std::int64_t{std::stoi(std::string(text))};
  return std::string(text);
}

/// What is played instead of `value`; equal to `value` if it is built.
FieldValue built_value(const UnbuiltRow& row, const FieldValue& value) {
  const std::vector<std::string> built = words(row.built);
  if (const auto* names = std::get_if<std::vector<std::string>>(&value)) {
    std::vector<std::string> kept;
    std::ranges::copy_if(*names, std::back_inserter(kept),
                         [&](const std::string& name) { return contains(built, name); });
    return kept;
  }
  if (std::holds_alternative<FieldTable>(value)) return FieldTable{};
  return contains(built, bare_text(value)) ? value : from_bare_text(row.instead, value);
}

[[noreturn]] void refuse(const UnbuiltRow& row, const FieldValue& value) {
  const std::string built = row.built.empty()
                                ? "only the empty one"
                                : fmt::format("{}", fmt::join(words(row.built), " | "));
  throw RuleError(std::string(row.key), fmt::format("{} = {} is not built yet ({}); built: {}",
                                                    row.key, to_text(value), row.note, built));
}

/// `may_replace(key)`: the value is not the wish of a person.
template <class Predicate>
RuleSet replace_unbuilt(const RuleSet& rules, std::vector<std::string>* notes,
                        Predicate may_replace) {
  RuleSet result = rules;
  std::vector<std::string> lines;
  for (const UnbuiltRow& row : kUnbuilt) {
    const FieldValue value = get_field(rules, row.key);
    const FieldValue built = built_value(row, value);
    if (built == value) continue;
    if (!may_replace(row.key)) refuse(row, value);
    set_field(result, row.key, built);
    lines.push_back(fmt::format("{} = {} is not built yet ({}); {} is used instead", row.key,
                                to_text(value), row.note, to_text(built)));
  }
  validate(result);
  if (notes != nullptr) notes->insert(notes->end(), lines.begin(), lines.end());
  return result;
}

bool equals_a_preset(const RuleSet& rules) {
  // read once: reading eight rule files takes longer than everything else here
  static const std::vector<RuleSet> presets = [] {
    std::vector<RuleSet> list;
    for (const std::string_view name : preset_names()) list.push_back(preset(name));
    return list;
  }();
  return std::ranges::find(presets, rules) != presets.end();
}

}  // namespace

std::span<const UnbuiltRow> unbuilt_table() { return kUnbuilt; }

RuleSet built_rules(const RuleSet& rules, std::vector<std::string>* notes, bool shipped_preset) {
  return replace_unbuilt(rules, notes, [&](std::string_view) { return shipped_preset; });
}

RuleSet built_rules(const NamedRules& rules, std::vector<std::string>* notes) {
  if (equals_a_preset(rules.rules)) return built_rules(rules.rules, notes, true);
  return replace_unbuilt(rules.rules, notes, [&](std::string_view key) {
    return !rules.preset.empty() && !contains(rules.own_switches, key);
  });
}

}  // namespace schafkopf
