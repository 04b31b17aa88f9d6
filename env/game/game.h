// One deal from the first question to the payoffs (RULES D.2): a small trivially copyable value. It
// is made of its phases, each a value with functions of its own (opening.h, hochzeit.h, auction.h,
// announcement.h, doubling.h, claims.h) over what they share (table_state.h); Game says which one is
// on. The rules of card play stand in play.h, those of the price in settle.h.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "env/base/assert.h"
#include "env/cards/action.h"
#include "env/cards/card.h"
#include "env/cards/play.h"
#include "env/deal/deal.h"
#include "env/game/announcement_state.h"
#include "env/game/auction_round.h"
#include "env/game/auction_state.h"
#include "env/game/claim_state.h"
#include "env/game/doubling_state.h"
#include "env/game/event.h"
#include "env/game/hochzeit_state.h"
#include "env/game/next.h"
#include "env/game/opening_state.h"
#include "env/game/table_state.h"
#include "env/price/settle.h"
#include "env/rules/compiled_rules.h"
#include "env/rules/special_round.h"
#include "env/view/view.h"

namespace schafkopf {

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
  static constexpr int kMaxEvents = TableState::kMaxEvents;

  Game(const CompiledRules& rules, const Deal& deal, int dealer, const DealContext& context = {});
  Game(const CompiledRules&&, const Deal&, int, const DealContext& = {}) = delete;  // outlive it

  /// Start at card play with a given contract (no auction; doubling windows stay open).
  /// Throws std::invalid_argument if the contract is impossible on this deal, with the rule.
  [[nodiscard]] static Game with_contract(const CompiledRules& rules, const Deal& deal, int dealer,
                                          const Contract& contract,
                                          const DealContext& context = {});
  [[nodiscard]] static Game with_contract(const CompiledRules& rules, const Deal& deal, int dealer,
                                          const CardPlayStart& start,
                                          const DealContext& context = {});
  /// Start from an endgame without history; Laufende are not counted, doublings closed. Throws
  /// std::invalid_argument for cards, seats and partners that do not fit together. Classes that the
  /// rules do not play and a called card of the declarer's own are taken: check_position
  /// (env/record/input_check.h) refuses them.
  [[nodiscard]] static Game from_position(const CompiledRules& rules, const Position& position);

  /// Whether nothing has happened yet, and any other deal of these rules, dealer and context comes as far:
  /// what was decided before the first question lies in no hand. A usual deck and table alone.
  [[nodiscard]] bool begins_for_all() const;
  /// Become the game that `deal` begins, as Game(rules, deal, dealer, context) makes it, in a fraction of
  /// the time: `first` with other hands. They are not checked.
  void begin_anew(const Game& first, const Deal& deal);

  static Game with_contract(const CompiledRules&&, const Deal&, int, const Contract&,
                            const DealContext& = {}) = delete;
  static Game with_contract(const CompiledRules&&, const Deal&, int, const CardPlayStart&,
                            const DealContext& = {}) = delete;
  static Game from_position(const CompiledRules&&, const Position&) = delete;
  static Game deserialize(const CompiledRules&&, std::span<const std::uint8_t>) = delete;

  // Whose turn, what is legal
  [[nodiscard]] Phase phase() const { return table_.phase; }
  [[nodiscard]] bool is_terminal() const { return table_.phase == Phase::kDone; }
  /// Seat to act, -1 when the deal is over.
  [[nodiscard]] int current_player() const { return is_terminal() ? -1 : table_.to_move; }
  /// Legal actions of the seat to act; empty when the deal is over.
  [[nodiscard]] ActionMask legal_actions() const;

  /// Apply a legal action. Throws std::invalid_argument naming seat, action, the legal ones and,
  /// for a card, the rule that forbids it; the game is then unchanged.
  void apply(Action action);
  /// Apply without the check: for callers that hold the mask.
  void apply_unchecked(Action action);
  /// Whether AUCTION_ROUND is on and others answer after this seat.
  [[nodiscard]] bool others_answer_round() const {
    return table_.phase == Phase::kAuctionRound && auction::others_answer(table_);
  }
  /// Apply an answer where others_answer_round().
  void answer_round(Action action) { auction::answer_round(auction_, table_, action); }
  /// Why an action is illegal now, in words; empty if it is legal. In parts: refusal.h.
  [[nodiscard]] std::string why_illegal(Action action) const;

  /// An infraction of a seat (E.6), which no action can be: during card play only. What follows is
  /// up to `infraction_policy`; some have no effect. Throws std::invalid_argument at other times.
  void infract(int seat, Infraction infraction);

  // Result
  /// Payoffs per seat in 1/tariff_scale units, without the Stock. Throws std::invalid_argument
  /// before the end.
  [[nodiscard]] std::array<std::int32_t, kNumSeats> payoffs() const;
  /// What has happened so far: of a running deal the points taken and the doublings, no result.
  [[nodiscard]] Outcome outcome() const;
  /// The price and who pays it. Throws std::invalid_argument before the end.
  [[nodiscard]] Settlement settlement() const;

