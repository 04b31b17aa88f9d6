// Rules, deals and contexts of the engine in the form of the slow reference.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "env/cards/tariff.h"
#include "env/deal/deal.h"
#include "env/rules/rules.h"
#include "tests/cpp/reference/reference_rules.h"

namespace schafkopf::test {

/// Amounts of a tariff; single games that cost something else than a Solo become overrides.
inline reference::ReferenceTariff reference_tariff(const Tariff& tariff) {
  reference::ReferenceTariff result;
  result.ruf = tariff[TariffKey::kRuf];
  result.hochzeit = tariff[TariffKey::kHochzeit];
  result.solo = tariff[TariffKey::kSolo];
  result.schneider = tariff[TariffKey::kSchneider];
  result.schwarz = tariff[TariffKey::kSchwarz];
  result.laufende = tariff[TariffKey::kLaufende];
  result.bettel = tariff[TariffKey::kBettel];
  result.bettel_brett = tariff[TariffKey::kBrett];
  result.ramsch_tout = tariff[TariffKey::kRamschTout];
  result.bettel_mix = tariff[TariffKey::kMix];
  result.ramsch = tariff[TariffKey::kRamsch];
  result.march = tariff[TariffKey::kMarch];
  result.stock_unit = tariff[TariffKey::kStockUnit];
  result.tout_factor = tariff.tout_factor;
  result.sie_factor = tariff.sie_factor;
  result.hochzeit_factor = tariff.hochzeit_factor;
  result.scale = tariff.scale;
  const std::map<std::string, TariffKey> singles = {
      {"WENZ", TariffKey::kWenz},
      {"GEIER", TariffKey::kGeier},
      {"FARBWENZ", TariffKey::kFarbwenz},
      {"FARBGEIER", TariffKey::kFarbgeier},
      {"HABICHT", TariffKey::kHabicht},
      {"EISENBAHNER", TariffKey::kEisenbahner},
      {"FARBHABICHT", TariffKey::kFarbhabicht},
      {"FARBEISENBAHNER", TariffKey::kFarbeisenbahner}};
  for (const auto& [name, key] : singles) {
    if (tariff[key] != result.solo) result.overrides.emplace_back(name, tariff[key]);
  }
  return result;
}

namespace detail {

template <class E>
std::string text(E value) {
  return std::string(name_of(value));
}

inline void copy_auction_switches(const RuleSet& rules, reference::ReferenceRules& slow) {
  slow.herz_solo_precedence = rules.herz_solo_precedence;
  slow.hochzeit = text(rules.hochzeit);
  slow.hochzeit_return_nontrump = rules.hochzeit_return_nontrump;
  slow.hochzeit_solo_override = rules.hochzeit_solo_override;
  slow.bauernhochzeit = rules.bauernhochzeit;
  slow.doppelte_hochzeit = rules.doppelte_hochzeit;
  slow.renonce = text(rules.renonce);
  slow.auction_style = text(rules.auction_style);
  slow.solo_contest = text(rules.solo_contest);
  slow.steigern_jump = rules.steigern_jump;
  slow.suit_public_when_named = rules.suit_public_when_named;
  slow.all_pass = text(rules.all_pass);
  slow.last_chooses_options.clear();
  for (const LastChoice choice : {LastChoice::kRamsch, LastChoice::kStock, LastChoice::kThrowIn}) {
    if (rules.last_chooses_options.contains(choice)) slow.last_chooses_options.insert(text(choice));
  }
  slow.muss_card = rules.muss_card;
  slow.muss_threshold = text(rules.muss_threshold);
  slow.muss_blocked = text(rules.muss_blocked);
  slow.muss_solo_allowed = rules.muss_solo_allowed;
  slow.muss_kontra = rules.muss_kontra;
}

inline void copy_play_switches(const RuleSet& rules, reference::ReferenceRules& slow) {
  slow.called_discard_window = rules.called_discard_window;
  slow.runaway_enabled = rules.runaway_enabled;
  slow.runaway_min_others = rules.runaway_min_others;
  slow.claims_enabled = rules.claims_enabled;
  slow.early_termination = rules.early_termination;
  slow.infraction_policy = text(rules.infraction_policy);
  slow.legen = text(rules.legen);
  slow.kontra_window = text(rules.kontra_window);
  slow.kontra_ask_before_first = rules.kontra_ask_before_first;
  slow.max_doublings_partner = rules.max_doublings_partner;
  slow.max_doublings_solo = rules.max_doublings_solo;
  slow.max_doublings_per_seat = rules.max_doublings_per_seat;
  slow.kontra_takeover = rules.kontra_takeover;
  slow.kontra_scope = text(rules.kontra_scope);
  slow.kreuz_each_partner_doubles = rules.kreuz_each_partner_doubles;
  slow.ramsch_kontra = rules.ramsch_kontra;
}

inline void copy_price_switches(const RuleSet& rules, reference::ReferenceRules& slow) {
  slow.tariff = reference_tariff(rules.tariff);
  slow.solo_schneider_schwarz = rules.solo_schneider_schwarz;
  slow.laufende_min_ober = rules.laufende_min_ober;
  slow.laufende_min_wenz = rules.laufende_min_wenz;
  slow.laufende_cap = text(rules.laufende_cap);
  slow.laufende_by_claim = rules.laufende_by_claim;
  slow.schwarz_by_claim = rules.schwarz_by_claim;
  slow.ramsch_trumps = text(rules.ramsch_trumps);
  slow.ramsch_payers = rules.ramsch_payers;
  slow.ramsch_virgin = text(rules.ramsch_virgin);
  slow.ramsch_virgin_announced = rules.ramsch_virgin_announced;
  slow.ramsch_march = text(rules.ramsch_march);
  slow.ramsch_shift = rules.ramsch_shift;
  slow.stock_games = text(rules.stock_games);
  slow.stock_owner = text(rules.stock_owner);
  slow.reuegeld = rules.reuegeld;
}

}  // namespace detail

/// The switches that the reference reads.
inline reference::ReferenceRules reference_rules(const RuleSet& rules) {
  reference::ReferenceRules slow;
  slow.players = rules.players;
  slow.short_deck = rules.deck == Deck::kShort24;
  slow.three_player_contracts = detail::text(rules.three_player_contracts);
  slow.partner_trump_suit = name_of(rules.partner_trump_suit)[0];
  slow.contracts.clear();
  for (int i = 0; i < kNumContractClasses; ++i) {
    const auto contract = static_cast<ContractClass>(i);
    if (rules.contracts.contains(contract)) slow.contracts.push_back(detail::text(contract));
  }
  slow.tout_enabled = rules.tout_enabled;
  slow.sie_enabled = rules.sie_enabled;
  slow.sie_short_deck = detail::text(rules.sie_short_deck);
  detail::copy_auction_switches(rules, slow);
  detail::copy_play_switches(rules, slow);
  detail::copy_price_switches(rules, slow);
  slow.schieber_variant = detail::text(rules.schieber_variant);
  slow.schieber_cards = rules.schieber_cards;
  return slow;
}

inline reference::Cards reference_cards(CardSet set) {
  reference::Cards cards;
  for (int card = 0; card < kNumCards; ++card) {
    if (set.contains(static_cast<Card>(card))) cards.push_back(card);
  }
  return cards;
}

inline reference::ReferenceDeal reference_deal(const Deal& deal, int seats) {
  reference::ReferenceDeal slow;
  for (std::size_t seat = 0; seat < static_cast<std::size_t>(seats); ++seat) {
    slow.first.push_back(reference_cards(deal.first[seat]));
    slow.second.push_back(reference_cards(deal.second[seat]));
  }
  slow.zupf = deal.zupf;
  return slow;
}

inline reference::ReferenceContext reference_context(const DealContext& context) {
  reference::ReferenceContext slow;
  slow.special_round = detail::text(context.mode());
  slow.bock = context.bock;
  slow.stock = context.stock;
  constexpr std::array<const char*, 3> kDebts = {"RUF", "WENZ", "SOLO"};
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    for (unsigned bit = 0; bit < 3; ++bit) {
      if (((context.owed[seat] >> bit) & 1) != 0) slow.owed[seat].insert(kDebts[bit]);
    }
  }
  return slow;
}

}  // namespace schafkopf::test
