// What a seat may know: three 64-byte lines, the same bytes in C++, NumPy and on a device
// (METHODS section 2), and the separate line of hidden hands. Layout and accessors; Game fills the
// lines, encoders and agents read them. The bits inside a byte stand in packed.h alone.
#pragma once

#include <cstdint>
#include <type_traits>

#include "env/cards/action.h"
#include "env/cards/card.h"
#include "env/view/packed.h"

namespace schafkopf {

/// Version of the layouts below; a released layout never changes, a new one gets a new number.
inline constexpr int kViewVersion = 1;

/// Flags of CardsLine::flags.
enum ViewFlag : std::uint8_t {
  kFlagClaimRest = 1 << 0,     // action 57 is legal
  kFlagConcedeRest = 1 << 1,   // action 58 is legal
  kFlagPartnerKnown = 1 << 2,  // the parties of a called game are public (E.2)
  kFlagRanAway = 1 << 3,       // the owner of the called card ran away (E.3.4), public
  kFlagOwnsCalled = 1 << 4,    // this seat was dealt the called card: it knows its party
  kFlagToAct = 1 << 5,         // this seat is to act; only then is a mask filled
  kFlagDone = 1 << 6,          // the deal is over
  kFlagRenonce = 1 << 7,       // the call was announced as Renonce (C.2)
};
static_assert(kFlagRenonce == 1 << 7,
              "CardsLine::flags is full: a ninth flag needs another layout of the lines");
/// A flag, or 0. Without branches.
[[nodiscard]] constexpr unsigned flag_if(bool on, ViewFlag flag) {
  return static_cast<unsigned>(on) * flag;
}

/// A played card as a view shows it.
struct SeenPlay {
  Card card = 0;
  int seat = 0;        // relative
  bool known = false;  // not yet played, or forgotten (history_view = last_trick), if false
};

/// A public event as a view shows it.
struct SeenEvent {
  Action action = 0;
  int seat = 0;          // relative
  int cards_before = 0;  // cards played before it
  bool flag = false;     // see Event in env/game/event.h
};

/// Line 1: what a card player needs. Card sets are absolute masks; seats are relative to the
/// viewing seat (0 = itself, 1 = its left neighbour).
struct alignas(64) CardsLine {
  std::uint32_t hand = 0;   // own cards
  std::uint32_t legal = 0;  // legal cards where CARD actions are legal (play, call, return ...)
  std::uint8_t phase = 0;   // Phase
  std::uint8_t contract =
      0;  // bits 0-4: ContractClass + 1, 0 = not fixed or not public; bit 5: Tout
  std::uint8_t called_card = kNoCard;
  std::uint8_t trump_suit = 4;  // 0..3 announced or implied trump suit, 4 = none or not public
  std::uint8_t declarer_leader =
      0;  // bits 0-2 declarer, bits 3-5 leader of the trick; kNoSeat = none
  std::uint8_t partner_level = 0;  // bits 0-2 publicly known (or own) partner of the declarer, in a
                                   // game of pairs without a declarer the own partner,
                                   // kNoSeat = unknown or none; bits 3-6 doubling level
  std::uint8_t seat_trick =
      0;                   // bits 0-1 absolute seat, 2-5 trick number 0..8, 6-7 cards on the table
  std::uint8_t flags = 0;  // ViewFlag
  std::uint32_t played[4] = {};  // cards played by relative seat, the trick on the table included
  /// PLAY: card on the table by relative seat, one-hot or 0. Other phases: the 128-bit action mask.
  std::uint32_t table[4] = {};
  std::uint32_t captured[4] = {};  // cards in the tricks won by relative seat

  [[nodiscard]] constexpr bool has(ViewFlag flag) const { return (flags & flag) != 0; }
  /// ContractClass + 1, 0 = none: an index that is never negative.
  [[nodiscard]] constexpr int contract_code() const { return packed::kContractCode.of(contract); }
  [[nodiscard]] constexpr bool is_tout() const { return packed::kContractTout.of(contract) != 0; }
  [[nodiscard]] constexpr int declarer() const { return packed::kDeclarer.of(declarer_leader); }
  [[nodiscard]] constexpr int leader() const { return packed::kLeader.of(declarer_leader); }
  [[nodiscard]] constexpr int partner() const { return packed::kPartner.of(partner_level); }
  [[nodiscard]] constexpr int doubling_level() const { return packed::kLevel.of(partner_level); }
  [[nodiscard]] constexpr int seat() const { return packed::kViewerSeat.of(seat_trick); }
  [[nodiscard]] constexpr int trick_number() const { return packed::kTrickNumber.of(seat_trick); }
  [[nodiscard]] constexpr int cards_on_table() const { return packed::kOnTable.of(seat_trick); }
};

/// Line 2: order of play, DealContext, counts.
struct alignas(64) OrderLine {
  /// i-th card of the deal: bits 0-4 card, 5-6 relative seat, bit 7 set = played; 0 = not yet, or
  /// forgotten.
  std::uint8_t plays[32] = {};
  std::uint8_t dealer = 0;      // relative seat of the dealer
  std::uint8_t num_plays = 0;   // 0..32
  std::uint8_t num_events = 0;  // 0..32
  std::uint8_t card_map = 0;    // number of this seat's card map (card_map.h); 0 = identity
  std::uint8_t seats = 4;       // 3 or 4
  std::uint8_t legen = 0;       // public number of LAY
  std::uint8_t bid = 0;         // Steigern bid, 0 or 70..120
  std::uint8_t bock = 0;        // number of factors 2 inherited (DealContext)
  std::uint8_t special_round = 0;
  std::uint8_t games_left = 0;
  std::uint8_t owed[4] = {};  // owed games by relative seat, bits as in DealContext
  std::uint8_t deck = 0;      // Deck (rules.h): 0 = 32 cards, 1 = without 7s and 8s
  std::uint8_t reserved1 = 0;
  std::int32_t stock = 0;      // tariff units / tariff_scale
  std::uint32_t open = 0;      // cards of the declarer that lie open (Bettel-Brett)
  std::uint32_t given = 0;     // own cards passed on before the play, known to this seat alone
  std::uint32_t received = 0;  // cards that this seat got before the play

