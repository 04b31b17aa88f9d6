// Whether bids hold what they promise (METHODS section 7): what a player expects of the contracts
// that it declares against what it gets, and the same deals with other words in its place.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

#include "agents/search/beliefs.h"
#include "env/base/enum_set.h"
#include "env/rules/compiled_rules.h"
#include "env/view/policy.h"

namespace schafkopf {

/// Who holds the other seats in the worlds of an expectation.
enum class WorldTable : std::uint8_t { kOwn, kOpponents };
[[nodiscard]] constexpr auto names_of(WorldTable) { return make_names("own", "opponents"); }

struct CalibrationOptions {
  std::shared_ptr<const BatchPolicy> policy;    // alone at each seat in turn; no cheating baseline
  std::shared_ptr<const BatchPolicy> opponent;  // in all other seats; no cheating baseline
  std::shared_ptr<const CompiledRules> rules;
  int blocks = 3000;
  int worlds = 8;
  WorldTable table = WorldTable::kOwn;
  Beliefs beliefs = Beliefs::kUniform;
  std::uint64_t seed = 1;
  int threads = 0;  // 0: one per core
};

/// One deal with the player in one seat, three times: as it bids, with the words of the opponent,
/// and with as many passes as the rules allow. It plays all cards of its seat in each of them.
struct CalibrationRow {
  std::int32_t block = 0;
  std::int32_t payoff = 0;        // of the player's seat, 1/tariff_scale units
  std::int32_t other_payoff = 0;  // with the opponent's words
  std::int32_t passed_payoff = 0;
  /// Of declarers: of the worlds in which they declare the same (in others somebody goes over)
  /// the share that is won and the mean payoff (tariff units), and what
  /// the player itself says it expects. NaN: no declarer, no such worlds, no such estimate.
  float expected_won = std::numeric_limits<float>::quiet_NaN();
  float expected_payoff = std::numeric_limits<float>::quiet_NaN();
  float value = std::numeric_limits<float>::quiet_NaN();
  std::int8_t seat = 0;
  std::int8_t contract = -1;  // index into contract_keys(); -1 = thrown in
  std::int8_t declarer = -1;  // seat, -1 = none
  std::uint8_t won = 0;       // by the declarer's party
  std::int8_t other_contract = -1;
  std::int8_t other_declarer = -1;
  std::uint8_t other_won = 0;
  std::uint8_t reserved = 0;
};
static_assert(std::is_trivially_copyable_v<CalibrationRow> && sizeof(CalibrationRow) == 36);

/// Throws as calibrate() does for wrong options, before anything is played.
void check_calibration(const CalibrationOptions& options);

/// Called now and then, by one thread at a time and not always the calling one; returns false to
/// stop.
using CalibrationProgress = std::function<bool(int blocks_done, int blocks)>;

/// Plays every deal from every seat. Expectations are those of a declarer at its last decision
/// before the first card: hidden hands are drawn from all that fit what it sees, uniformly or as
/// `beliefs` weigh them, and played on from there to the end. Results do not depend on the number
/// of threads.
///
/// Returns rows by block and seat; none where `progress` stopped it.
/// Throws std::invalid_argument naming the option and what is allowed; errors of players are passed
/// on.
[[nodiscard]] std::vector<CalibrationRow> calibrate(const CalibrationOptions& options,
                                                    const CalibrationProgress& progress = {});

}  // namespace schafkopf
