// Slow second reading of the rules, part 3: a deal as a state machine (RULES D.1-D.4, D.6, E,
// F.2-F.5). Auction and doubling windows are written as the text reads, from top to bottom; each
// new answer runs them again from the start with the answers given so far, up to the first open
// question.
#pragma once

#include <cstddef>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/cpp/reference_cards.h"
#include "tests/cpp/reference_scoring.h"

namespace schafkopf::reference {

// Action ids (RULES D.1); 0..31 are the cards.
inline constexpr int kPass = 32;
inline constexpr int kPlay = 33;
inline constexpr int kYield = 34;
inline constexpr int kDouble = 44;
inline constexpr int kNoDouble = 45;
inline constexpr int kSuitE = 79;  // then G, H, S
inline constexpr int kNameRuf = 83;
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

/// A deal that starts at card play.
struct FixedContract {
  Contract contract;
  int declarer = -1;  // seat; -1 in Ramsch
  int called_card = kNoCalledCard;
  bool with_doubling = false;  // open the doubling windows as after an auction
};

/// One deal from the auction, or from card play on, to the payoffs.
class ReferenceGame {
 public:
  /// `hands[seat]` are the dealt cards, `dealer` a seat; forehand is its left neighbour.
  ReferenceGame(ReferenceRules rules, std::vector<Cards> hands, int dealer)
      : rules_(std::move(rules)), dealt_(std::move(hands)), hands_(dealt_), dealer_(dealer) {
    prepare();
    continue_deal();
  }

  ReferenceGame(ReferenceRules rules, std::vector<Cards> hands, int dealer,
                const FixedContract& fixed)
      : rules_(std::move(rules)), dealt_(std::move(hands)), hands_(dealt_), dealer_(dealer) {
    prepare();
    doubling_open_ = fixed.with_doubling;
    fix_contract(fixed.contract, fixed.declarer, fixed.called_card);
    continue_deal();
  }

  /// Factors 2 of Legen and Bock (F.1, G.8): decided outside of this class.
  void set_factors(int legen, int bock) {
    legen_ = legen;
    bock_ = bock;
    if (finished_) settle();
  }

  [[nodiscard]] int to_act() const { return finished_ ? -1 : question_.seat; }
  [[nodiscard]] std::string phase() const { return finished_ ? "DONE" : question_.phase; }
  [[nodiscard]] const std::set<int>& legal() const { return question_.options; }
  [[nodiscard]] bool finished() const { return finished_; }

  /// Throws std::invalid_argument if the action is not legal now.
  void apply(int action) {
    if (finished_ || question_.options.count(action) == 0) {
      throw std::invalid_argument("illegal action " + std::to_string(action));
    }
    if (question_.is_card_play) {
      play_card(question_.seat, action);
    } else {
      answers_.push_back(action);
    }
    continue_deal();
  }

  [[nodiscard]] const std::vector<int>& payoffs() const { return payoffs_; }
  /// Winning seats of the completed tricks, in order.
  [[nodiscard]] const std::vector<int>& trick_winners() const { return trick_winners_; }
  /// Card points in the completed tricks of every seat.
  [[nodiscard]] std::vector<int> points() const {
    std::vector<int> sums;
    for (const Cards& cards : won_) sums.push_back(card_points(cards));
    return sums;
  }

  /// Empty name while there is no contract, and after a thrown-in deal.
  [[nodiscard]] const Contract& contract() const { return contract_; }
  [[nodiscard]] int declarer() const { return declarer_; }
  [[nodiscard]] int partner() const { return partner_; }
  [[nodiscard]] int called_card() const { return called_.card; }
  [[nodiscard]] bool released() const { return called_.released; }
  [[nodiscard]] int level() const { return doubling_.level; }
  [[nodiscard]] const std::vector<Cards>& hands() const { return hands_; }

 private:
  static constexpr int kOpen = -1;  // the question is not answered yet

  struct Question {
    const char* phase = "";
    int seat = -1;
    std::set<int> options;
    bool is_card_play = false;
  };

