// Thousands of games stepped together over contiguous buffers (DESIGN section 3). Rows are always
// in env order; results do not depend on threads or on how a batch is cut.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "env/game/game.h"
#include "env/vector/contract_generator.h"
#include "env/view/encoder.h"
#include "env/view/policy.h"

namespace schafkopf {

enum class AutoReset : std::uint8_t { kNextStep, kSameStep, kDisabled };  // as in Gymnasium
enum class ObservationType : std::uint8_t { kNone, kUint8, kFloat32, kPacked };
enum class StartAt : std::uint8_t {
  kDeal,
  kCardPlay
};  // kCardPlay needs `generator` or `contracts`

/// In the place of an action, where auto-reset is disabled: a row whose deal is over stays as it is, but
/// shows its end (terminated, rewards) no longer. Among actions of type Action it is 255.
inline constexpr int kStay = -1;

/// The seat that the caller plays; a number of a seat becomes one of itself.
struct LearnerSeat {
  static constexpr int kNone = -1;    // all seats are the caller's
  static constexpr int kRotate = -2;  // another one with every deal
  int number = kNone;

  constexpr LearnerSeat() = default;
  constexpr LearnerSeat(int seat) : number(seat) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] constexpr bool is_some() const { return number != kNone; }
  [[nodiscard]] constexpr bool rotates() const { return number == kRotate; }
  friend constexpr bool operator==(LearnerSeat, LearnerSeat) = default;
};

struct VectorEnvOptions {
  int num_envs = 1;
  std::vector<std::shared_ptr<const CompiledRules>> rules;  // at least one
  std::vector<std::uint16_t> rule_index;                    // per env; empty = all 0
  std::uint64_t seed = 0;
  std::uint64_t first_env = 0;  // global id of row 0
  int num_threads = 1;
  AutoReset auto_reset = AutoReset::kNextStep;
  ObservationType observation = ObservationType::kNone;
  ObservationVersion observation_version = ObservationVersion::kV1;  // layout of the rows
  /// How cards are counted in observations, masks and actions, those of random_actions included,
  /// all alike. Canonical: by the card map of the seat to act (card_map.h), in terminal rows of
  /// the seat that is shown. View lines, games and records always count absolute cards.
  CardIndex cards = CardIndex::kAbsolute;
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
  std::vector<Deal> deals;          // fixed deals: row i, episode e plays (i + e * N) mod size
  std::vector<Contract> contracts;  // fixed contracts, parallel to `deals`
  LearnerSeat learner_seat;         // the other seats are played by `opponent`
  std::shared_ptr<BatchPolicy> opponent;
  /// Instead of it: one for each other seat, in the order of play from the learner's seat on.
  std::vector<std::shared_ptr<BatchPolicy>> opponents;
  bool bidding_only = false;  // the deal ends after the auction; `opponent` plays the cards
  /// Who steps the games in card play: auto = SCHAFKOPF_KERNEL, else the fastest that this processor
  /// has (env/lanes). The results do not depend on it.
  std::string kernel = "auto";
};

/// The buffers: row = env, 64-byte aligned. Owned by the env unless the caller supplied them; valid
/// until the env is destroyed, contents until the next call. The env only shows them and reads
/// nothing of an earlier call: what a caller writes there between calls (not while one runs, in another
/// thread) changes no game and is gone after the next step, but for
/// rule_index and rule_features, which are written once, and what is written only where a deal
/// begins or ends (running_seed, learner_seat; episode_* and final observations). The section of the
/// rules that rows of observations end with is written where a deal begins or its first 32 bytes are
/// others: a change of the rest of it alone may stay until then.
/// Terminal rows (next_step, disabled) show the view of the learner's seat, else of seat 0.
struct EnvBuffers {
  std::span<CardsLine> cards;  // [N] if view_lines
  std::span<OrderLine> order;
  std::span<EventsLine> events;
  std::span<FullView> full;             // [N] if full_view
  std::span<ActionMask> legal;          // [N] native masks, cards counted as `cards` says
  std::span<std::uint8_t> action_mask;  // [N,128] if asked
  /// [N,F], F = observation_size(observation_version), or kPackedRowBytes
  std::span<std::uint8_t> observation_u8;
  std::span<float> observation_f32;       // [N,F]
  std::span<std::int8_t> current_player;  // [N], -1 on terminal rows
  std::span<std::int8_t> phase;           // [N]
  std::span<float> rewards;               // [N,4] tariff units, once, on the terminal step
  /// [N,4] from and into the Stock, less the Reuegeld, in the last deal of a session with the shares
  /// of what is left (OPEN-66); empty unless a rule set has one of them
  std::span<float> stock_rewards;
  std::span<std::uint8_t> terminated;           // [N]
  std::span<float> episode_return;              // [N,4] of the deal that ended
  std::span<std::uint64_t> episode_seed;        // [N] of the deal that ended
  std::span<std::uint64_t> running_seed;        // [N] of the current deal
  std::span<std::int8_t> learner_seat;          // [N] of the current deal, if learner_seat
  std::span<std::int8_t> episode_learner_seat;  // [N] of the deal that ended, -1: none yet
  std::span<std::uint16_t> rule_index;          // [N]
  std::span<float> rule_features;               // [K,R], as observations v1 and v2 hold them
  std::span<std::uint8_t> session_end;          // [N] if session
  /// [N,F] if learner_seat and an observation of that type: the learner's view of the end of the
  /// deal that ended; rows are written where terminated.
  std::span<std::uint8_t> final_observation;
  std::span<float> final_observation_f32;
};

