// Duplicate tournaments: who plays better, by how many points per game, and how sure that is
// (METHODS section 7). The unit is the deal block: one deal in every seating that a pairing needs,
// with common random numbers; all errors come from the spread between blocks. Every figure is a
// function of the played games in their fixed order, so it does not depend on threads, on how the
// work was cut, or on whether a run was killed and resumed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "agents/work/outside_player.h"
#include "env/base/enum_set.h"
#include "env/rules/compiled_rules.h"
#include "env/view/policy.h"

namespace schafkopf {

/// Round robin: duplicate deals for all pairings. League: a league day of the rules (RULES H.3).
enum class Schedule : std::uint8_t { kRoundRobin, kLeague };
[[nodiscard]] constexpr auto names_of(Schedule) { return make_names("round_robin", "league"); }

/// Full game: the agents bid and play, in the special round that the rules name. Card play: the
/// contract of each deal comes from a generator or a list, and all deals are normal ones. Bidding:
/// the agents decide everything before the first card, one fixed card player plays all cards.
enum class Track : std::uint8_t { kFull, kCardPlay, kBidding };
[[nodiscard]] constexpr auto names_of(Track) { return make_names("full", "card_play", "bidding"); }

/// Seatings of a block. 1v3: one agent against the other in all other seats, once per seat. 2v2:
/// two against two, in all six ways; tables of four only. Declarer: one agent declares what the deal
/// gives to play, the other holds all other seats, one game; a block without a declarer has none.
enum class Format : std::uint8_t { kOneAgainstThree, kTwoAgainstTwo, kDeclarer };
[[nodiscard]] constexpr auto names_of(Format) { return make_names("1v3", "2v2", "declarer"); }

/// One player of a tournament.
struct TournamentAgent {
  std::string spec = {};                           // registry string
  std::string name = {};                           // display name; empty: the spec or the player's
  std::shared_ptr<const BatchPolicy> policy = {};  // used instead of the spec if given
};

/// Two agents that are to meet, by display name.
struct PairingWish {
  std::string one, others;
  bool both_directions = true;  // false: only `one` alone against the others, in 1v3 and declarer
  double precision = 0.0;       // wanted half width in points per game; 0 = that of the options
};

/// Rules by the name of a preset or the path of a file, read when they are first asked for; or
/// rules that are there. The first question is not for several threads at once.
class ChosenRules {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the name
  ChosenRules(std::string name = "research") : name_(std::move(name)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): a literal, too
  ChosenRules(const char* name) : name_(name == nullptr ? "" : name) {}
  // NOLINTNEXTLINE(google-explicit-constructor): it stands for the rules
  ChosenRules(std::shared_ptr<const CompiledRules> rules)
      : name_(rules == nullptr ? "" : rules->name()), rules_(std::move(rules)) {}
  // NOLINTNEXTLINE(google-explicit-constructor): what std::make_shared<CompiledRules> gives
  ChosenRules(std::shared_ptr<CompiledRules> rules)
      : ChosenRules(std::shared_ptr<const CompiledRules>(std::move(rules))) {}

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Throws std::invalid_argument naming what is wrong with the name or in the file.
  [[nodiscard]] const std::shared_ptr<const CompiledRules>& shared() const;
  const CompiledRules& operator*() const { return *shared(); }
  const CompiledRules* operator->() const { return shared().get(); }
  friend bool operator==(const ChosenRules& rules, std::nullptr_t) { return rules.name_.empty(); }

 private:
  std::string name_;
  mutable std::shared_ptr<const CompiledRules> rules_;
};

/// A tournament as it is asked for, by a file, a command line, Python or C++, and as its workers
/// see it. What each key means, its unit and its range: tournament_fields.h, which names all of
/// them but the last four.
struct TournamentOptions {
  // who
  std::vector<TournamentAgent> agents;
  std::string against;
  std::vector<PairingWish> pairings = {};
  std::vector<Format> formats = {Format::kOneAgainstThree};
  // what
  Schedule schedule = Schedule::kRoundRobin;
  ChosenRules rules;  // claims of the rest are left out
  Track track = Track::kCardPlay;
  std::string generator = "heuristic";
  std::string contract_list = {};
  std::string card_player = "rules";
  bool greedy = false;
  // how much
  int blocks = 1000;
  int tables = 0;
  double precision = 0.0;
  int first_check = 100;
  int players = 16;
  std::uint64_t seed = 1;
  // what is measured besides
  bool calibration = true;
  bool double_dummy = false;
  // how it runs
  int threads = 0;
  int blocks_at_once = 0;