  [[nodiscard]] constexpr SeenPlay play(int i) const {
    const unsigned bits = plays[i];
    return {packed::card_of(bits), packed::seat_of(bits), packed::is_play(bits)};
  }
};

/// Line 3: public events before and between the cards, in order, the last 32 if there are more (in
/// a long direct auction): bits 0-6 action id, 7 = flag (see Event in game.h), 8-9 relative seat,
/// 10-14 number of cards played before it (0..31), bit 15 set = present. Silent NO_DOUBLE answers
/// are no events (RULES D.1).
struct alignas(64) EventsLine {
  static constexpr int kMost = 32;
  std::uint16_t events[kMost] = {};

  [[nodiscard]] constexpr SeenEvent event(int i) const {
    const unsigned bits = events[i];
    return {packed::action_of(bits), packed::actor_of(bits), packed::cards_before(bits),
            packed::flag_of(bits)};
  }
};

static_assert(sizeof(CardsLine) == 64 && sizeof(OrderLine) == 64 && sizeof(EventsLine) == 64);

/// Everything one seat may know, as a value. Unseen cards are derived: deck - hand - played.
struct PlayerView {
  CardsLine cards;
  OrderLine order;
  EventsLine events;

  [[nodiscard]] Phase phase() const { return static_cast<Phase>(cards.phase); }
  // Seats are relative, kNoSeat = none; seat() is the absolute seat of the viewer.
  [[nodiscard]] int seat() const { return cards.seat(); }
  [[nodiscard]] int trick_number() const { return cards.trick_number(); }
  [[nodiscard]] int cards_on_table() const { return cards.cards_on_table(); }
  [[nodiscard]] bool has(ViewFlag flag) const { return cards.has(flag); }
  [[nodiscard]] bool has_contract() const { return cards.contract_code() != 0; }
  [[nodiscard]] int contract_class() const { return cards.contract_code() - 1; }  // -1 = none
  [[nodiscard]] bool is_tout() const { return cards.is_tout(); }
  [[nodiscard]] int declarer() const { return cards.declarer(); }
  [[nodiscard]] int leader() const { return cards.leader(); }
  [[nodiscard]] int partner() const { return cards.partner(); }
  [[nodiscard]] int doubling_level() const { return cards.doubling_level(); }
  [[nodiscard]] SeenPlay play(int i) const { return order.play(i); }
  [[nodiscard]] SeenEvent event(int i) const { return events.event(i); }
};
static_assert(sizeof(PlayerView) == 192 && std::is_trivially_copyable_v<PlayerView>);

/// The lines of one view, wherever they lie.
struct ViewLines {
  const CardsLine* cards = nullptr;
  const OrderLine* order = nullptr;
  const EventsLine* events = nullptr;
};

/// Legal actions of the viewing seat, rebuilt from the line (empty unless kFlagToAct). Without
/// branches: the phases of a batch are mixed.
[[nodiscard]] constexpr ActionMask legal_actions(const CardsLine& line) {
  static_assert(kActionConcedeRest == kActionClaimRest + 1 && kActionClaimRest >= kNumCards);
  static_assert(kFlagClaimRest == 1 && kFlagConcedeRest == 2);
  const auto all_if = [](bool condition) { return std::uint64_t{0} - std::uint64_t{condition}; };
  const std::uint64_t play = all_if(line.phase == static_cast<std::uint8_t>(Phase::kPlay));
  const std::uint64_t to_act = all_if((line.flags & kFlagToAct) != 0);
  const std::uint64_t claims = std::uint64_t{line.flags & 3u} << kActionClaimRest;
  const std::uint64_t low = line.table[0] | (std::uint64_t{line.table[1]} << 32);
  const std::uint64_t high = line.table[2] | (std::uint64_t{line.table[3]} << 32);
  return {{to_act & ((play & (line.legal | claims)) | (~play & low)), to_act & ~play & high}};
}

/// The hidden truth, for critics and cheating baselines only: never part of a PlayerView.
struct alignas(64) FullView {
  std::uint32_t hands[4] = {};      // cards held now by relative seat
  std::uint32_t dealt[4] = {};      // hands at the deal by relative seat
  std::uint8_t declarer_party = 0;  // bit s: relative seat s belongs to the declarer party
  std::uint8_t owner = kNoSeat;     // relative seat of the owner of the called card
  std::uint8_t reserved[30] = {};
};
static_assert(sizeof(FullView) == 64);

}  // namespace schafkopf
