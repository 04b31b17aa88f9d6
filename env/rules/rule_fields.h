// The field table of RuleSet: every switch once, with key, meaning, source and range. Reading,
// writing, Python arguments, repr, docs, hash and validation come from here. Adding a house
// rule: env/ADD_A_HOUSE_RULE.md.
#pragma once

#include <string_view>
#include <vector>

#include "env/base/enum_set.h"
#include "env/base/field.h"
#include "env/cards/contract.h"
#include "env/rules/rules.h"

namespace schafkopf {

inline constexpr int kMaxAmount = 1'000'000;  // units of the tariff (RULES J, Rejected)
inline constexpr int kMaxCount = 64;          // games, rounds, tables

/// Trump suits of partner games: Herz, or Schellen (001 1.4.2).
inline constexpr EnumSet<Suit> kPartnerTrumpSuits = {Suit::kHerz, Suit::kSchellen};

/// Events that can start a Bock (G.8): HERZ_SOLO_PLAYED and MANUAL start special rounds only.
inline constexpr EnumSet<RoundEvent> kBockEvents = {
    RoundEvent::kAllPass,  RoundEvent::kSoloLost, RoundEvent::kKontraGameLost,
    RoundEvent::kSchwarz,  RoundEvent::kReGame,   RoundEvent::kPoints6060,
    RoundEvent::kPoints120};

/// Switches that came after the 90 of RULES J.1, in the order in which rows of rule features show
/// them (env/view/rule_features.cpp). Append-only; the same keys stand at the end of visit_fields.
inline constexpr auto kFurtherSwitches = make_names();

/// Visits every switch once, in the order of RULES J.1: `visit(Field, member)`.
// clang-format off
template <FieldsOf<RuleSet> Rules, class Visitor>
void visit_fields(Rules& r, Visitor&& visit) {
  visit(Field{.key = "deck", .meaning = "card pack: all 32 cards, or 24 without 7s and 8s", .source = "000 1.2.1, A1 5; 003", .group = "Deck, seats, deal"}, r.deck);
  visit(Field{.key = "players", .meaning = "players at the table; with five the dealer sits out; two_player_extension keeps a 2, which no table plays", .source = "000 A1 6, 7; 003", .min = 2, .max = 5}, r.players);
  visit(Field{.key = "two_player_extension", .meaning = "players may be 2 in a file of rules; no table of two is played (OPEN-04)", .source = "003 names it only"}, r.two_player_extension);
  visit(Field{.key = "three_player_contracts", .meaning = "contracts with three players", .source = "000 A1 7; 003"}, r.three_player_contracts);
  visit(Field{.key = "partner_trump_suit", .meaning = "trump suit of partner games, Ramsch and Ramsch-Tout; S is the USA option", .source = "001 1.4.2", .allowed = kPartnerTrumpSuits.bits()}, r.partner_trump_suit);
  visit(Field{.key = "deal_packets", .meaning = "packets x cards of the deal; adapted to the hand size", .source = "000 2.1.1; 002; 003; 004 2"}, r.deal_packets);
  visit(Field{.key = "deal_direction", .meaning = "direction of the deal; ccw only by knocking", .source = "003"}, r.deal_direction);
  visit(Field{.key = "cut_min_cards", .meaning = "cards that must be lifted and must remain at the cut", .source = "003; 004 4", .min = 0, .max = 8}, r.cut_min_cards);
  visit(Field{.key = "cut_max_times", .meaning = "number of cuts, 0 = no limit", .source = "000 2.1.1; 003", .min = 0, .max = kMaxCount}, r.cut_max_times);
  visit(Field{.key = "knock_allowed", .meaning = "the cutter may knock instead of cutting", .source = "003; 000 A2 2.4"}, r.knock_allowed);
  visit(Field{.key = "cutter_also_shuffles", .meaning = "the cutter shuffles too (Preisschafkopf)", .source = "002"}, r.cutter_also_shuffles);
  visit(Field{.key = "misdeal_policy", .meaning = "what follows a misdeal (B.3.6)", .source = "000 2.1.4, 2.1.6; 002; 004 4"}, r.misdeal_policy);
  visit(Field{.key = "misdeal_penalty_per_player", .meaning = "units that the dealer pays to each player after a second misdeal", .source = "004 4", .min = 0, .max = kMaxAmount}, r.misdeal_penalty_per_player);
  visit(Field{.key = "first_dealer", .meaning = "dealer of the first deal of a session", .source = "003"}, r.first_dealer);

  visit(Field{.key = "contracts", .meaning = "contracts that can be named", .source = "000 1.3, A1 1; 002; 003; 004 2", .allowed = nameable_contracts().bits(), .group = "Contracts"}, r.contracts);
  visit(Field{.key = "tout_enabled", .meaning = "Tout forms of the enabled single games with points", .source = "000 1.3; 003; 004 4"}, r.tout_enabled);
  visit(Field{.key = "sie_enabled", .meaning = "Sie: four Ober and four Unter", .source = "000 1.3; 001; 002; 003"}, r.sie_enabled);
  visit(Field{.key = "sie_short_deck", .meaning = "Sie with six-card hands", .source = "OPEN-01"}, r.sie_short_deck);
  visit(Field{.key = "herz_solo_precedence", .meaning = "Herz-Solo outranks the other Soli (historical)", .source = "003; denied by 000 2.2.3, 004"}, r.herz_solo_precedence);
  visit(Field{.key = "hochzeit", .meaning = "when a Hochzeit can be offered", .source = "000 A1 2.1; 003"}, r.hochzeit);
  visit(Field{.key = "hochzeit_card_open", .meaning = "the offered trump is shown to all", .source = "000 A1 2.1.1 (open); 003 (hidden)"}, r.hochzeit_card_open);
  visit(Field{.key = "hochzeit_return_nontrump", .meaning = "the returned card must not be a trump", .source = "003"}, r.hochzeit_return_nontrump);
  visit(Field{.key = "hochzeit_solo_override", .meaning = "single games may outbid an accepted Hochzeit", .source = "003 rank table"}, r.hochzeit_solo_override);
  visit(Field{.key = "bauernhochzeit", .meaning = "Hochzeit with two trumps and two cards exchanged", .source = "003"}, r.bauernhochzeit);
  visit(Field{.key = "doppelte_hochzeit", .meaning = "a second player may offer a Hochzeit", .source = "003"}, r.doppelte_hochzeit);
  visit(Field{.key = "renonce", .meaning = "a blocked player may call without a card of the suit", .source = "000 A1 2.2; 002"}, r.renonce);

  visit(Field{.key = "auction_style", .meaning = "order of the announcements (D.3, D.4)", .source = "000 2.2; 002; 003", .group = "Auction"}, r.auction_style);
  visit(Field{.key = "solo_contest", .meaning = "contest of single games: rank of the class, or points 70..120", .source = "000 A1 1.5, 1.6"}, r.solo_contest);
  visit(Field{.key = "steigern_jump", .meaning = "bids may skip steps of ten points", .source = "OPEN-45"}, r.steigern_jump);
  visit(Field{.key = "suit_public_when_named", .meaning = "the suit is named together with the class", .source = "002 Praxistipp"}, r.suit_public_when_named);
  visit(Field{.key = "all_pass", .meaning = "what follows when nobody plays (D.6)", .source = "000 2.2.4, A1 3; 002; 003; 004 4"}, r.all_pass);
  visit(Field{.key = "last_chooses_options", .meaning = "choices of the last player with all_pass = last_chooses", .source = "000 A1 3.1.1, 3.2.1"}, r.last_chooses_options);
  visit(Field{.key = "thrown_in_counts", .meaning = "a thrown-in deal counts as a deal of the round", .source = "OPEN-47"}, r.thrown_in_counts);
  visit(Field{.key = "muss_card", .meaning = "card whose holder must play the Muss-Spiel", .source = "000 A1 3.3; 002; 003"}, r.muss_card);
  visit(Field{.key = "muss_threshold", .meaning = "points for the Muss party: 61/31/91, or 60/30/90", .source = "000; 003"}, r.muss_threshold);
  visit(Field{.key = "muss_blocked", .meaning = "what a blocked Muss player calls", .source = "000 A1 3.3.2; 003"}, r.muss_blocked);
  visit(Field{.key = "muss_solo_allowed", .meaning = "the Muss player may play a single game", .source = "000 A1 3.3.1; 002; 003"}, r.muss_solo_allowed);
  visit(Field{.key = "muss_kontra", .meaning = "Kontra in the Muss-Spiel", .source = "000 A1 3.3.3; 003"}, r.muss_kontra);

  visit(Field{.key = "called_discard_window", .meaning = "the called ace may be discarded with this many cards left in hand", .source = "000 3.2.4; 002; 003 (1); 004 4 (2)", .min = 1, .max = 2, .group = "Play"}, r.called_discard_window);
  visit(Field{.key = "runaway_enabled", .meaning = "Davonlaufen", .source = "000 3.2.5; 002; 003; 004"}, r.runaway_enabled);
  visit(Field{.key = "runaway_min_others", .meaning = "cards of the call suit beside the ace needed for Davonlaufen", .source = "000 3.2.5; 002; 003; 004", .min = 0, .max = 8}, r.runaway_min_others);
  visit(Field{.key = "claims_enabled", .meaning = "the rest can be claimed or conceded (E.5)", .source = "000 3.4; 001 3.4"}, r.claims_enabled);
  visit(Field{.key = "early_termination", .meaning = "stop when outcome and price are fixed; no effect on payoffs", .source = "E.5"}, r.early_termination);
  visit(Field{.key = "infraction_policy", .meaning = "what follows a revoke or a wrong lead (E.6)", .source = "000 3.1.2, 3.2.6, 3.2.7; 002; 003; 004 4"}, r.infraction_policy);
  visit(Field{.key = "history_view", .meaning = "past tricks that a seat sees", .source = "000 3.3.4; 002; 003"}, r.history_view);
  visit(Field{.key = "brett_reveal", .meaning = "when a Bettel-Brett hand is laid open", .source = "003; OPEN-27"}, r.brett_reveal);

  visit(Field{.key = "legen", .meaning = "doubling on half the hand (F.1)", .source = "000 A1 4.1; 002; 003", .group = "Doubling"}, r.legen);
  visit(Field{.key = "legen_dealer_cards", .meaning = "half of his hand that the dealer sees when he decides to lay", .source = "000 A1 4.1, 003 (last); 002 (first)"}, r.legen_dealer_cards);
  visit(Field{.key = "kontra_window", .meaning = "when the first doubling can be given (F.2)", .source = "000 4.2.1; 002; 003"}, r.kontra_window);
  visit(Field{.key = "kontra_ask_before_first", .meaning = "additional window before the first card", .source = "OPEN-58"}, r.kontra_ask_before_first);
  visit(Field{.key = "max_doublings_partner", .meaning = "doublings in partner games", .source = "000 4.2, A2 4.5; 002; 004", .min = 0, .max = 8}, r.max_doublings_partner);
  visit(Field{.key = "max_doublings_solo", .meaning = "doublings in single games", .source = "000 4.2.5; 004", .min = 0, .max = 8}, r.max_doublings_solo);
  visit(Field{.key = "max_doublings_per_seat", .meaning = "doublings of one seat, 0 = no limit", .source = "F.3", .min = 0, .max = 8}, r.max_doublings_per_seat);
  visit(Field{.key = "kontra_takeover", .meaning = "the doubling party takes over the duty of 61 points", .source = "000 4.2.6; 002; 003"}, r.kontra_takeover);
  visit(Field{.key = "kontra_scope", .meaning = "parts of the price that are doubled", .source = "000 A2 4.1; 003; 004 6"}, r.kontra_scope);
  visit(Field{.key = "kreuz_each_partner_doubles", .meaning = "both partners may double in a Kreuzrunde", .source = "002"}, r.kreuz_each_partner_doubles);
  visit(Field{.key = "ramsch_kontra", .meaning = "Kontra in the Ramsch", .source = "OPEN-23"}, r.ramsch_kontra);
  visit(Field{.key = "doubling_names", .meaning = "names of the doublings, for display", .source = "000 4.2, A2 4; 002; 004"}, r.doubling_names);

  visit(Field{.key = "tariff", .meaning = "price table (G.2), amounts in units per payer", .source = "000 A2; 002; 003; 004 6", .group = "Scoring"}, r.tariff);
  visit(Field{.key = "solo_schneider_schwarz", .meaning = "Schneider and Schwarz count in single games (short deck: always)", .source = "003 Schneider und Schwarz"}, r.solo_schneider_schwarz);
  visit(Field{.key = "laufende_min_ober", .meaning = "Laufende from this number on: Rufspiel and Solo", .source = "000 A2 2.1; 002; 003; 004 5", .min = 1, .max = 14}, r.laufende_min_ober);
  visit(Field{.key = "laufende_min_wenz", .meaning = "Laufende from this number on: Wenz, Geier and their kin", .source = "000 A2 2.2; 002; 003; 004 5", .min = 1, .max = 4}, r.laufende_min_wenz);
  visit(Field{.key = "laufende_cap", .meaning = "Laufende down to the last trump, or pictures only", .source = "000 A2 2.1; 002"}, r.laufende_cap);
  visit(Field{.key = "laufende_by_claim", .meaning = "Laufende are paid on demand only (G.5)", .source = "000 A2 2.1-2.4; 002; 003"}, r.laufende_by_claim);
  visit(Field{.key = "schwarz_by_claim", .meaning = "Schwarz is paid on demand only (G.5)", .source = "002; 003"}, r.schwarz_by_claim);
  visit(Field{.key = "ramsch_trumps", .meaning = "trumps of the Ramsch: with the suit, or Ober and Unter only", .source = "000 A1 3.1.2; 002"}, r.ramsch_trumps);
  visit(Field{.key = "ramsch_payers", .meaning = "players who pay in the Ramsch", .source = "002; 003", .min = 1, .max = 2}, r.ramsch_payers);
  visit(Field{.key = "ramsch_virgin", .meaning = "Jungfrau: a player without a trick in the Ramsch", .source = "000 A2 1.9.2; 003; 004"}, r.ramsch_virgin);
  visit(Field{.key = "ramsch_virgin_announced", .meaning = "the Jungfrau can be announced", .source = "002; OPEN-21"}, r.ramsch_virgin_announced);
  visit(Field{.key = "ramsch_march", .meaning = "Durchmarsch in the Ramsch: all tricks, or 91 points", .source = "000 A1 3.1.4; 003; 004 2"}, r.ramsch_march);
  visit(Field{.key = "ramsch_shift", .meaning = "Schieberramsch: tricks are passed on to the left at the end", .source = "003"}, r.ramsch_shift);

  visit(Field{.key = "stock_games", .meaning = "games that can win the Stock", .source = "000 A1 3.2.2; 002; 003", .group = "Stock, Bock, session"}, r.stock_games);
  visit(Field{.key = "stock_owner", .meaning = "who wins the Stock", .source = "000 A1 3.2.3; 002; 003"}, r.stock_owner);
  visit(Field{.key = "reuegeld", .meaning = "units that a losing declarer pays into the kitty", .source = "003; OPEN-67", .min = 0, .max = kMaxAmount}, r.reuegeld);
  visit(Field{.key = "bock_triggers", .meaning = "events that start a Bock", .source = "000 A1 4.2; 002; 003; 004 2 forbids", .allowed = kBockEvents.bits()}, r.bock_triggers);
  visit(Field{.key = "bock_length", .meaning = "length of a Bock", .source = "000 A1 4.2; 003"}, r.bock_length);
  visit(Field{.key = "bock_stacking", .meaning = "a trigger during a Bock makes it longer, or doubles again", .source = "OPEN-68"}, r.bock_stacking);
  visit(Field{.key = "special_round", .meaning = "mode of the first games (C.20)", .source = "000 A1 4.2-4.3; 002; 003"}, r.special_round);
  visit(Field{.key = "special_round_games", .meaning = "length of a special round in games, 0 = one round (allgaeuer: three)", .source = "002; 003", .min = 0, .max = kMaxCount}, r.special_round_games);
  visit(Field{.key = "special_round_triggers", .meaning = "event -> special round that it starts", .source = "002; 003"}, r.special_round_triggers);
  visit(Field{.key = "schieber_variant", .meaning = "course of the Schieberrunde (C.20.6)", .source = "000 A1 4.3, 002; 003"}, r.schieber_variant);
  visit(Field{.key = "schieber_cards", .meaning = "cards pushed in the Schieberrunde", .source = "000 A1 4.3; 002; 003", .min = 2, .max = 4}, r.schieber_cards);
  visit(Field{.key = "session_tables", .meaning = "sittings of a session", .source = "004 3", .min = 0, .max = kMaxCount}, r.session_tables);
  visit(Field{.key = "session_rounds", .meaning = "rounds per sitting", .source = "004 3", .min = 0, .max = kMaxCount}, r.session_rounds);
  visit(Field{.key = "last_round_dealer_old_one", .meaning = "the last holder of the Eichel-Ober in a Rufspiel deals the last round", .source = "003"}, r.last_round_dealer_old_one);
  visit(Field{.key = "last_round_mode", .meaning = "mode of the last round (H.4)", .source = "003"}, r.last_round_mode);
  visit(Field{.key = "participation_bonus", .meaning = "units for everyone who played enough games", .source = "004 3", .min = 0, .max = kMaxAmount}, r.participation_bonus);
  visit(Field{.key = "participation_min_games", .meaning = "games needed for the bonus", .source = "004 3", .min = 0, .max = kMaxCount}, r.participation_min_games);
  visit(Field{.key = "tie_break", .meaning = "decision between equal totals (H.3)", .source = "004 7"}, r.tie_break);
  visit(Field{.key = "round_time_limit_min", .meaning = "minutes per round, 0 = none; metadata", .source = "004 3", .min = 0, .max = kMaxAmount}, r.round_time_limit_min);
}
// clang-format on

/// Every switch with its value, and what is allowed.
[[nodiscard]] std::vector<FieldSlot> slots_of_rules(const RuleSet& rules);

/// Throws RuleError for the first member that its own field does not allow; combinations:
/// validate().
void check_values(const RuleSet& rules);

}  // namespace schafkopf
