// Consecutive deals at one table: who deals, what a deal hands to the next, the account (RULES H).
// Stock and price of a deal: env/price/settle.h; special rounds: env/rules/special_round.h.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "env/deal/deal.h"
#include "env/deal/dealing.h"
#include "env/game/game.h"
#include "env/rules/compiled_rules.h"
#include "env/session/round_queue.h"

namespace schafkopf {

/// Where a session stands between two deals; a value type, used by Session and VectorEnv.
///
/// A place is a chair of the table, 0..players-1; with three or four players place and seat are the
/// same, at a table of five the dealer sits out (places_of).
struct SessionState {
  std::array<std::int64_t, kMaxPlaces> totals{};  // by place, in 1/tariff_scale units
  std::int64_t kitty = 0;                         // Reuegeld, in the same units
  DealContext context;                            // what the next deal inherits
  RoundQueue rounds;                              // Bock and special rounds
  std::int32_t num_deals = 0;                     // finished deals, thrown-in ones included
  std::int32_t num_thrown_in = 0;                 // of these, thrown in after all passed
  std::int32_t num_counted = 0;                   // of these, deals that count for the rounds
  std::int32_t num_redeals = 0;                   // misdeals that were dealt again
  std::int32_t dealer = 0;                        // place that deals next
  std::int32_t old_one = -1;  // place that last held the Eichel-Ober in a Rufspiel (H.4)
  std::int32_t misdeals = 0;  // of this dealer, in a row
  std::array<std::int32_t, kMaxPlaces> num_played{};  // games that a place has played to the end
  friend constexpr bool operator==(const SessionState&, const SessionState&) = default;
};
static_assert(std::has_unique_object_representations_v<SessionState>);

/// Passes every number of a state to `visit`, in a fixed order: for snapshots.
template <class State, class Visit>
void visit_session(State& state, const Visit& visit) {
  for (auto& total : state.totals) visit(total);
  visit(state.kitty);
  visit(state.context.stock);
  visit(state.context.bock);
  visit(state.context.special_round);
  visit(state.context.games_left);
  for (auto& owed : state.context.owed) visit(owed);
  visit_rounds(state.rounds, visit);
  for (auto* number : {&state.num_deals, &state.num_thrown_in, &state.num_counted,
                       &state.num_redeals, &state.dealer, &state.old_one, &state.misdeals}) {
    visit(*number);
  }
  for (auto& games : state.num_played) visit(games);
}

/// Place of each seat when this place deals, -1 for an unused seat. At a table of five seat 0 is
/// forehand, and the dealer has no seat.
[[nodiscard]] std::array<std::int8_t, kNumSeats> places_of(const RuleSet& rules, int dealer);
/// Seat that has the dealer's part in the game: his own, or the fourth active player's (B.2).
[[nodiscard]] int dealer_seat(const RuleSet& rules, int dealer);

/// State before the first deal. The seed of that deal draws the first dealer, or the cards of
/// which the highest deals (B.3.5; R-017).
[[nodiscard]] SessionState begin_session(const RuleSet& rules, std::uint64_t first_deal_seed);
/// State in the middle of a session, for records: who deals, what the next deal inherits, the
/// rounds that wait, and deals played since the round began. What was played and paid before nobody
/// knows: a Session refuses to go on from it where its accounts would not add up.
///
/// Throws std::invalid_argument naming the value that cannot be.
[[nodiscard]] SessionState resume_session(const RuleSet& rules, int dealer,
                                          const DealContext& context,
                                          std::span<const WaitingRound> queued = {},
                                          int round_position = 0);
/// Why no session that was begun by begin_session and went on by finish_deal can stand here; empty
/// if one can. Accounts, counts, rounds and context are tested against each other.
[[nodiscard]] std::string why_impossible(const RuleSet& rules, const SessionState& state);
/// Number of deals that count until the session is over: sittings x rounds x players (H.1, H.2).
[[nodiscard]] int session_length(const RuleSet& rules);
[[nodiscard]] bool is_over(const RuleSet& rules, const SessionState& state);
/// Whether the next deal belongs to the last round (H.4).
[[nodiscard]] bool in_last_round(const RuleSet& rules, const SessionState& state);
/// Deals of the current round that are over, 0..players-1.
[[nodiscard]] int round_position(const RuleSet& rules, const SessionState& state);
/// OPEN-66: what each place gets of a Stock that is left at the end.
[[nodiscard]] std::array<std::int32_t, kMaxPlaces> stock_shares(const RuleSet& rules,
                                                                std::int32_t stock);
/// What each place gets for taking part, in 1/tariff_scale units (H.3; R-180): enough games played.
[[nodiscard]] std::array<std::int32_t, kMaxPlaces> participation_bonus(const RuleSet& rules,
                                                                       const SessionState& state);

[[nodiscard]] inline SessionState begin_session(const CompiledRules& rules, std::uint64_t seed) {
  return begin_session(rules.rules(), seed);
}
[[nodiscard]] inline int session_length(const CompiledRules& rules) {
  return session_length(rules.rules());
}
[[nodiscard]] inline bool is_over(const CompiledRules& rules, const SessionState& state) {
  return is_over(rules.rules(), state);
}

/// Enter a finished deal in the order of G.9: account, Stock, Reuegeld, Bock and special rounds,
/// next dealer to the left, also after a throw-in (B.3.5, H.1; R-178). Whether a throw-in counts
/// for the round: `thrown_in_counts` (OPEN-47). After the last deal the rest of the Stock is split
/// equally and the bonus is added (OPEN-66, OPEN-70).
///
/// old_one  seat that held the Eichel-Ober when play began
void enter_deal(SessionState& state, const RuleSet& rules, const Outcome& outcome,
                const Settlement& settlement, int old_one = -1);
/// The same for a game that is over; `rules` = its own rules, or those with another end.
void finish_deal(SessionState& state, const Game& game, const RuleSet& rules);
inline void finish_deal(SessionState& state, const Game& game) {
  finish_deal(state, game, game.rules().rules());
}

/// Enter a misdeal of the dealer (B.3.6; R-018..R-021): the same place deals again; under
/// redeal_then_penalty a second one in a row costs the penalty and ends the deal, which counts.
/// Returns what the places get, in 1/tariff_scale units; all zero if cards are dealt again.
std::array<std::int32_t, kMaxPlaces> enter_misdeal(SessionState& state, const RuleSet& rules);

/// Start a special round with the next deal, or after the one that runs (the trigger MANUAL).
///
/// mode  kNone = the one that `special_round_triggers` gives to MANUAL
/// Throws std::invalid_argument if there is none, or these rules cannot play it.
void start_special_round(SessionState& state, const RuleSet& rules,
                         SpecialRound mode = SpecialRound::kNone);

/// A whole session. Deal k is deal_for(episode_seed(seed, 0, k), ...): the deals of row 0 of a
/// VectorEnv with session = true and the same seed.
class Session {
 public:
  Session(std::shared_ptr<const CompiledRules> rules, std::uint64_t seed);
  /// Goes on from a state of another one. Throws std::invalid_argument for what none can be in.
  Session(std::shared_ptr<const CompiledRules> rules, std::uint64_t seed,
          const SessionState& state);

