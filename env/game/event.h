// What is said before and between the cards, and cards that change hands before the play.
#pragma once

#include <cstdint>

#include "env/cards/action.h"
#include "env/cards/card.h"

namespace schafkopf {

/// A public event before or between the cards.
struct Event {
  Action action = 0;
  std::uint8_t seat = 0;          // absolute
  std::uint8_t cards_before = 0;  // cards played before it
  /// CARD events: true = the owner of that called card ran away (E.2, OPEN-49), else it was called,
  /// or shown right after an offer (C.3).
  bool flag = false;
  /// Only the seat itself knows it: cards passed on, an offer not made or refused.
  bool secret = false;
  friend constexpr bool operator==(const Event&, const Event&) = default;
};

/// Cards that one seat passed to another before the play.
struct Exchange {
  int from = 0, to = 0;
  CardSet cards;
  friend constexpr bool operator==(const Exchange&, const Exchange&) = default;
};

}  // namespace schafkopf
