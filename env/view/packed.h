// The packed bytes of view lines and games, packed and unpacked by name: plays, events, and the
// fields of CardsLine that share a byte. The only place that knows their bits; who holds which seat
// number (absolute in a game, relative in a view) is the caller's affair. tests/packed_fields.py
// keeps everything else from unpacking by hand.
#pragma once

#include <cstdint>

#include "env/cards/action.h"
#include "env/cards/card.h"
#include "env/cards/contract_class.h"

namespace schafkopf {

/// "No seat" in the 3-bit relative seat fields.
inline constexpr int kNoSeat = 4;

namespace packed {

/// Fields of a value, lowest bit first: `bits` of them from bit `at` on.
struct Bits {
  unsigned at = 0, width = 0;

  [[nodiscard]] constexpr unsigned mask() const { return ((1u << width) - 1u) << at; }
  [[nodiscard]] constexpr int of(unsigned value) const {
    return static_cast<int>((value & mask()) >> at);
  }
  [[nodiscard]] constexpr unsigned put(int field) const {
    return static_cast<unsigned>(field) << at;
  }
};

// A card played: card, seat, bit 7 set; 0 = not played yet, or forgotten.

inline constexpr Bits kPlayCard{0, 5}, kPlaySeat{5, 2}, kPlayPresent{7, 1};

[[nodiscard]] constexpr std::uint8_t play(Card card, int seat) {
  return static_cast<std::uint8_t>(card | kPlaySeat.put(seat) | kPlayPresent.mask());
}
[[nodiscard]] constexpr bool is_play(unsigned play) { return (play & kPlayPresent.mask()) != 0; }
[[nodiscard]] constexpr Card card_of(unsigned play) {
  return static_cast<Card>(kPlayCard.of(play));
}
[[nodiscard]] constexpr int seat_of(unsigned play) { return kPlaySeat.of(play); }
[[nodiscard]] constexpr std::uint8_t play_with_seat(unsigned play, int seat) {
  return static_cast<std::uint8_t>((play & ~kPlaySeat.mask()) | kPlaySeat.put(seat));
}
/// `play` with its seat counted from `viewer`, among four seats; 0 stays 0. Without branches and in
/// bytes throughout, so that a row of plays is turned by vectors of bytes.
[[nodiscard]] constexpr std::uint8_t play_seen_by(std::uint8_t play, int viewer) {
  constexpr int kSeat = kPlaySeat.mask(), kRest = 0xFF & ~kSeat;
  const auto turn = static_cast<std::uint8_t>(kPlaySeat.put(viewer));
  const auto present = static_cast<std::uint8_t>(0 - (play >> kPlayPresent.at));
  return static_cast<std::uint8_t>(((play & kRest) | ((play - turn) & kSeat)) & present);
}

// An event: action, flag (Event in env/game/event.h), seat, number of cards played before it, and
// bit 15 set = present (in a game: public).

inline constexpr Bits kEventAction{0, 7}, kEventFlag{7, 1}, kEventSeat{8, 2}, kEventCards{10, 5},
    kEventPresent{15, 1};
/// Action, flag and seat: what an event says, whenever it was said.
inline constexpr Bits kEventSaid{0, 10};

[[nodiscard]] constexpr std::uint16_t event(Action action, bool flag, int seat, int cards_before) {
  return static_cast<std::uint16_t>(action | kEventFlag.put(flag ? 1 : 0) | kEventSeat.put(seat) |
                                    (kEventCards.put(cards_before) & kEventCards.mask()) |
                                    kEventPresent.mask());
}
[[nodiscard]] constexpr bool is_event(unsigned event) {
  return (event & kEventPresent.mask()) != 0;
}
[[nodiscard]] constexpr std::uint16_t absent(unsigned event) {
  return static_cast<std::uint16_t>(event & ~kEventPresent.mask());
}
[[nodiscard]] constexpr Action action_of(unsigned event) {
  return static_cast<Action>(kEventAction.of(event));
}
[[nodiscard]] constexpr bool flag_of(unsigned event) { return (event & kEventFlag.mask()) != 0; }
[[nodiscard]] constexpr int actor_of(unsigned event) { return kEventSeat.of(event); }
[[nodiscard]] constexpr int cards_before(unsigned event) { return kEventCards.of(event); }
[[nodiscard]] constexpr std::uint16_t event_with_seat(unsigned event, int seat) {
  return static_cast<std::uint16_t>((event & ~kEventSeat.mask()) | kEventSeat.put(seat));
}
/// As play_seen_by.
[[nodiscard]] constexpr std::uint16_t event_seen_by(std::uint16_t event, int viewer) {
  constexpr int kSeat = kEventSeat.mask(), kRest = 0xFFFF & ~kSeat;
  const auto turn = static_cast<std::uint16_t>(kEventSeat.put(viewer));
  const auto present = static_cast<std::uint16_t>(0 - (event >> kEventPresent.at));
  return static_cast<std::uint16_t>(((event & kRest) | ((event - turn) & kSeat)) & present);
}

// Bytes of CardsLine that hold several fields.

/// Contract class + 1 (0 = not fixed or not public) and Tout.
inline constexpr Bits kContractCode{0, 5}, kContractTout{5, 1};
inline constexpr Bits kDeclarer{0, 3}, kLeader{3, 3};  // kNoSeat = none
inline constexpr Bits kPartner{0, 3}, kLevel{3, 4};    // kNoSeat = none
inline constexpr Bits kViewerSeat{0, 2}, kTrickNumber{2, 4}, kOnTable{6, 2};

[[nodiscard]] constexpr std::uint8_t contract(ContractClass contract, bool tout) {
  return static_cast<std::uint8_t>((static_cast<unsigned>(contract) + 1) |
                                   kContractTout.put(tout ? 1 : 0));
}
[[nodiscard]] constexpr std::uint8_t declarer_leader(int declarer, int leader) {
  return static_cast<std::uint8_t>(kDeclarer.put(declarer) | kLeader.put(leader));
}
[[nodiscard]] constexpr std::uint8_t partner_level(int partner, int level) {
  return static_cast<std::uint8_t>(kPartner.put(partner) | kLevel.put(level));
}
[[nodiscard]] constexpr std::uint8_t seat_trick(int seat, int trick, int on_table) {
  return static_cast<std::uint8_t>(kViewerSeat.put(seat) | kTrickNumber.put(trick) |
                                   kOnTable.put(on_table));
}

// What must fit. A field that grows needs another layout of the lines (kViewVersion in view.h).

static_assert(kNumCards <= 1 << kPlayCard.width, "a card does not fit the 5 bits of a play");
static_assert(kNumSeats <= 1 << kPlaySeat.width && kNumSeats <= 1 << kEventSeat.width &&
                  kNumSeats <= 1 << kViewerSeat.width,
              "a seat does not fit the 2 bits of plays, events and seat_trick");
static_assert(kNumActions <= 1 << kEventAction.width,
              "an action does not fit the 7 bits of an event");
static_assert(kNumContractClasses < 1 << kContractCode.width,
              "a contract class + 1 does not fit the 5 bits of CardsLine::contract: 31 classes is "
              "all that version 1 of the view lines holds (env/view/view.h)");
static_assert(kNoSeat < 1 << kDeclarer.width && kNoSeat < 1 << kLeader.width &&
                  kNoSeat < 1 << kPartner.width && kNoSeat >= kNumSeats,
              "kNoSeat must fit the 3-bit seats of CardsLine and be no seat");
static_assert(play_seen_by(play(31, 1), 2) == play(31, 3) && play_seen_by(0, 2) == 0);
static_assert(event_seen_by(event(106, true, 1, 31), 3) == event(106, true, 2, 31));

}  // namespace packed
}  // namespace schafkopf
