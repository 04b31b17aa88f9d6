// Cards as dealt: who got which half-hand (RULES B.3). Chance lies wholly here; a game rebuilds
// exactly from rules, deal, dealer, context and actions. Cutting and knocking: env/deal/dealing.h.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <type_traits>

#include "env/cards/card.h"
#include "env/rules/deal_context.h"
#include "env/rules/rules.h"

namespace schafkopf {

/// Hands as two halves per seat: `first` = the first H/2 cards received (RULES B.3.4), what a seat
/// sees in LEGEN. Seats are absolute; unused seats are empty.
///
/// Schieberrunde: the high packet is in no hand, the dealer has 8 - k cards. Teufelsrunde: the four
/// fixed cards are forehand's second half.
struct Deal {
  std::array<CardSet, kNumSeats> first{};
  std::array<CardSet, kNumSeats> second{};
  /// Zupf-Solo (C.20.11): number of the drawn card in the target's hand, 0..H-1, counted from the
  /// lowest index among the cards it held before the gift.
  std::uint8_t zupf = 0;
  std::uint8_t reserved[3] = {};  // no padding: deals are compared and stored as bytes

  [[nodiscard]] constexpr CardSet hand(int seat) const {
    return first[static_cast<std::size_t>(seat)] | second[static_cast<std::size_t>(seat)];
  }
  friend constexpr bool operator==(const Deal&, const Deal&) = default;
};
static_assert(std::is_trivially_copyable_v<Deal> && sizeof(Deal) == 36);

/// Uniformly random deal of the long deck to four seats; a pure function of the seed. The map
/// seed -> deal is final.
[[nodiscard]] Deal random_deal(std::uint64_t seed);

/// Uniformly random deal for any deck, number of players and special round; a pure function of its
/// arguments. The normal deal of the long deck is random_deal(seed).
///
/// dealer  seat, 0..seats-1
[[nodiscard]] Deal deal_for(std::uint64_t seed, const RuleSet& rules, int dealer,
                            const DealContext& context);

/// Deal of a deck order (RULES B.3.3; R-024): packets beginning with forehand, clockwise or in
/// `deal_direction`. Cards of a special round's packet (C.20.6, C.20.7) are taken out of the order
/// first.
///
/// order   all cards of the deck, order[0] dealt first
/// Throws std::invalid_argument if it is not a permutation of the deck.
[[nodiscard]] Deal deal_from_order(std::span<const Card> order, const RuleSet& rules, int dealer,
                                   const DealContext& context = {});

/// Deal of full hands in the order received (first half first).
/// Throws std::invalid_argument naming a card that is missing or comes twice, or a wrong hand size.
[[nodiscard]] Deal deal_from_hands(std::span<const std::span<const Card>> hands,
                                   const RuleSet& rules);
/// The same for a special round: without the high packet of a Schieberrunde, and with the four
/// fixed cards in forehand's hand in a Teufelsrunde.
[[nodiscard]] Deal deal_from_hands(std::span<const std::span<const Card>> hands,
                                   const RuleSet& rules, int dealer, const DealContext& context);

/// The k highest cards, k = 2..4: EO GO (HO (SO)); pushed in a Schieberrunde (C.20.6).
/// Throws std::invalid_argument for another k.
[[nodiscard]] CardSet high_packet(int k);
/// Cards that are not dealt in this special round: the high packet, the fixed cards of a
/// Teufelsrunde (C.20.7), else none.
[[nodiscard]] CardSet undealt_packet(const RuleSet& rules, const DealContext& context);
/// Throws std::invalid_argument for a dealer or a special round that there is not.
void check_dealing(const RuleSet& rules, int dealer, const DealContext& context);
/// Number of cards that the position (0 = forehand) is dealt.
[[nodiscard]] int dealt_cards(int position, const RuleSet& rules, const DealContext& context);

}  // namespace schafkopf