  struct Doubling {
    int level = 0;
    int last_doubler = -1;
    std::vector<int> count;
    bool closed = false;
  };

  void prepare() {
    seats_ = rules_.players;
    if (static_cast<int>(dealt_.size()) != seats_) throw std::invalid_argument("wrong hand count");
    hand_size_ = dealt_[0].size();
    won_.resize(dealt_.size());
    tricks_won_.resize(dealt_.size());
    payoffs_.resize(dealt_.size());
    doubling_.count.resize(dealt_.size());
    called_ = {kNoCalledCard, false, rules_.called_discard_window, rules_.runaway_enabled,
               rules_.runaway_min_others};
  }

  [[nodiscard]] int seat_at(int position) const { return (dealer_ + 1 + position) % seats_; }
  [[nodiscard]] int position_of(int seat) const { return (seat - dealer_ - 1 + seats_) % seats_; }
  [[nodiscard]] const Cards& hand_of(int seat) const {
    return hands_[static_cast<std::size_t>(seat)];
  }

  // ---- questions ---------------------------------------------------------------------------

  /// The answer of `seat`, or kOpen: then the deal stops here until apply() brings one.
  int ask(const char* phase, int seat, std::set<int> options) {
    if (next_answer_ < answers_.size()) return answers_[next_answer_++];
    question_ = {phase, seat, std::move(options), false};
    open_ = true;
    return kOpen;
  }

  void continue_deal() {
    open_ = false;
    next_answer_ = 0;
    if (!finished_ && !contract_fixed_) {
      if (rules_.auction_style == "direct") {
        direct_auction();
      } else {
        two_stage_auction();
      }
      if (open_) return;
      answers_.clear();
      next_answer_ = 0;
    }
    if (!finished_ && !window_done_) {
      doubling_window();
      if (open_) return;
      answers_.clear();
      window_done_ = true;
    }
    if (!finished_) ask_card();
  }

  // ---- auction (D.3, D.4, D.6) -------------------------------------------------------------

  [[nodiscard]] bool holds_sie(int seat) const {
    for (const int card : cards_from("EO GO HO SO EU GU HU SU")) {
      if (!contains(hand_of(seat), card)) return false;
    }
    return true;
  }

  [[nodiscard]] Cards callable(int seat) const {
    const Cards aces = callable_aces(hand_of(seat), rules_.partner_trump_suit);
    if (!aces.empty() || rules_.renonce == "off") return aces;
    return renonce_aces(hand_of(seat), rules_.partner_trump_suit);
  }

  [[nodiscard]] bool enabled(std::string_view name) const {
    for (const std::string& contract : rules_.contracts) {
      if (contract == name) return true;
    }
    return false;
  }

  [[nodiscard]] std::vector<ClassRow> single_classes(int seat) const {
    std::vector<ClassRow> rows;
    for (const ClassRow& row : kClassRows) {
      if (row.action == kNameRuf) continue;
      if (row.action == kNameSie ? rules_.sie_enabled && holds_sie(seat)
                                 : enabled(row.name) && (!row.tout || rules_.tout_enabled)) {
        rows.push_back(row);
      }
    }
    return rows;
  }

  [[nodiscard]] bool can_play_ruf(int seat) const {
    return enabled("RUF") && !callable(seat).empty();
  }

  void two_stage_auction() {
    std::vector<int> willing;
    for (int position = 0; position < seats_; ++position) {
      const int seat = seat_at(position);
      std::set<int> options = {kPass};
      if (!single_classes(seat).empty() || (willing.empty() && can_play_ruf(seat))) {
        options.insert(kPlay);
      }
      const int answer = ask("AUCTION_ROUND", seat, options);
      if (answer == kOpen) return;
      if (answer == kPlay) willing.push_back(seat);
    }
    if (willing.empty()) {
      nobody_plays();
    } else {
      resolve(willing);
    }
  }

