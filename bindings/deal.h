// What a deal is made of as Python gives it: for games, which are given a deal or the number of one.
#pragma once

#include <optional>

#include "bindings/common.h"
#include "env/deal/deal.h"

namespace schafkopf::python {

/// A seat, -1 = the last one.
using DealerArgument = Whole<"dealer", int, -1, kNumSeats - 1>;

/// A context, or None: that of a first deal under the rules.
[[nodiscard]] DealContext context_from(const py::object& context, const CompiledRules& rules);

/// The seat that is meant, under rules that may have three. Throws std::invalid_argument.
[[nodiscard]] int dealer_of(int dealer, const CompiledRules& rules);

/// A Deal, a list of hands, or the random deal of a seed: one of `deal` and `seed` is given.
[[nodiscard]] Deal deal_or_random(const py::object& deal, const std::optional<Seed<>>& seed,
                                  const CompiledRules& rules, int dealer,
                                  const DealContext& context);

}  // namespace schafkopf::python
