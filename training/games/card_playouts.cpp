#include "training/games/card_playouts.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "env/base/assert.h"
#include "env/cards/card_map.h"
#include "env/view/policy.h"
#include "training/learner/ppo_loss.h"

namespace schafkopf {
namespace {

/// The network in training as a player that draws its actions.
class LearnerPolicy final : public BatchPolicy {
 public:
  LearnerPolicy(Learner& learner, int replica, PhaseActor& actor)
      : learner_(&learner), replica_(replica), actor_(&actor) {}

  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    std::ranges::fill(values, std::numeric_limits<float>::quiet_NaN());
    std::ranges::fill(probabilities, 0.0F);
    views_.clear();
    for (std::size_t row = 0; row < batch.size; ++row) views_.push_back(batch.view(row));
    logits_.resize(batch.size * kNumActions);
    actor_->policy(*learner_, replica_, views_, logits_);
    std::array<float, kMaxLegal> log_probs{};
    for (std::size_t row = 0; row < batch.size; ++row) {
      const int map = views_[row].order.card_map;
      const ActionMask legal = to_canonical(legal_actions(batch.cards[row]), map);
      masked_log_softmax(&logits_[row * kNumActions], legal, log_probs.data());
      for (int n = 0; n < legal.count(); ++n) {
        const Action action = from_canonical_action(legal.nth(n), map);
        probabilities[row * kNumActions + action] =
            std::exp(log_probs[static_cast<std::size_t>(n)]);
      }
    }
  }

  [[nodiscard]] std::string name() const override { return "the network in training"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<LearnerPolicy>(*learner_, replica_, *actor_);
  }

 private:
  Learner* learner_;
  int replica_;
  PhaseActor* actor_;
  std::vector<PlayerView> views_;
  std::vector<float> logits_;
};

}  // namespace

void CardPlayouts::add(const Batch& batch, std::uint32_t decision, const Game& game,
                       const RngKey& key) {
  const ActionMask& legal = batch.decisions[decision].legal;
  SCHAFKOPF_ASSERT(game.current_player() == batch.decisions[decision].seat);
  decisions_.push_back(decision);
  for (int n = 0; n < legal.count(); ++n) {
    Playout& playout = playouts_.emplace_back(game, key);
    playout.game.apply(from_canonical_action(legal.nth(n), batch.views[decision].order.card_map));
  }
}

void CardPlayouts::finish(Learner& learner, int replica, PhaseActor& actor,
                          const AdvantageSettings& settings, Batch& batch) {
  if (playouts_.empty()) return;
  LearnerPolicy player(learner, replica, actor);
  PlayoutTable(player, *rules_).play_on(playouts_);
  const auto scale = static_cast<float>(rules_->tariff_scale());
  std::size_t next = 0;
  for (const std::uint32_t index : decisions_) {
    Decision& decision = batch.decisions[index];
    decision.action_values = static_cast<std::uint32_t>(batch.action_values.size());
    decision.played_out = true;
    for (int n = 0; n < decision.legal.count(); ++n) {
      const std::int32_t payoff = playouts_[next++].game.payoffs()[decision.seat];
      batch.action_values.push_back(reward_of(static_cast<float>(payoff) / scale, settings));
    }
  }
  decisions_.clear();
  playouts_.clear();
}

}  // namespace schafkopf
