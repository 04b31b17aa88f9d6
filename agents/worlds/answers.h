// Small facts of a view that all announcements of the rule agent share. Internal to agents/.
#pragma once

#include <initializer_list>
#include <optional>

#include "env/rules/compiled_rules.h"
#include "env/rules/special_round.h"
#include "env/view/view.h"

namespace schafkopf {

/// First of the answers that is legal, else the lowest legal action.
[[nodiscard]] inline Action first_legal(const ActionMask& mask,
                                        std::initializer_list<Action> answers) {
  for (const Action action : answers) {
    if (mask.contains(action)) return action;
  }
  return mask.lowest();
}

[[nodiscard]] inline bool is_forehand(const PlayerView& view) {
  return (view.order.dealer + 1) % view.order.seats == 0;
}

/// Whether another seat, or this one, has said it.
[[nodiscard]] inline bool said(const PlayerView& view, Action action, bool by_me) {
  for (int i = 0; i < view.order.num_events; ++i) {
    const SeenEvent event = view.event(i);
    if (event.action == action && (event.seat == 0) == by_me) return true;
  }
  return false;
}

/// Suit that was named before the deal (C.20.6, C.20.7), if any.
[[nodiscard]] inline std::optional<Suit> suit_named_before(const PlayerView& view) {
  if (view.order.num_events == 0) return std::nullopt;
  const Action first = view.event(0).action;
  if (first < kActionSuitE || first >= kFirstContractAction) return std::nullopt;
  return static_cast<Suit>(first - kActionSuitE);
}

[[nodiscard]] inline const SpecialRoundRow& mode_of(const PlayerView& view) {
  return special_round_row(static_cast<SpecialRound>(view.order.special_round));
}

}  // namespace schafkopf
