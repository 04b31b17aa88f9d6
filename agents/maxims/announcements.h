// Everything the rule agent says before, between and after the cards, as lists of named maxims, one
// list per phase; the first maxim that applies answers. Works from a PlayerView; reads the columns
// of the tables of contracts and special rounds.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "agents/maxims/maxim.h"
#include "env/rules/compiled_rules.h"
#include "env/view/view.h"

namespace schafkopf {

/// A decision other than a card, as its seat sees it.
struct Announcement {
  /// View and rules must outlive it.
  Announcement(const PlayerView& seen, const CompiledRules& compiled);

  const PlayerView& view;
  const CompiledRules& rules;
  ActionMask mask;  // legal answers without claims of the rest; not empty
  CardSet hand;
  bool leads;  // forehand
};

using AnnouncementMaxim = MaximOf<Announcement, std::optional<Action>>;

/// The list of a phase. The last maxim of every list always answers.
[[nodiscard]] std::span<const AnnouncementMaxim> announcement_maxims(Phase phase);

/// Action of a phase other than PLAY; always legal, PASS if nothing is. `reason` (if given)
/// receives the maxim, nullptr if there was nothing to say.
[[nodiscard]] Action choose_announcement(const PlayerView& view, const CompiledRules& rules,
                                         const AnnouncementMaxim** reason = nullptr);

// The lists, by the files that define them.
[[nodiscard]] std::span<const AnnouncementMaxim> auction_round_maxims();  // bidding.cpp
[[nodiscard]] std::span<const AnnouncementMaxim> auction_contest_maxims();
[[nodiscard]] std::span<const AnnouncementMaxim> points_auction_maxims();
[[nodiscard]] std::span<const AnnouncementMaxim> naming_maxims();
[[nodiscard]] std::span<const AnnouncementMaxim> suit_maxims();
[[nodiscard]] std::span<const AnnouncementMaxim> calling_maxims();
[[nodiscard]] std::span<const AnnouncementMaxim> doubling_maxims();  // doubling.cpp

/// Only one answer is legal: the first maxim of every list.
[[nodiscard]] std::optional<Action> give_the_only_answer(const Announcement& a);
inline constexpr AnnouncementMaxim kOnlyAnswer{"only_answer", "RULES D",
                                               "No other answer is allowed.", give_the_only_answer};

}  // namespace schafkopf