  // What seats may know
  [[nodiscard]] PlayerView view(int seat) const;
  void view(int seat, CardsLine& cards, OrderLine& order, EventsLine& events) const {
    if (seat == table_.to_move && is_early()) {
      return fill_early(legal_actions(), cards, order, events);
    }
    fill_view(seat, cards, order, events);
  }
  [[nodiscard]] FullView full_view(int seat) const;

  // Public facts and hidden hands (the engine's own; agents get views)
  [[nodiscard]] const CompiledRules& rules() const { return *table_.rules; }
  [[nodiscard]] int seats() const { return table_.seats(); }
  [[nodiscard]] int dealer() const { return table_.dealer; }
  [[nodiscard]] int forehand() const { return table_.forehand(); }
  [[nodiscard]] const DealContext& context() const { return table_.context; }
  [[nodiscard]] bool has_contract() const { return table_.contract.fixed; }
  [[nodiscard]] Contract contract() const { return table_.contract.value(); }
  /// Bit per seat of the declarer party, hidden partner included.
  [[nodiscard]] std::uint8_t declarer_party() const { return table_.contract.party; }
  [[nodiscard]] bool partner_known() const { return table_.contract.partner_known; }
  [[nodiscard]] int doubling_level() const { return doubling_.level; }
  [[nodiscard]] CardSet hand(int seat) const { return table_.hand(seat_of_four(seat)); }
  /// Cards at the start of play: as dealt, after all exchanges so far.
  [[nodiscard]] CardSet start_hand(int seat) const {
    return hand(seat) | CardSet(table_.play.played[seat]);
  }
  /// Cards as dealt, before any exchange.
  [[nodiscard]] CardSet dealt(int seat) const {
    return CardSet((start_hand(seat).bits() | table_.given[seat]) & ~table_.received[seat]);
  }
  /// First half of the cards as dealt (F.1); of an endgame the whole hand at its start.
  [[nodiscard]] CardSet first_half(int seat) const {
    return CardSet(table_.first_half[seat_of_four(seat)]);
  }
  /// Cards that a seat passed on and got before the play.
  [[nodiscard]] CardSet given(int seat) const { return CardSet(table_.given[seat_of_four(seat)]); }
  [[nodiscard]] CardSet received(int seat) const {
    return CardSet(table_.received[seat_of_four(seat)]);
  }
  /// Cards of a declarer that lie open on the table (C.15).
  [[nodiscard]] CardSet open_cards() const;
  [[nodiscard]] SpecialRound special_round() const {
    return static_cast<SpecialRound>(table_.context.special_round);
  }
  /// Number of LAY, and the first seat that laid, -1 = none.
  [[nodiscard]] int num_laid() const { return opening_.laid; }
  [[nodiscard]] int first_laid() const { return opening_.first_laid; }
  /// Partner of the declarer, hidden or not; -1 = none.
  [[nodiscard]] int partner() const { return table_.contract.partner; }
  [[nodiscard]] Infraction infraction() const { return claims_.infraction; }
  [[nodiscard]] int offender() const { return claims_.offender; }
  /// How an all-passed deal was resolved without a game: throw_in, stock, bock_game or bock_round.
  [[nodiscard]] AllPass all_pass() const { return auction_.how; }
  [[nodiscard]] CardSet captured(int seat) const {
    return CardSet(table_.play.taken[seat_of_four(seat)]);
  }
  [[nodiscard]] int num_plays() const { return table_.num_plays; }
  /// i-th card of the deal and who played it.
  [[nodiscard]] Card played_card(int i) const {
    return packed::card_of(table_.order[played_number(i)]);
  }
  [[nodiscard]] int played_by(int i) const {
    return packed::seat_of(table_.order[played_number(i)]);
  }
  [[nodiscard]] int num_events() const { return table_.num_events; }
  [[nodiscard]] Event event(int i) const { return table_.event(i); }
  /// Whether the game was entered at card play with a given contract.
  [[nodiscard]] bool starts_at_play() const { return table_.entry == Entry::kCardPlay; }
  /// Whether the game was entered in the middle of card play, without a history.
  [[nodiscard]] bool is_endgame() const { return table_.entry == Entry::kPosition; }
  /// Cards played before the contract was fixed (Strixner), else 0.
  [[nodiscard]] int first_play() const { return table_.first_play; }
  [[nodiscard]] const PlayState<std::uint32_t>& play_state() const { return table_.play; }

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
  /// Of four places, also where three play.
  static int seat_of_four(int seat) {
    SCHAFKOPF_ASSERT(seat >= 0 && seat < kNumSeats);
    return seat;
  }
  [[nodiscard]] int played_number(int i) const {
    SCHAFKOPF_ASSERT(i >= 0 && i < table_.num_plays);
    return i;
  }
  class Rebuilt;          // game_bytes.cpp
  friend class LaneGame;  // env/lanes: blocks of games are stepped together

