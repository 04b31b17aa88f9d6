// Observation encoders: pure functions from view lines to feature rows, as named sections. The same
// sections serve uint8 and float32; their list is env/view/sections.h.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "env/base/instruction_set.h"
#include "env/base/streamed.h"
#include "env/cards/card_map.h"
#include "env/rules/compiled_rules.h"
#include "env/view/policy.h"
#include "env/view/sections.h"
#include "env/view/view.h"

namespace schafkopf {

/// Version of the functions that name none, of RuleTable::features, and of the networks in agents/.
inline constexpr int kObservationVersion = 1;

/// Sections in row order; offsets are the prefix sum of lengths.
[[nodiscard]] std::span<const Section> observation_sections();
/// F, the length of a row, rule features included (they are the last section).
[[nodiscard]] int observation_size();
/// Sections of a row of rule features, and R, their length.
[[nodiscard]] std::span<const Section> rule_feature_sections();
[[nodiscard]] int rule_feature_size();

/// Feature row of a rule set: integers 0..255 as float.
void write_rule_features(const CompiledRules& rules, std::span<float> row);

// v1 for networks, which read cards in canonical order unless asked for the other.

/// Expand one view.
///
/// rule_features  [R] row of write_rule_features, or empty: the section is zero
/// row            [F]
/// card_index     how all sections about cards and suits count, but for trump_suit and called_suit:
///                by the view's card map (card_map.h), or by absolute cards
void expand(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
            std::span<const float> rule_features, std::uint8_t* row,
            CardIndex card_index = CardIndex::kCanonical);
void expand(const CardsLine& cards, const OrderLine& order, const EventsLine& events,
            std::span<const float> rule_features, float* row,
            CardIndex card_index = CardIndex::kCanonical);

/// Expand a whole batch into rows of observation_size().
void expand(const ViewBatch& batch, std::span<std::uint8_t> rows,
            CardIndex card_index = CardIndex::kCanonical);
void expand(const ViewBatch& batch, std::span<float> rows,
            CardIndex card_index = CardIndex::kCanonical);

// The same by form.

/// What rows look like: their sections, and how their cards and suits are counted.
struct ObservationForm {
  ObservationVersion version = ObservationVersion::kV1;
  CardIndex cards = CardIndex::kAbsolute;
};

[[nodiscard]] std::span<const Section> observation_sections(ObservationVersion version);
[[nodiscard]] int observation_size(ObservationVersion version);
/// Rule features as the rows of a version hold them: v1 and v2 alike.
[[nodiscard]] std::span<const Section> rule_feature_sections(ObservationVersion version);
[[nodiscard]] int rule_feature_size(ObservationVersion version);
void write_rule_features(const CompiledRules& rules, ObservationVersion version,
                         std::span<float> row);

/// What rows of a version have bits for: contract classes and actions below these numbers.
struct ObservationPlaces {
  int classes = 0;
  int actions = 0;
};
[[nodiscard]] constexpr ObservationPlaces places_of(ObservationVersion version) {
  if (version >= ObservationVersion::kV3) return {layout::v3::kClassPlaces, kNumActions};
  return {layout::v1::kSections[layout::v1::kContract].length, layout::v1::kShownActions};
}
/// Rows must not leave out in silence what is played: throws std::invalid_argument for rules with a
/// contract that has no bit in rows of this version, naming the version that shows it.
void check_observable(const CompiledRules& rules, ObservationVersion version);
void check_observable(const CompiledRules& rules, ObservationVersion version,
                      ObservationPlaces places);
void check_observable(const ViewBatch& batch, ObservationVersion version);
/// rule_features  row of write_rule_features of this version, or empty: the section is zero
void expand(ObservationForm form, const ViewLines& view, std::span<const float> rule_features,
            std::uint8_t* row);
void expand(ObservationForm form, const ViewLines& view, std::span<const float> rule_features,
            float* row);
/// Several views, without the rule section at the end of the rows: rows[i] is [F - R]. For rows that
/// keep their rule set.
/// set     supported; the rows do not depend on it
/// stores  streamed: only of rows that can_stream says it of, and end_streamed is the caller's
void expand_views(ObservationForm form, std::span<const ViewLines> views, std::uint8_t* const* rows,
                  InstructionSet set = default_instruction_set(), Stores stores = Stores::kCached);
void expand_views(ObservationForm form, std::span<const ViewLines> views, float* const* rows,
                  InstructionSet set = default_instruction_set(), Stores stores = Stores::kCached);
/// Whether rows of a batch, one after the other from here on, can be written past the caches
/// (streamed.h) by this set: those of v1, whose parts are whole lines or halves of them.
template <class T>
[[nodiscard]] bool can_stream(ObservationVersion version, const T* rows, InstructionSet set) {
  constexpr std::size_t kAligned = 32 * sizeof(T) < 64 ? 32 : 64;
  return version == ObservationVersion::kV1 && set != InstructionSet::kScalar &&
         reinterpret_cast<std::uintptr_t>(rows) % kAligned == 0;
}
/// v3 and v4 write the rule features of batch.rules themselves, where the batch has feature rows at all.
/// Throws as check_observable for the rules of the batch.
void expand(ObservationForm form, const ViewBatch& batch, std::span<std::uint8_t> rows);
void expand(ObservationForm form, const ViewBatch& batch, std::span<float> rows);

}  // namespace schafkopf
