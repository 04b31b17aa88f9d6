// What a phase of a deal asks for when it has had its say (RULES D.2).
#pragma once

#include <cstdint>

#include "env/rules/rules.h"

namespace schafkopf {

/// What a player who has won the auction, or must play, may name.
enum class Naming : std::uint8_t { kAny, kSingles, kSolo, kSoloNoTout, kDuty, kOwed };

/// Who goes on; what a step needs stands beside it.
struct Next {
  enum class Step : std::uint8_t {
    kAnswer,     // the seat to move answers
    kAuction,    // the auction, or what the mode of the deal has in its place
    kHochzeit,   // offers of a Hochzeit
    kContest,    // `positions` want to play and may name `naming`
    kNaming,     // `seat` names a game out of `naming`
    kAllPassed,  // nobody plays
    kExchange,   // the declarer draws a card (C.20.11)
    kContract,   // the contract has been named
    kThrowIn,    // no game: `how`
    kPlay,       // the first card
  };
  Step step = Step::kAnswer;
  std::uint8_t seat = 0;  // of kContest: bit per position
  Naming naming = Naming::kAny;
  AllPass how{};

  [[nodiscard]] static constexpr Next answer() { return {}; }
  [[nodiscard]] static constexpr Next to(Step step) { return {.step = step}; }
  [[nodiscard]] static constexpr Next name(int seat, Naming naming) {
    return {Step::kNaming, static_cast<std::uint8_t>(seat), naming, {}};
  }
  [[nodiscard]] static constexpr Next contest(std::uint8_t positions, Naming naming) {
    return {Step::kContest, positions, naming, {}};
  }
  [[nodiscard]] static constexpr Next throw_in(AllPass how) {
    return {Step::kThrowIn, 0, Naming::kAny, how};
  }
};

}  // namespace schafkopf
