// Slow second reading of the rules, part 2: the switches of RULES J under their own names, the
// tariff (G.2) and what a deal inherits from the session (H, C.20).
#pragma once

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/cpp/reference/reference_cards.h"

namespace schafkopf::reference {

/// A tariff (RULES G.2); the amounts are those of `official_pfennig`.
struct ReferenceTariff {
  int ruf = 10, hochzeit = 20, solo = 50, schneider = 10, schwarz = 10, laufende = 10;
  int bettel = 30, bettel_brett = 60, ramsch_tout = 60, bettel_mix = 30;
  int ramsch = 20, march = 70;
  int tout_factor = 2, sie_factor = 4, hochzeit_factor = 1;
  std::vector<std::pair<std::string, int>> overrides;  // base of a class that differs
  int stock_unit = 10;
  int scale = 1;  // all amounts are multiplied by it (2 = half units)
};

/// The switches of RULES J that this implementation reads, under the same names.
struct ReferenceRules {
  int players = 4;                                    // 5 = four active seats
  bool short_deck = false;                            // deck
  std::string three_player_contracts = "all_single";  // all_single | solo_wenz
  char partner_trump_suit = 'H';
  std::vector<std::string> contracts = {"RUF", "SOLO", "WENZ"};
  bool tout_enabled = true;
  bool sie_enabled = true;
  std::string sie_short_deck = "none";  // none | six_highest
  bool herz_solo_precedence = false;
  std::string hochzeit = "off";  // off | before_auction | after_all_pass
  bool hochzeit_return_nontrump = false;
  bool hochzeit_solo_override = false;
  bool bauernhochzeit = false;
  bool doppelte_hochzeit = false;
  std::string renonce = "off";              // off | announced | unannounced
  std::string auction_style = "two_stage";  // two_stage | direct
  std::string solo_contest = "rank";        // rank | steigern
  bool steigern_jump = false;
  bool suit_public_when_named = false;
  std::string all_pass = "throw_in";  // bock_game | bock_round | stock | ramsch | ...
  std::set<std::string> last_chooses_options = {"ramsch", "stock"};  // also throw_in
  int muss_card = 4;                                                 // EO
  std::string muss_threshold = "normal";                             // normal | sixty
  std::string muss_blocked = "ten_cascade";                          // or renonce_then_ten
  bool muss_solo_allowed = false;
  bool muss_kontra = false;
  int called_discard_window = 1;
  bool runaway_enabled = true;
  int runaway_min_others = 3;
  bool claims_enabled = false;
  bool early_termination = true;
  std::string infraction_policy = "official";        // official | game_loss | tournament
  std::string legen = "off";                         // off | free | sequential | forehand_only
  std::string kontra_window = "before_second_card";  // off | before_first_card | full_hand
  bool kontra_ask_before_first = false;
  int max_doublings_partner = 4;
  int max_doublings_solo = 4;
  int max_doublings_per_seat = 0;
  bool kontra_takeover = false;
  std::string kontra_scope = "all";  // all | no_laufende | base_only
  bool kreuz_each_partner_doubles = true;
  bool ramsch_kontra = false;
  ReferenceTariff tariff;
  bool solo_schneider_schwarz = true;
  int laufende_min_ober = 3;
  int laufende_min_wenz = 2;
  std::string laufende_cap = "all";  // all | pictures
  bool laufende_by_claim = false;
  bool schwarz_by_claim = false;
  std::string ramsch_trumps = "herz";  // herz | no_herz
  int ramsch_payers = 1;
  std::string ramsch_virgin = "receives_double";  // off | all_double | all_double_per_virgin
  bool ramsch_virgin_announced = false;
  std::string ramsch_march = "all_tricks";  // off | all_tricks | points_91
  bool ramsch_shift = false;
  std::string stock_games = "partner";   // partner | solo | both
  std::string stock_owner = "declarer";  // declarer | party
  int reuegeld = 0;
  std::string schieber_variant = "take_or_push";  // take_or_push | forehand_only
  int schieber_cards = 2;
};

/// What the session hands to a deal.
struct ReferenceContext {
  std::string special_round = "none";  // RULES J, `special_round`
  int bock = 0;                        // factors 2
  int stock = 0;                       // pot before the deal
  /// Classes that a seat still owes in an Allgaeuer round: RUF, WENZ, SOLO.
  std::array<std::set<std::string>, 4> owed;
};

/// Cards as dealt. The cards that a Schieber leaves out are in no hand.
struct ReferenceDeal {
  std::vector<Cards> first, second;  // per seat: first and last half, in the order received
  int zupf = 0;                      // place of the card that a Zupf-Solo draws
};

inline OrderOptions order_options(const ReferenceRules& rules) {
  return {rules.partner_trump_suit, rules.ramsch_trumps == "herz", rules.short_deck};
}

inline int active_seats(const ReferenceRules& rules) { return std::min(rules.players, 4); }

/// What three players leave of the rules (B.2, J): no partner games, and what needs one falls away.
inline ReferenceRules normalised(ReferenceRules rules) {
  if (rules.players != 3) return rules;
  const bool only_solo_wenz = rules.three_player_contracts == "solo_wenz";
  std::erase_if(rules.contracts, [&](const std::string& name) {
    return is_partner_game(name) || (only_solo_wenz && name != "SOLO" && name != "WENZ");
  });
  rules.hochzeit = rules.renonce = "off";
  if (rules.all_pass == "muss_spiel" || rules.all_pass == "kreuzbock") rules.all_pass = "throw_in";
  return rules;
}

/// The mode of a deal; three players know no partner rounds (J).
inline std::string special_round_of(const ReferenceRules& rules, const ReferenceContext& context) {
  const std::string& mode = context.special_round;
  const bool partner_round = mode == "kreuzbock" || mode == "kreuzrunde" || mode == "allgaeuer";
  if (mode == "bock" || (rules.players == 3 && partner_round)) return "none";
  return mode;
}

}  // namespace schafkopf::reference
