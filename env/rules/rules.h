// House rules as data: one struct with one member per switch of RULES J.1, and the doors to read,
// check and write rule sets. What a switch does stands in the code that reads it; the field table
// in env/rules/rule_fields.h gives each switch its key, meaning, source and range.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "env/base/enum_set.h"
#include "env/base/plain_value.h"
#include "env/cards/card.h"
#include "env/cards/contract_class.h"
#include "env/cards/tariff.h"

namespace schafkopf {

// Values of the switches. Names in files are those of names_of, in the order of the enumerators.

enum class Deck : std::uint8_t { kLong32, kShort24 };
[[nodiscard]] constexpr auto names_of(Deck) { return make_names("long32", "short24"); }

enum class ThreePlayerContracts : std::uint8_t { kAllSingle, kSoloWenz };
[[nodiscard]] constexpr auto names_of(ThreePlayerContracts) {
  return make_names("all_single", "solo_wenz");
}

[[nodiscard]] constexpr auto names_of(Suit) { return make_names("E", "G", "H", "S"); }

/// Packets of the deal: number of rounds x cards per packet (RULES B.3.2).
enum class DealPackets : std::uint8_t { k2x4, k4x2, k1x8, k2x3, k3x2, k1x6 };
[[nodiscard]] constexpr auto names_of(DealPackets) {
  return make_names("2x4", "4x2", "1x8", "2x3", "3x2", "1x6");
}

enum class DealDirection : std::uint8_t { kCw, kCcw };
[[nodiscard]] constexpr auto names_of(DealDirection) { return make_names("cw", "ccw"); }

enum class MisdealPolicy : std::uint8_t { kRedeal, kRedealThenPenalty };
[[nodiscard]] constexpr auto names_of(MisdealPolicy) {
  return make_names("redeal", "redeal_then_penalty");
}

enum class FirstDealer : std::uint8_t { kSeat0, kRandom, kHighCard };
[[nodiscard]] constexpr auto names_of(FirstDealer) {
  return make_names("seat0", "random", "high_card");
}

enum class SieShortDeck : std::uint8_t { kNone, kSixHighest };
[[nodiscard]] constexpr auto names_of(SieShortDeck) { return make_names("none", "six_highest"); }

enum class HochzeitMode : std::uint8_t { kOff, kBeforeAuction, kAfterAllPass };
[[nodiscard]] constexpr auto names_of(HochzeitMode) {
  return make_names("off", "before_auction", "after_all_pass");
}

enum class Renonce : std::uint8_t { kOff, kAnnounced, kUnannounced };
[[nodiscard]] constexpr auto names_of(Renonce) {
  return make_names("off", "announced", "unannounced");
}

enum class AuctionStyle : std::uint8_t { kTwoStage, kDirect };
[[nodiscard]] constexpr auto names_of(AuctionStyle) { return make_names("two_stage", "direct"); }

enum class SoloContest : std::uint8_t { kRank, kSteigern };
[[nodiscard]] constexpr auto names_of(SoloContest) { return make_names("rank", "steigern"); }

enum class AllPass : std::uint8_t {
  kThrowIn,
  kBockGame,
  kBockRound,
  kStock,
  kRamsch,
  kLastChooses,
  kMussSpiel,
  kKreuzbock,
};
[[nodiscard]] constexpr auto names_of(AllPass) {
  return make_names("throw_in", "bock_game", "bock_round", "stock", "ramsch", "last_chooses",
                    "muss_spiel", "kreuzbock");
}

enum class LastChoice : std::uint8_t { kRamsch, kStock, kThrowIn };
[[nodiscard]] constexpr auto names_of(LastChoice) {
  return make_names("ramsch", "stock", "throw_in");
}

enum class MussThreshold : std::uint8_t { kNormal, kSixty };
[[nodiscard]] constexpr auto names_of(MussThreshold) { return make_names("normal", "sixty"); }

enum class MussBlocked : std::uint8_t { kTenCascade, kRenonceThenTen };
[[nodiscard]] constexpr auto names_of(MussBlocked) {
  return make_names("ten_cascade", "renonce_then_ten");
}

enum class InfractionPolicy : std::uint8_t { kOfficial, kGameLoss, kTournament };
[[nodiscard]] constexpr auto names_of(InfractionPolicy) {
  return make_names("official", "game_loss", "tournament");
}

enum class HistoryView : std::uint8_t { kFull, kLastTrick };
[[nodiscard]] constexpr auto names_of(HistoryView) { return make_names("full", "last_trick"); }

enum class BrettReveal : std::uint8_t { kBeforeFirstCard, kAfterFirstTrick };
[[nodiscard]] constexpr auto names_of(BrettReveal) {
  return make_names("before_first_card", "after_first_trick");
}

enum class Legen : std::uint8_t { kOff, kFree, kSequential, kForehandOnly };
[[nodiscard]] constexpr auto names_of(Legen) {
  return make_names("off", "free", "sequential", "forehand_only");
}

enum class LegenDealerCards : std::uint8_t { kFirst, kLast, kAll };
[[nodiscard]] constexpr auto names_of(LegenDealerCards) {
  return make_names("first", "last", "all");
}

enum class KontraWindow : std::uint8_t { kOff, kBeforeFirstCard, kBeforeSecondCard, kFullHand };
[[nodiscard]] constexpr auto names_of(KontraWindow) {
  return make_names("off", "before_first_card", "before_second_card", "full_hand");
}

enum class KontraScope : std::uint8_t { kAll, kNoLaufende, kBaseOnly };
[[nodiscard]] constexpr auto names_of(KontraScope) {
  return make_names("all", "no_laufende", "base_only");
}

enum class LaufendeCap : std::uint8_t { kAll, kPictures };
[[nodiscard]] constexpr auto names_of(LaufendeCap) { return make_names("all", "pictures"); }

enum class RamschTrumps : std::uint8_t { kHerz, kNoHerz };
[[nodiscard]] constexpr auto names_of(RamschTrumps) { return make_names("herz", "no_herz"); }

enum class RamschVirgin : std::uint8_t { kOff, kReceivesDouble, kAllDouble, kAllDoublePerVirgin };
[[nodiscard]] constexpr auto names_of(RamschVirgin) {
  return make_names("off", "receives_double", "all_double", "all_double_per_virgin");
}

enum class RamschMarch : std::uint8_t { kOff, kAllTricks, kPoints91 };
[[nodiscard]] constexpr auto names_of(RamschMarch) {
  return make_names("off", "all_tricks", "points_91");
}

enum class StockGames : std::uint8_t { kPartner, kSolo, kBoth };
[[nodiscard]] constexpr auto names_of(StockGames) { return make_names("partner", "solo", "both"); }

enum class StockOwner : std::uint8_t { kDeclarer, kParty };
[[nodiscard]] constexpr auto names_of(StockOwner) { return make_names("declarer", "party"); }

/// Events that start a Bock (G.8: all but the last two) or a special round (C.20: all).
enum class RoundEvent : std::uint8_t {
  kAllPass,
  kSoloLost,
  kKontraGameLost,
  kSchwarz,
  kReGame,
  kPoints6060,
  kPoints120,
  kHerzSoloPlayed,
  kManual,
};
[[nodiscard]] constexpr auto names_of(RoundEvent) {
  return make_names("ALL_PASS", "SOLO_LOST", "KONTRA_GAME_LOST", "SCHWARZ", "RE_GAME",
                    "POINTS_60_60", "POINTS_120", "HERZ_SOLO_PLAYED", "MANUAL");
}

enum class BockLength : std::uint8_t { kRound, kGame };
[[nodiscard]] constexpr auto names_of(BockLength) { return make_names("round", "game"); }

enum class BockStacking : std::uint8_t { kExtend, kMultiply };
[[nodiscard]] constexpr auto names_of(BockStacking) { return make_names("extend", "multiply"); }

enum class SpecialRound : std::uint8_t {
  kNone,
  kBock,
  kRamsch,
  kKreuzbock,
  kKreuzrunde,
  kSoloWenzRamsch,
  kSoliOnly,
  kSchieber,
  kTeufel,
  kHadsch,
  kAllgaeuer,
  kStrixner,
  kZupfSolo,
};
[[nodiscard]] constexpr auto names_of(SpecialRound) {
  return make_names("none", "bock", "ramsch", "kreuzbock", "kreuzrunde", "solo_wenz_ramsch",
                    "soli_only", "schieber", "teufel", "hadsch", "allgaeuer", "strixner",
                    "zupf_solo");
}

enum class SchieberVariant : std::uint8_t { kTakeOrPush, kForehandOnly };
[[nodiscard]] constexpr auto names_of(SchieberVariant) {
  return make_names("take_or_push", "forehand_only");
}

enum class LastRoundMode : std::uint8_t { kNormal, kDouble, kSoliOnly };
[[nodiscard]] constexpr auto names_of(LastRoundMode) {
  return make_names("normal", "double", "soli_only");
}

enum class TieBreak : std::uint8_t { kNone, kFirstAce };
[[nodiscard]] constexpr auto names_of(TieBreak) { return make_names("none", "first_ace"); }

/// Special round that an event starts; kNone where it starts none.
using RoundTriggers = std::array<SpecialRound, static_cast<std::size_t>(kNumValues<RoundEvent>)>;

/// Stoß, Re, Supra, Resupra, Hirsch, Bock (000 4.2, A2 4).
[[nodiscard]] std::vector<std::string> official_doubling_names();

/// The house rules of a table: one member per switch of RULES J.1, in that order, defaults as
/// printed there. Meaning, source and range of each member: env/rules/rule_fields.h.
struct RuleSet {
  // Deck, seats, deal
  Deck deck = Deck::kLong32;
  int players = 4;
  bool two_player_extension = false;
  ThreePlayerContracts three_player_contracts = ThreePlayerContracts::kAllSingle;
  Suit partner_trump_suit = Suit::kHerz;
  DealPackets deal_packets = DealPackets::k2x4;
  DealDirection deal_direction = DealDirection::kCw;
  int cut_min_cards = 1;
  int cut_max_times = 0;
  bool knock_allowed = false;
  bool cutter_also_shuffles = false;
  MisdealPolicy misdeal_policy = MisdealPolicy::kRedeal;
  int misdeal_penalty_per_player = 20;
  FirstDealer first_dealer = FirstDealer::kRandom;

