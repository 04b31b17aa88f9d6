// How much can be said in one deal: what the history of a game must hold.
#pragma once

#include "env/rules/rules.h"

namespace schafkopf {

/// Announcements that a game holds; rule sets under which more could be made are refused.
inline constexpr int kMostAnnouncements = 96;

/// An upper bound of the announcements of a deal under these rules: what is said before the auction,
/// in it, while doubling and after the last card. Cards are none of them.
[[nodiscard]] int most_announcements(const RuleSet& rules);

}  // namespace schafkopf
