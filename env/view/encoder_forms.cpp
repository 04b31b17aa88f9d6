// Observations by form: which layout is written, and the rule section behind it.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "env/base/assert.h"
#include "env/cards/contract.h"
#include "env/view/encoder.h"
#include "env/view/encoder_layouts.h"

namespace schafkopf {
namespace {

/// The rule section, the last one, of a row of any version.
template <class T>
void write_rules(ObservationVersion version, std::span<const float> rule_features, T* row) {
  const Section& rules = observation_sections(version).back();
  SCHAFKOPF_ASSERT(rules.length == rule_feature_size(version));
  SCHAFKOPF_ASSERT(rule_features.empty() ||
                   rule_features.size() == static_cast<std::size_t>(rules.length));
  T* const out = row + rules.offset;
  if (rule_features.empty()) {
    std::fill_n(out, rules.length, T{0});
    return;
  }
  std::ranges::transform(rule_features, out, [&rules](float value) {
    return static_cast<T>(std::is_same_v<T, float> ? value * rules.scale : value);
  });
}

template <class T>
void expand_one(ObservationForm form, const ViewLines& view, std::span<const float> rule_features,
                T* row) {
  rows::write_views(form.version, std::span(&view, 1), form.cards, &row, default_instruction_set());
  write_rules(form.version, rule_features, row);
}

/// Feature rows of the rule sets of a batch, in the layout of a version.
class RuleRows {
 public:
  RuleRows(ObservationVersion version, const RuleTable* rules) : version_(version), rules_(rules) {}

  [[nodiscard]] std::span<const float> row(std::size_t index) {
    if (rules_ == nullptr || rules_->features.empty()) return {};
    const auto size = static_cast<std::size_t>(rule_feature_size(version_));
    if (version_ < ObservationVersion::kV3) return rules_->features.subspan(index * size, size);
    std::vector<float>& made = made_[index];
    if (made.empty()) {
      made.resize(size);
      write_rule_features(*rules_->rules[index], version_, made);
    }
    return made;
  }

 private:
  ObservationVersion version_;
  const RuleTable* rules_;
  std::map<std::size_t, std::vector<float>> made_;  // RuleTable holds the rows of v1
};

template <class T>
void expand_batch(ObservationForm form, const ViewBatch& batch, std::span<T> rows) {
  const auto size = static_cast<std::size_t>(observation_size(form.version));
  check_rows(rows.size(), batch.size, size);
  check_observable(batch, form.version);
  RuleRows rules(form.version, batch.rules);
  for (std::size_t i = 0; i < batch.size; ++i) {
    const std::size_t set = batch.rule_index == nullptr ? 0 : batch.rule_index[i];
    expand_one(form, {&batch.cards[i], &batch.order[i], &batch.events[i]}, rules.row(set),
               rows.data() + i * size);
  }
}

}  // namespace

void check_observable(const CompiledRules& rules, ObservationVersion version,
                      ObservationPlaces places) {
  const auto hidden = [&](const ContractRow& row) {
    const bool tout = rules.rules().tout_enabled && row.tout_action >= places.actions;
    return static_cast<int>(row.contract) >= places.classes || row.action >= places.actions || tout;
  };
  for (const ContractRow& row : contract_table()) {
    if (!rules.can_be_played(row.contract) || !hidden(row)) continue;
    throw std::invalid_argument(
        fmt::format("observation version {}: its rows have no place for {}, which these rules "
                    "play; allowed: version 3 or 4, or rules without it",
                    static_cast<int>(version), row.name));
  }
}
void check_observable(const CompiledRules& rules, ObservationVersion version) {
  const ObservationPlaces places = places_of(version);
  if (places.classes >= kNumContractClasses && places.actions >= kFirstReserved) return;
  check_observable(rules, version, places);
}
void check_observable(const ViewBatch& batch, ObservationVersion version) {
  if (batch.rules == nullptr) return;
  for (const CompiledRules* const rules : batch.rules->rules) check_observable(*rules, version);
}

std::span<const Section> observation_sections(ObservationVersion version) {
  switch (version) {
    case ObservationVersion::kV1:
      return layout::v1::kSections;
    case ObservationVersion::kV2:
      return layout::v2::kSections;
    case ObservationVersion::kV3:
      return layout::v3::kSections;
    case ObservationVersion::kV4:
      return layout::v4::kSections;
  }
  return {};
}

int observation_size(ObservationVersion version) {
  const Section& last = observation_sections(version).back();
  return last.offset + last.length;
}

void expand(ObservationForm form, const ViewLines& view, std::span<const float> rule_features,
            std::uint8_t* row) {
  expand_one(form, view, rule_features, row);
}
void expand(ObservationForm form, const ViewLines& view, std::span<const float> rule_features,
            float* row) {
  expand_one(form, view, rule_features, row);
}

void expand_views(ObservationForm form, std::span<const ViewLines> views, std::uint8_t* const* rows,
                  InstructionSet set, Stores stores) {
  rows::write_views(form.version, views, form.cards, rows, set, stores);
}
void expand_views(ObservationForm form, std::span<const ViewLines> views, float* const* rows,
                  InstructionSet set, Stores stores) {
  rows::write_views(form.version, views, form.cards, rows, set, stores);
}

void expand(ObservationForm form, const ViewBatch& batch, std::span<std::uint8_t> rows) {
  if (form.version == ObservationVersion::kV1) return expand(batch, rows, form.cards);
  expand_batch(form, batch, rows);
}
void expand(ObservationForm form, const ViewBatch& batch, std::span<float> rows) {
  if (form.version == ObservationVersion::kV1) return expand(batch, rows, form.cards);
  expand_batch(form, batch, rows);
}

}  // namespace schafkopf
