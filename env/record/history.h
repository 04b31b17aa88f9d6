// What everybody at the table saw of a deal, and the view that a seat would have had at any moment
// with a hand of the caller's choice: the tool of exact inference. Nothing hidden enters here.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/view/view.h"

namespace schafkopf {

/// The answer that leaves no trace, in a phase that has one (D.1).
[[nodiscard]] std::optional<Action> silent_answer(Phase phase);

/// One public action. Seats are absolute.
struct PublicAction {
  Action action = 0;
  int seat = 0;
  bool flag = false;   // the owner of the called card ran away by leading this card (E.2, OPEN-49)
  bool shown = false;  // a card that was called or shown with an offer (C.3), not played
  friend constexpr bool operator==(const PublicAction&, const PublicAction&) = default;
};

/// Public course of a deal. Silent answers (NO_DOUBLE, NO_LAY, an offer not made or refused,
/// NO_JUNGFRAU) are not public (RULES D.1) and need not be listed; where they are, view_at shows
/// the moment at which that seat was asked.
struct PublicHistory {
  const CompiledRules* rules = nullptr;  // must outlive the history
  int dealer = 0;
  DealContext context;
  std::optional<Contract> start;  // the deal began at card play with this contract (no auction)
  std::vector<PublicAction> actions;
  /// Seat that is asked something silent after the last action, -1 = none. Only that seat knows it:
  /// public_history(view) fills it for the viewing seat.
  int asked = -1;
  /// The phase of that question; others see no DOUBLE and no HZ_OFFER. Empty: the last silent
  /// answer is given.
  std::optional<Phase> question = {};
  /// From a view: a seat that is not the one to act after the last action, and the phase it sees.
  /// What another seat is asked in silence may be hidden from it: then there is no answer.
  int waiting = -1;
  Phase seen = Phase::kDone;
  int declarer = -1;       // after the last action, as far as public
  CardSet open_hand = {};  // start hand of a declarer whose cards lie open (C.15)
  /// Hands at the start of play once the rest was claimed or conceded: then all cards are seen.
  std::array<CardSet, kNumSeats> laid_down = {};
  bool renonce = false;    // the call was announced as a Renonce (C.2)
  bool over = false;       // after the last action
  bool exchanged = false;  // with `start`: cards went from hand to hand before the play
};

/// History of a game so far. Throws std::invalid_argument for a game without one: from a position,
/// or ended by an infraction, which is no action.
[[nodiscard]] PublicHistory public_history(const Game& game);
/// The same from what one seat knows. Throws std::invalid_argument for a view that does not show
/// everything: `history_view = last_trick` after the second trick, or 32 events and more.
[[nodiscard]] PublicHistory public_history(const PlayerView& view, const CompiledRules& rules);

/// The view that `seat` would have had before public action `ply` if it had been dealt `hand`.
///
/// Depends on the first `ply` actions, on who acts next and on the hand, on nothing else; legal
/// cards and actions, the card map and the knowledge of the own party follow from the hand. A hand
/// with which the seat's own past actions were illegal is allowed: their masks show it.
/// ply   0..actions.size(); the last one = after everything
/// hand  the cards that the seat was dealt
/// Throws std::invalid_argument for an impossible hand: wrong size, a card that another seat played
/// or that the seat played itself and does not hold (both named), or a hand that contradicts the
/// public facts about the called card. And for moments that a history does not determine: after
/// cards were exchanged in secret (Hochzeit, Schieber, Zupf-Solo) the hand as dealt is not the hand
/// that is played, and while laying a seat sees a half of its hand that no history tells.
[[nodiscard]] PlayerView view_at(const PublicHistory& history, std::size_t ply, int seat,
                                 CardSet hand);

}  // namespace schafkopf
