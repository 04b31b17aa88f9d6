// Self-play: one complete game per environment with the network in every seat, or in some games in
// some of them and a member of the pool in the others.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "agents/search/card_search.h"
#include "agents/work/decision_rows.h"
#include "env/cards/contract_class.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/contract_generator.h"
#include "env/vector/vector_env.h"
#include "training/games/card_playouts.h"
#include "training/games/learned_phases.h"
#include "training/games/pool.h"
#include "training/games/trajectory.h"
#include "training/learner/learner.h"

namespace schafkopf {

struct CollectorOptions {
  std::shared_ptr<const CompiledRules> rules;
  int num_envs = 1;
  std::uint64_t first_env = 0;  // global id of the first environment
  double generated_share = 0.0;
  std::shared_ptr<const ContractGenerator> generator;
  bool full_view = false;
  float bidding_weight = 1.0F;
  AdvantageSettings advantage;
  double pool_share = 0.0;  // of the games: some seats are played by a member of the pool
  PoolSeats pool_seats = PoolSeats::kSome;
  /// Logits are action values: the highest is played, and any legal action in this share of the
  /// decisions. Below 0: logits are those of a policy, which is drawn from.
  double exploration = -1.0;
  int solver_trick = 0;                     // decisions from this trick on are solved; 0 = none
  double solver_early_share = 0.0;          // of the card decisions before it
  double playout_share = 0.0;               // of the card decisions that are not solved
  double announcement_playout_share = 0.0;  // of the other decisions
  double teacher_share = 0.0;               // of the decisions that the teacher is shown
};

/// What one worker counted and where its time went.
struct CollectorStats {
  std::int64_t decisions = 0;  // with more than one legal action
  std::int64_t forced = 0;     // with one legal action, or of a seat of the pool
  std::int64_t games = 0;
  std::int64_t auctions = 0;                                    // games that began with bidding
  std::array<std::int64_t, kNumContractClasses> declared = {};  // by class, in these games
  std::int64_t thrown_in = 0;
  double env_seconds = 0.0;  // step, views, masks
  double act_seconds = 0.0;  // network, softmax, sampling; expansion included; the pool's players
  double solver_seconds = 0.0;
  double playout_seconds = 0.0;
  double teacher_seconds = 0.0;

  void add(const CollectorStats& other);
};

/// Plays the games of one worker. Games are a function of the seed of collect(), the global ids of
/// the environments and the weights.
class Collector {
 public:
  explicit Collector(CollectorOptions options);

  /// Change the share of generated contracts from the next collect() on.
  void set_generated_share(double share);
  /// Players of the pool, from the next collect() on.
  void set_pool(const PoolMembers& members);
  /// Whether decisions are solved, from the next collect() on.
  void set_solving(bool solving) { solving_ = solving; }
  /// Who takes the decisions of which phase, from the next collect() on.
  void set_actor(PhaseActor actor) { actor_ = std::move(actor); }
  /// Whether actions are played out, from the next collect() on.
  void set_playing_out(bool playing_out) { playing_out_ = playing_out; }
  /// Who is shown decisions, from the next collect() on; null = nobody. A clone is taken of one
  /// that is not there yet.
  void set_teacher(const BatchPolicy* teacher);

  /// Play one game per environment and append its decisions, advantages included, to `batch`.
  void collect(std::uint64_t seed, Learner& learner, int replica, Batch& batch,
               CollectorStats& stats);

 private:
  struct Row {
    std::uint32_t env = 0;
    std::vector<std::uint32_t> decisions;  // of this game, in order
    bool bids = false;
    std::uint8_t guests = 0;  // bit per seat: a member of the pool plays it
    std::uint32_t member = 0;
  };
  /// A member of the pool and the rows that wait for it.
  struct Guest {
    std::unique_ptr<BatchPolicy> player;
    std::vector<std::uint32_t> envs;
    std::vector<CardsLine> cards;
    std::vector<OrderLine> order;
    std::vector<EventsLine> events;
    std::vector<RngKey> keys;
    std::vector<Action> actions;
  };

  void start(std::uint64_t seed);
  void seat_guests(Row& row, std::uint64_t seed);
  void sort_rows();
  void store_views(Batch& batch);
  void solve(Batch& batch);
  void play_out(const Batch& batch);
  void ask_teacher(Batch& batch);
  void choose_actions(Batch& batch);
  [[nodiscard]] int choose(const float* log_probs, const Decision& decision, double u) const;
  void ask_guests();
  void finish_rows(Batch& batch, CollectorStats& stats);
  void finish_row(const Row& row, Batch& batch, CollectorStats& stats);

  CollectorOptions options_;
  VectorEnv env_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> active_;  // indices of rows_
  std::vector<std::uint32_t> own_;     // those of them in which the learner is to act
  std::vector<Guest> guests_;
  CardSearch solver_;
  bool solving_ = false;
  PhaseActor actor_;
  CardPlayouts playouts_;
  bool playing_out_ = false;
  std::unique_ptr<BatchPolicy> teacher_;
  DecisionRows taught_;
  std::vector<RngKey> keys_;
  std::vector<Action> actions_;
  std::vector<float> logits_, values_;
  std::size_t first_ = 0;  // first decision of this step in the batch
};

}  // namespace schafkopf