  void resolve(const std::vector<int>& willing) {
    int holder = willing[0];
    int named = 0;  // the holder's class as an action, 0 = none yet
    for (std::size_t i = 1; i < willing.size(); ++i) {
      const int challenger = willing[i];
      if (named == 0) {
        std::set<int> options = {kYield};
        for (const ClassRow& row : single_classes(holder)) options.insert(row.action);
        const int answer = ask("AUCTION_RESOLVE", holder, options);
        if (answer == kOpen) return;
        if (answer == kYield) {
          holder = challenger;
          continue;
        }
        named = answer;
      }
      std::set<int> options = {kPass};
      for (const ClassRow& row : single_classes(challenger)) {
        if (row.rank > class_row(named).rank) options.insert(row.action);
      }
      const int answer = ask("AUCTION_RESOLVE", challenger, options);
      if (answer == kOpen) return;
      if (answer != kPass) {
        holder = challenger;
        named = answer;
      }
    }
    name_contract(holder, named, holder == willing[0]);
  }

  void direct_auction() {
    std::vector<bool> active(dealt_.size(), true);
    int holder = -1, holder_rank = 0, named = 0;  // holder is a position here
    int position = -1;
    while (true) {
      int next = -1;  // the next active position after the last one that spoke, not the holder
      for (int step = 1; step <= seats_ && next < 0; ++step) {
        const int candidate = (position + step) % seats_;
        if (active[static_cast<std::size_t>(candidate)] && candidate != holder) next = candidate;
      }
      if (next < 0) break;
      position = next;
      const int answer =
          ask("AUCTION_DIRECT", seat_at(position), direct_options(position, holder, holder_rank));
      if (answer == kOpen) return;
      if (answer == kPass) {
        active[static_cast<std::size_t>(position)] = false;
        continue;
      }
      holder = position;
      named = answer == kPlay ? 0 : answer;
      holder_rank = answer == kPlay ? class_row(kNameRuf).rank : class_row(answer).rank;
    }
    if (holder < 0) {
      nobody_plays();
    } else {
      name_contract(seat_at(holder), named, true);
    }
  }

  [[nodiscard]] std::set<int> direct_options(int position, int holder, int holder_rank) const {
    const int seat = seat_at(position);
    std::set<int> options = {kPass};
    if (holder < 0) {
      if (can_play_ruf(seat) || !single_classes(seat).empty()) options.insert(kPlay);
      return options;
    }
    const int ruf_rank = class_row(kNameRuf).rank;
    for (const ClassRow& row : single_classes(seat)) {
      const bool equal_but_earlier =
          row.rank == holder_rank && holder_rank > ruf_rank && position < holder;
      if (row.rank > holder_rank || equal_but_earlier) options.insert(row.action);
    }
    return options;
  }

  /// NAME_CLASS unless `named`, then the suit or the called card (D.2 step 7).
  void name_contract(int seat, int named, bool ruf_allowed) {
    if (named == 0) {
      std::set<int> options;
      for (const ClassRow& row : single_classes(seat)) options.insert(row.action);
      if (ruf_allowed && can_play_ruf(seat)) options.insert(kNameRuf);
      named = ask("NAME_CLASS", seat, options);
      if (named == kOpen) return;
    }
    const ClassRow& row = class_row(named);
    Contract contract{row.name, row.tout, '-'};
    int called = kNoCalledCard;
    if (needs_suit(contract.name)) {
      const int answer = ask("NAME_SUIT", seat, {kSuitE, kSuitE + 1, kSuitE + 2, kSuitE + 3});
      if (answer == kOpen) return;
      contract.suit = kSuitLetters[static_cast<std::size_t>(answer - kSuitE)];
    } else if (contract.name == "RUF") {
      const Cards cards = callable(seat);
      called = ask("CALL_CARD", seat, std::set<int>(cards.begin(), cards.end()));
      if (called == kOpen) return;
    }
    doubling_open_ = true;
    fix_contract(contract, seat, called);
  }

  void nobody_plays() {
    if (rules_.all_pass == "ramsch") {
      fix_contract({"RAMSCH", false, '-'}, -1, kNoCalledCard);
    } else {
      finished_ = true;  // thrown in: nobody pays
      question_ = {};
    }
  }

