// One deal from the first question to the payoffs (RULES D.2): a small trivially copyable value.
// The rules of card play stand in play.h, those of the price in settle.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "env/cards/action.h"
#include "env/cards/card.h"
#include "env/cards/play.h"
#include "env/deal/deal.h"
#include "env/price/settle.h"
#include "env/rules/compiled_rules.h"
#include "env/rules/special_round.h"
#include "env/view/view.h"

namespace schafkopf {

/// A public event before or between the cards.
struct Event {
  Action action = 0;
  std::uint8_t seat = 0;          // absolute
  std::uint8_t cards_before = 0;  // cards played before it
  /// CARD events: true = the owner of that called card ran away (E.2, OPEN-49), else it was called,
  /// or shown right after an offer (C.3).
  bool flag = false;
  /// Only the seat itself knows it: cards passed on, an offer not made or refused.
  bool secret = false;
  friend constexpr bool operator==(const Event&, const Event&) = default;
};

/// Cards that one seat passed to another before the play.
struct Exchange {
  int from = 0, to = 0;
  CardSet cards;
  friend constexpr bool operator==(const Exchange&, const Exchange&) = default;
};

/// Where a deal is entered at card play: everything that happened before it.
struct CardPlayStart {
  Contract contract;
  int partner = -1;                     // who accepted, where the contract has an accepted partner
  std::vector<int> laid = {};           // seats that laid, in order (F.1)
  std::vector<Exchange> exchange = {};  // in order; the deal has the hands before it
};

/// Remaining cards with common knowledge (DESIGN: endgames with empty history).
struct Position {
  Contract contract;
  std::array<CardSet, kNumSeats> hands{};     // equal sizes
  std::array<CardSet, kNumSeats> captured{};  // tricks so far: the points count
  int leader = 0;
  int dealer = 3;
  /// Of the declarer, if the called card has been played or a Hochzeit was accepted; in a Kreuzbock
  /// whose highest trump has been played, a seat of the party that must win.
  int partner = -1;
};

/// One deal.
///
/// Copying is cloning. `rules` must outlive the game. Seats are absolute, 0..3.
class Game {
 public:
  /// More than any rule set can give: a direct auction has 67 at most.
  static constexpr int kMaxEvents = 96;

  Game(const CompiledRules& rules, const Deal& deal, int dealer, const DealContext& context = {});