  // Contracts
  EnumSet<ContractClass> contracts = {ContractClass::kRuf, ContractClass::kSolo,
                                      ContractClass::kWenz};
  bool tout_enabled = true;
  bool sie_enabled = true;
  SieShortDeck sie_short_deck = SieShortDeck::kNone;
  bool herz_solo_precedence = false;
  HochzeitMode hochzeit = HochzeitMode::kOff;
  bool hochzeit_card_open = true;
  bool hochzeit_return_nontrump = false;
  bool hochzeit_solo_override = false;
  bool bauernhochzeit = false;
  bool doppelte_hochzeit = false;
  Renonce renonce = Renonce::kOff;

  // Auction
  AuctionStyle auction_style = AuctionStyle::kTwoStage;
  SoloContest solo_contest = SoloContest::kRank;
  bool steigern_jump = false;
  bool suit_public_when_named = false;
  AllPass all_pass = AllPass::kThrowIn;
  EnumSet<LastChoice> last_chooses_options = {LastChoice::kRamsch, LastChoice::kStock};
  bool thrown_in_counts = true;
  Card muss_card = make_card(Suit::kEichel, Rank::kOber);
  MussThreshold muss_threshold = MussThreshold::kNormal;
  MussBlocked muss_blocked = MussBlocked::kTenCascade;
  bool muss_solo_allowed = false;
  bool muss_kontra = false;

