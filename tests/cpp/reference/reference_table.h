// Slow second reading of the rules, part 4: the table of a deal. Every chapter (auction, Hochzeit,
// special rounds, doubling, card play) is a function that reads from top to bottom like its text
// and calls Table::ask() where a seat decides. When an answer is not known yet, ask() stops the
// function; with the next answer the running stage is read again from its start.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/cpp/reference/reference_scoring.h"

namespace schafkopf::reference {

// Action ids (RULES D.1); 0..31 are the cards.
inline constexpr int kPass = 32;
inline constexpr int kPlay = 33;
inline constexpr int kYield = 34;
inline constexpr int kHold = 35;
inline constexpr int kRaise70 = 36;  // then 80, 90, 100, 110, 120
inline constexpr int kLay = 42;
inline constexpr int kNoLay = 43;
inline constexpr int kDouble = 44;
inline constexpr int kNoDouble = 45;
inline constexpr int kHochzeitOffer1 = 46;
inline constexpr int kHochzeitOffer2 = 47;
inline constexpr int kHochzeitNoOffer = 48;
inline constexpr int kHochzeitAccept = 49;
inline constexpr int kHochzeitRefuse = 50;
inline constexpr int kSayRamsch = 51;
inline constexpr int kSayStock = 52;
inline constexpr int kJungfrau = 53;
inline constexpr int kNoJungfrau = 54;
inline constexpr int kTakeUp = 55;
inline constexpr int kPushOn = 56;
inline constexpr int kClaimRest = 57;
inline constexpr int kConcedeRest = 58;
inline constexpr int kTargetPlus1 = 59;  // then +2, +3
inline constexpr int kClaimSchwarz = 62;
inline constexpr int kClaimNoSchwarz = 63;
inline constexpr int kClaimLaufende0 = 64;  // ... 14
inline constexpr int kSuitE = 79;           // then G, H, S
inline constexpr int kNameRuf = 83;
inline constexpr int kNameSolo = 94;
inline constexpr int kNameSoloTout = 105;
inline constexpr int kNameSie = 106;

/// A class that can be named: action id (D.1) and auction rank (D.3).
struct ClassRow {
  const char* name;
  bool tout;
  int action;
  int rank;
};

inline constexpr ClassRow kClassRows[] = {
    {"RUF", false, 83, 10},
    {"BETTEL", false, 84, 20},
    {"BETTEL_MIX", false, 85, 20},
    {"FARBEISENBAHNER", false, 86, 21},
    {"FARBHABICHT", false, 87, 22},
    {"EISENBAHNER", false, 88, 23},
    {"HABICHT", false, 89, 24},
    {"FARBGEIER", false, 90, 25},
    {"FARBWENZ", false, 91, 26},
    {"GEIER", false, 92, 27},
    {"WENZ", false, 93, 28},
    {"SOLO", false, 94, 29},
    {"RAMSCH_TOUT", false, 95, 40},
    {"BETTEL_BRETT", false, 96, 40},
    {"FARBEISENBAHNER", true, 97, 41},
    {"FARBHABICHT", true, 98, 42},
    {"EISENBAHNER", true, 99, 43},
    {"HABICHT", true, 100, 44},
    {"FARBGEIER", true, 101, 45},
    {"FARBWENZ", true, 102, 46},
    {"GEIER", true, 103, 47},
    {"WENZ", true, 104, 48},
    {"SOLO", true, 105, 49},
    {"SIE", false, 106, 60},
};

inline const ClassRow& class_row(int action) {
  for (const ClassRow& row : kClassRows) {
    if (row.action == action) return row;
  }
  throw std::logic_error("action names no class");
}

inline const std::set<int>& all_suit_actions() {
  static const std::set<int> suits = {kSuitE, kSuitE + 1, kSuitE + 2, kSuitE + 3};
  return suits;
}
inline char suit_of_action(int action) {
  return kSuitLetters[static_cast<std::size_t>(action - kSuitE)];
}

/// The pieces that a deal is read in (D.2).
enum class Stage {
  kSetUp,
  kSchieber,
  kHochzeit,
  kAuction,
  kForced,  // forehand of a Hadsch, the winner of a Strixner's third trick
  kAnnounce,
  kWindow,
  kCard,
  kSettle,
  kDone
};

struct Doubling {
  int level = 0;
  int last_doubler = -1;
  std::array<int, 4> count{};
  bool closed = false;
};

/// All that changes during a deal.
struct TableState {
  Stage stage = Stage::kSetUp;
  std::vector<Cards> hands;
  std::vector<Cards> start_hands;  // at the start of play, after exchanges

  char suit_before_deal = '-';
  int lays = 0, first_layer = -1;
  bool schieber_declined = false;

  Contract contract;  // empty name = none (yet)
  int declarer = -1, partner = -1;
  int bid = 0;  // Steigern
  bool thrown_in = false, stock_paid = false;
  std::set<int> jungfrau;  // seats that announced
  CalledCard called;
  std::shared_ptr<const Orders> orders;

  bool doubling_open = true;
  Doubling doubling;
  bool partner_known = false;

