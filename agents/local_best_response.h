// Local best response: a lower bound on what one seat can gain against three copies of a player in
// real deals (METHODS section 7). Four copies bid and play to trick 5; from there one seat, in
// turn, knows the exact posterior of the hidden hands (posterior.h) and takes at each choice the
// card that would be best if from then on everybody, itself included, played on like the copies.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "agents/tournament.h"
#include "env/compiled_rules.h"
#include "env/policy.h"

namespace schafkopf {

struct LocalResponseOptions {
  std::shared_ptr<const BatchPolicy> policy;  // no cheating baseline; plays all four seats
  std::shared_ptr<const CompiledRules> rules;
  int states = 1000;  // deals that come to trick 5
  int worlds = 100;   // drawn from the posterior for each choice; all, if there are no more
  std::uint64_t seed = 1;
  int threads = 0;  // 0: one per core
};

/// Amounts in tariff units per game that comes to trick 5, for the responding seat.
struct LocalResponseResult {
  int states = 0;        // finished
  bool stopped = false;  // before all were
  Estimate gain;         // response minus the player's own continuation of the same deal
  Estimate own;          // the player's own continuation
  std::int64_t choices = 0, changed = 0;  // of the responding seat; another card than the player's
  std::int64_t unexplained = 0;  // choices at which the player's probabilities excluded every deal
};

/// As ExploitProgress (exploit.h), in states.
using LocalResponseProgress = std::function<bool(int states_done, int states)>;

/// Plays the states. The response is a strategy that a seat could really play, so that the gain
/// bounds exploitability from below, whatever its estimates are worth. Deals that nobody plays,
/// that end before trick 5 or whose past decisions a view does not show (cards passed on in secret)
/// are replaced by others. Where what was done has no probability (`unexplained`), the posterior is
/// that of kCautious. Results do not depend on the number of threads.
///
/// Throws std::invalid_argument naming the option and what is allowed, and where the rules hardly
/// give such states; errors of players are passed on.
[[nodiscard]] LocalResponseResult local_best_response(const LocalResponseOptions& options,
                                                      const LocalResponseProgress& progress = {});

/// Result as JSON, with the options; one paragraph for a terminal.
[[nodiscard]] std::string to_json(const LocalResponseResult& result,
                                  const LocalResponseOptions& options);
[[nodiscard]] std::string to_text(const LocalResponseResult& result,
                                  const LocalResponseOptions& options);

}  // namespace schafkopf
