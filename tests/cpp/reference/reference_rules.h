// Slow second reading of the rules, part 10: a deal from set-up to payoffs (RULES D.2, G).
//
// Readings where RULES leaves room (the engine's are compared with them):
//  1. Hochzeit is possible in normal, Bock, Kreuz and Zupf rounds and in a Schieber deal whose
//  packet
//     was declined; not where the round fixes the game or who plays.
//  2. SOLO_WENZ_RAMSCH names SOLO and WENZ only as far as `contracts` has them; Allgaeuer,
//  Schieber,
//     Teufel and Strixner use their classes whatever `contracts` says.
//  3. SIE is nameable in every round with a free choice of class, not in Allgaeuer, Schieber,
//     Teufel and Strixner.
//  4. Hadsch: the Re question does not depend on `kontra_window`; the automatic Kontra counts in
//     every game but SIE and for `kontra_takeover`. A forehand who is gesperrt and has no single
//     game calls by the Muss cascade.
//  5. The forced game of an Allgaeuer calls by the ten_cascade also where Renonce is allowed.
//  6. `ramsch_kontra`: one round of questions after the first card, clockwise from the leader's
//  left,
//     no answers, no limit but one for each seat, in every `kontra_window` but off.
//  7. Announced Jungfrau with two payers: whoever failed stands before all others in the chain.
//     In a Kreuzrunde nobody calls: the holder of the Muss card plays KREUZ too.
//  8. Herz precedence concerns SOLO, not SOLO_TOUT, and counts in the direct auction too.
//  9. Claims at the end are asked only for what the game can pay: Laufende not in SIE, negative
//  games
//     and Ramsch; Schwarz not where S and Z do not count. A Kreuzbock has no declarer: the winner
//     nearest to the left of the dealer claims.
// 10. CLAIM_REST is true if one fixed order of leads wins against all answers.
// 11. The Stock pays an odd half to the declarer. KREUZ with a declarer counts as a partner game.
//     Verspielt amounts are all that is paid: no Stock, no Reuegeld. An offence ends a Ramsch
//     without Jungfrau and Durchmarsch, and any game without questions about Laufende and Schwarz.
// 12. `steigern_jump`: any higher step up to 120. HOLD and RAISE need a game that could be named.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/cpp/reference/reference_doubling.h"
#include "tests/cpp/reference/reference_hochzeit.h"
#include "tests/cpp/reference/reference_play.h"
#include "tests/cpp/reference/reference_special.h"

namespace schafkopf::reference {

/// A deal that starts at card play.
struct FixedContract {
  Contract contract;
  int declarer = -1;  // seat; -1 in Ramsch
  int called_card = kNoCalledCard;
  bool with_doubling = false;  // open the doubling windows as after an auction
};

/// One deal from its set-up, or from card play on, to the payoffs.
class ReferenceGame {
 public:
  ReferenceGame(ReferenceRules rules, const ReferenceDeal& deal, int dealer,
                ReferenceContext context = {}) {
    std::vector<Cards> hands;
    for (std::size_t seat = 0; seat < deal.first.size(); ++seat) {
      hands.push_back(deal.first[seat]);
      hands.back().insert(hands.back().end(), deal.second[seat].begin(), deal.second[seat].end());
    }
    prepare(std::move(rules), std::move(hands), dealer, std::move(context));
    table_.zupf = deal.zupf;
    continue_deal();
  }

  /// A normal deal. `hands[seat]` are the dealt cards, `dealer` a seat.
  ReferenceGame(ReferenceRules rules, std::vector<Cards> hands, int dealer) {
    prepare(std::move(rules), std::move(hands), dealer, {});
    continue_deal();
  }

  ReferenceGame(ReferenceRules rules, std::vector<Cards> hands, int dealer,
                const FixedContract& fixed) {
    prepare(std::move(rules), std::move(hands), dealer, {});
    table_.s.doubling_open = fixed.with_doubling;
    table_.s.start_hands = table_.s.hands;
    table_.fix_contract(fixed.contract, fixed.declarer, fixed.called_card);
    table_.s.stage = fixed.contract.name == "SIE" ? Stage::kSettle : Stage::kWindow;
    saved_ = table_.s;
    continue_deal();
  }