  // Play
  int called_discard_window = 1;
  bool runaway_enabled = true;
  int runaway_min_others = 3;
  bool claims_enabled = false;
  bool early_termination = true;
  InfractionPolicy infraction_policy = InfractionPolicy::kOfficial;
  HistoryView history_view = HistoryView::kFull;
  BrettReveal brett_reveal = BrettReveal::kBeforeFirstCard;

  // Doubling
  Legen legen = Legen::kOff;
  LegenDealerCards legen_dealer_cards = LegenDealerCards::kLast;
  KontraWindow kontra_window = KontraWindow::kBeforeSecondCard;
  bool kontra_ask_before_first = false;
  int max_doublings_partner = 4;
  int max_doublings_solo = 4;
  int max_doublings_per_seat = 0;
  bool kontra_takeover = false;
  KontraScope kontra_scope = KontraScope::kAll;
  bool kreuz_each_partner_doubles = true;
  bool ramsch_kontra = false;
  std::vector<std::string> doubling_names = official_doubling_names();

  // Scoring
  Tariff tariff = named_tariff("official_pfennig");
  bool solo_schneider_schwarz = true;
  int laufende_min_ober = 3;
  int laufende_min_wenz = 2;
  LaufendeCap laufende_cap = LaufendeCap::kAll;
  bool laufende_by_claim = false;
  bool schwarz_by_claim = false;
  RamschTrumps ramsch_trumps = RamschTrumps::kHerz;
  int ramsch_payers = 1;
  RamschVirgin ramsch_virgin = RamschVirgin::kReceivesDouble;
  bool ramsch_virgin_announced = false;
  RamschMarch ramsch_march = RamschMarch::kAllTricks;
  bool ramsch_shift = false;

