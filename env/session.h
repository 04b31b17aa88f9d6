// Consecutive deals at one table: who deals, what a deal hands to the next, the account (RULES H).
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "env/compiled_rules.h"
#include "env/deal.h"
#include "env/game.h"

namespace schafkopf {

/// Where a session stands between two deals; a value type, used by Session and VectorEnv.
struct SessionState {
  std::array<std::int64_t, kNumSeats> totals{};  // by absolute seat, in 1/tariff_scale units
  DealContext context;                           // what the next deal inherits
  std::int32_t num_deals = 0;                    // finished deals, thrown-in ones included
  std::int32_t num_thrown_in = 0;                // of these, thrown in after all passed
  std::int32_t num_counted = 0;                  // of these, deals that count for the rounds
  std::int32_t dealer = 0;                       // of the next deal
  friend constexpr bool operator==(const SessionState&, const SessionState&) = default;
};

/// State before the first deal. first_dealer = random draws the dealer from the seed of that deal
/// (B.3.5).
[[nodiscard]] SessionState begin_session(const CompiledRules& rules, std::uint64_t first_deal_seed);
/// Number of deals that count until the session is over: sittings x rounds x seats (H.1, H.2).
[[nodiscard]] int session_length(const CompiledRules& rules);
[[nodiscard]] bool is_over(const CompiledRules& rules, const SessionState& state);
/// Enter a finished deal: account, number of deals, next dealer to the left, also after a throw-in
/// (B.3.5, H.1; R-178). Whether a throw-in counts for the round: `thrown_in_counts` (OPEN-47).
void finish_deal(SessionState& state, const Game& game);

/// A whole session. Deal k is random_deal(episode_seed(seed, 0, k)): the deals of row 0 of a
/// VectorEnv with session = true and the same seed.
class Session {
 public:
  Session(std::shared_ptr<const CompiledRules> rules, std::uint64_t seed);

  /// The next deal, not yet played; the same one until finish() is called. The session keeps the
  /// rules alive. Throws std::invalid_argument when the session is over.
  [[nodiscard]] Game next_game() const;
  /// Enter the deal that next_game() gave, played to its end.
  ///
  /// Throws std::invalid_argument if it is not over, or is another deal or another dealer's.
  void finish(const Game& game);

  [[nodiscard]] bool is_over() const { return schafkopf::is_over(*rules_, state_); }
  /// Sum of payoffs by absolute seat in 1/tariff_scale units; they add up to zero.
  [[nodiscard]] const std::array<std::int64_t, kNumSeats>& totals() const { return state_.totals; }
  /// Round that the next deal belongs to, from 0; the number of rounds when the session is over.
  [[nodiscard]] int round() const { return state_.num_counted / rules_->seats(); }
  [[nodiscard]] int num_deals() const { return state_.num_deals; }
  [[nodiscard]] int num_thrown_in() const { return state_.num_thrown_in; }
  [[nodiscard]] int dealer() const { return state_.dealer; }
  [[nodiscard]] const SessionState& state() const { return state_; }
  [[nodiscard]] const CompiledRules& rules() const { return *rules_; }

 private:
  [[nodiscard]] Deal deal() const;

  std::shared_ptr<const CompiledRules> rules_;
  std::uint64_t seed_;
  SessionState state_;
};

}  // namespace schafkopf
