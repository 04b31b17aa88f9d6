// One deal from the first question to the payoffs (RULES D.2): a small trivially copyable value.
// The rules of card play stand in play.h, those of the price in settle.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "env/action.h"
#include "env/card.h"
#include "env/compiled_rules.h"
#include "env/deal.h"
#include "env/play.h"
#include "env/settle.h"
#include "env/view.h"

namespace schafkopf {

/// A public event before or between the cards.
struct Event {
  Action action = 0;
  std::uint8_t seat = 0;          // absolute
  std::uint8_t cards_before = 0;  // cards played before it
  /// CARD events: true = the owner of that called card ran away (E.2, OPEN-49), else it was called.
  bool flag = false;
  friend constexpr bool operator==(const Event&, const Event&) = default;
};

/// Remaining cards with common knowledge (DESIGN: endgames with empty history).
struct Position {
  Contract contract;
  std::array<CardSet, kNumSeats> hands{};     // equal sizes
  std::array<CardSet, kNumSeats> captured{};  // tricks so far: the points count
  int leader = 0;
  int dealer = 3;
  int partner = -1;  // of the declarer, if the called card has been played
};

/// One deal.
///
/// Copying is cloning. `rules` must outlive the game. Seats are absolute, 0..3.
class Game {
 public:
  Game(const CompiledRules& rules, const Deal& deal, int dealer, const DealContext& context = {});

  /// Start at card play with a given contract (no auction; doubling windows stay open).
  /// Throws std::invalid_argument if the contract is impossible on this deal, with the rule.
  [[nodiscard]] static Game with_contract(const CompiledRules& rules, const Deal& deal, int dealer,
                                          const Contract& contract,
                                          const DealContext& context = {});
  /// Start from an endgame without history; Laufende are not counted, doublings closed.
  [[nodiscard]] static Game from_position(const CompiledRules& rules, const Position& position);

  // Whose turn, what is legal
  [[nodiscard]] Phase phase() const { return phase_; }
  [[nodiscard]] bool is_terminal() const { return phase_ == Phase::kDone; }
  /// Seat to act, -1 when the deal is over.
  [[nodiscard]] int current_player() const { return is_terminal() ? -1 : to_move_; }
  /// Legal actions of the seat to act; empty when the deal is over.
  [[nodiscard]] ActionMask legal_actions() const;

  /// Apply a legal action. Throws std::invalid_argument naming seat, action, the legal ones and,
  /// for a card, the rule that forbids it; the game is then unchanged.
  void apply(Action action);
  /// Apply without the check: for callers that hold the mask.
  void apply_unchecked(Action action);
  /// Why an action is illegal now, in words; empty if it is legal.
  [[nodiscard]] std::string why_illegal(Action action) const;

  // Result
  /// Payoffs per seat in 1/tariff_scale units; zero before the end. Without the Stock.
  [[nodiscard]] std::array<std::int32_t, kNumSeats> payoffs() const;
  [[nodiscard]] Outcome outcome() const;
  [[nodiscard]] Settlement settlement() const;

  // What seats may know
  [[nodiscard]] PlayerView view(int seat) const;
  void view(int seat, CardsLine& cards, OrderLine& order, EventsLine& events) const;
  /// Only line 1: what a card player's network needs.
  void view_cards(int seat, CardsLine& cards) const;
  [[nodiscard]] FullView full_view(int seat) const;

  // Public facts and hidden hands (the engine's own; agents get views)
  [[nodiscard]] const CompiledRules& rules() const { return *rules_; }
  [[nodiscard]] int seats() const { return rules_->seats(); }
  [[nodiscard]] int dealer() const { return dealer_; }
  [[nodiscard]] int forehand() const { return (dealer_ + 1) % seats(); }
  [[nodiscard]] const DealContext& context() const { return context_; }
  [[nodiscard]] bool has_contract() const { return has_contract_; }
  [[nodiscard]] Contract contract() const;
  /// Bit per seat of the declarer party, hidden partner included.
  [[nodiscard]] std::uint8_t declarer_party() const { return party_; }
  [[nodiscard]] bool partner_known() const { return partner_known_; }
  [[nodiscard]] int doubling_level() const { return level_; }
  [[nodiscard]] CardSet hand(int seat) const { return CardSet(play_.hand[seat]); }
  [[nodiscard]] CardSet dealt(int seat) const {
    return CardSet(play_.hand[seat] | play_.played[seat]);
  }
  [[nodiscard]] CardSet captured(int seat) const { return CardSet(play_.taken[seat]); }
  [[nodiscard]] int num_plays() const { return num_plays_; }
  /// i-th card of the deal and who played it.
  [[nodiscard]] Card played_card(int i) const { return static_cast<Card>(order_[i] & 31); }
  [[nodiscard]] int played_by(int i) const { return (order_[i] >> 5) & 3; }
  [[nodiscard]] int num_events() const { return num_events_; }
  [[nodiscard]] Event event(int i) const;
  [[nodiscard]] const PlayState<std::uint32_t>& play_state() const { return play_; }

  /// Bytes that rebuild the game under the same rules: version, rule-set hash, state.
  [[nodiscard]] std::vector<std::uint8_t> serialize() const;
  /// Throws std::invalid_argument: wrong version, other rule set (both hashes named), broken bytes.
  [[nodiscard]] static Game deserialize(const CompiledRules& rules,
                                        std::span<const std::uint8_t> bytes);
  /// Throws std::logic_error naming the broken invariant.
  void check_invariants() const;

 private:
  struct Blank {};
  Game(const CompiledRules& rules, int dealer, const DealContext& context, Blank);

