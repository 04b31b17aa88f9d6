// Thousands of games stepped together over contiguous buffers (DESIGN section 3). Rows are always
// in env order; results do not depend on threads or on how a batch is cut.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "env/contract_generator.h"
#include "env/game.h"
#include "env/policy.h"

namespace schafkopf {

enum class AutoReset : std::uint8_t { kNextStep, kSameStep, kDisabled };  // as in Gymnasium
enum class ObservationType : std::uint8_t { kNone, kUint8, kFloat32 };
enum class StartAt : std::uint8_t {
  kDeal,
  kCardPlay
};  // kCardPlay needs `generator` or `contracts`

struct VectorEnvOptions {
  int num_envs = 1;
  std::vector<std::shared_ptr<const CompiledRules>> rules;  // at least one
  std::vector<std::uint16_t> rule_index;                    // per env; empty = all 0
  std::uint64_t seed = 0;
  std::uint64_t first_env = 0;  // global id of row 0
  int num_threads = 1;
  AutoReset auto_reset = AutoReset::kNextStep;
  ObservationType observation = ObservationType::kNone;
  bool action_mask = false;  // byte expansion [N,128]
  bool view_lines = false;   // the three planes [N,64]
  bool full_view = false;    // [N,64], for critics only
  bool skip_forced = false;
  bool claim_actions = false;
  bool session = false;
  StartAt start = StartAt::kDeal;
  /// Share of episodes that start at card play with a generated contract when start = kDeal.
  double generated_share = 0.0;
  std::shared_ptr<const ContractGenerator> generator;
  std::vector<Deal> deals;          // fixed deals: env i, episode e plays (i + e * N) mod size
  std::vector<Contract> contracts;  // fixed contracts, parallel to `deals`
  int learner_seat = -1;            // the other seats are played by `opponent`
  std::shared_ptr<BatchPolicy> opponent;
  bool bidding_only = false;  // the deal ends after the auction; `opponent` plays the cards
};

/// The buffers, all owned by the env and valid until it is destroyed; contents until the next call.
struct EnvBuffers {
  std::span<CardsLine> cards;  // [N] if view_lines
  std::span<OrderLine> order;
  std::span<EventsLine> events;
  std::span<FullView> full;                   // [N] if full_view
  std::span<ActionMask> legal;                // [N] native masks
  std::span<std::uint8_t> action_mask;        // [N,128] if asked
  std::span<std::uint8_t> observation_u8;     // [N,F]
  std::span<float> observation_f32;           // [N,F]
  std::span<std::int8_t> current_player;      // [N], -1 on terminal rows
  std::span<std::int8_t> phase;               // [N]
  std::span<float> rewards;                   // [N,4] tariff units, once, on the terminal step
  std::span<float> stock_rewards;             // [N,4], empty unless the rules have a Stock
  std::span<std::uint8_t> terminated;         // [N]
  std::span<float> episode_return;            // [N,4] of the deal that ended
  std::span<std::uint64_t> episode_seed;      // [N] of the deal that ended
  std::span<std::uint64_t> running_seed;      // [N] of the current deal
  std::span<std::uint16_t> rule_index;        // [N]
  std::span<float> rule_features;             // [K,R]
  std::span<std::uint8_t> session_end;        // [N] if session
  std::span<std::uint8_t> final_observation;  // [N,F] if learner_seat and an observation: last view
};

class VectorEnv {
 public:
  /// Throws std::invalid_argument naming the option and what is allowed.
  explicit VectorEnv(VectorEnvOptions options);
  ~VectorEnv();
  VectorEnv(VectorEnv&&) noexcept;
  VectorEnv& operator=(VectorEnv&&) noexcept;

  [[nodiscard]] int num_envs() const;
  [[nodiscard]] const VectorEnvOptions& options() const;
  [[nodiscard]] const EnvBuffers& buffers() const;
  [[nodiscard]] ViewBatch views() const;  // needs view_lines
  [[nodiscard]] const RuleTable& rule_table() const;

  /// Start new deals: all of them, or those with reset_mask[i] != 0. A new seed restarts episodes
  /// at 0.
  void reset(std::optional<std::uint64_t> seed = std::nullopt,
             std::span<const std::uint8_t> reset_mask = {});
  /// Step every env by one action. Throws std::invalid_argument naming env, seat, action and the
  /// legal ones if one is illegal; then no env was stepped.
  void step(std::span<const Action> actions);
  /// As step, with int32 actions from outside: range-checked.
  void step(std::span<const std::int32_t> actions);
  /// Uniformly random legal actions: number (r * count) >> 64 of the legal ones, counted from the
  /// lowest.
  void random_actions(std::span<Action> actions) const;
  /// random_actions, then step, without leaving the library.
  void step_random();
  /// Key of the next decision of env i.
  [[nodiscard]] RngKey key(int env) const;
  void keys(std::span<RngKey> keys) const;

  [[nodiscard]] const Game& game(int env) const;
  void set_game(int env, const Game& game);
  [[nodiscard]] std::vector<std::uint8_t> snapshot() const;
  void restore(std::span<const std::uint8_t> bytes);

  /// Deals that left the caller no decision, and their summed returns (skip_forced).
  [[nodiscard]] std::int64_t skipped_deals() const;
  [[nodiscard]] std::array<double, kNumSeats> skipped_return() const;
  /// All decisions made so far, forced and opponents' ones included, and finished deals.
  [[nodiscard]] std::int64_t num_decisions() const;
  [[nodiscard]] std::int64_t num_deals() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace schafkopf
