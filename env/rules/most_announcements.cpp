#include "env/rules/most_announcements.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "env/cards/contract.h"

namespace schafkopf {
namespace {

int most_of_legen(const RuleSet& rules) {
  if (rules.legen == Legen::kOff) return 0;
  return rules.legen == Legen::kForehandOnly ? 1 : seats_of(rules);
}

/// Offers that nobody accepts (C.3): three hands can hold two trumps each, two can hold one.
int most_of_hochzeit(const RuleSet& rules) {
  if (rules.hochzeit != HochzeitMode::kBeforeAuction) return 0;
  const int offers = rules.bauernhochzeit ? 3 : 2, cards = rules.bauernhochzeit ? 2 : 1;
  const int refusals = seats_of(rules) - 1;
  return offers * (1 + (rules.hochzeit_card_open ? cards : 0) + refusals);
}

/// Namings of an auction that goes on as long as it can (D.4): each rank is named by a later seat and
/// then by an earlier one, a plain Solo with another suit and with Herz. The first word may be PLAY,
/// all seats but one pass in the end.
int most_of_direct_auction(const RuleSet& rules, bool herz_counts) {
  std::array<int, 64> of_rank{};
  const auto add = [&](int rank, int namings, bool with_suit) {
    int& most = of_rank[static_cast<std::size_t>(rank)];
    most = std::max(most, namings * (with_suit ? 2 : 1));
  };
  for (const ContractRow& row : contract_table()) {
    if (!row.nameable || !row.is_single() || !rules.contracts.contains(row.contract)) continue;
    const bool announced = row.trump_suit == TrumpSuit::kAnnounced;
    const bool herz = herz_counts && row.family == Family::kSolo;
    add(row.rank, herz ? 4 : 2, announced && (rules.suit_public_when_named || herz));
    if (rules.tout_enabled && row.tout_action != 0) {
      add(row.tout_rank, 2, announced && rules.suit_public_when_named);
    }
  }
  const int namings = std::accumulate(of_rank.begin(), of_rank.end(), 0);
  const int suit_of_winner = rules.suit_public_when_named ? 0 : 1;
  return 1 + namings + suit_of_winner + seats_of(rules) - 1;
}

/// The same where others raise what the first has named, each rank once (D.3): after an auction, or
/// by those who play over a Hochzeit.
int most_of_two_stages(const RuleSet& rules) {
  const int herz = rules.herz_solo_precedence ? 4 : 0;
  return (2 * seats_of(rules)) + ((most_of_direct_auction(rules, false) + 1) / 2) + herz +
         seats_of(rules);
}

}  // namespace

int most_announcements(const RuleSet& rules) {
  const bool direct = rules.auction_style == AuctionStyle::kDirect;
  // forehand may leave the high packet to the dealer, then there is an auction (OPEN-34)
  const int packet = rules.schieber_variant == SchieberVariant::kForehandOnly ? 1 : 0;
  const int auction = direct ? most_of_direct_auction(rules, rules.herz_solo_precedence)
                             : most_of_two_stages(rules);
  const bool doubles = rules.kontra_window != KontraWindow::kOff || rules.kontra_ask_before_first;
  // after a Tout nobody asks for Schwarz, and an auction that ends without one is much shorter
  const bool asks_schwarz = rules.schwarz_by_claim && !(direct && rules.tout_enabled);
  const int after = (doubles ? rules.max_doublings_solo : 0) + (rules.claims_enabled ? 1 : 0) +
                    (rules.laufende_by_claim ? 1 : 0) + (asks_schwarz ? 1 : 0);
  const int fixed_hand = rules.sie_enabled ? 1 : 0;  // ends the deal where it is named (C.19)
  return most_of_legen(rules) + packet + most_of_hochzeit(rules) + auction +
         std::max(after, fixed_hand);
}

}  // namespace schafkopf
