// Game records: one game as a value, as a JSON line and as readable text, and its replay through
// the engine. A record holds what people did; everything else follows from the rules.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "env/deal/deal.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/rules/rules.h"

namespace schafkopf {

inline constexpr int kRecordVersion = 1;

/// One action before card play.
struct AuctionStep {
  int seat = 0;
  Action action = 0;
  friend bool operator==(const AuctionStep&, const AuctionStep&) = default;
};

/// A seat doubled before the card with this index (0..31) was played.
struct Doubling {
  int seat = 0;
  int card_index = 0;
  friend bool operator==(const Doubling&, const Doubling&) = default;
};

/// What happened between or after the cards: the rest claimed or conceded (E.5), an infraction
/// (E.6), a misdeal (B.3.6), Laufende and Schwarz on demand (G.5), and what is named after the
/// first tricks of a Strixner (C.20.10).
struct TableEvent {
  enum class Kind : std::uint8_t { kAction, kInfraction, kMisdeal };
  int seat = 0;
  Kind kind = Kind::kAction;
  Action action = 0;                          // kAction
  Infraction infraction = Infraction::kNone;  // kInfraction
  int card_index = 0;  // of the card before which it happened; the number of cards if after all
  friend bool operator==(const TableEvent&, const TableEvent&) = default;
};

/// A round that waits until the running one is over (OPEN-73).
struct QueuedRound {
  SpecialRound mode = SpecialRound::kNone;
  int games = 0;
  friend bool operator==(const QueuedRound&, const QueuedRound&) = default;
};

/// What a deal inherits from its session, or hands on.
struct SessionKeys {
  DealContext context;
  std::vector<QueuedRound> queued;
  int round_position = 0;  // deals of the round that are over
  friend bool operator==(const SessionKeys&, const SessionKeys&) = default;
};

/// One game. Seats are absolute.
struct GameRecord {
  std::string preset;                          // shipped rule set; empty: the defaults of RULES J.1
  std::map<std::string, PlainValue> switches;  // house rules that differ from it
  int dealer = kNumSeats - 1;
  /// Per seat in the order received, first half first. A high packet that is pushed is in no hand;
  /// in a Teufelsrunde the four fixed cards are in forehand's.
  std::vector<std::vector<Card>> hands;
  std::vector<int> laid;  // seats that laid, in order (F.1); every other seat does not
  /// Every action before card play except Legen and doublings; may stop early, and may leave out
  /// actions that had no alternative. Empty if the record has a contract.
  std::vector<AuctionStep> auction;
  /// Instead of an auction: the game is entered at card play. `suit` counts only where the class
  /// names one, else it is Herz.
  std::optional<Contract> contract;
  int partner = -1;  // with a contract: who accepted the Hochzeit
  /// Cards passed before play: with a contract all of them; with an auction the card that was drawn
  /// in a Zupf-Solo, from the target to the declarer.
  std::vector<Exchange> exchange;
  /// In the order said. Every other seat that is asked answers NO_DOUBLE.
  std::vector<Doubling> doublings;
  std::vector<Card> plays;         // trick after trick; may stop early
  std::vector<TableEvent> claims;  // in the order in which they happened
  SessionKeys session;
  std::vector<int> places;  // tables of five: place 0..4 of each seat; else empty
  std::optional<std::string> id;
  std::optional<std::uint64_t> seed;  // of the deal, for information
  std::string meta;                   // JSON object as text, copied through; empty = none
  std::string expect;  // JSON object with keys of the result, for checks; empty = none
  int line = 0;        // where it was read, for messages; 0 = unknown
  friend bool operator==(const GameRecord&, const GameRecord&) = default;
};

// JSON lines

/// Read one line.
///
/// line_number  named in messages and kept in the record; 0 = none
/// Throws std::invalid_argument "line 3: hands: ...": no JSON, an unknown key (names the nearest
/// one), a wrong type, an impossible card or deal, or a rule set that cannot be played.
[[nodiscard]] GameRecord parse_record(std::string_view json_line, int line_number = 0);

/// One line without line break; parse_record(to_json(r), r.line) == r.
[[nodiscard]] std::string to_json(const GameRecord& record);

/// "CLAIM_REST", "INF_REVOKE", "EV_MISDEAL", "C_SOLO": as in the key `claims`.
[[nodiscard]] std::string event_name(const TableEvent& event);

/// The object of the key `session`: stock in tariff units, the context has it in 1/scale units.
[[nodiscard]] std::string session_json(const SessionKeys& session, int scale);

// Readable text

/// One game on some 25 lines: rules, deal, auction, doublings, tricks with winner and points,
/// result and payoffs. parse_text(to_text(r)) == r, but for the line number.
/// Throws std::invalid_argument as replay.
[[nodiscard]] std::string to_text(const GameRecord& record);

/// Read the text of to_text. Blank lines and lines that begin with `#` are skipped; trick winners,
/// result and payoffs may be left out, but what is written must agree with the cards.
/// Throws std::invalid_argument naming the line of the text, else as parse_record and replay.
///
/// first_line  number of the first line, where the text is a part of a file: then every message
///             names a line of the file; 0 = it is not, lines count from 1
[[nodiscard]] GameRecord parse_text(std::string_view text, int first_line = 0);

/// The games of a file in the readable text, one after the other.
///
/// A game begins with one of its first lines (id, seed, rules, session, places, dealer), after a
/// blank line or a comment, or where that line would come twice in one game.
struct TextGame {
  int first_line = 1;  // of the file
  std::string_view text;
};
[[nodiscard]] std::vector<TextGame> split_text(std::string_view text);

/// "RUF on EA", "SOLO_TOUT in H", "WENZ bid 80".
/// Throws WrongArgument "contract" or "suit" for a number that names none.
[[nodiscard]] std::string contract_text(const Contract& contract);

/// State of a running game for people, hidden cards included: contract, context of the session,
/// hands in trump order (while laying only the half that a seat has seen), what was said, trick,
/// who is to act and what is legal, without claims where the asker does not offer them.
[[nodiscard]] std::string display(const Game& game, bool claims = true);

// Replay

/// What a replay found (result keys of the record format). Arrays are per absolute seat.
struct ReplayResult {
  int seats = kNumSeats;
  int tariff_scale = 1;            // payoffs are in 1/tariff_scale units
  std::vector<int> trick_winners;  // of completed tricks
  std::array<int, kNumSeats> points{};
  std::array<int, kNumSeats> tricks{};
  bool finished = false;        // the settlement counts
  bool thrown_in = false;       // or ended by the penalty of a misdeal
  bool everyone_alone = false;  // Ramsch: loser, virgins and march count instead of a party
  std::uint8_t declarer_party = 0;
  Settlement settlement;
  /// Why card play ended before the last card ("SOLO_TOUT lost", "SIE won", "thrown in",
  /// "INF_REVOKE of seat 2").
  std::string ended;
  SessionKeys session;             // carried out; if not finished as carried in
  int to_move = -1;                // if not finished
  std::vector<std::string> legal;  // if not finished: cards, or names of actions in the auction
};

/// Rules of a record. Throws std::invalid_argument.
[[nodiscard]] std::shared_ptr<const CompiledRules> rules_of(const GameRecord& record);

/// Deal of a record. A card that nobody drew has no number: `zupf` is then 0.
/// Throws std::invalid_argument for impossible hands.
[[nodiscard]] Deal deal_of(const GameRecord& record, const RuleSet& rules);

/// A record played through the engine: `game` refers to `rules`.
struct ReplayedGame {
  std::shared_ptr<const CompiledRules> rules;
  Deal deal;
  Game game;  // at the end of the record; at the end by rule if plays were recorded beyond it
  /// From the first question, or from card play where the record has a contract; with the silent
  /// and automatic answers. Infractions are no actions.
  std::vector<Action> actions;
  ReplayResult result;
};

/// Play a record through the engine.
///
/// Cards that were recorded after the end by rule (a lost Tout) are checked and counted.
/// Throws std::invalid_argument "line 3: trick 2, seat 1, card S7: ...": names trick (from 1),
/// seat, card and the legal cards; for the auction step, seat, action and the legal ones.
[[nodiscard]] ReplayedGame replay_game(const GameRecord& record);
[[nodiscard]] ReplayResult replay(const GameRecord& record);

/// Result as one JSON line; amounts in tariff units, halves as 2.5.
[[nodiscard]] std::string result_json(const ReplayResult& result);

/// Differences between `expect` of the record and the result, one line each; empty if they agree.
/// Throws std::invalid_argument for an expected key that results do not have.
[[nodiscard]] std::vector<std::string> differences(const GameRecord& record,
                                                   const ReplayResult& result);

/// Record of a game at any moment: replaying it gives the same game. Questions that are answered
/// silently are not recorded: one that is still open (LEGEN, DOUBLE) is answered with no, and so is
/// an action without alternative: of an unfinished game replaying may then stop at a later question.
/// Who doubles in the second of two windows before the first card (F.2: `full_hand` with
/// `kontra_ask_before_first`) does so in the first one then: same course, other bytes.
///
/// deal  gives the order of the hands; without it the cards of each half stand in index order
/// Throws std::invalid_argument for a game that has no record: an endgame position.
[[nodiscard]] GameRecord record_of(const Game& game, const std::optional<Deal>& deal = {});

}  // namespace schafkopf
