#include "env/rules/calling.h"

namespace schafkopf {
namespace {

std::uint32_t plain_of(int suit, std::uint32_t trumps) {
  return CardSet::suit(static_cast<Suit>(suit)).bits() & ~trumps;
}

/// Cards of a rank, not held, in plain suits of which a plain card is held (or not, `holding`).
std::uint32_t cards_to_call(std::uint32_t hand, std::uint32_t trumps, Rank rank, bool holding) {
  std::uint32_t cards = 0;
  for (int suit = 0; suit < kNumSuits; ++suit) {
    const std::uint32_t plain = plain_of(suit, trumps);
    const std::uint32_t card = plain & CardSet::rank(rank).bits();
    if ((hand & card) == 0 && ((hand & plain) != 0) == holding) cards |= card;
  }
  return cards;
}

/// 000 A1 3.3.2: Ten, King, 9, 8, 7 of a suit that is held; without any plain suit an ace
/// (OPEN-15).
std::uint32_t ten_cascade(std::uint32_t hand, std::uint32_t trumps, std::uint32_t deck) {
  constexpr Rank kDown[] = {Rank::k10, Rank::kKoenig, Rank::k9, Rank::k8, Rank::k7};
  for (const Rank rank : kDown) {
    const std::uint32_t cards = cards_to_call(hand, trumps, rank, true) & deck;
    if (cards != 0) return cards;
  }
  return void_aces(hand, trumps);
}

/// 003: an ace of a void suit, else a Ten, else a King that is not held.
std::uint32_t renonce_then_ten(std::uint32_t hand, std::uint32_t trumps) {
  const std::uint32_t aces = void_aces(hand, trumps);
  if (aces != 0) return aces;
  const std::uint32_t tens = cards_to_call(hand, trumps, Rank::k10, true);
  return tens != 0 ? tens : cards_to_call(hand, trumps, Rank::kKoenig, true);
}

}  // namespace

std::uint32_t callable_aces(std::uint32_t hand, std::uint32_t trumps) {
  return cards_to_call(hand, trumps, Rank::kAss, true);
}

std::uint32_t void_aces(std::uint32_t hand, std::uint32_t trumps) {
  return cards_to_call(hand, trumps, Rank::kAss, false);
}

std::uint32_t callable_cards(std::uint32_t hand, std::uint32_t trumps, Renonce renonce) {
  const std::uint32_t aces = callable_aces(hand, trumps);
  return aces != 0 || renonce == Renonce::kOff ? aces : void_aces(hand, trumps);
}

std::uint32_t duty_calls(std::uint32_t hand, std::uint32_t trumps, std::uint32_t deck,
                         MussBlocked cascade) {
  const std::uint32_t aces = callable_aces(hand, trumps);
  if (aces != 0) return aces;
  return cascade == MussBlocked::kTenCascade ? ten_cascade(hand, trumps, deck)
                                             : renonce_then_ten(hand, trumps);
}

}  // namespace schafkopf