  std::string journal = {};  // file that receives what is finished at once; empty: none
  bool resume = false;       // go on with that file
  /// "FILE:LINE" of each key that a file set, and the file, for messages.
  std::map<std::string, std::string, std::less<>> places = {};
  std::string file = {};
};

/// Mean over blocks with its 95 % interval mean +- half_width (Student's t). One block, or some that
/// all gave the same, say nothing of the spread: the half width is infinite, null in JSON.
struct Estimate {
  double mean = 0.0;
  double half_width = 0.0;
  double sd = 0.0;  // between blocks
  int blocks = 0;   // 0 = nothing was played
  int telling = 0;  // blocks that did not give exactly 0
};
[[nodiscard]] Estimate estimate(const std::vector<double>& per_block);
/// "+1.50 +- 0.25"; without what does not exist: the interval of one block, "-" where nothing was
/// played.
[[nodiscard]] std::string to_text(const Estimate& estimate);

/// One game as it stands in journals and tables; a value without padding.
struct GameRow {
  std::int32_t block = 0;     // number of the deal
  std::uint16_t pairing = 0;  // index into TournamentResult::pairings; their number = random table
  std::uint8_t seats = 0;     // bit per absolute seat that the first agent held (table_agents)
  std::uint8_t dealer = 0;
  std::int8_t contract = -1;                      // index into contract_keys(); -1 = thrown in
  std::int8_t declarer = -1;                      // seat, -1 = none
  std::uint8_t party = 0;                         // bit per seat of the declarer party
  std::uint8_t won = 0;                           // the declarer party
  std::array<std::int32_t, kNumSeats> payoffs{};  // 1/tariff_scale units
  std::uint16_t decisions = 0;                    // asked of agents
  std::uint8_t points = 0;                        // card points of the declarer party
  /// Decisions that a fallback answered because a player in another process failed, at most 255.
  std::uint8_t failures = 0;
  /// Payoff (tariff units) that the declarer expected at its last decision before the first card,
  /// in the card-play track at its first card; NaN = the agent has no values.
  float expected = std::numeric_limits<float>::quiet_NaN();
  /// Per absolute seat: cards that threw a game away which was won with open cards
  /// (DoubleDummyJudge); kNotCounted unless the options ask for them.
  static constexpr std::uint8_t kNotCounted = 255;
  std::array<std::uint8_t, kNumSeats> errors{kNotCounted, kNotCounted, kNotCounted, kNotCounted};
};
static_assert(std::is_trivially_copyable_v<GameRow> && sizeof(GameRow) == 40);

/// One pairing and what it gave.
struct PairingResult {
  int one = 0, others = 0;  // agents
  Format format = Format::kOneAgainstThree;
  double precision = 0.0;  // wanted half width, 0 = all blocks
  Estimate mean;           // points per game of a seat of the first agent
  std::int64_t games = 0;
  double sd_game = 0.0;  // of one game
  /// Variance of the mean of as many independent games over that of the blocks; 0 = not defined.
  double gain = 0.0;
};

/// Points per game of an agent in one kind of game: sum over count, with a 95 % interval from the
/// spread between blocks. Counted are the seats that measure it: the one of 1v3, all of 2v2 and of
/// random tables.
struct Share {
  std::string contract = {};  // one of contract_keys(); empty: all
  std::string role = {};      // declarer, partner, defender, alone (Ramsch), none (thrown in)
  int position = -1;          // 0 = forehand; -1: all
  std::int64_t games = 0;
  std::int64_t won = 0;  // by the player's own side; of a Ramsch: was paid
  Estimate points;       // sd is 0
  Estimate errors;       // of this player per game with open cards; blocks = 0 if not counted
};

/// Declarers of one range of expectation. The win rate that an expected payoff implies is taken on
/// the line between the mean payoffs of lost and of won games of the same contract.
struct CalibrationBin {
  std::int64_t games = 0;
  double expected_payoff = 0.0, payoff = 0.0;  // means in tariff units
  double expected_win_rate = 0.0, win_rate = 0.0;
  /// Of the win rate, about 95 %, at most 1: games of one block belong together, and few blocks, as
  /// Student's t has it, say little.
  double half_width = 0.0;
};

/// How often an agent was declarer of a contract and how often it won. Index: see contract_keys().
struct DeclarerCount {
  std::int64_t games = 0;
  std::int64_t won = 0;
};

struct TournamentResult {
  std::vector<std::string> names, specs;
  int blocks = 0;        // finished blocks of the pairing that has most
  bool stopped = false;  // before all blocks were played
  std::int64_t games = 0, decisions = 0;
  std::int64_t kept_failures = 0;  // of players in other processes, in what an earlier run played
  std::vector<PairingResult> pairings;
  /// [k][k]: points per game of one i against j in all other seats, three or two (tariff units);
  /// blocks = 0 on the diagonal and where they did not meet.
  std::vector<std::vector<Estimate>> one_against_three;
  /// [k][k]: (i against j - j against i) / 2, paired by block.
  std::vector<std::vector<Estimate>> difference;
  /// [k][k]: points per game of a seat of i with two i and two j at the table.
  std::vector<std::vector<Estimate>> two_against_two;
  /// [k][k]: points per game of i, which declares, against j in all other seats. No part of ratings
  /// and differences: what is declared says more than who plays it.
  std::vector<std::vector<Estimate>> as_declarer;
  /// [k]: points per game at random tables; blocks = 0 if the agent sat at none.
  std::vector<Estimate> at_tables;
  std::int64_t table_games = 0;
  /// [k]: weighted least squares of E[pay] = n/(n-1) (r - mean r of the table of n), sum 0.
  std::vector<Estimate> ratings;
  /// d(a,b) + d(b,c) + d(c,a) of the three agents where it is the farthest from 0, measured by its
  /// interval; that of the sum is 95 % for the farthest of all. {-1,-1,-1} with less than three.
  struct Cycle {
    std::array<int, 3> agents = {-1, -1, -1};
    Estimate sum;
    int of = 0;  // so many threes had met
  } cycle;
  /// [k][contract]: as declarer, over all its games; the last column of seats counts deals.
  std::vector<std::vector<DeclarerCount>> declared;
  std::vector<std::int64_t> seat_deals;               // [k] deals times seats that the agent played
  std::vector<std::int64_t> thrown_in;                // [k] of them, deals that nobody played
  std::vector<std::vector<Share>> shares;             // [k] by role, contract and role, position
  std::vector<std::optional<OutsideReport>> outside;  // [k] of players in other processes, this run
  std::vector<std::vector<CalibrationBin>> calibration;  // [k], by growing expectation
  std::vector<GameRow> rows;                             // by pairing, block, seats
};

/// Agents of a block's random table, clockwise from the seat that GameRow::seats marks; `seats` of
/// them, all different. A function of the arguments. Throws std::invalid_argument for a block below 0
/// and for more seats than agents or than a table has.
[[nodiscard]] std::array<int, kNumSeats> table_agents(std::uint64_t seed, int block, int agents,
                                                      int seats);

/// Names of the columns of TournamentResult::declared: "RUF", ..., then Tout forms "SOLO_TOUT".
[[nodiscard]] const std::vector<std::string>& contract_keys();

/// Called now and then by the calling thread; returns false to stop after the running blocks.
using TournamentProgress = std::function<bool(int blocks_done, int blocks)>;

/// Plays all pairings block by block. Results do not depend on the number of threads.
///
/// With a journal, every finished block is written there at once, so a killed run loses at most the
/// blocks in progress; with `resume` it goes on and ends with the result of a run that was never
/// killed. Throws std::invalid_argument naming the option and what is allowed, or what differs
/// between the journal and the options; std::runtime_error if the journal cannot be read or
/// written; errors of agents are passed on. A stopped tournament returns the blocks it finished.
[[nodiscard]] TournamentResult run_tournament(const TournamentOptions& options,
                                              const TournamentProgress& progress = {});

/// Who is to meet: each other agent alone against `against`, then the pairings; empty: everybody.
/// Throws std::invalid_argument where `against` is none of the agents.
[[nodiscard]] std::vector<PairingWish> wishes_of(const TournamentOptions& options);

/// Where a part of a tournament begins; it ends at `blocks` and `tables` of the options.
struct TournamentStart {
  int block = 0;
  int table = 0;
};

/// Plays a part of a tournament. The journals of parts that leave nothing out, their pieces behind
/// each other, are a journal of the whole, and run_tournament gives its result from it. Throws as
/// run_tournament; a wanted precision is refused, because the parts do not know of each other.
[[nodiscard]] std::vector<GameRow> play_part(const TournamentOptions& options,
                                             const TournamentStart& start,
                                             const TournamentProgress& progress = {});

/// Throws what run_tournament would throw before its first game, and plays nothing. A journal that
/// exists is opened and closed again.
void check_tournament(const TournamentOptions& options);

/// Everything as JSON: options, rule-set name and hash, versions, matrices, ratings, contracts.
[[nodiscard]] std::string to_json(const TournamentResult& result, const TournamentOptions& options);
/// The payoff matrix, ratings and contracts as a table for a terminal.
[[nodiscard]] std::string to_text(const TournamentResult& result, const TournamentOptions& options);

}  // namespace schafkopf
