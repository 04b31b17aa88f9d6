// Slow second reading of the rules, part 11: what lies between two deals (RULES C.20, G.7-G.9, H).
//
// Readings:
//  1. One special round runs at a time, a Bock is one of them; what is triggered meanwhile waits in
//     line, one entry for each mode, to which further triggers of that mode add their games (H.5).
//  2. A deal that starts the same thing by several events starts it once; the Bock of `all_pass`
//  and
//     of `bock_triggers` are the same thing.
//  3. A thrown-in deal uses up no Bock game, and a game of another round only if it counts (G.8,
//  D.6).
//  4. POINTS_120: one party has taken 120 points; POINTS_60_60: each party 60. Not in Ramsch, SIE
//     and negative games. A lost Tout that stops at its first lost trick has shared out fewer than
//     120. RE_GAME counts Kontras of a Ramsch.
//  5. An Allgaeuer deal in which no active seat owes anything is a normal one; a longer round than
//  the
//     debts last starts them again.
//  6. Last round: the last of the session (H.4); `soli_only` stands before every other round.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/cpp/reference/reference_deals.h"

namespace schafkopf::reference {

/// The switches of RULES J that concern a session, under the same names.
struct SessionRules {
  int players = 4;
  int scale = 1;  // of the tariff
  std::string all_pass = "throw_in";
  bool thrown_in_counts = true;
  std::set<std::string> bock_triggers;
  std::string bock_length = "round";     // round | game
  std::string bock_stacking = "extend";  // extend | multiply
  std::string special_round = "none";
  int special_round_games = 0;
  std::map<std::string, std::string> special_round_triggers;  // event -> mode
  int session_tables = 1, session_rounds = 4;
  bool last_round_dealer_old_one = false;
  std::string last_round_mode = "normal";  // normal | double | soli_only
  int participation_bonus = 0, participation_min_games = 0;
};

/// What a session has to know of a finished deal; amounts and names by seat.
struct FinishedDeal {
  std::vector<int> payoffs, stock_payoffs;
  int reuegeld = 0;
  bool thrown_in = false, all_passed = false;
  std::string contract;  // class without its Tout form, empty if there was none
  bool tout = false;
  char suit = '-';
  int declarer = -1;
  bool won = false, schwarz = false;
  int level = 0;
  int declarer_points = 0;  // of his party
  int opponent_points = 0;
  int eichel_ober = -1;  // seat that held it when play began
};

/// Events of a deal (C.20, G.8).
inline std::set<std::string> events_of(const FinishedDeal& deal) {
  std::set<std::string> events;
  if (deal.all_passed) events.insert("ALL_PASS");
  if (deal.contract.empty()) return events;
  const bool declared = deal.contract != "RAMSCH";
  const bool single = declared && !is_partner_game(deal.contract);
  if (single && !deal.won) events.insert("SOLO_LOST");
  if (declared && !deal.won && deal.level >= 1) events.insert("KONTRA_GAME_LOST");
  if (deal.schwarz) events.insert("SCHWARZ");
  if (deal.level >= 2) events.insert("RE_GAME");
  if (declared && !is_negative_game(deal.contract) && deal.contract != "SIE") {
    if (deal.declarer_points == 120 || deal.opponent_points == 120) events.insert("POINTS_120");
    if (deal.declarer_points == 60 && deal.opponent_points == 60) events.insert("POINTS_60_60");
  }
  if (deal.contract == "SOLO" && deal.suit == 'H') events.insert("HERZ_SOLO_PLAYED");
  return events;
}

/// Consecutive deals at one table. A place is a chair; with five players the dealer sits out and
/// seat 0 is the place to his left.
class ReferenceSession {
 public:
  ReferenceSession(SessionRules rules, int first_dealer)
      : rules_(std::move(rules)), dealer_(first_dealer) {
    totals_.resize(static_cast<std::size_t>(rules_.players));
    played_.resize(totals_.size());
    if (rules_.special_round != "none") trigger(rules_.special_round, length(rules_.special_round));
    start_next();
  }

  [[nodiscard]] int place_of(int seat) const {
    return rules_.players == 5 ? (dealer_ + 1 + seat) % 5 : seat;
  }
  [[nodiscard]] int num_deals() const { return deals_; }
  [[nodiscard]] int dealer() const { return dealer_; }
  [[nodiscard]] int stock() const { return stock_; }
  [[nodiscard]] long kitty() const { return kitty_; }
  [[nodiscard]] const std::vector<long>& totals() const { return totals_; }
  [[nodiscard]] bool is_over() const { return counted_ >= num_rounds() * rules_.players; }
  /// Factors 2 of the next deal.
  [[nodiscard]] int bock() const {
    const bool doubled = in_last_round() && rules_.last_round_mode == "double";
    return static_cast<int>(bocks_.size()) + (doubled ? 1 : 0);
  }
  /// Special round of the next deal.
  [[nodiscard]] std::string special_round() const {
    if (in_last_round() && rules_.last_round_mode == "soli_only") return "soli_only";
    if (mode_ == "allgaeuer" && !active_seat_owes()) return "none";
    return bocks_.empty() ? mode_ : "bock";
  }
  /// Classes that a place still owes.
  [[nodiscard]] const std::set<std::string>& owed(int place) const {
    static const std::set<std::string> nothing;
    const auto found = owed_.find(place);
    return found == owed_.end() || mode_ != "allgaeuer" ? nothing : found->second;
  }

