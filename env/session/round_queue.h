// Bock and special rounds of a session: what starts them, how long they last, what waits (RULES
// C.20, G.8, H.5). One round runs at a time; triggers during it are queued (OPEN-73).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "env/deal/dealing.h"
#include "env/price/settle.h"
#include "env/rules/rules.h"

namespace schafkopf {

/// A round that waits until the running one is over.
struct WaitingRound {
  std::uint16_t mode = 0;   // SpecialRound
  std::uint16_t games = 0;  // its length
  friend constexpr bool operator==(const WaitingRound&, const WaitingRound&) = default;
};

/// Most games of a round that waits.
inline constexpr int kMostWaitingGames = std::numeric_limits<decltype(WaitingRound::games)>::max();

/// Whether the rules know a mode, as that of the switch or of a trigger.
[[nodiscard]] bool can_run(const RuleSet& rules, std::uint16_t mode);

/// Bocks that can run at the same time with `bock_stacking = multiply`; a further one makes the
/// last of them longer, so that prices stay in range.
inline constexpr int kMaxBocks = 8;

/// The round that runs and those that wait; a value type without padding.
struct RoundQueue {
  std::array<std::int32_t, kMaxBocks> bock_left{};  // games of each running Bock, 0 = free
  std::int32_t games_left = 0;                      // games of any other running round
  std::array<WaitingRound, kNumValues<SpecialRound> - 1> queue{};  // one entry per mode at most
  std::uint8_t mode = 0;                                           // SpecialRound that runs
  std::uint8_t num_queued = 0;
  std::array<std::uint8_t, kMaxPlaces> owed{};  // Allgaeuer debts by place
  std::uint8_t reserved = 0;
  friend constexpr bool operator==(const RoundQueue&, const RoundQueue&) = default;

  [[nodiscard]] constexpr SpecialRound running() const { return static_cast<SpecialRound>(mode); }
  /// Number of factors 2.
  [[nodiscard]] int num_bocks() const;
  /// Games of the running round, the next deal included.
  [[nodiscard]] int remaining() const;
};
static_assert(std::has_unique_object_representations_v<RoundQueue>);

/// Why no session can have these rounds waiting and running; empty if one can.
[[nodiscard]] std::string why_impossible(const RoundQueue& rounds, const RuleSet& rules);

/// Passes every number to `visit`, in a fixed order.
template <class Rounds, class Visit>
void visit_rounds(Rounds& rounds, const Visit& visit) {
  for (auto& games : rounds.bock_left) visit(games);
  visit(rounds.games_left);
  for (auto& waiting : rounds.queue) {
    visit(waiting.mode);
    visit(waiting.games);
  }
  visit(rounds.mode);
  visit(rounds.num_queued);
  for (auto& owed : rounds.owed) visit(owed);
}

/// Events of a finished deal that can start a round (C.20, G.8; ).
[[nodiscard]] EnumSet<RoundEvent> events_of(const Outcome& outcome, const Settlement& settlement);

/// Length of a special round: `special_round_games`, or one round of deals (Allgaeuer: three).
[[nodiscard]] int special_round_length(const RuleSet& rules, SpecialRound mode);

/// Start a round with the next deal; queue it while another one runs or waits. A Bock during a Bock
/// follows `bock_stacking` (OPEN-68).
void start_round(RoundQueue& rounds, const RuleSet& rules, SpecialRound mode, int games);

/// After a deal: it uses up a game of the running round, pays a debt, and may start rounds.
///
/// place  of the declarer, -1 = none. Thrown-in deals use up no Bock (G.8), and a game of another
/// round only if `thrown_in_counts`.
void advance_rounds(RoundQueue& rounds, const RuleSet& rules, const Outcome& outcome,
                    const Settlement& settlement, int place);

}  // namespace schafkopf
