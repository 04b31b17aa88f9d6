// Strength during training: card play or whole games on the same deals every time, one against
// three and three against one, every deal played from every seat. Tournaments
// (agents/tournament/tournament.h) give the figures that count.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "env/base/enum_set.h"
#include "env/cards/contract_class.h"
#include "env/rules/compiled_rules.h"
#include "env/view/policy.h"

namespace schafkopf {

/// What is played, as in tournaments.
enum class EvaluationTrack : std::uint8_t {
  kCardPlay,  // contracts of a generator
  kFull,      // the players bid
};
[[nodiscard]] constexpr auto names_of(EvaluationTrack) { return make_names("card_play", "full"); }

/// Of the way of measuring; figures of another one do not compare. 1: a deal in which the measured seat
/// has no choice was dealt anew.
inline constexpr int kEvaluationVersion = 2;

struct EvaluationSettings {
  std::shared_ptr<const CompiledRules> rules;
  std::string opponent = "rules";  // registry string of the other seats
  EvaluationTrack track = EvaluationTrack::kCardPlay;
  std::string generator = "heuristic";  // of the contracts, for card play
  int blocks = 200;                     // deals, each played from every seat
  int calibration_blocks = 0;           // more deals, of the bids of whole games; 0 = none
  std::uint64_t seed = 0;
  int num_threads = 1;
  const std::atomic<bool>* stop = nullptr;  // ends it early, or none
};

/// What a seat is in a game: of the declarer's party, or against it; in Ramsch everybody is alone.
enum class EvaluationRole : std::uint8_t { kDeclarer, kPartner, kDefender, kAlone };
[[nodiscard]] constexpr auto names_of(EvaluationRole) {
  return make_names("declarer", "partner", "defender", "alone");
}

/// The games of one contract class in which the measured seat had one role.
struct EvaluationShare {
  ContractClass contract = ContractClass::kRuf;
  EvaluationRole role = EvaluationRole::kDeclarer;
  std::int64_t games = 0;          // of the player, alone against opponents
  std::int64_t games_against = 0;  // of the opponent, alone against players
  std::int64_t won = 0;            // of `games`, by the declarer's party
  double alone = 0.0;              // points per game, as in Evaluation; 0 without games
  double against = 0.0;
  /// Half of alone - against, as the mean of all games; only where both directions have games.
  double mean = 0.0;
  double half_width = 0.0;
};

/// What the player expects of the games that it declares, and what it gets
/// (agents/tournament/calibration.h; the opponent in the other seats, in the worlds too).
struct EvaluationCalibration {
  std::string contract;     // one of contract_keys()
  std::int64_t games = 0;   // that it declared, and of which some world is left to expect by
  double expected = 0.0;    // share of the worlds that are won
  double won = 0.0;         // share of the games
  double half_width = 0.0;  // of expected - won: 95 %, over games; infinity for one game
};

/// Points per game. The intervals are of 95 %, over deals.
struct Evaluation {
  /// Mean of the two directions: what the player gains in its seat against opponents, and what one
  /// opponent loses against players.
  double mean = 0.0;
  double half_width = 0.0;  // as tournaments have it: none, infinity, where all deals were alike
  double alone = 0.0;       // the player's seat, opponents in the others
  double against = 0.0;     // an opponent's seat, the player in the others
  /// Deals that nobody played, as a share of the games of a direction.
  double thrown_in = 0.0, thrown_in_against = 0.0;
  std::vector<EvaluationShare> shares;             // by contract class and role; those with games
  std::vector<EvaluationCalibration> calibration;  // contracts with games

  /// Lower end of the interval: what the best weights of a run are chosen by, so that a lucky mean
  /// of few deals is not taken for strength.
  [[nodiscard]] double lower() const { return mean - half_width; }
};

/// Raises std::invalid_argument for an unknown opponent or generator, or rules that they cannot
/// play.
void check_evaluation(const EvaluationSettings& settings);

/// Play against the opponent. The figures do not depend on the number of threads. Raises as
/// check_evaluation, and std::runtime_error if it is stopped.
[[nodiscard]] Evaluation evaluate(const BatchPolicy& player, const EvaluationSettings& settings);

}  // namespace schafkopf