  Cards trick;
  int to_play = 0, cards_played = 0, cards_before_contract = 0;
  std::vector<Cards> won;
  std::vector<int> tricks_won, trick_winners;
  int laufende_claimed = -1, schwarz_claimed = -1;
  bool offended = false;  // ended by an offence (E.6)
  int offender = -1;      // lost by it
  bool offence_schwarz = false, offence_fixed_price = false;
};

struct Question {
  const char* phase = "";
  int seat = -1;
  std::set<int> options;
};

/// Thrown by Table::ask() when the answer is not there yet.
struct OpenQuestion {};

struct Table {
  ReferenceRules rules;
  ReferenceContext context;
  std::string mode;  // special round
  int dealer = 0;
  int seats = 4;
  std::size_t hand_size = 8;  // of a seat when play starts
  int zupf = 0;
  TableState s;

  std::vector<int> answers;  // of the running stage
  std::size_t next_answer = 0;
  Question question;

  /// The answer of `seat`; none when it has not been given yet, and then this is the question.
  std::optional<int> answer(const char* phase, int seat, std::set<int> options) {
    if (next_answer < answers.size()) return answers[next_answer++];
    if (options.empty()) throw std::logic_error(std::string("nothing to answer in ") + phase);
    question = {phase, seat, std::move(options)};
    return std::nullopt;
  }
  /// The answer of `seat`. Throws OpenQuestion when it has not been given yet.
  int ask(const char* phase, int seat, std::set<int> options) {
    const std::optional<int> given = answer(phase, seat, std::move(options));
    if (!given) throw OpenQuestion();
    return *given;
  }

  [[nodiscard]] int seat_at(int position) const { return (dealer + 1 + position) % seats; }
  [[nodiscard]] int position_of(int seat) const { return (seat - dealer - 1 + seats) % seats; }
  [[nodiscard]] Cards& hand(int seat) { return s.hands[static_cast<std::size_t>(seat)]; }
  [[nodiscard]] const Cards& hand(int seat) const {
    return s.hands[static_cast<std::size_t>(seat)];
  }

  // ---- parties -----------------------------------------------------------------------------

  [[nodiscard]] bool same_party(int a, int b) const {
    if (s.contract.name == "KREUZ") return a % 2 == b % 2;
    if (s.declarer < 0) return a == b;
    return plays_with_declarer(a) == plays_with_declarer(b);
  }
  [[nodiscard]] bool plays_with_declarer(int seat) const {
    return s.declarer >= 0 && (seat == s.declarer || seat == s.partner);
  }
  /// Nearest seat clockwise of the other party.
  [[nodiscard]] int next_opponent(int seat) const {
    for (int step = 1; step < seats; ++step) {
      const int other = (seat + step) % seats;
      if (!same_party(seat, other)) return other;
    }
    throw std::logic_error("a game without opponents");
  }

  // ---- what may be named (C, D.3) ------------------------------------------------------------

  [[nodiscard]] bool holds_sie(int seat) const {
    if (hand_size == 6 && rules.sie_short_deck != "six_highest") return false;
    for (const int card :
         cards_from(hand_size == 6 ? "EO GO HO SO EU GU" : "EO GO HO SO EU GU HU SU")) {
      if (!contains(hand(seat), card)) return false;
    }
    return true;
  }

  /// True if the class (without its Tout form) may be named by the seat in this round.
  [[nodiscard]] bool enabled(int seat, const std::string& name) const {
    if (mode == "allgaeuer") return context.owed[static_cast<std::size_t>(seat)].contains(name);
    if (mode == "solo_wenz_ramsch" && name != "SOLO" && name != "WENZ") return false;
    if (mode == "soli_only" && name == "RUF") return false;
    for (const std::string& contract : rules.contracts) {
      if (contract == name) return true;
    }
    return false;
  }

  /// Cards that a Rufspiel may call (C.1, C.2).
  [[nodiscard]] Cards callable(int seat) const {
    const Cards aces = callable_aces(hand(seat), rules.partner_trump_suit);
    if (!aces.empty() || rules.renonce == "off") return aces;
    return renonce_aces(hand(seat), rules.partner_trump_suit);
  }

  [[nodiscard]] bool can_play_ruf(int seat) const {
    return enabled(seat, "RUF") && (mode == "kreuzrunde" || !callable(seat).empty());
  }

  [[nodiscard]] std::vector<ClassRow> single_classes(int seat) const {
    std::vector<ClassRow> rows;
    for (const ClassRow& row : kClassRows) {
      if (row.action == kNameRuf) continue;
      const bool open = row.action == kNameSie
                            ? rules.sie_enabled && mode != "allgaeuer" && holds_sie(seat)
                            : enabled(seat, row.name) && (!row.tout || rules.tout_enabled);
      if (open) rows.push_back(row);
    }
    return rows;
  }

  // ---- the contract --------------------------------------------------------------------------

  /// Fixes the game that is played; what follows is the next stage's.
  void fix_contract(const Contract& contract, int declarer, int called_card = kNoCalledCard) {
    s.contract = contract;
    s.declarer = declarer;
    s.called = {called_card, false, rules.called_discard_window, rules.runaway_enabled,
                rules.runaway_min_others};
    for (int seat = 0; seat < seats; ++seat) {
      if (called_card != kNoCalledCard && contains(hand(seat), called_card)) s.partner = seat;
    }
    if (contract.name == "KREUZ" && declarer >= 0) s.partner = (declarer + 2) % 4;
    s.orders = std::make_shared<const Orders>(orders_of(contract, order_options(rules)));
    if (s.cards_played == 0) s.to_play = seat_at(0);
    s.cards_before_contract = s.cards_played;
    s.stage = Stage::kAnnounce;
  }

  void throw_in() {
    s.thrown_in = true;
    s.stage = Stage::kDone;
  }
};

}  // namespace schafkopf::reference