  /// Enters a finished deal in the order of G.9.
  void finish(const FinishedDeal& deal) {
    enter_amounts(deal);
    ++deals_;
    const bool counts = !deal.thrown_in || rules_.thrown_in_counts;
    if (counts) ++counted_;
    use_up(deal, counts);
    start_rounds(deal);
    if (deal.contract == "RUF" && deal.eichel_ober >= 0) old_one_ = place_of(deal.eichel_ober);
    const bool last_begins =
        counts && counted_ == (num_rounds() - 1) * rules_.players && !is_over();
    dealer_ = (dealer_ + 1) % rules_.players;
    if (last_begins && rules_.last_round_dealer_old_one && old_one_ >= 0) dealer_ = old_one_;
    if (is_over()) close();
  }

 private:
  [[nodiscard]] int num_rounds() const { return rules_.session_tables * rules_.session_rounds; }
  [[nodiscard]] bool in_last_round() const {
    return !is_over() && counted_ >= (num_rounds() - 1) * rules_.players;
  }
  [[nodiscard]] int length(const std::string& mode) const {
    if (rules_.special_round_games > 0) return rules_.special_round_games;
    return (mode == "allgaeuer" ? 3 : 1) * rules_.players;
  }

  /// At a table of five the only debtor may sit out.
  [[nodiscard]] bool active_seat_owes() const {
    for (int seat = 0; seat < std::min(rules_.players, 4); ++seat) {
      if (!owed_.at(place_of(seat)).empty()) return true;
    }
    return false;
  }

  void enter_amounts(const FinishedDeal& deal) {
    for (std::size_t seat = 0; seat < deal.payoffs.size(); ++seat) {
      const auto place = static_cast<std::size_t>(place_of(static_cast<int>(seat)));
      totals_[place] += deal.payoffs[seat] + deal.stock_payoffs[seat];
      stock_ -= deal.stock_payoffs[seat];
      if (!deal.thrown_in) ++played_[place];
    }
    if (deal.declarer >= 0) {
      totals_[static_cast<std::size_t>(place_of(deal.declarer))] -= deal.reuegeld;
      kitty_ += deal.reuegeld;
    }
  }

  /// The deal uses up a game of the running round and pays a debt.
  void use_up(const FinishedDeal& deal, bool counts) {
    if (!deal.thrown_in) {
      for (int& left : bocks_) --left;  // one that ends here can still be made longer
    }
    if (mode_ != "none" && counts && --mode_left_ == 0) mode_ = "none";
    if (mode_ == "allgaeuer" && deal.declarer >= 0)
      pay_debt(place_of(deal.declarer), deal.contract);
  }

  /// After the last debt of a longer Allgaeuer everybody owes again.
  void pay_debt(int place, const std::string& contract) {
    owed_[place].erase(contract);
    for (const auto& [other, debts] : owed_) {
      if (!debts.empty()) return;
    }
    owe_everything();
  }
  void owe_everything() {
    for (int place = 0; place < rules_.players; ++place) owed_[place] = {"RUF", "WENZ", "SOLO"};
  }

  void start_rounds(const FinishedDeal& deal) {
    const std::set<std::string> events = events_of(deal);
    std::map<std::string, int> games;  // by mode
    const auto plan = [&games](const std::string& mode, int length) {
      games[mode] = std::max(games[mode], length);
    };
    for (const std::string& event : events) {
      if (rules_.bock_triggers.contains(event)) {
        plan("bock", rules_.bock_length == "round" ? rules_.players : 1);
      }
    }
    if (deal.thrown_in && rules_.all_pass == "bock_game") plan("bock", 1);
    if (deal.thrown_in && rules_.all_pass == "bock_round") plan("bock", rules_.players);
    for (const auto& [event, mode] : rules_.special_round_triggers) {
      if (events.contains(event)) plan(mode, length(mode));
    }
    for (const std::string& mode : special_rounds()) {  // in the order of C.20
      if (games[mode] > 0) trigger(mode, games[mode]);
    }
    std::erase(bocks_, 0);
    start_next();
  }

  void trigger(const std::string& mode, int games) {
    if (mode == "bock" && !bocks_.empty()) {  // a Bock during a Bock
      if (rules_.bock_stacking == "multiply") {
        bocks_.push_back(games);
      } else {
        bocks_.back() += games;
      }
      return;
    }
    for (auto& [waiting, left] : waiting_) {
      if (waiting == mode) {
        left += games;
        return;
      }
    }
    waiting_.emplace_back(mode, games);
  }

  /// The first in line starts when nothing runs.
  void start_next() {
    if (!bocks_.empty() || mode_ != "none" || waiting_.empty()) return;
    const auto [mode, games] = waiting_.front();
    waiting_.pop_front();
    if (mode == "bock") {
      bocks_.push_back(games);
      return;
    }
    mode_ = mode;
    mode_left_ = games;
    owe_everything();
  }

  /// The rest of the pot is split, the bonus paid (OPEN-66, OPEN-70).
  void close() {
    const int pot = stock_;
    for (std::size_t place = 0; place < totals_.size(); ++place) {  // odd units from place 0 on
      const int share = (pot + rules_.players - 1 - static_cast<int>(place)) / rules_.players;
      totals_[place] += share;
      stock_ -= share;
      if (played_[place] >= rules_.participation_min_games) {
        totals_[place] += rules_.participation_bonus * rules_.scale;
      }
    }
  }

  SessionRules rules_;
  int dealer_ = 0, deals_ = 0, counted_ = 0, stock_ = 0, old_one_ = -1;
  long kitty_ = 0;
  std::vector<long> totals_;
  std::vector<int> played_;
  std::vector<int> bocks_;  // games left of each running Bock
  std::string mode_ = "none";
  int mode_left_ = 0;
  std::map<int, std::set<std::string>> owed_;  // Allgaeuer debts by place
  std::deque<std::pair<std::string, int>> waiting_;
};

}  // namespace schafkopf::reference