  /// The next deal, not yet played; the same one until finish() is called. The session keeps the
  /// rules alive. Throws std::invalid_argument when the session is over.
  [[nodiscard]] Game next_game() const;
  /// Enter the deal that next_game() gave, played to its end.
  ///
  /// Throws std::invalid_argument if it is not over, or begins otherwise: another deal, another dealer's,
  /// or with a contract that was given.
  void finish(const Game& game);
  /// As enter_misdeal and start_special_round. Throw std::invalid_argument when the session is
  /// over.
  std::array<std::int32_t, kMaxPlaces> misdeal();
  void start_special_round(SpecialRound mode = SpecialRound::kNone);

  [[nodiscard]] bool is_over() const { return schafkopf::is_over(rules_->rules(), state_); }
  /// Accounts by place in 1/tariff_scale units: payoffs and Stock, less the Reuegeld, bonus at the
  /// end. With the Stock and the kitty they add up to the bonuses.
  [[nodiscard]] const std::array<std::int64_t, kMaxPlaces>& totals() const { return state_.totals; }
  /// Round that the next deal belongs to, from 0; the number of rounds when the session is over.
  [[nodiscard]] int round() const { return state_.num_counted / rules_->rules().players; }
  [[nodiscard]] int num_deals() const { return state_.num_deals; }
  [[nodiscard]] int num_thrown_in() const { return state_.num_thrown_in; }
  /// Place that deals next; with four players his seat.
  [[nodiscard]] int dealer() const { return state_.dealer; }
  [[nodiscard]] std::int32_t stock() const { return state_.context.stock; }
  [[nodiscard]] std::int64_t kitty() const { return state_.kitty; }
  /// Place of each seat of the next game.
  [[nodiscard]] std::array<std::int8_t, kNumSeats> places() const {
    return places_of(rules_->rules(), state_.dealer);
  }
  [[nodiscard]] const SessionState& state() const { return state_; }
  [[nodiscard]] const CompiledRules& rules() const { return *rules_; }
  [[nodiscard]] std::uint64_t seed() const { return seed_; }

 private:
  void require_running(const char* what) const;

  std::shared_ptr<const CompiledRules> rules_;
  std::uint64_t seed_;
  SessionState state_;
};

}  // namespace schafkopf
