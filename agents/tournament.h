// Duplicate tournaments: who plays better, by how many points per game, and how sure that is
// (METHODS section 7). The unit is the deal block: one deal in every seating that is needed, with
// common random numbers; all errors come from the spread between blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "env/compiled_rules.h"
#include "env/enum_set.h"
#include "env/policy.h"

namespace schafkopf {

/// Full game: the agents bid and play, in the special round that the rules name. Card play: the
/// contract of each deal comes from a generator, and all deals are normal ones.
enum class Track : std::uint8_t { kFull, kCardPlay };
[[nodiscard]] constexpr auto names_of(Track) { return make_names("full", "card_play"); }

/// One player of a tournament.
struct TournamentAgent {
  std::string spec;                                // registry string
  std::string name = {};                           // display name; empty: the spec
  std::shared_ptr<const BatchPolicy> policy = {};  // used instead of the spec if given
};

struct TournamentOptions {
  std::vector<TournamentAgent> agents;         // two or more, names distinct
  std::shared_ptr<const CompiledRules> rules;  // any; claims of the rest are left out
  int blocks = 1000;                           // deals
  std::uint64_t seed = 1;
  Track track = Track::kFull;
  std::string generator = "heuristic";  // contracts of the card-play track
  int threads = 0;                      // 0: one per core
  bool greedy = false;                  // every agent plays its most probable action
};

/// Mean over blocks with its 95 % interval mean +- half_width (1.96 sd / sqrt(blocks)).
struct Estimate {
  double mean = 0.0;
  double half_width = 0.0;
  double sd = 0.0;  // between blocks
};
[[nodiscard]] Estimate estimate(const std::vector<double>& per_block);

/// How often an agent was declarer of a contract and how often it won. Index: see contract_keys().
struct DeclarerCount {
  std::int64_t games = 0;
  std::int64_t won = 0;
};

struct TournamentResult {
  std::vector<std::string> names, specs;
  int blocks = 0;        // finished blocks
  bool stopped = false;  // before all blocks were played
  std::int64_t games = 0, decisions = 0;
  /// [k][k]: points per game of one i against j in all other seats, three or two (tariff units);
  /// zero on the diagonal.
  std::vector<std::vector<Estimate>> one_against_three;
  /// [k][k]: (i against j - j against i) / 2, paired by block.
  std::vector<std::vector<Estimate>> difference;
  /// [k]: weighted least squares of E[pay] = n/(n-1) (r - mean r of the table of n), sum 0.
  std::vector<Estimate> ratings;
  /// Largest |d(a,b) + d(b,c) + d(c,a)| over three agents, {-1,-1,-1} with less than three.
  struct Cycle {
    int agents[3] = {-1, -1, -1};
    Estimate sum;
  } cycle;
  /// [k][contract]: as declarer, over all its games; the last column of seats counts deals.
  std::vector<std::vector<DeclarerCount>> declared;
  std::vector<std::int64_t> seat_deals;  // [k] deals times seats that the agent played
  std::vector<std::int64_t> thrown_in;   // [k] of them, deals that nobody played
};

/// Names of the columns of TournamentResult::declared: "RUF", ..., then Tout forms "SOLO_TOUT".
[[nodiscard]] const std::vector<std::string>& contract_keys();

/// Called now and then by the calling thread; returns false to stop after the running chunks.
using TournamentProgress = std::function<bool(int blocks_done, int blocks)>;

/// Round robin of all pairs, each in both directions: per block one game per seat, with i in that
/// seat against j in the others. Results do not depend on the number of threads.
///
/// Throws std::invalid_argument naming the option and what is allowed; errors of agents are passed
/// on. A stopped tournament returns the blocks it finished.
[[nodiscard]] TournamentResult run_tournament(const TournamentOptions& options,
                                              const TournamentProgress& progress = {});

/// Everything as JSON: options, rule-set name and hash, versions, matrices, ratings, contracts.
[[nodiscard]] std::string to_json(const TournamentResult& result, const TournamentOptions& options);
/// The payoff matrix, ratings and contracts as a table for a terminal.
[[nodiscard]] std::string to_text(const TournamentResult& result, const TournamentOptions& options);

}  // namespace schafkopf