  // How a deal is entered (game_entry.cpp)
  Game(const CompiledRules& rules, int dealer, const DealContext& context, Blank);
  /// The deal alone, nothing asked yet.
  Game(const CompiledRules& rules, const Deal& deal, int dealer, const DealContext& context,
       Entered);
  void check_fixed_cards(CardSet forehand_hand, CardSet missing) const;
  void enter_exchange(const Exchange& step);

  // Which phase is on (game.cpp)
  /// Go through the phases until a seat is asked, or the deal is over.
  void go_on(Next next) {
    if (next.step != Next::Step::kAnswer) go_through(next);
  }
  [[gnu::noinline]] void go_through(Next next);
  [[nodiscard]] Next begin_step(Next next);
  [[nodiscard]] ActionMask legal_answers() const;
  void apply_other(Action action);

  // From the contract to the end (game.cpp)
  [[nodiscard]] Next set_contract(const Contract& contract);
  void find_parties(const ContractRow& row);
  void start_play();
  void apply_card(Card card);
  void run_away();
  void plan_stop();
  void stop_here();
  void throw_in(AllPass how);
  [[gnu::noinline]] void finish();
  void check_over(const char* asked) const;

  // Views (game_view.cpp)
  /// Whether an auction is on of which nothing is decided, among four seats: most views of scalar code.
  [[nodiscard]] bool is_early() const;
  void fill_early(ActionMask mask, CardsLine& cards, OrderLine& order, EventsLine& events) const;
  [[gnu::noinline]] void fill_view(int seat, CardsLine& cards, OrderLine& order,
                                   EventsLine& events) const;
  template <int kSeats>
  void fill_cards(int seat, CardsLine& line) const;
  template <int kSeats>
  void fill_order(int seat, OrderLine& order) const;
  void hide_old_tricks(CardsLine& cards, OrderLine& order) const;

  TableState table_;
  OpeningState opening_;
  HochzeitState hochzeit_;
  AuctionState auction_;
  AnnouncementState announcement_;
  DoublingState doubling_;
  ClaimState claims_;
  std::uint8_t reserved_[5] = {};  // no padding: equal games have equal bytes
};
static_assert(std::is_trivially_copyable_v<Game> && sizeof(Game) == 504);
static_assert(std::has_unique_object_representations_v<Game>);

inline bool Game::is_early() const {
  static constexpr ContractState kNone{};
  return auction::is_on(table_.phase) && table_.play.num_played == 0 && table_.num_secret == 0 &&
         table_.num_events <= TableState::kFewEvents && seats() == kNumSeats &&
         std::memcmp(&table_.contract, &kNone, sizeof kNone) == 0;
}

inline ActionMask Game::legal_actions() const {
  if (table_.phase == Phase::kAuctionRound && auction::all_may_play(table_)) {
    return auction::kPassOrPlay;
  }
  if (table_.phase != Phase::kPlay) return legal_answers();
  // conceding at any own turn, claiming on lead (E.5)
  const std::uint64_t claims =
      std::uint64_t{table_.claims_rest} * (2u | static_cast<unsigned>(table_.play.on_table == 0));
  return {{legal_cards(table_.play) | (claims << kActionClaimRest), 0}};
}

inline void Game::apply_unchecked(Action action) {
  if (table_.phase == Phase::kPlay && action < kNumCards) [[likely]] {
    apply_card(action);
  } else {
    apply_other(action);
  }
}

inline void Game::apply_card(Card card) {
  PlayState<std::uint32_t>& play = table_.play;
  const std::uint32_t bound = play.bound;
  const std::uint32_t bit = CardSet::of(card).bits();
  const std::uint32_t own = play.hand[table_.to_move] & bound;
  if (own != 0 && play.on_table == 0 && (bit & play.call_group & ~bound) != 0) run_away();
  table_.order[table_.num_plays++] = packed::play(card, table_.to_move);
  play_card(play, bit);
  table_.contract.partner_known |= bit == bound;
  table_.to_move = static_cast<std::uint8_t>(play.turn);
  if (play.num_played >= play.next_stop) stop_here();
}

// Free functions with the arguments of the worked examples (RULES K): partial hands allowed.

// They throw WrongArgument, with the name of the argument, for numbers that are no class, suit or card.

/// Legal cards of a hand (E.3). trick = cards on the table in order; called = kNoCard if none.
[[nodiscard]] CardSet legal(CardSet hand, std::span<const Card> trick, ContractClass contract,
                            Suit trump_suit, Card called, bool released, const RuleSet& rules);
/// Aces that may be called: C.1, or a Renonce call where the rules have it (C.2).
[[nodiscard]] CardSet callable_cards(CardSet hand, const RuleSet& rules);
/// Payable Laufende of a party's cards (G.4).
[[nodiscard]] int laufende(CardSet party, ContractClass contract, Suit trump_suit,
                           const RuleSet& rules);
/// Index in the trick of the winning card (E.1).
[[nodiscard]] int trick_winner(std::span<const Card> trick, ContractClass contract, Suit trump_suit,
                               const RuleSet& rules);

}  // namespace schafkopf
