// Settlement: from the outcome of a deal to payoffs, as a pure function (RULES G).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "env/contract.h"
#include "env/deal.h"

namespace schafkopf {

class CompiledRules;

/// What happened in a deal, everything the price depends on. Game fills it; examples and
/// `schafkopf rules` fill it by hand.
struct Outcome {
  Contract contract;
  bool thrown_in = false;                        // all pass without a game: nothing is paid
  std::uint8_t declarer_party = 0;               // bit per absolute seat
  std::array<std::uint8_t, kNumSeats> points{};  // card points taken, 0..120
  std::array<std::uint8_t, kNumSeats> tricks{};
  /// RAMSCH tie chain (C.6): number of trumps in own tricks and strength of the highest one
  /// (larger = stronger, 0 = none).
  std::array<std::uint8_t, kNumSeats> trumps_taken{};
  std::array<std::uint8_t, kNumSeats> highest_trump{};
  int laufende = 0;  // payable number (G.4), after minimum and cap
  int level = 0;     // doublings
  bool defenders_doubled_last = false;
  int legen = 0;  // number of LAY
  int forehand = 0;
};

/// Result of a deal; amounts in 1/tariff_scale units per absolute seat, positive = receives.
struct Settlement {
  std::array<std::int32_t, kNumSeats> payoffs{};
  std::array<std::int32_t, kNumSeats> stock_payoffs{};
  std::int32_t price = 0;  // per payer
  int declarer_points = 0;
  bool won = false;
  bool schneider = false;
  bool schwarz = false;
  int laufende = 0;
  std::int8_t loser = -1;    // RAMSCH
  std::uint8_t virgins = 0;  // RAMSCH: bit per seat
  std::int8_t march = -1;    // RAMSCH: seat of the Durchmarsch
  int multiplier = 1;        // 2^level * 2^legen * 2^bock
};

[[nodiscard]] Settlement settle(const Outcome& outcome, const CompiledRules& rules,
                                const DealContext& context = {});

/// The same in words, one step per line: base, Schneider, Schwarz, Laufende, factors, payoffs.
[[nodiscard]] std::vector<std::string> settlement_steps(const Outcome& outcome,
                                                        const CompiledRules& rules,
                                                        const DealContext& context = {});

/// Laufende before minimum and cap: length of the top run of trumps that one side holds (G.4).
/// holdings  cards of the declarer party at the start of play
[[nodiscard]] int top_run(const TrumpList& trumps, CardSet party);

/// Payable Laufende of a top run after minimum and cap (R-162..R-164).
[[nodiscard]] int payable_run(const Contract& contract, int run, const CompiledRules& rules);

/// The same of the cards that the declarer party was dealt.
[[nodiscard]] int payable_laufende(const Contract& contract, CardSet declarer_party,
                                   const CompiledRules& rules);

}  // namespace schafkopf
