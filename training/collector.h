// Self-play: one complete game per environment with the network in every seat.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "env/cards/contract_class.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/contract_generator.h"
#include "env/vector/vector_env.h"
#include "training/learner.h"
#include "training/trajectory.h"

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
};

/// What one worker counted and where its time went.
struct CollectorStats {
  std::int64_t decisions = 0;  // with more than one legal action
  std::int64_t forced = 0;     // with one legal action, made by the environment
  std::int64_t games = 0;
  std::int64_t auctions = 0;                                    // games that began with bidding
  std::array<std::int64_t, kNumContractClasses> declared = {};  // by class, in these games
  std::int64_t thrown_in = 0;
  double env_seconds = 0.0;  // step, views, masks
  double act_seconds = 0.0;  // network, softmax, sampling; expansion included

  void add(const CollectorStats& other);
};

/// Plays the games of one worker. Games are a function of the seed of collect(), the global ids of
/// the environments and the weights.
class Collector {
 public:
  explicit Collector(CollectorOptions options);

  /// Change the share of generated contracts from the next collect() on.
  void set_generated_share(double share);

  /// Play one game per environment and append its decisions, advantages included, to `batch`.
  void collect(std::uint64_t seed, Learner& learner, int replica, Batch& batch,
               CollectorStats& stats);

 private:
  struct Row {
    std::uint32_t env = 0;
    std::vector<std::uint32_t> decisions;  // of this game, in order
    bool bids = false;
  };

  void start(std::uint64_t seed);
  void store_views(Batch& batch);
  void choose_actions(Batch& batch);
  void finish_rows(Batch& batch, CollectorStats& stats);
  void finish_row(const Row& row, Batch& batch, CollectorStats& stats);

  CollectorOptions options_;
  VectorEnv env_;
  std::vector<Row> rows_;
  std::vector<std::uint32_t> active_;  // indices of rows_
  std::vector<RngKey> keys_;
  std::vector<Action> actions_;
  std::vector<float> logits_, values_;
  std::size_t first_ = 0;  // first decision of this step in the batch
};

}  // namespace schafkopf
