// Settlement: from the outcome of a deal to payoffs, as a pure function (RULES G).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "env/cards/contract.h"
#include "env/deal/deal.h"

namespace schafkopf {

class CompiledRules;

/// Infractions of RULES E.6: injected events, because the engine refuses illegal actions.
enum class Infraction : std::uint8_t {
  kNone,
  kWrongLead,
  kRevoke,
  kRevokeLate,
  kCardCount,
  kTalk,
};
/// Names in records, in the order of the enumerators.
[[nodiscard]] constexpr auto names_of(Infraction) {
  return make_names("NONE", "INF_WRONG_LEAD", "INF_REVOKE", "INF_REVOKE_LATE", "INF_CARD_COUNT",
                    "INF_TALK");
}

/// What happened in a deal, everything the price depends on. Game fills it; examples and
/// `schafkopf rules` fill it by hand: check_outcome (env/record/input_check.h) refuses what no deal has, and
/// without that the functions here mean nothing.
struct Outcome {
  Contract contract;
  bool thrown_in = false;                        // all pass without a game
  bool stock_deposit = false;                    // thrown in, everybody pays into the Stock (D.6)
  bool all_passed = false;                       // nobody declared: thrown in, or played by D.6
  std::uint8_t declarer_party = 0;               // bit per absolute seat
  std::array<std::uint8_t, kNumSeats> points{};  // card points taken, 0..120
  std::array<std::uint8_t, kNumSeats> tricks{};
  /// RAMSCH tie chain (C.6): number of trumps in own tricks and the highest one, kNoCard = none.
  std::array<std::uint8_t, kNumSeats> trumps_taken{};
  std::array<Card, kNumSeats> highest_trump = {kNoCard, kNoCard, kNoCard, kNoCard};
  int laufende = 0;  // payable number (G.4), after minimum and cap
  int level = 0;     // doublings
  bool defenders_doubled_last = false;
  int legen = 0;  // number of LAY
  int forehand = 0;
  std::uint8_t announced = 0;  // RAMSCH: bit per seat that announced the Jungfrau (OPEN-21)
  int claimed_laufende = -1;   // number that was claimed (G.5), -1 = paid unasked
  int claimed_schwarz = -1;    // 1 claimed, 0 not claimed, -1 = paid unasked
  /// E.6. After a wrong lead or a revoke `points` and `tricks` already hold the rest of the deal on
  /// the opponents' side.
  Infraction infraction = Infraction::kNone;
  int offender = -1;  // seat of the infraction
};

/// Result of a deal; amounts in 1/tariff_scale units per absolute seat, positive = receives.
struct Settlement {
  std::array<std::int32_t, kNumSeats> payoffs{};
  std::array<std::int32_t, kNumSeats> stock_payoffs{};  // from (+) and into (-) the Stock
  std::int32_t reuegeld = 0;  // what the declarer pays into the kitty besides (G.7)
  std::int32_t price = 0;     // per payer; negative if over-claims cost more than the game
  int declarer_points = 0;
  bool won = false;
  bool schneider = false;
  bool schwarz = false;
  bool schwarz_paid = false;  // Schwarz counts and was not forgotten (G.5)
  int laufende = 0;           // payable number
  int laufende_paid = 0;      // number in the price: differs after a claim, may be negative
  std::int8_t loser = -1;     // RAMSCH
  std::uint8_t virgins = 0;   // RAMSCH: bit per seat
  std::int8_t march = -1;     // RAMSCH: seat of the Durchmarsch
  int multiplier = 1;         // 2^level * 2^legen * 2^bock
};

/// Largest price per payer, in 1/scale tariff units: what the factors of two make larger is paid as
/// this, so that nobody pays more than an amount can hold and payoffs still sum to zero.
inline constexpr std::int32_t kMostPrice = 300'000'000;

/// Largest pot: who would double a larger one pays only up to it, so that amounts stay in range.
inline constexpr std::int32_t kMaxStock = 1'000'000'000;

/// Fill trumps_taken and highest_trump of a seat (the tie chain of C.6).
/// won     trumps in its tricks
/// trumps  all trumps in order; the list may go on into a partner suit that is plain
///         (ramsch_trumps = no_herz)
void add_trumps_taken(Outcome& outcome, std::size_t seat, CardSet won, const TrumpList& trumps);

/// Card points of the declarer party at which the result changes (G.1).
struct PointLimits {
  int win = 0;             // needed to win
  int schneider_won = 0;   // from here the defenders are Schneider
  int schneider_lost = 0;  // up to here the declarer party is Schneider
};
/// Limits of a game for points; what counts in the outcome: contract and bid, who doubled last.
[[nodiscard]] PointLimits point_limits(const Outcome& outcome, const RuleSet& rules);

/// Payoffs of a deal in the order of G.9: price, Stock, Reuegeld; infractions by E.6.
[[nodiscard]] Settlement settle(const Outcome& outcome, const RuleSet& rules,
                                const DealContext& context = {});
[[nodiscard]] Settlement settle(const Outcome& outcome, const CompiledRules& rules,
                                const DealContext& context = {});

/// The same in words, one step per line: base, Schneider, Schwarz, Laufende, factors, payoffs.
[[nodiscard]] std::vector<std::string> settlement_steps(const Outcome& outcome,
                                                        const RuleSet& rules,
                                                        const DealContext& context = {});
[[nodiscard]] std::vector<std::string> settlement_steps(const Outcome& outcome,
                                                        const CompiledRules& rules,
                                                        const DealContext& context = {});

/// Laufende in the price after a claim: an over-claim is paid back double (G.5; ).
[[nodiscard]] constexpr int laufende_after_claim(int payable, int claimed) {
  return claimed > payable ? 2 * payable - claimed : claimed;
}

/// Player party of a Kreuzbock, whose thresholds are those of the declarer (C.5; R-042): the party
/// that doubled last, else the one that laid first, else the one with the Eichel-Ober. Parties are
/// 0 = forehand's parity or any other numbering; -1 = nobody did.
[[nodiscard]] constexpr int kreuzbock_party(int last_kontra, int first_legen, int eichel_ober) {
  if (last_kontra >= 0) return last_kontra;
  return first_legen >= 0 ? first_legen : eichel_ober;
}

/// Laufende before minimum and cap: length of the top run of trumps that one side holds (G.4).
/// holdings  cards of the declarer party at the start of play
[[nodiscard]] int top_run(const TrumpList& trumps, CardSet party);

/// Payable Laufende of a top run after minimum and cap (R-162..R-164).
[[nodiscard]] int payable_run(const Contract& contract, int run, const CompiledRules& rules);

/// The same of the cards that the declarer party was dealt.
[[nodiscard]] int payable_laufende(const Contract& contract, CardSet declarer_party,
                                   const CompiledRules& rules);

}  // namespace schafkopf
