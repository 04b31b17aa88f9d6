// What the parts of a tournament share: the plan (agents, pairings, first positions), the worker
// that plays it, and the summary of the played games. Not for users; they include tournament.h.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agents/tournament/tournament.h"
#include "agents/work/decision_rows.h"
#include "agents/work/journal.h"
#include "agents/worlds/double_dummy.h"
#include "env/game/game.h"
#include "env/vector/contract_generator.h"
#include "env/view/single_rule_table.h"

namespace schafkopf {

/// Who meets whom in which seatings; its index is GameRow::pairing.
struct Pairing {
  int one = 0, others = 0;
  Format format = Format::kOneAgainstThree;
  double precision = 0.0;

  /// Seats of the first agent as a bit mask, one per game of a block, in order.
  ///
  /// declarer  of the block, -1 = none or not yet known
  [[nodiscard]] std::span<const std::uint8_t> seatings(int seats, int declarer) const;
  /// How many games a block has that has any.
  [[nodiscard]] std::size_t games_of_block(int seats) const;
  [[nodiscard]] int seats_of_one() const { return format == Format::kTwoAgainstTwo ? 2 : 1; }
};

/// A deal with its contract, from a list.
struct ListedDeal {
  Deal deal;
  int dealer = 0;
  Contract contract;
};

/// One block of one pairing, or at its random table.
struct BlockUnit {
  int block = 0;
  int pairing = 0;  // or TournamentPlan::tables()
  friend bool operator==(const BlockUnit&, const BlockUnit&) = default;
  friend auto operator<=>(const BlockUnit&, const BlockUnit&) = default;
};

/// What all workers share; read only. `options` must outlive it.
struct TournamentPlan {
  const TournamentOptions* options = nullptr;
  std::vector<std::unique_ptr<BatchPolicy>> agents;  // in the bidding track the card player is last
  std::vector<Pairing> pairings;
  std::unique_ptr<ContractGenerator> generator;  // null: full, bidding, or a list
  std::vector<ListedDeal> listed;

  [[nodiscard]] int seats() const { return options->rules->seats(); }
  /// Display name of one of `agents`.
  [[nodiscard]] std::string name_of_player(std::size_t agent) const;
  /// What stands for a pairing where a random table plays.
  [[nodiscard]] int tables() const { return static_cast<int>(pairings.size()); }
  /// Seats of the first agent, one bit mask per game of a block that starts like this.
  [[nodiscard]] std::span<const std::uint8_t> seatings(int pairing, const Game& start) const;
  /// How many games a block has that has any; 0 of what is no pairing.
  [[nodiscard]] std::size_t games_of(int pairing) const;
  /// Who holds each seat in a game of a block.
  [[nodiscard]] std::array<int, kNumSeats> players(const BlockUnit& unit, std::uint8_t first) const;
  /// Bit per seat whose player a game measures.
  [[nodiscard]] std::uint8_t measured(int pairing, std::uint8_t first) const;
  /// The position from which all games of a block start.
  [[nodiscard]] Game first_position(int block) const;
};

/// Checks the options and makes agents and pairings. Throws as run_tournament.
[[nodiscard]] TournamentPlan make_plan(const TournamentOptions& options);

/// Display names of the agents, in order.
[[nodiscard]] std::vector<std::string> names_of_agents(const TournamentOptions& options);
/// Throws std::invalid_argument naming an agent whose name comes twice.
void check_names(const std::vector<TournamentAgent>& agents);
/// The player of an agent; greedy: it plays its most probable action. Throws as make_agent.
[[nodiscard]] std::unique_ptr<BatchPolicy> player_of(const TournamentAgent& agent, bool greedy);

/// The players behind greedy ones and those of many threads that play in another process: the clones
/// of one, each of which knows its own failures.
[[nodiscard]] std::vector<OutsidePlayer*> outside_players(BatchPolicy& player);
/// One of them, which speaks for all, or null.
[[nodiscard]] OutsidePlayer* outside_player(BatchPolicy& player);

/// What decides the games of players, however they meet: rules, versions, seed, greedy, agents.
/// Files that agents read count with a hash of their bytes.
[[nodiscard]] JournalIdentity identity_of_players(const CompiledRules& rules, std::uint64_t seed,
                                                  bool greedy,
                                                  const std::vector<TournamentAgent>& agents);
/// What decides the games: two tournaments with the same list play the same blocks.
[[nodiscard]] JournalIdentity identity_of(const TournamentOptions& options);

/// Plays blocks in lock-step with its own copies of the agents.
class TournamentWorker {
 public:
  explicit TournamentWorker(const TournamentPlan& plan);
  TournamentWorker(const TournamentWorker&) = delete;
  TournamentWorker& operator=(const TournamentWorker&) = delete;
  ~TournamentWorker();

  /// Asked between questions to agents; true ends the play.
  using Ended = std::function<bool()>;

  /// Rows of all games of the units, unit after unit: no row of a unit without a game (a deal that
  /// nobody declares, in the format declarer). Nothing where `ended` ended them. Throws what agents
  /// throw.
  [[nodiscard]] std::optional<std::vector<GameRow>> play(std::span<const BlockUnit> units,
                                                         const Ended& ended);

 private:
  struct Table;
  void set_up(std::span<const BlockUnit> units);
  bool step(const Ended& ended);
  void add_row(std::size_t table);
  bool ask(std::size_t agent, const Ended& ended);
  void ask_rows(std::size_t agent, std::size_t first, std::size_t count);
  void apply_answers(std::size_t agent);
  void ask_expectations();
  void note_failures(std::size_t agent);
  [[nodiscard]] GameRow row_of(const Table& table) const;

  const TournamentPlan& plan_;
  SingleRuleTable rule_table_;
  std::vector<std::unique_ptr<BatchPolicy>> agents_;
  std::vector<Table> tables_;
  std::vector<DecisionRows> rows_;
  std::vector<std::size_t> at_once_;  // [agents]: rows of a question, few of a slow player
  std::optional<DoubleDummyJudge> judge_;
};

/// Points per game of a seat of the first agent: all rows belong to one pairing, whole blocks.
[[nodiscard]] Estimate mean_of(const TournamentPlan& plan, std::vector<GameRow> rows);

/// Everything that follows from the games. `rows` in any order.
[[nodiscard]] TournamentResult summarise(const TournamentPlan& plan, std::vector<GameRow> rows);

}  // namespace schafkopf