  // Auction (auction.cpp)
  [[nodiscard]] ActionMask legal_auction() const;
  [[nodiscard]] ActionMask single_classes_for(int seat) const;
  [[nodiscard]] bool may_play(int seat, bool follower) const;
  void apply_auction(Action action);
  void apply_round(Action action);
  void apply_resolve(Action action);
  void apply_direct(Action action);
  void next_direct(int from);
  void end_round();
  void next_challenger();
  void after_naming();
  [[nodiscard]] bool name_suit_now();
  void win_auction();
  void ask_details();
  void win_details();
  void all_passed();
  void add_event(Action action, bool flag = false);
  [[nodiscard]] int seat_at(int position) const { return (forehand() + position) % seats(); }
  [[nodiscard]] int position_of(int seat) const { return (seat - forehand() + seats()) % seats(); }

  // Contract fixed, doubling (doubling.cpp)
  void set_contract(const Contract& contract);
  void start_play();
  [[nodiscard]] bool may_double(int seat) const;
  [[nodiscard]] bool in_declarer_party(int seat) const { return ((party_ >> seat) & 1) != 0; }
  void open_window(int first, int count);
  [[nodiscard]] bool ask_next();
  void apply_double(Action action);
  void open_windows();

  // Views (game_view.cpp)
  template <int kSeats>
  void fill_cards(int seat, CardsLine& line) const;
  template <int kSeats>
  void fill_order(int seat, OrderLine& order) const;

  // Cards (game.cpp)
  void apply_card(Card card);
  [[nodiscard]] ActionMask legal_answers() const;
  void run_away();
  void plan_stop();
  void stop_here();
  void finish();
  [[nodiscard]] int choose_card_map(int seat) const;

  PlayState<std::uint32_t> play_;
  const CompiledRules* rules_;
  DealContext context_;
  std::uint8_t order_[32] = {};
  std::uint16_t events_[32] = {};
  // auction
  std::uint8_t said_play_ = 0;   // positions that said PLAY
  std::uint8_t active_ = 0;      // direct: positions still in
  std::uint8_t holder_ = 0;      // position
  std::uint8_t challenger_ = 0;  // position
  Action named_ = 0;             // contract action of the holder, 0 = none
  bool has_holder_ = false;
  bool only_singles_ = false;  // the winner may name single classes only
  bool class_named_ = false;   // the auction is won and the class fixed
  bool suit_named_ = false;    // together with the class of the holder
  // contract
  bool has_contract_ = false;
  ContractClass class_{};
  bool tout_ = false;
  Suit suit_{};
  Card called_ = kNoCard;
  std::int8_t declarer_ = -1;
  std::int8_t owner_ = -1;  // dealt the called card
  std::uint8_t party_ = 0;
  bool partner_known_ = false;
  bool ran_away_ = false;
  bool from_position_ = false;  // an endgame: no history, no Laufende
  bool thrown_in_ = false;
  std::uint8_t card_maps_[4] = {};
  // doubling
  std::uint8_t level_ = 0;
  bool declarers_doubled_last_ = false;
  bool closed_ = false;
  std::uint8_t doubled_[4] = {};
  std::uint8_t asked_ = 0;  // next seat to ask
  std::uint8_t left_to_ask_ = 0;
  std::int8_t answering_ = -1;  // the doubler whose opponents are asked, -1 = the window itself
  std::uint8_t window_ = 0;     // windows gone through: bit 0 W0, bit 1 W1, bits 4-7 W2 by seat
  // common
  Phase phase_{};
  std::uint8_t dealer_ = 0;
  std::uint8_t to_move_ = 0;
  std::uint8_t num_plays_ = 0;
  std::uint8_t num_events_ = 0;
  std::uint8_t reserved_[3] = {};  // no padding: see game_bytes.cpp
};
static_assert(std::is_trivially_copyable_v<Game>);

inline ActionMask Game::legal_actions() const {
  return phase_ == Phase::kPlay ? ActionMask::cards(legal_cards(play_)) : legal_answers();
}

inline void Game::apply_unchecked(Action action) {
  if (phase_ == Phase::kPlay) {
    apply_card(action);
  } else if (phase_ == Phase::kDouble) {
    apply_double(action);
  } else {
    apply_auction(action);
  }
}

inline void Game::apply_card(Card card) {
  const std::uint32_t bound = play_.bound;
  const std::uint32_t bit = CardSet::of(card).bits();
  const std::uint32_t own = play_.hand[to_move_] & bound;
  if (own != 0 && play_.on_table == 0 && (bit & play_.call_group & ~bound) != 0) run_away();
  order_[num_plays_++] = static_cast<std::uint8_t>(card | (to_move_ << 5) | 0x80);
  play_card(play_, bit);
  partner_known_ |= bit == bound;
  to_move_ = static_cast<std::uint8_t>(play_.turn);
  if (play_.num_played >= play_.next_stop) stop_here();
}

// Free functions with the arguments of the worked examples (RULES K): partial hands allowed.

/// Legal cards of a hand (E.3). trick = cards on the table in order; called = kNoCard if none.
[[nodiscard]] CardSet legal(CardSet hand, std::span<const Card> trick, ContractClass contract,
                            Suit trump_suit, Card called, bool released, const RuleSet& rules);
/// Aces that may be called (C.1).
[[nodiscard]] CardSet callable(CardSet hand, const RuleSet& rules);
/// Payable Laufende of a party's cards (G.4).
[[nodiscard]] int laufende(CardSet party, ContractClass contract, Suit trump_suit,
                           const RuleSet& rules);
/// Index in the trick of the winning card (E.1).
[[nodiscard]] int trick_winner(std::span<const Card> trick, ContractClass contract, Suit trump_suit,
                               const RuleSet& rules);

}  // namespace schafkopf