/// After an exception out of `opponent` or `generator`, in whatever thread, the rows do not fit
/// together: some are a step ahead. Everything that needs their games then throws
/// std::runtime_error, until a reset() of all rows or a restore(). One that was moved from may only
/// be assigned to or destroyed.
class VectorEnv {
 public:
  /// Deals episode 0 of every row, so that the buffers are filled at once.
  ///
  /// supplied  buffers that the caller owns and keeps alive, each of exactly the size of
  ///           EnvBuffers and in memory of its own; those left empty are owned by the env
  /// Throws std::invalid_argument naming the option or buffer and what is allowed, NotEnoughMemory
  /// (available_memory.h) before it takes any that is not there.
  explicit VectorEnv(VectorEnvOptions options, const EnvBuffers& supplied = {});
  ~VectorEnv();
  VectorEnv(VectorEnv&&) noexcept;
  VectorEnv& operator=(VectorEnv&&) noexcept;

  [[nodiscard]] int num_envs() const;
  /// Name of the kernel that steps the games in card play.
  [[nodiscard]] std::string_view kernel() const;
  [[nodiscard]] const VectorEnvOptions& options() const;
  [[nodiscard]] const EnvBuffers& buffers() const;
  /// Whether nothing happened since construction, so that a first reset() of all rows keeps episode 0.
  [[nodiscard]] bool is_fresh() const;
  /// What the seats to act may know, with absolute cards, made anew from the games: valid until the
  /// next call of any kind. Needs view_lines. With `hidden_hands`, which needs full_view, for
  /// cheating baselines.
  [[nodiscard]] ViewBatch views(bool hidden_hands = false) const;
  [[nodiscard]] const RuleTable& rule_table() const;

  /// Start new deals (and sessions) in all rows, or in those with reset_mask[i] != 0; the other
  /// rows stay as they are. With a seed the rows restart at episode 0, else they go on to their
  /// next episode; a first reset of all rows directly after construction keeps
  /// episode 0. With `session` a row
  /// begins a new session, but where reset() is the way to the next deal (disabled): rows whose deal
  /// is over go on in theirs, unless there is a seed. Throws
  /// std::invalid_argument if reset_mask is neither empty nor [N]; a mask that leaves rows out does
  /// not mend a batch that an exception left.
  void reset(std::optional<std::uint64_t> seed = std::nullopt,
             std::span<const std::uint8_t> reset_mask = {});
  /// Step every env by one action, cards counted as the option `cards` says. On a terminal row the
  /// action is ignored and the next deal starts.
  ///
  /// Throws std::invalid_argument naming env, seat, action and the legal ones if one is illegal, or
  /// a row that waits for reset() (disabled) and is not given kStay; then no env was stepped. An exception out of
  /// `opponent` or `generator` passes through and leaves the batch to be reset or restored (above).
  void step(std::span<const Action> actions);
  /// As step, with wider actions from outside: range-checked.
  void step(std::span<const std::int32_t> actions);
  void step(std::span<const std::int64_t> actions);
  /// Uniformly random legal actions: number (r * count) >> 64 of the legal ones, counted from the
  /// lowest absolute id, with r = draw(key(env), RngStream::kPolicy); PASS on terminal rows. Given
  /// by the card index of the env: the games of a seed are the same in both. Throws
  /// std::invalid_argument where there is not one action per env.
  void random_actions(std::span<Action> actions) const;
  /// random_actions, then step, without leaving the library.
  void step_random();
  /// Key of the next decision of env i: its number in the deal counts all decisions, forced and
  /// opponents' ones included. Seat 0 on terminal rows.
  [[nodiscard]] RngKey key(int env) const;
  void keys(std::span<RngKey> keys) const;

  [[nodiscard]] const Game& game(int env) const;
  /// Number of the card map (card_map.h) of the seat that row `env` shows, 0 before card play.
  [[nodiscard]] int card_map(int env) const;
  /// Continue row `env` from this game. Opponents' and forced decisions up to the caller's next one
  /// are run at once. With `session` the row's session goes on with it, or begins if it is over.
  /// Throws std::invalid_argument if the game is over, has other rules or another Stock than the
  /// session.
  void set_game(int env, const Game& game);
  /// Everything that the next steps depend on and what the rows show, as bytes of a fixed format.
  [[nodiscard]] std::vector<std::uint8_t> snapshot() const;
  /// Continue from a snapshot of an env with the same rows: number, rules, deals and all options that
  /// say which games there are and what of them the caller is asked. What is shown, `cards`,
  /// `kernel`, `num_threads` and the players of the other seats may differ. Besides a checksum every
  /// row is tested: its game must come from its seed by legal play (or have come by set_game), its
  /// session and its end must be possible.
  /// Throws std::invalid_argument if it does not fit or is damaged; the env is then unchanged.
  void restore(std::span<const std::uint8_t> bytes);

  /// Deals that left the caller no decision and were dealt again, and their summed payoffs by
  /// absolute seat in tariff units.
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