  /// Factors 2 of Legen and Bock where the deal itself does not have them (F.1, G.8).
  void set_factors(int legen, int bock) {
    saved_.lays = table_.s.lays = legen;
    table_.context.bock = bock;
    if (finished()) settle();
  }

  [[nodiscard]] bool finished() const { return table_.s.stage == Stage::kDone; }
  [[nodiscard]] int to_act() const { return finished() ? -1 : table_.question.seat; }
  [[nodiscard]] std::string phase() const { return finished() ? "DONE" : table_.question.phase; }
  [[nodiscard]] const std::set<int>& legal() const { return table_.question.options; }

  /// Throws std::invalid_argument if the action is not legal now.
  void apply(int action) {
    if (finished() || !table_.question.options.contains(action)) {
      throw std::invalid_argument("illegal action " + std::to_string(action));
    }
    table_.answers.push_back(action);
    table_.s = saved_;
    continue_deal();
  }

  /// An offence of `seat` during card play (E.6); see commit_offence().
  void offend(std::string_view kind, int seat) {
    table_.s = saved_;
    if (commit_offence(table_, kind, seat)) table_.answers.clear();
    saved_ = table_.s;
    continue_deal();
  }

  [[nodiscard]] const std::vector<int>& payoffs() const { return payoffs_; }
  /// What each seat got out of the pot; negative = paid into it.
  [[nodiscard]] const std::vector<int>& stock_payoffs() const { return stock_payoffs_; }
  /// What each seat paid into the tournament kitty (not negative).
  [[nodiscard]] const std::vector<int>& reuegeld() const { return reuegeld_; }
  /// Winner, Schneider, Schwarz and price of a game with a declarer party.
  [[nodiscard]] const Verdict& verdict() const { return verdict_; }

  /// Winning seats of the completed tricks, in order.
  [[nodiscard]] const std::vector<int>& trick_winners() const { return table_.s.trick_winners; }
  /// Tricks of every seat, those given away by a claim included.
  [[nodiscard]] const std::vector<int>& tricks() const { return table_.s.tricks_won; }
  /// Card points in the tricks of every seat.
  [[nodiscard]] std::vector<int> points() const {
    std::vector<int> sums;
    for (const Cards& cards : table_.s.won) sums.push_back(card_points(cards));
    return sums;
  }
  /// Empty name while there is no contract, and after a thrown-in deal.
  [[nodiscard]] const Contract& contract() const { return table_.s.contract; }
  [[nodiscard]] int declarer() const { return table_.s.declarer; }
  [[nodiscard]] int partner() const { return table_.s.partner; }
  [[nodiscard]] int called_card() const { return table_.s.called.card; }
  [[nodiscard]] bool released() const { return table_.s.called.released; }
  [[nodiscard]] bool partner_known() const { return table_.s.partner_known; }
  [[nodiscard]] int bid() const { return table_.s.bid; }
  [[nodiscard]] int level() const { return table_.s.doubling.level; }
  [[nodiscard]] int lays() const { return table_.s.lays; }
  [[nodiscard]] const std::vector<Cards>& hands() const { return table_.s.hands; }
  [[nodiscard]] const ReferenceRules& rules() const { return table_.rules; }
  [[nodiscard]] const std::string& mode() const { return table_.mode; }
  /// Who belongs to the declarer party; in a Kreuzbock the player party of C.5.
  [[nodiscard]] std::vector<bool> declarer_party() const {
    std::vector<bool> members;
    const bool kreuzbock = table_.s.contract.name == "KREUZ" && table_.s.declarer < 0;
    const int side = kreuzbock ? player_side() : -1;
    for (int seat = 0; seat < table_.seats; ++seat) {
      members.push_back(kreuzbock ? seat % 2 == side : table_.plays_with_declarer(seat));
    }
    return members;
  }

 private:
  void prepare(ReferenceRules rules, std::vector<Cards> hands, int dealer,
               ReferenceContext context) {
    table_.rules = normalised(std::move(rules));
    table_.mode = special_round_of(table_.rules, context);
    table_.context = std::move(context);
    table_.dealer = dealer;
    table_.seats = active_seats(table_.rules);
    const auto seats = static_cast<std::size_t>(table_.seats);
    if (hands.size() != seats) throw std::invalid_argument("wrong number of hands");
    table_.hand_size = (table_.rules.short_deck ? 24 : 32) / seats;
    table_.s.hands = table_.s.start_hands = std::move(hands);
    table_.s.won.resize(seats);
    table_.s.tricks_won.resize(seats);
    payoffs_.resize(seats);
    stock_payoffs_.resize(seats);
    reuegeld_.resize(seats);
    saved_ = table_.s;
  }