  void fix_contract(const Contract& contract, int declarer, int called_card) {
    contract_fixed_ = true;
    contract_ = contract;
    declarer_ = declarer;
    called_.card = called_card;
    for (int seat = 0; seat < seats_; ++seat) {
      if (called_card != kNoCalledCard && contains(hand_of(seat), called_card)) partner_ = seat;
    }
    orders_ = orders_of(contract_, order_options(rules_));
    to_play_ = seat_at(0);
    window_done_ = false;
    if (contract_.name == "SIE") settle();
  }

  // ---- doubling (F.2, F.3) -----------------------------------------------------------------

  [[nodiscard]] bool in_declarer_party(int seat) const {
    return seat == declarer_ || seat == partner_;
  }

  [[nodiscard]] bool may_double(const Doubling& state, int seat) const {
    const int most =
        is_partner_game(contract_.name) ? rules_.max_doublings_partner : rules_.max_doublings_solo;
    if (state.closed || state.level >= most) return false;
    const int per_seat = rules_.max_doublings_per_seat;
    if (per_seat > 0 && state.count[static_cast<std::size_t>(seat)] >= per_seat) return false;
    if (state.level == 0) return !in_declarer_party(seat);
    return in_declarer_party(seat) != in_declarer_party(state.last_doubler);
  }

  /// Seats that are asked before the next card, in order (F.2); empty = no window here.
  [[nodiscard]] std::vector<int> asked_seats() const {
    std::vector<int> asked;
    if (!doubling_open_ || contract_.name == "RAMSCH" || contract_.name == "MUSS") return asked;
    const std::string& window = rules_.kontra_window;
    if (window == "off") return asked;
    if (cards_played_ == 0 && (window == "before_first_card" || rules_.kontra_ask_before_first)) {
      for (int position = 0; position < seats_; ++position) asked.push_back(seat_at(position));
    }
    if (cards_played_ == 1 && window == "before_second_card") {
      for (int step = 1; step <= seats_; ++step) asked.push_back(seat_at(step % seats_));
    }
    if (window == "full_hand" && hand_of(to_play_).size() == hand_size_) asked.push_back(to_play_);
    return asked;
  }

  void doubling_window() {
    Doubling state = doubling_;
    for (const int seat : asked_seats()) {
      if (!may_double(state, seat)) continue;
      const int answer = ask("DOUBLE", seat, {kDouble, kNoDouble});
      if (answer == kOpen) return;
      if (answer == kNoDouble) continue;
      double_once(state, seat);
      if (!responses(state, seat)) return;
      state.closed = true;
    }
    doubling_ = state;
  }

  static void double_once(Doubling& state, int seat) {
    ++state.level;
    state.last_doubler = seat;
    ++state.count[static_cast<std::size_t>(seat)];
  }

  /// RESPONSE of F.3; false if a question is open.
  bool responses(Doubling& state, int doubler) {
    for (int step = 1; step < seats_; ++step) {
      const int seat = (doubler + step) % seats_;
      if (in_declarer_party(seat) == in_declarer_party(doubler)) continue;
      if (!may_double(state, seat)) continue;
      const int answer = ask("DOUBLE", seat, {kDouble, kNoDouble});
      if (answer == kOpen) return false;
      if (answer == kDouble) {
        double_once(state, seat);
        return responses(state, seat);
      }
    }
    return true;
  }

  // ---- card play (E) -----------------------------------------------------------------------

  void ask_card() {
    const Cards cards = reference_legal(hand_of(to_play_), trick_, orders_, called_);
    question_.phase = "PLAY";
    question_.seat = to_play_;
    question_.options.clear();
    question_.options.insert(cards.begin(), cards.end());
    question_.is_card_play = true;
  }

  void play_card(int seat, int card) {
    Cards& hand = hands_[static_cast<std::size_t>(seat)];
    if (trick_.empty() && seat == partner_ && contains(hand, called_.card) &&
        card != called_.card && effective_suit(orders_, card) == suit_letter(called_.card)) {
      called_.released = true;  // the owner runs away
    }
    std::erase(hand, card);
    trick_.push_back(card);
    ++cards_played_;
    window_done_ = false;
    to_play_ = (seat + 1) % seats_;
    if (static_cast<int>(trick_.size()) == seats_) take_trick(to_play_);  // round again: the leader
  }

