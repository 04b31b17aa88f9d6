// How players are asked: batches of views in, probabilities or actions out. Implementations live in
// agents/ (and Python); VectorEnv seats them as opponents.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "env/base/random.h"
#include "env/cards/action.h"
#include "env/view/view.h"

namespace schafkopf {

class CompiledRules;

/// The rule sets that a batch refers to by index, and their feature rows (encoder.h).
struct RuleTable {
  std::span<const CompiledRules* const> rules;
  std::span<const float> features;  // [rules.size(), features_per_rule]
};

/// Rows of views as three planes; row i of each plane belongs together. Nothing hidden is in them;
/// hidden hands are a plane of their own.
struct ViewBatch {
  std::size_t size = 0;
  const CardsLine* cards = nullptr;
  const OrderLine* order = nullptr;
  const EventsLine* events = nullptr;
  const std::uint16_t* rule_index = nullptr;  // null = all rows use rule set 0
  const RuleTable* rules = nullptr;
  /// Hidden hands of each row, null unless all players of the batch are cheating baselines
  /// (BatchPolicy::sees_hidden_hands).
  const FullView* full = nullptr;

  [[nodiscard]] PlayerView view(std::size_t row) const {
    return {cards[row], order[row], events[row]};
  }
  [[nodiscard]] const CompiledRules& rules_of(std::size_t row) const {
    return *rules->rules[rule_index == nullptr ? 0 : rule_index[row]];
  }
  /// `count` rows from `begin` on.
  [[nodiscard]] ViewBatch slice(std::size_t begin, std::size_t count) const {
    const auto from = [begin](const auto* plane) {
      return plane == nullptr ? nullptr : plane + begin;
    };
    return {count, from(cards), from(order), from(events), from(rule_index), rules, from(full)};
  }
};

/// A player. Keeps no state between calls: the same view gives the same distribution however the
/// batch is cut. Not thread-safe (scratch buffers); clone() gives each thread its own.
class BatchPolicy {
 public:
  virtual ~BatchPolicy() = default;

  /// Fill the action distribution of every row.
  ///
  /// probabilities  float [size, 128], rows sum to 1, 0 on illegal actions
  /// values         float [size] expected own payoff in tariff units, or empty if not wanted;
  ///                NaN where the policy has no estimate
  virtual void policy(const ViewBatch& batch, std::span<float> probabilities,
                      std::span<float> values) = 0;

  /// Choose one action per row. The default samples from policy() with one draw per key, and
  /// throws std::runtime_error where a row with legal actions has none to draw.
  virtual void act(const ViewBatch& batch, std::span<const RngKey> keys, std::span<Action> actions);

  /// Whether this is a cheating baseline: it needs ViewBatch::full. Whoever asks players fills that
  /// plane for such players only.
  [[nodiscard]] virtual bool sees_hidden_hands() const { return false; }

  /// Whether it thinks for a time instead of a budget of work: its games do not come again.
  [[nodiscard]] virtual bool stops_by_the_clock() const { return false; }

  /// Whether the same question surely gets the same answer. Of what others wrote nobody knows.
  [[nodiscard]] virtual bool answers_alike() const { return !stops_by_the_clock(); }

  /// Registry string that makes this player again.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::unique_ptr<BatchPolicy> clone() const = 0;

 protected:
  BatchPolicy() = default;
  BatchPolicy(const BatchPolicy&) = default;
  BatchPolicy& operator=(const BatchPolicy&) = default;
};

/// Number that a view gives for draws that depend on it.
[[nodiscard]] std::uint64_t hash_of(const PlayerView& view);

/// Key of a question that stands alone, not as a step of a VectorEnv: row `row` of what is asked at
/// once. Rows differ by it, questions of one game by the view: not every answer leaves an event.
[[nodiscard]] RngKey key_of_question(const PlayerView& view, std::uint64_t seed, std::uint64_t row);

/// A player's own copy of itself, for another thread.
/// Throws std::invalid_argument with the player's name where clone() gives nothing.
[[nodiscard]] std::unique_ptr<BatchPolicy> copy_of(const BatchPolicy& player);

/// One draw from a distribution over 128 actions: the first action whose cumulated probability
/// exceeds u in [0, 1); never an action of probability 0.
[[nodiscard]] Action sample_action(std::span<const float> probabilities, double u);

}  // namespace schafkopf