  /// Reads stage after stage until a question is open or the deal is done.
  void continue_deal() {
    while (table_.s.stage != Stage::kDone) {
      table_.next_answer = 0;
      if (!read_stage()) return;
      table_.answers.clear();
      saved_ = table_.s;
    }
    table_.question = {};
    settle();
  }

  /// False where a question is left open. To throw for each card, which is asked most, took half
  /// the time.
  bool read_stage() {
    if (table_.s.stage == Stage::kCard) return play_card(table_);
    try {
      read_other_stage();
    } catch (const OpenQuestion&) {
      return false;
    }
    return true;
  }

  void read_other_stage() {
    switch (table_.s.stage) {
      case Stage::kSetUp:
        return set_up(table_);
      case Stage::kSchieber:
        return schieber(table_);
      case Stage::kHochzeit:
        return hochzeit_before_auction();
      case Stage::kAuction:
        return read_auction();
      case Stage::kForced:
        return forced_naming(table_);
      case Stage::kAnnounce:
        return announce(table_);
      case Stage::kWindow:
        return doubling_window(table_);
      case Stage::kSettle:
        return settlement_claims();
      case Stage::kCard:
      case Stage::kDone:
        return;
    }
  }

  [[nodiscard]] bool hochzeit_possible(const char* when) const {
    const std::string& mode = table_.mode;
    const bool round =
        mode == "none" || mode == "kreuzrunde" || mode == "zupf_solo" || mode == "schieber";
    return round && table_.rules.hochzeit == when;
  }
  void hochzeit_before_auction() {
    table_.s.stage = Stage::kAuction;
    if (hochzeit_possible("before_auction")) hochzeit(table_);
  }
  void read_auction() {
    if (auction(table_)) return;
    if (hochzeit_possible("after_all_pass") && hochzeit(table_)) return;
    nobody_plays(table_);
  }

  // ---- the end (G) ---------------------------------------------------------------------------

  /// Side (seat mod 2) of the player party of a Kreuzbock.
  [[nodiscard]] int player_side() const {
    const auto side = [](int seat) { return seat < 0 ? -1 : seat % 2; };
    int eo_side = 0;
    for (int seat = 0; seat < table_.seats; ++seat) {
      const auto index = static_cast<std::size_t>(seat);
      if (contains(table_.s.start_hands[index], card_from("EO"))) eo_side = side(seat);
    }
    return kreuz_player_party(side(table_.s.doubling.last_doubler), side(table_.s.first_layer),
                              eo_side);
  }

  [[nodiscard]] Ending ending() const {
    const TableState& s = table_.s;
    const std::vector<bool> party = declarer_party();
    Ending end;
    Cards party_cards;
    for (std::size_t seat = 0; seat < party.size(); ++seat) {
      if (!party[seat]) {
        end.opponent_tricks += s.tricks_won[seat];
        continue;
      }
      end.declarer_points += card_points(s.won[seat]);
      end.declarer_tricks += s.tricks_won[seat];
      const Cards& cards = s.start_hands[seat];
      party_cards.insert(party_cards.end(), cards.begin(), cards.end());
    }
    end.threshold_sixty = s.contract.name == "MUSS" && table_.rules.muss_threshold == "sixty";
    end.steigern_bid = s.bid;
    end.laufende = payable_laufende(s.contract, table_.rules, party_cards);
    end.laufende_claimed = s.laufende_claimed;
    end.schwarz_claimed = s.schwarz_claimed;
    end.level = s.doubling.level;
    end.last_doubler_defending =
        end.level > 0 && !party[static_cast<std::size_t>(s.doubling.last_doubler)];
    end.legen = s.lays;
    end.bock = table_.context.bock;
    end.lost_by_offence = s.offender >= 0;
    end.schwarz_by_offence = s.offence_schwarz;
    end.offence_by_declarer = s.offender >= 0 && party[static_cast<std::size_t>(s.offender)];
    return end;
  }