  void take_trick(int leader) {
    const int winner = (leader + trick_winner(orders_, trick_)) % seats_;
    for (const int card : trick_) won_[static_cast<std::size_t>(winner)].push_back(card);
    ++tricks_won_[static_cast<std::size_t>(winner)];
    trick_winners_.push_back(winner);
    trick_.clear();
    to_play_ = winner;
    const bool tout_lost = contract_.tout && winner != declarer_;
    const bool negative_lost = is_negative_game(contract_.name) && winner == declarer_;
    const bool decided = rules_.early_termination && (tout_lost || negative_lost);
    if (decided || hand_of(winner).empty()) settle();
  }

  // ---- settlement (C.6, G) -----------------------------------------------------------------

  void settle() {
    finished_ = true;
    question_ = {};
    if (contract_.name.empty()) return;
    payoffs_ = contract_.name == "RAMSCH" ? ramsch_payoffs() : declarer_game_payoffs();
  }

  [[nodiscard]] std::vector<int> declarer_game_payoffs() const {
    Ending end;
    Cards party_cards;
    std::vector<bool> in_party;
    for (int seat = 0; seat < seats_; ++seat) {
      const auto index = static_cast<std::size_t>(seat);
      in_party.push_back(in_declarer_party(seat));
      if (!in_party.back()) {
        end.opponent_tricks += tricks_won_[index];
        continue;
      }
      end.declarer_points += card_points(won_[index]);
      end.declarer_tricks += tricks_won_[index];
      party_cards.insert(party_cards.end(), dealt_[index].begin(), dealt_[index].end());
    }
    end.laufende = payable_laufende(contract_, rules_, party_cards);
    end.level = doubling_.level;
    end.last_doubler_defending = doubling_.level > 0 && !in_declarer_party(doubling_.last_doubler);
    end.legen = legen_;
    end.bock = bock_;
    return share(settle_declarer_game(contract_, rules_, end), in_party);
  }

  [[nodiscard]] std::vector<int> ramsch_payoffs() const {
    std::vector<RamschTake> takes(dealt_.size());
    for (int seat = 0; seat < seats_; ++seat) {  // shifted: what the right neighbour has won
      const int source = rules_.ramsch_shift ? (seat + seats_ - 1) % seats_ : seat;
      RamschTake& take = takes[static_cast<std::size_t>(seat)];
      const Cards& cards = won_[static_cast<std::size_t>(source)];
      take.points = card_points(cards);
      take.tricks = tricks_won_[static_cast<std::size_t>(source)];
      take.position = position_of(seat);
      int strength = static_cast<int>(orders_.trumps.size());
      for (const int trump : orders_.trumps) {
        if (contains(cards, trump)) {
          ++take.trumps;
          take.highest_trump = std::max(take.highest_trump, strength);
        }
        --strength;
      }
    }
    return settle_ramsch(takes, rules_, detail::power_of_two(legen_) * detail::power_of_two(bock_));
  }

  ReferenceRules rules_;
  std::vector<Cards> dealt_, hands_;
  int dealer_ = 0;
  int seats_ = 4;
  std::size_t hand_size_ = 8;
  int legen_ = 0, bock_ = 0;

  std::vector<int> answers_;  // of the auction, then of the running doubling window
  std::size_t next_answer_ = 0;
  bool open_ = false;
  Question question_;

  bool contract_fixed_ = false;
  Contract contract_;
  int declarer_ = -1, partner_ = -1;
  CalledCard called_;
  Orders orders_;

  bool doubling_open_ = false;
  bool window_done_ = false;
  Doubling doubling_;

  Cards trick_;
  int to_play_ = 0, cards_played_ = 0;
  std::vector<Cards> won_;
  std::vector<int> tricks_won_, trick_winners_;
  bool finished_ = false;
  std::vector<int> payoffs_;
};

}  // namespace schafkopf::reference