  // Stock, Bock, session
  StockGames stock_games = StockGames::kPartner;
  StockOwner stock_owner = StockOwner::kDeclarer;
  int reuegeld = 0;
  EnumSet<RoundEvent> bock_triggers = {};
  BockLength bock_length = BockLength::kRound;
  BockStacking bock_stacking = BockStacking::kExtend;
  SpecialRound special_round = SpecialRound::kNone;
  int special_round_games = 0;
  RoundTriggers special_round_triggers = {};
  SchieberVariant schieber_variant = SchieberVariant::kTakeOrPush;
  int schieber_cards = 2;
  int session_tables = 1;
  int session_rounds = 4;
  bool last_round_dealer_old_one = false;
  LastRoundMode last_round_mode = LastRoundMode::kNormal;
  int participation_bonus = 0;
  int participation_min_games = 0;
  TieBreak tie_break = TieBreak::kNone;
  int round_time_limit_min = 0;

  friend bool operator==(const RuleSet&, const RuleSet&) = default;
};

/// Cards per hand: 8, or 6 with four active players and the short deck (RULES B.1, B.2).
[[nodiscard]] int hand_size(const RuleSet& rules);
/// All cards of the deck.
[[nodiscard]] CardSet deck_of(const RuleSet& rules);
/// Seats of a game: 3, or 4 also at tables of five.
[[nodiscard]] int seats_of(const RuleSet& rules);

// Access by key: the form that files, records and Python keyword arguments share.

/// A switch with a value that is not allowed; `key` is the switch to blame. In Python a ValueError.
class RuleError : public std::invalid_argument {
 public:
  RuleError(std::string key, const std::string& message)
      : std::invalid_argument(message), key_(std::move(key)) {}
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  std::string key_;
};

/// Sets one switch. Combinations are not checked here: see checked().
///
/// tariff: a name of RULES G.2, or a table {base?, name?, unit?, amounts and factors of G.2} of
/// changes to `base` (default: the tariff so far); amounts in units, halves allowed; `solo` also
/// sets the prices of the other single games that the table does not name. Throws RuleError:
/// unknown key (names the nearest one), wrong type, value not allowed
/// ("laufende_min_wenz = 9, allowed: integer 1..4"). `rules` is then unchanged.
void set_field(RuleSet& rules, std::string_view key, const PlainValue& value);

/// Value of one switch: a flag, a number, a name, a list of names, or a table (custom tariff,
/// triggers); enumerators as names, subsets in the order of their enumerators, a named tariff as
/// its name. Throws std::invalid_argument for an unknown key.
[[nodiscard]] PlainValue get_field(const RuleSet& rules, std::string_view key);

/// What documentation and generated files say about a switch.
struct FieldInfo {
  std::string key, group, meaning, source, allowed;
  PlainValue default_value;
};
/// All switches in the order of RULES J.1, further ones after them.
[[nodiscard]] std::vector<FieldInfo> rule_fields();

// Checks

/// Throws RuleError for every Rejected of RULES J, naming switch, value and what is allowed.
void validate(const RuleSet& rules);

/// The rule set after the silent adaptations (Normalised) of RULES J; idempotent.
[[nodiscard]] RuleSet normalised(const RuleSet& rules);

/// validate, then normalised. Every rule set that is read from outside passes here.
[[nodiscard]] RuleSet checked(const RuleSet& rules);

/// Stable 64-bit hash of all switches, the tariff with its amounts; equal on all machines and
/// builds.
[[nodiscard]] std::uint64_t hash_rules(const RuleSet& rules);

/// `RuleSet(tariff='10/20/50', ...)`: Python notation of the switches that differ from the
/// defaults.
[[nodiscard]] std::string to_string(const RuleSet& rules);

// Reading and writing

/// A rule set and where it comes from. `own_switches` are the ones that a person wrote, in contrast
/// to those inherited from `preset` or left at their defaults.
struct NamedRules {
  std::string name;    // preset name, stem of the file, or "custom"
  std::string preset;  // preset that it starts from, empty if none
  RuleSet rules;
  std::vector<std::string> own_switches;
};

/// The shipped rule sets: the seven presets of RULES J.2 and `research`.
[[nodiscard]] std::span<const std::string_view> preset_names();

/// Shipped rule set by name (from configs/rules, compiled in). Throws std::invalid_argument naming
/// the known ones.
[[nodiscard]] RuleSet preset(std::string_view name);

/// What a shipped rule set is, in one line: the first comment of its file. Throws as `preset`.
[[nodiscard]] std::string preset_title(std::string_view name);

/// Preset plus overrides, checked: the door for records and Python.
///
/// preset     name of a shipped rule set, empty for the defaults of RULES J.1
/// overrides  switch -> value
/// Throws std::invalid_argument as set_field and validate.
[[nodiscard]] NamedRules make_rules(std::string_view preset,
                                    const std::map<std::string, PlainValue>& overrides);

/// Reads TOML text: one key per switch, optionally `preset = "official_1989"`; what is not named
/// keeps the value of the preset (without one: the defaults of RULES J.1). The result is checked.
/// Throws std::invalid_argument "FILE:LINE: laufende_min_wenz = 9, allowed: integer 1..4".
[[nodiscard]] NamedRules read_rules(std::string_view text, const std::string& file_name_for_errors);

/// read_rules, the rule set only.
[[nodiscard]] RuleSet parse_rules(std::string_view text, const std::string& file_name_for_errors);

/// Reads a rule file. Throws std::system_error if it cannot be read, else as read_rules.
[[nodiscard]] RuleSet load_rules(const std::string& path);

/// Rule set by preset name or by path of a TOML file (anything with `/` or ending in `.toml`).
[[nodiscard]] NamedRules find_rules(const std::string& name_or_path);

/// Complete TOML file: every switch with meaning, allowed values and source as comments; `title` stands
/// above it, each of its lines in one of its own.
[[nodiscard]] std::string to_toml(const RuleSet& rules, std::string_view title = {});

}  // namespace schafkopf