  /// Seat that claims what is only paid on demand (OPEN-64).
  [[nodiscard]] int claimant() const {
    const bool won = settle_declarer_game(table_.s.contract, table_.rules, ending()).declarer_won;
    const std::vector<bool> party = declarer_party();
    if (won && table_.s.declarer >= 0) return table_.s.declarer;
    const int from = table_.s.declarer >= 0 ? table_.s.declarer : table_.dealer;
    for (int step = 1; step <= table_.seats; ++step) {
      const int seat = (from + step) % table_.seats;
      if (party[static_cast<std::size_t>(seat)] == won) return seat;
    }
    throw std::logic_error("a game without winners");
  }

  /// CLAIM_SETTLE (G.5).
  void settlement_claims() {
    TableState& s = table_.s;
    if (s.contract.name == "SIE") detail::give_rest(table_, s.declarer);  // not played out
    if (s.contract.name != "RAMSCH" && !s.offended) claim_price(claimant());
    s.stage = Stage::kDone;
  }
  void claim_price(int seat) {
    TableState& s = table_.s;
    if (table_.rules.laufende_by_claim && counts_laufende(s.contract)) {
      std::set<int> options;
      for (int count = 0; count <= 14; ++count) options.insert(kClaimLaufende0 + count);
      s.laufende_claimed = table_.ask("CLAIM_SETTLE", seat, options) - kClaimLaufende0;
    }
    if (table_.rules.schwarz_by_claim && counts_schneider(s.contract, table_.rules)) {
      const int answer = table_.ask("CLAIM_SETTLE", seat, {kClaimSchwarz, kClaimNoSchwarz});
      s.schwarz_claimed = answer == kClaimSchwarz ? 1 : 0;
    }
  }

  void settle() {
    const std::string& name = table_.s.contract.name;
    const auto seats = static_cast<std::size_t>(table_.seats);
    if (name.empty()) {
      const int paid = table_.s.stock_paid ? -table_.rules.tariff.stock_unit : 0;
      stock_payoffs_.assign(seats, paid);
      return;
    }
    if (table_.s.offence_fixed_price) {
      payoffs_ = verspielt(name, seats, table_.s.offender, table_.rules.tariff.scale);
    } else if (name == "RAMSCH") {
      payoffs_ = ramsch_payoffs();
    } else {
      settle_declarer();
    }
  }

  void settle_declarer() {
    const TableState& s = table_.s;
    const std::vector<bool> party = declarer_party();
    verdict_ = settle_declarer_game(s.contract, table_.rules, ending());
    payoffs_ = share(verdict_, party);
    if (plays_for_stock(s.contract.name, s.declarer, table_.rules)) {
      stock_payoffs_ = settle_stock(table_.context.stock, verdict_.declarer_won, s.declarer, party,
                                    table_.rules);
    }
    if (s.declarer >= 0 && !verdict_.declarer_won) {
      reuegeld_[static_cast<std::size_t>(s.declarer)] =
          table_.rules.reuegeld * table_.rules.tariff.scale;
    }
  }

  [[nodiscard]] std::vector<int> ramsch_payoffs() const {
    const TableState& s = table_.s;
    const int seats = table_.seats;
    std::vector<RamschTake> takes(static_cast<std::size_t>(seats));
    for (int seat = 0; seat < seats; ++seat) {  // shifted: what the right neighbour has won
      const int source = table_.rules.ramsch_shift ? (seat + seats - 1) % seats : seat;
      RamschTake& take = takes[static_cast<std::size_t>(seat)];
      const Cards& cards = s.won[static_cast<std::size_t>(source)];
      take.points = card_points(cards);
      take.tricks = s.tricks_won[static_cast<std::size_t>(source)];
      take.position = table_.position_of(seat);
      take.announced = s.jungfrau.contains(seat);
      int strength = static_cast<int>(s.orders->trumps.size());
      for (const int trump : s.orders->trumps) {
        if (contains(cards, trump)) {
          ++take.trumps;
          take.highest_trump = std::max(take.highest_trump, strength);
        }
        --strength;
      }
    }
    const int factors = s.lays + s.doubling.level + table_.context.bock;
    return settle_ramsch(takes, table_.rules, detail::power_of_two(factors), s.offender);
  }

  Table table_;
  TableState saved_;  // at the start of the running stage
  Verdict verdict_;
  std::vector<int> payoffs_, stock_payoffs_, reuegeld_;
};

}  // namespace schafkopf::reference
