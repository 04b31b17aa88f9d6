// The row of one view, and its sections by name, for the tests of every version.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "env/view/encoder.h"

namespace schafkopf::test {

inline constexpr auto kV1 = ObservationVersion::kV1, kV2 = ObservationVersion::kV2,
                      kV3 = ObservationVersion::kV3, kV4 = ObservationVersion::kV4;

/// Written over sevens, so that a place that is left out shows.
template <class T = std::uint8_t>
[[nodiscard]] std::vector<T> row_of_view(ObservationForm form, const PlayerView& view,
                                         std::span<const float> rules = {}) {
  std::vector<T> row(static_cast<std::size_t>(observation_size(form.version)), T{7});
  expand(form, {&view.cards, &view.order, &view.events}, rules, row.data());
  return row;
}

[[nodiscard]] inline const Section& section(ObservationVersion version, std::string_view name) {
  const auto sections = observation_sections(version);
  const auto found = std::ranges::find(sections, name, &Section::name);
  EXPECT_NE(found, sections.end()) << name;
  return *found;
}

}  // namespace schafkopf::test
