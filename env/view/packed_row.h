// Observations of 64 bytes: what rows of v1 show, as bits and small numbers, for buffers and buses
// where rows are too wide. They are expanded to rows of v1 here, in NumPy and in torch
// (python/schafkopf/packed.py) to the same values. Not without loss: see packed_losses().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "env/base/instruction_set.h"
#include "env/cards/card_map.h"
#include "env/view/sections.h"
#include "env/view/view.h"

namespace schafkopf {

/// Some numbers of equal width, lowest bit first; bit i of a row is bit i % 8 of byte i / 8.
struct PackedSection {
  std::string_view name;  // as in v1
  int first = 0;          // feature of v1 that it begins with
  int places = 0;         // number k > 0 is one-hot in place k - 1 of so many; 0: it is the feature
  int count = 0;          // numbers
  int width = 0;          // bits of each, enough for it; a single feature beyond is the largest
  int offset = 0;         // bit, the prefix sum of count * width
};

namespace layout::packed_row {

/// A whole section of v1, or one feature of it.
constexpr PackedSection section(v1::Part part, int places, int width) {
  const Section& whole = v1::kSections[part];
  return {whole.name, whole.offset, places, places == 0 ? whole.length : whole.length / places,
          width};
}
constexpr PackedSection feature(std::string_view name, v1::Part part, int place, int width) {
  return {name, v1::kSections[part].offset + place, 0, 1, width};
}

template <std::size_t kSize>
constexpr std::array<PackedSection, kSize> with_offsets(std::array<PackedSection, kSize> sections) {
  int offset = 0;
  for (PackedSection& section : sections) {
    section.offset = offset;
    offset += section.count * section.width;
  }
  return sections;
}

inline constexpr std::array kSections = with_offsets(std::array{
    section(v1::kHand, 0, 1),
    section(v1::kLegalCards, 0, 1),
    section(v1::kUnseen, 0, 1),
    section(v1::kTable, kNumCards, 6),
    section(v1::kPlayed, 0, 1),
    section(v1::kContract, 19, 5),
    section(v1::kTout, 0, 1),
    section(v1::kTrumpSuit, 4, 3),
    section(v1::kCalledSuit, 4, 3),
    section(v1::kCalledRank, 0, 1),
    section(v1::kLevel, 8, 4),
    section(v1::kDeclarer, 4, 3),
    section(v1::kLeader, 4, 3),
    section(v1::kPartner, 4, 3),
    section(v1::kFlags, 0, 1),
    section(v1::kPhase, 23, 5),
    section(v1::kLegalOther, 0, 1),
    section(v1::kTrick, 8, 4),
    section(v1::kOnTable, 3, 2),
    section(v1::kVoids, 0, 1),
    section(v1::kDealer, 4, 3),
    section(v1::kAuction, 0, 1),
    section(v1::kPoints, 0, 7),
    section(v1::kPartyPoints, 0, 7),
    section(v1::kTricks, 0, 4),
    section(v1::kCounts, 0, 5),
    section(v1::kUnseenGroups, 0, 4),
    feature("bock", v1::kContext, 1, 3),
    feature("games_left", v1::kContext, 3, 3),
    feature("laid", v1::kContext, 4, 3),
    feature("seats", v1::kContext, 6, 3),
});

inline constexpr int kBits = 512, kBytes = kBits / 8;
static_assert(kSections.back().offset + kSections.back().count * kSections.back().width <= kBits,
              "a packed row is a cache line");

}  // namespace layout::packed_row

inline constexpr int kPackedRowBytes = layout::packed_row::kBytes;
/// Features of the rows that packed rows expand to: v1 without its rule section.
inline constexpr int kExpandedSize = layout::v1::kSections[layout::v1::kRules].offset;

[[nodiscard]] constexpr std::span<const PackedSection> packed_sections() {
  return layout::packed_row::kSections;
}
/// What an expanded row does not show as v1 does, for people.
[[nodiscard]] constexpr std::string_view packed_losses() {
  return "the Stock, the special round, the Steigern bid and owed games (zero), the rule features "
         "(left out); bock, games_left and laid beyond 7 are shown as 7";
}

/// rows[i] is [kPackedRowBytes]: view i.
void pack_views(std::span<const ViewLines> views, CardIndex cards, std::uint8_t* const* rows,
                InstructionSet set = default_instruction_set());

/// packed [B * kPackedRowBytes], rows [B * kExpandedSize]. Throws std::invalid_argument for other
/// lengths.
void expand_packed(std::span<const std::uint8_t> packed, std::span<std::uint8_t> rows);
void expand_packed(std::span<const std::uint8_t> packed, std::span<float> rows);

}  // namespace schafkopf
