// Small players and byte dumps for the tests of VectorEnv.
#pragma once

#include <cstring>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "env/base/random.h"
#include "env/rules/compiled_rules.h"
#include "env/vector/vector_env.h"
#include "env/view/policy.h"
#include "tests/cpp/support/errors.h"

namespace schafkopf::test {

inline std::shared_ptr<const CompiledRules> rules_named(const std::string& name) {
  static std::map<std::string, std::shared_ptr<const CompiledRules>> loaded;
  std::shared_ptr<const CompiledRules>& rules = loaded[name];
  if (rules == nullptr) rules = CompiledRules::load(name);
  return rules;
}

inline VectorEnvOptions small_options(int num_envs) {
  VectorEnvOptions options;
  options.num_envs = num_envs;
  options.rules = {rules_named("research")};
  options.seed = 7;
  return options;
}

/// Uniform player that draws as VectorEnv::random_actions does.
class UniformPolicy : public BatchPolicy {
 public:
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    for (std::size_t row = 0; row < batch.size; ++row) {
      const ActionMask mask = legal_actions(batch.cards[row]);
      for (int a = 0; a < kNumActions; ++a) {
        probabilities[row * kNumActions + static_cast<std::size_t>(a)] =
            mask.contains(static_cast<Action>(a)) ? 1.0F / static_cast<float>(mask.count()) : 0.0F;
      }
    }
    for (float& value : values) value = 0.0F;
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    for (std::size_t row = 0; row < batch.size; ++row) {
      const ActionMask mask = legal_actions(batch.cards[row]);
      actions[row] = mask.nth(below(draw(keys[row]), mask.count()));
    }
  }
  [[nodiscard]] std::string name() const override { return "uniform"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<UniformPolicy>(*this);
  }
};

/// Passes a buffer with its name and bytes per row to `visit`; buffers that are off are skipped.
/// Returns how many there are, those included.
template <class Visit>
std::size_t for_each_row_buffer(const EnvBuffers& buffers, const Visit& visit) {
  const std::size_t rows = buffers.legal.size();
  std::size_t count = 0;
  const auto one = [&](const char* name, const auto& span) {
    ++count;
    if (span.empty()) return;
    const auto bytes = std::as_bytes(span);
    visit(std::string(name), bytes, bytes.size() / rows);
  };
  one("cards", buffers.cards);
  one("order", buffers.order);
  one("events", buffers.events);
  one("full", buffers.full);
  one("legal", buffers.legal);
  one("action_mask", buffers.action_mask);
  one("observation_u8", buffers.observation_u8);
  one("observation_f32", buffers.observation_f32);
  one("current_player", buffers.current_player);
  one("phase", buffers.phase);
  one("rewards", buffers.rewards);
  one("stock_rewards", buffers.stock_rewards);
  one("terminated", buffers.terminated);
  one("episode_return", buffers.episode_return);
  one("episode_seed", buffers.episode_seed);
  one("running_seed", buffers.running_seed);
  one("learner_seat", buffers.learner_seat);
  one("episode_learner_seat", buffers.episode_learner_seat);
  one("rule_index", buffers.rule_index);
  one("session_end", buffers.session_end);
  one("final_observation", buffers.final_observation);
  one("final_observation_f32", buffers.final_observation_f32);
  return count;
}

/// Bytes of rows [begin, end) of every buffer, by name.
inline std::map<std::string, std::vector<std::byte>> rows_of(const EnvBuffers& buffers,
                                                             std::size_t begin, std::size_t end) {
  std::map<std::string, std::vector<std::byte>> result;
  for_each_row_buffer(buffers, [&](const std::string& name, std::span<const std::byte> bytes,
                                   std::size_t row_bytes) {
    const auto part = bytes.subspan(begin * row_bytes, (end - begin) * row_bytes);
    result[name].assign(part.begin(), part.end());
  });
  return result;
}

inline std::map<std::string, std::vector<std::byte>> all_rows(const VectorEnv& env) {
  return rows_of(env.buffers(), 0, env.buffers().legal.size());
}

/// Names of the buffers that differ, for messages.
inline std::string difference(const std::map<std::string, std::vector<std::byte>>& a,
                              const std::map<std::string, std::vector<std::byte>>& b) {
  std::string names;
  for (const auto& [name, bytes] : a) {
    if (!b.contains(name) || b.at(name) != bytes) names += name + " ";
  }
  return a.size() == b.size() ? names : names + "(number of buffers)";
}

/// Returns of finished deals by seed of the deal, collected over steps.
using Returns = std::map<std::uint64_t, std::vector<float>>;
inline void collect(const VectorEnv& env, Returns& returns) {
  const EnvBuffers& buffers = env.buffers();
  for (std::size_t i = 0; i < buffers.terminated.size(); ++i) {
    if (buffers.terminated[i] == 0) continue;
    const auto row = buffers.episode_return.subspan(4 * i, 4);
    returns[buffers.episode_seed[i]].assign(row.begin(), row.end());
  }
}

}  // namespace schafkopf::test
