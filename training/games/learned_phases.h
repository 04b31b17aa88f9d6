// Learning some phases of the game while the others stay: their decisions are taken by the weights
// that the run began with, and the network is held to what these do.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "env/cards/action.h"
#include "env/view/view.h"
#include "training/games/trajectory.h"
#include "training/learner/learner.h"
#include "training/learner/ppo_loss.h"

namespace schafkopf {

/// Phases whose decisions a run learns.
enum class LearnedPhases : std::uint8_t { kAll, kCardPlay, kBidding, kKontra };
[[nodiscard]] constexpr auto names_of(LearnedPhases) {
  return make_names("all", "card_play", "bidding", "kontra");
}

struct PhaseRange {
  Phase first, last;
};
/// By LearnedPhases; the phases of a deal stand in their order.
inline constexpr std::array kLearnedRanges = {
    PhaseRange{Phase::kPredeal, Phase::kDone}, PhaseRange{Phase::kPlay, Phase::kClaimSettle},
    PhaseRange{Phase::kPredeal, Phase::kJungfrau}, PhaseRange{Phase::kDouble, Phase::kDouble}};

[[nodiscard]] constexpr bool learns(LearnedPhases learned, Phase phase) {
  const PhaseRange& range = kLearnedRanges[static_cast<std::size_t>(learned)];
  return range.first <= phase && phase <= range.last;
}

/// Who takes which decision: the network in training those that are learned, the weights that the
/// run began with the others. Scratch memory of one worker.
class PhaseActor {
 public:
  /// frozen  weights that the run began with; null = everything is learned. Outlives this.
  PhaseActor(Learner* frozen, LearnedPhases learned) : frozen_(frozen), learned_(learned) {}
  PhaseActor() = default;

  [[nodiscard]] bool learns(Phase phase) const {
    return frozen_ == nullptr || schafkopf::learns(learned_, phase);
  }
  /// As Learner::policy, of whose decision each row is.
  void policy(Learner& learner, int replica, std::span<const PlayerView> views,
              std::span<float> logits);
  /// Writes the frozen weights' logits over those of rows that are not learned.
  void overwrite_frozen(int replica, std::span<const PlayerView> views, std::span<float> logits);

 private:
  void ask(Learner& learner, int replica, std::span<const PlayerView> views,
           std::span<float> logits);

  Learner* frozen_ = nullptr;
  LearnedPhases learned_ = LearnedPhases::kAll;
  std::vector<std::uint32_t> rows_;
  std::vector<PlayerView> views_;
  std::vector<float> logits_;
};

/// How far the network is from the frozen weights in decisions that they took.
struct HeldSums {
  PpoSums loss;       // `kl` is KL(network, frozen weights)
  double agreed = 0;  // decisions in which both find the same action most probable

  void add(const HeldSums& other);
};

/// Count whether the network finds most probable what the frozen weights do.
///
/// logits  [128] of the network, canonical
void add_agreement(const float* logits, const Decision& held, HeldSums& sums);

}  // namespace schafkopf
