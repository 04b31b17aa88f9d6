// Deals that fit what everybody saw of a game: the hands that nobody knows are filled with any
// cards that the public facts allow. Part of history.h.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "env/record/history.h"

namespace schafkopf {

[[nodiscard]] inline bool is_card(Action action) { return action < kNumCards; }
[[nodiscard]] inline bool is_offer(Action action) {
  return action == kActionHzOffer1 || action == kActionHzOffer2;
}
[[nodiscard]] inline bool is_contract(Action action) {
  return contract_of_action(action).row != nullptr;
}
/// Whether a shown card belongs to the offer before it.
[[nodiscard]] bool shown_with_offer(const PublicHistory& history, std::size_t i);

/// The public past of a view: what was played, called and shown before `ply`.
struct Past {
  std::array<CardSet, kNumSeats> played{};
  std::array<CardSet, kNumSeats> shown{};             // with an offer (C.3)
  std::array<int, kNumSeats> trumps{-1, -1, -1, -1};  // number that an offer tells, -1 = unknown
  Card called = kNoCard;
  int declarer = -1;
  int owner = -1;     // of the called card, as far as public
  bool open = false;  // the game is played with an open hand
};

[[nodiscard]] Past past_of(const PublicHistory& history, std::size_t ply);

/// What is tried about hands that nobody saw.
struct Guess {
  int owner = -1;           // of the called card
  int muss = -1;            // seat that gets the card that must play (C.4), -1 = any
  int asked = -1;           // seat that is asked whether it offers a Hochzeit, -1 = any
  int offered = 1;          // trumps of that seat
  bool returns = true;      // the other seats have cards to return
  bool plain_card = false;  // the declarer can call: he has a card of the called suit
};

/// Whose hand is known, and to whom.
struct KnownHand {
  const PublicHistory& history;
  const Past& past;
  int seat;
  CardSet hand;
};

/// Throws std::invalid_argument for a hand that contradicts the public facts, which it names.
void check_hand(const KnownHand& known);

/// Deals the cards that nobody saw to the other seats. Empty if a seat has no room for a card that
/// it must have.
[[nodiscard]] std::optional<Deal> deal_unseen(const KnownHand& known, const Guess& guess);

}  // namespace schafkopf
