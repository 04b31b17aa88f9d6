// Which rule sets are refused and which are adapted silently (RULES J, Rejected and Normalised).
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "env/base/input_limits.h"
#include "env/cards/contract.h"
#include "env/rules/most_announcements.h"
#include "env/rules/rule_fields.h"
#include "env/rules/rules.h"

namespace schafkopf {
namespace {

void require(bool ok, const char* key, const std::string& message) {
  if (!ok) throw RuleError(key, message);
}

bool is_short(const RuleSet& rules) { return rules.deck == Deck::kShort24; }

/// A text that is shown as it is, on terminals too.
void check_text(const char* key, const char* name, const std::string& text) {
  constexpr std::size_t kMost = 40;
  const bool shows = quotable(text, text.size()) == text;
  require(shows && text.size() <= kMost, key,
          fmt::format("{} = \"{}\", allowed: one line of at most {} bytes that can be shown", name,
                      quotable(text), kMost));
}

void check_texts(const RuleSet& rules) {
  check_text("tariff", "tariff.name", rules.tariff.name);
  check_text("tariff", "tariff.unit", rules.tariff.unit);
  for (const std::string& name : rules.doubling_names) {
    check_text("doubling_names", "doubling_names", name);
  }
}

void check_table(const RuleSet& rules) {
  require(rules.players != 2 || rules.two_player_extension, "players",
          "players = 2, allowed: 3, 4, 5 (two_player_extension = true keeps a 2, and no table "
          "plays it; R-008)");
  require(rules.players != 3 || is_short(rules), "players",
          "players = 3 with deck = \"long32\", allowed: with deck = \"short24\" only (R-006)");
  require(rules.players != 3 || rules.ramsch_payers != 2, "ramsch_payers",
          "ramsch_payers = 2 with players = 3, allowed: 1 (R-044)");
  const CardSet pack = is_short(rules) ? kShortDeck : kLongDeck;
  require(
      pack.contains(rules.muss_card), "muss_card",
      fmt::format(
          "muss_card = \"{}\", allowed: a card of deck = \"short24\" (ranks 9 U O K 10 A; R-038)",
          card_name(rules.muss_card)));
}

/// What three players may play (B.2): of the nameable single games all, or one Solo and the Wenz.
bool leaves_three_players_a_game(const RuleSet& rules) {
  if (rules.players != 3 || rules.three_player_contracts == ThreePlayerContracts::kAllSingle) {
    return true;
  }
  return std::ranges::any_of(contract_table(), [&](const ContractRow& row) {
    return rules.contracts.contains(row.contract) &&
           (row.family == Family::kSolo || row.family == Family::kWenz);
  });
}

void check_contracts(const RuleSet& rules) {
  require(!rules.contracts.empty(), "contracts",
          "contracts = [], allowed: at least one contract (R-186)");
  require(rules.players != 3 || !(rules.contracts - nameable_partner_games()).empty(), "contracts",
          fmt::format(
              "contracts = [\"{}\"] with players = 3, allowed: at least one single game (R-006)",
              calling_row().name));
  require(leaves_three_players_a_game(rules), "contracts",
          "contracts without SOLO and WENZ leave nothing to play with players = 3 and "
          "three_player_contracts = \"solo_wenz\" (R-006)");
  require(rules.all_pass != AllPass::kLastChooses || !rules.last_chooses_options.empty(),
          "last_chooses_options",
          "last_chooses_options = [] with all_pass = \"last_chooses\", allowed: at least one of "
          "ramsch, stock, throw_in (R-104)");
  require(
      rules.auction_style != AuctionStyle::kDirect || rules.solo_contest != SoloContest::kSteigern,
      "solo_contest",
      "solo_contest = \"steigern\" with auction_style = \"direct\", allowed: with "
      "auction_style = \"two_stage\" only (R-098)");
  require(rules.kontra_window != KontraWindow::kOff || !rules.kontra_ask_before_first,
          "kontra_ask_before_first",
          "kontra_ask_before_first = true with kontra_window = \"off\", allowed: false (R-136)");
}

/// What a game cannot hold is no rule set.
void check_announcements(const RuleSet& rules) {
  const int over = most_announcements(rules) - kMostAnnouncements;
  require(
      over <= rules.max_doublings_solo, "contracts",
      fmt::format("contracts: with the other switches a deal can have {} announcements without a "
                  "doubling, allowed: {}, what a game holds",
                  most_announcements(rules) - rules.max_doublings_solo, kMostAnnouncements));
  require(
      over <= 0, "max_doublings_solo",
      fmt::format("max_doublings_solo = {}, allowed: 0..{}: by the other switches a deal can have "
                  "{} announcements, a game holds {}",
                  rules.max_doublings_solo, rules.max_doublings_solo - over,
                  most_announcements(rules), kMostAnnouncements));
}

bool needs_long_deck(SpecialRound mode) {
  return mode == SpecialRound::kSchieber || mode == SpecialRound::kTeufel;
}

void check_special_rounds(const RuleSet& rules) {
  if (!is_short(rules)) return;
  require(
      !needs_long_deck(rules.special_round), "special_round",
      fmt::format(
          "special_round = \"{}\" with deck = \"short24\", allowed: with deck = \"long32\" only "
          "(R-075, R-079)",
          name_of(rules.special_round)));
  require(std::ranges::none_of(rules.special_round_triggers, needs_long_deck),
          "special_round_triggers",
          "special_round_triggers starts schieber or teufel with deck = \"short24\", allowed: with "
          "deck = \"long32\" only (R-075, R-079)");
}

/// Partner games need four seats (RULES B.2).
SpecialRound without_partner_rounds(SpecialRound mode) {
  const bool partner = mode == SpecialRound::kKreuzbock || mode == SpecialRound::kKreuzrunde ||
                       mode == SpecialRound::kAllgaeuer;
  return partner ? SpecialRound::kNone : mode;
}

void remove_partner_games(RuleSet& rules) {
  rules.contracts = rules.contracts - nameable_partner_games();
  rules.hochzeit = HochzeitMode::kOff;
  rules.renonce = Renonce::kOff;
  if (rules.all_pass == AllPass::kMussSpiel || rules.all_pass == AllPass::kKreuzbock) {
    rules.all_pass = AllPass::kThrowIn;
  }
  rules.special_round = without_partner_rounds(rules.special_round);
  for (SpecialRound& mode : rules.special_round_triggers) mode = without_partner_rounds(mode);
}

struct PacketPair {
  DealPackets eight, six;
};
constexpr PacketPair kPackets[] = {{DealPackets::k2x4, DealPackets::k2x3},
                                   {DealPackets::k4x2, DealPackets::k3x2},
                                   {DealPackets::k1x8, DealPackets::k1x6}};

DealPackets adapted_packets(DealPackets packets, bool six_cards) {
  for (const PacketPair& pair : kPackets) {
    if (packets == pair.eight || packets == pair.six) return six_cards ? pair.six : pair.eight;
  }
  return packets;
}

}  // namespace

void validate(const RuleSet& rules) {
  check_values(rules);
  check_texts(rules);
  check_table(rules);
  check_contracts(rules);
  check_special_rounds(rules);
  check_announcements(rules);
}

int hand_size(const RuleSet& rules) {
  const int seats = std::min(rules.players, kNumSeats);
  return deck_of(rules).count() / seats;
}

CardSet deck_of(const RuleSet& rules) { return is_short(rules) ? kShortDeck : kLongDeck; }

int seats_of(const RuleSet& rules) { return rules.players == 3 ? 3 : kNumSeats; }

RuleSet normalised(const RuleSet& rules) {
  RuleSet result = rules;
  if (result.players == 3) remove_partner_games(result);
  const bool six_cards = hand_size(result) == 6;
  if (six_cards && result.sie_short_deck == SieShortDeck::kNone) result.sie_enabled = false;
  result.deal_packets = adapted_packets(result.deal_packets, six_cards);
  return result;
}

RuleSet checked(const RuleSet& rules) {
  validate(rules);
  return normalised(rules);
}

}  // namespace schafkopf
