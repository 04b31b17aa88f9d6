// What a deal pays in a world (agents/worlds/worlds.h): the bridge from points and tricks to tariff
// units, for search. Seats are relative to the viewing seat.
#pragma once

#include <array>
#include <cstdint>

#include "agents/solver/solver.h"
#include "agents/worlds/worlds.h"
#include "env/cards/contract.h"
#include "env/price/settle.h"
#include "env/rules/compiled_rules.h"
#include "env/view/view.h"

namespace schafkopf {

/// Payoffs of one world under the contract of a view, as things stand: doublings, Legen, Bock and
/// the Laufende of the dealt cards count; the Stock does not.
class WorldValue {
 public:
  /// Throws std::invalid_argument without a contract.
  WorldValue(const PlayerView& view, const CompiledRules& rules, const World& world);

  [[nodiscard]] const ContractRow& row() const { return *row_; }
  [[nodiscard]] bool tout() const { return outcome_.contract.tout; }
  /// Bit r: relative seat r belongs to the declarer party.
  [[nodiscard]] std::uint8_t party() const { return outcome_.declarer_party; }
  [[nodiscard]] const Outcome& outcome() const { return outcome_; }

  /// Points at which the payoff changes: the limits of the rules, Muss-Spiel, bid and Kontra
  /// included.
  [[nodiscard]] const PayoffLimits& limits() const { return limits_; }

  /// Payoffs in tariff units if the declarer party ends in this class; a game for all tricks is won
  /// with kAllTricks alone, one for no trick with kNoTrick alone.
  [[nodiscard]] std::array<double, kNumSeats> of_class(PayoffClass result) const;
  /// Payoffs in tariff units after the last card.
  [[nodiscard]] std::array<double, kNumSeats> finished(const PlayState<std::uint32_t>& play) const;

 private:
  [[nodiscard]] std::array<double, kNumSeats> settled(const Outcome& outcome) const;
  const CompiledRules* rules_;
  const ContractRow* row_ = nullptr;
  DealContext context_;
  Outcome outcome_;  // all but points and tricks
  PayoffLimits limits_;
};

}  // namespace schafkopf
