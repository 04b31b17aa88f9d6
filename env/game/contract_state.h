// The game of a deal as far as it has been named: written by the auction and the phases that stand
// in its place, read by everything after them.
#pragma once

#include <cstdint>
#include <type_traits>

#include "env/cards/contract.h"

namespace schafkopf {

struct ContractState {
  ContractClass row{};
  bool tout = false;
  Suit suit{};
  Card called = kNoCard;
  bool renonce = false;
  std::uint8_t bid = 0;  // points promised by raising (D.5)
  std::int8_t declarer = -1;
  std::int8_t partner = -1;  // of the declarer, hidden or not
  std::int8_t owner = -1;    // dealt the called card
  std::uint8_t party = 0;    // bit per seat of the declarer party, hidden partner included
  bool fixed = false;        // play can begin
  bool class_public = false;
  bool details_public = false;  // suit and called card
  bool suit_named = false;      // before the class, or together with it
  bool partner_known = false;
  bool ran_away = false;
  bool open_hand = false;       // the declarer plays with open cards (C.15)
  bool opposite_pairs = false;  // opposite seats play together, nobody declares (C.5)

  [[nodiscard]] constexpr bool in_party(int seat) const { return ((party >> seat) & 1) != 0; }
  [[nodiscard]] constexpr Contract value() const {
    return {row, tout, suit, called, declarer, renonce, bid};
  }
  constexpr void name(const Contract& contract) {
    row = contract.contract;
    tout = contract.tout;
    suit = contract.suit;
    called = contract.called;
    renonce = contract.renonce;
    bid = static_cast<std::uint8_t>(contract.bid);
    declarer = static_cast<std::int8_t>(contract.declarer);
  }
};
static_assert(std::is_trivially_copyable_v<ContractState> && sizeof(ContractState) == 18);

}  // namespace schafkopf