  /// Start at card play with a given contract (no auction; doubling windows stay open).
  /// Throws std::invalid_argument if the contract is impossible on this deal, with the rule.
  [[nodiscard]] static Game with_contract(const CompiledRules& rules, const Deal& deal, int dealer,
                                          const Contract& contract,
                                          const DealContext& context = {});
  [[nodiscard]] static Game with_contract(const CompiledRules& rules, const Deal& deal, int dealer,
                                          const CardPlayStart& start,
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

  /// An infraction of a seat (E.6), which no action can be: during card play only. What follows is
  /// up to `infraction_policy`; some have no effect. Throws std::invalid_argument at other times.
  void infract(int seat, Infraction infraction);

  // Result
  /// Payoffs per seat in 1/tariff_scale units, without the Stock. Throws std::invalid_argument
  /// before the end.
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
  /// Cards at the start of play: as dealt, after all exchanges so far.
  [[nodiscard]] CardSet start_hand(int seat) const {
    return CardSet(play_.hand[seat] | play_.played[seat]);
  }
  /// Cards as dealt, before any exchange.
  [[nodiscard]] CardSet dealt(int seat) const {
    return CardSet((play_.hand[seat] | play_.played[seat] | given_[seat]) & ~received_[seat]);
  }
  /// First half of the cards as dealt (F.1); of an endgame the whole hand at its start.
  [[nodiscard]] CardSet first_half(int seat) const { return CardSet(first_half_[seat]); }
  /// Cards that a seat passed on and got before the play.
  [[nodiscard]] CardSet given(int seat) const { return CardSet(given_[seat]); }
  [[nodiscard]] CardSet received(int seat) const { return CardSet(received_[seat]); }
  /// Cards of a declarer that lie open on the table (C.15).
  [[nodiscard]] CardSet open_cards() const;
  [[nodiscard]] SpecialRound special_round() const {
    return static_cast<SpecialRound>(context_.special_round);
  }
  /// Number of LAY, and the first seat that laid, -1 = none.
  [[nodiscard]] int num_laid() const { return laid_; }
  [[nodiscard]] int first_laid() const { return first_laid_; }
  /// Partner of the declarer, hidden or not; -1 = none.
  [[nodiscard]] int partner() const { return partner_; }
  [[nodiscard]] Infraction infraction() const { return infraction_; }
  [[nodiscard]] int offender() const { return offender_; }
  /// How an all-passed deal was resolved without a game: throw_in, stock, bock_game or bock_round.
  [[nodiscard]] AllPass all_pass() const { return all_pass_; }
  [[nodiscard]] CardSet captured(int seat) const { return CardSet(play_.taken[seat]); }
  [[nodiscard]] int num_plays() const { return num_plays_; }
  /// i-th card of the deal and who played it.
  [[nodiscard]] Card played_card(int i) const { return static_cast<Card>(order_[i] & 31); }
  [[nodiscard]] int played_by(int i) const { return (order_[i] >> 5) & 3; }
  [[nodiscard]] int num_events() const { return num_events_; }
  [[nodiscard]] Event event(int i) const;
  /// Whether the game was entered at card play with a given contract.
  [[nodiscard]] bool starts_at_play() const { return direct_start_; }
  /// Whether the game was entered in the middle of card play, without a history.
  [[nodiscard]] bool is_endgame() const { return from_position_; }
  /// Cards played before the contract was fixed (Strixner), else 0.
  [[nodiscard]] int first_play() const { return first_play_; }
  [[nodiscard]] const PlayState<std::uint32_t>& play_state() const { return play_; }

  /// Bytes that rebuild the game under the same rules: version, rule-set hash, state.
  [[nodiscard]] std::vector<std::uint8_t> serialize() const;
  /// The game is made anew from what was dealt and done, and compared: bytes that no course of a
  /// game gives are refused, whatever their checksum.
  ///
  /// Throws std::invalid_argument: wrong version, other rule set (both hashes named), broken bytes.
  [[nodiscard]] static Game deserialize(const CompiledRules& rules,
                                        std::span<const std::uint8_t> bytes);
  /// Whether both are games of the same deal: rules, cards, draw, dealer, context, and how the deal
  /// was entered.
  [[nodiscard]] bool begins_as(const Game& other) const;
  /// Throws std::logic_error naming the broken invariant.
  void check_invariants() const;

 private:
  struct Blank {};
  struct Entered {};
  class Rebuilt;  // game_bytes.cpp
  Game(const CompiledRules& rules, int dealer, const DealContext& context, Blank);
  /// The deal alone, nothing asked yet.
  Game(const CompiledRules& rules, const Deal& deal, int dealer, const DealContext& context,
       Entered);
  static void check_mode(const CompiledRules& rules, SpecialRound mode);
  void check_fixed_cards(CardSet forehand_hand, CardSet missing) const;
  void enter_exchange(const Exchange& step);
  [[nodiscard]] std::uint32_t callable_in(const ContractRow& row, int seat) const;

  // Before the auction (opening.cpp): D.2, steps 1 to 3
  void begin();
  void begin_legen();
  void apply_opening(Action action);
  void apply_legen(Action action);
  void after_legen();
  void ask_packet(int position);
  void apply_packet(Action action);
  void take_packet();
  void decline_packet();
  void push(Card card);
  void pass_cards_on();
  void before_auction();
  void start_auction();
  void start_three_tricks();
  [[nodiscard]] const SpecialRoundRow& round_row() const {
    return special_round_row(special_round());
  }
  [[nodiscard]] bool names_suit_before_deal() const;
  [[nodiscard]] bool packet_must_be_taken() const;
  [[nodiscard]] CardSet seen_hand(int seat) const;
  [[nodiscard]] CardSet fixed_cards() const;
  [[nodiscard]] ActionMask legal_opening() const;
  void move_cards(int from, int to, std::uint32_t cards);

  // Hochzeit (hochzeit.cpp): D.2, step 4
  void ask_offer(int position);
  void ask_acceptance(int position);
  void offer(int cards);
  void offer_refused();
  void accept();
  void begin_return();
  void return_card(Card card);
  void no_hochzeit();
  void finish_hochzeit();
  void apply_hochzeit(Action action);
  void apply_override(Action action);
  [[nodiscard]] ActionMask legal_hochzeit() const;
  [[nodiscard]] ActionMask offers_of(int seat) const;
  [[nodiscard]] bool may_accept(int seat) const;
  [[nodiscard]] std::uint32_t returnable(int seat) const;

  // Auction (auction.cpp), its contests (contest.cpp)
  /// What the winner of the auction may name.
  enum class Naming : std::uint8_t { kAny, kSingles, kSolo, kSoloNoTout, kDuty, kOwed };
  [[nodiscard]] ActionMask legal_auction() const;
  [[nodiscard]] ActionMask legal_naming() const;
  [[nodiscard]] ActionMask single_classes_for(int seat) const;
  [[nodiscard]] ActionMask higher_classes(int seat, bool equal_wins) const;
  [[nodiscard]] ActionMask legal_steigern() const;
  [[nodiscard]] Action legal_call_action() const;
  [[nodiscard]] bool owes_call(int seat) const;
  [[nodiscard]] bool must_call(int seat) const;
  [[nodiscard]] bool may_call(int seat) const;
  [[nodiscard]] std::uint32_t callable_cards(int seat) const;
  [[nodiscard]] bool may_play(int seat, bool follower) const;
  void apply_auction(Action action);
  void apply_round(Action action);
  void apply_resolve(Action action);
  void apply_direct(Action action);
  void apply_steigern(Action action);
  void next_direct(int from);
  void end_round();
  void next_challenger();
  void ask_challenger();
  void after_naming();
  void challenge(Action action, bool equal_wins);
  [[nodiscard]] bool name_suit_now();
  void win_auction();
  void begin_naming(int seat, Naming naming);
  void ask_details();
  void win_details();
  void all_passed();
  void resolve_all_pass(AllPass rule);
  void apply_last_choice(Action action);
  void begin_duty();
  void begin_owed();
  void throw_in(AllPass how);
  void play_everyone();
  void play_opposite();
  void add_event(Action action, bool flag = false);
  void add_secret(Action action);
  [[nodiscard]] int seat_at(int position) const { return (forehand() + position) % seats(); }
  [[nodiscard]] int position_of(int seat) const { return (seat - forehand() + seats()) % seats(); }

  // Contract fixed (game.cpp), announcements (announcements.cpp), doubling (doubling.cpp)
  void set_contract(const Contract& contract);
  void set_words(const PlayConstants& words);
  void find_parties(const ContractRow& row, const Contract& contract);
  void announce();
  void ask_virgin(int position);
  [[nodiscard]] ActionMask legal_announcement() const;
  void apply_announcement(Action action);
  void start_play();
  [[nodiscard]] bool may_double(int seat) const;
  [[nodiscard]] bool in_declarer_party(int seat) const { return ((party_ >> seat) & 1) != 0; }
  void open_window(int first, int count);
  [[nodiscard]] bool ask_next();
  void apply_double(Action action);
  void open_windows();
  void open_doubled();
  [[nodiscard]] bool chains_close() const;

  // Views (game_view.cpp)
  template <int kSeats>
  void fill_cards(int seat, CardsLine& line) const;
  template <int kSeats>
  void fill_order(int seat, OrderLine& order) const;
  void hide_old_tricks(CardsLine& cards, OrderLine& order) const;
  static constexpr int kEventsShown = 32;
  void public_events(std::uint16_t (&events)[kEventsShown]) const;
  [[nodiscard]] int num_public_events() const { return num_events_ - num_secret_; }

  // Claims, infractions, settlement by claim (claims.cpp)
  void apply_claim(Action action);
  void give_rest_to(int seat);
  [[nodiscard]] int opponent_of(int seat) const;
  [[nodiscard]] bool wins_the_rest(int seat) const;
  [[nodiscard]] bool asks_claims() const;
  [[nodiscard]] int claimant() const;
  [[nodiscard]] ActionMask legal_settlement() const;
  void ask_settlement();
  void apply_settlement(Action action);

  // Cards (game.cpp)
  void apply_card(Card card);
  void apply_other(Action action);
  [[nodiscard]] ActionMask legal_answers() const;
  void run_away();
  void plan_stop();
  void stop_here();
  void finish();
  [[nodiscard]] int choose_card_map(int seat) const;

  PlayState<std::uint32_t> play_;
  const CompiledRules* rules_;
  DealContext context_;
  std::uint32_t first_half_[4] = {};  // as dealt; of an endgame the hands at its start
  std::uint32_t given_[4] = {};       // passed on before the play
  std::uint32_t received_[4] = {};
  std::uint32_t aside_ = 0;  // cards on their way between two seats
  std::uint8_t order_[32] = {};
  std::uint16_t events_[kMaxEvents] = {};
  // before the auction
  std::uint8_t laid_ = 0;
  std::int8_t first_laid_ = -1;
  std::uint8_t zupf_ = 0;     // number of the card that is drawn
  std::uint8_t to_pass_ = 0;  // cards that the seat to move still passes on
  std::int8_t hz_offerer_ = -1;
  std::uint8_t hz_cards_ = 0;
  bool hz_asked_ = false;      // the Hochzeit has had its turn
  std::uint8_t hz_first_ = 0;  // seats of an accepted first Hochzeit: offerer | acceptor << 2 | 16
  // auction
  std::uint8_t said_play_ = 0;   // positions that said PLAY
  std::uint8_t active_ = 0;      // direct: positions still in
  std::uint8_t holder_ = 0;      // position
  std::uint8_t challenger_ = 0;  // position
  Action named_ = 0;             // contract action of the holder, 0 = none
  bool has_holder_ = false;
  Naming naming_ = Naming::kAny;
  bool class_named_ = false;  // the auction is won and the class fixed
  bool suit_named_ = false;   // together with the class of the holder
  std::uint8_t suits_ = 0xF;  // that may be named
  bool firm_ = false;         // Steigern: the holder plays alone for sure
  std::uint8_t bid_ = 0;
  std::uint8_t raise_ = 0;  // waits for the holder's answer
  AllPass all_pass_{};
  // contract
  bool has_contract_ = false;
  bool details_public_ = false;  // suit and called card are fixed and public
  ContractClass class_{};
  bool tout_ = false;
  Suit suit_{};
  Card called_ = kNoCard;
  bool renonce_ = false;
  std::int8_t declarer_ = -1;
  std::int8_t owner_ = -1;  // dealt the called card
  std::int8_t partner_ = -1;
  bool open_hand_ = false;          // the declarer plays with open cards (C.15)
  bool no_declarer_pairs_ = false;  // opposite seats play together, nobody declares (C.5)
  std::uint8_t party_ = 0;
  bool partner_known_ = false;
  bool ran_away_ = false;
  bool from_position_ = false;  // an endgame: no history, no Laufende
  bool thrown_in_ = false;
  bool all_passed_ = false;    // nobody declared
  bool direct_start_ = false;  // entered at card play
  std::uint8_t card_maps_[4] = {};
  std::uint8_t first_play_ = 0;  // cards played before the contract was fixed
  std::uint8_t virgins_ = 0;     // seats that announced Jungfrau
  // doubling
  std::uint8_t level_ = 0;
  bool declarers_doubled_last_ = false;
  bool closed_ = false;
  std::uint8_t doubled_[4] = {};
  std::uint8_t asked_ = 0;  // next seat to ask
  std::uint8_t left_to_ask_ = 0;
  std::uint8_t window_asked_ = 0;  // the same of the window while a chain is answered
  std::uint8_t window_left_ = 0;
  std::int8_t answering_ = -1;  // the doubler whose opponents are asked, -1 = the window itself
  std::uint8_t window_ = 0;     // windows gone through: bit 0 W0, bit 1 W1, bits 4-7 W2 by seat
  // claims
  std::uint8_t claims_ = 0;  // 1: the rest may be claimed and conceded
  std::int8_t claimed_laufende_ = -1;
  std::int8_t claimed_schwarz_ = -1;
  std::int8_t offender_ = -1;
  Infraction infraction_{};
  bool laid_down_ = false;  // the rest was claimed, conceded or forfeited
  // common
  Phase phase_{};
  std::uint8_t dealer_ = 0;
  std::uint8_t to_move_ = 0;
  std::uint8_t num_plays_ = 0;
  std::uint8_t num_events_ = 0;
  std::uint8_t num_secret_ = 0;  // of the events
  // no padding: see game_bytes.cpp
};
static_assert(std::is_trivially_copyable_v<Game>);

inline ActionMask Game::legal_actions() const {
  if (phase_ != Phase::kPlay) return legal_answers();
  // conceding at any own turn, claiming on lead (E.5)
  const std::uint64_t claims =
      std::uint64_t{claims_} * (2u | static_cast<unsigned>(play_.on_table == 0));
  return {{legal_cards(play_) | (claims << kActionClaimRest), 0}};
}

inline void Game::apply_unchecked(Action action) {
  if (phase_ == Phase::kPlay && action < kNumCards) [[likely]] {
    apply_card(action);
  } else {
    apply_other(action);
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
/// Aces that may be called: C.1, or a Renonce call where the rules have it (C.2).
[[nodiscard]] CardSet callable(CardSet hand, const RuleSet& rules);
/// Payable Laufende of a party's cards (G.4).
[[nodiscard]] int laufende(CardSet party, ContractClass contract, Suit trump_suit,
                           const RuleSet& rules);
/// Index in the trick of the winning card (E.1).
[[nodiscard]] int trick_winner(std::span<const Card> trick, ContractClass contract, Suit trump_suit,
                               const RuleSet& rules);

}  // namespace schafkopf
