// Decisions of complete games, stored as views, and the advantages of each seat's own sequence.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "env/cards/action.h"
#include "env/cards/contract_class.h"
#include "env/view/view.h"
#include "training/ppo_loss.h"

namespace schafkopf {

/// One decision with more than one legal action.
struct Decision {
  ActionMask legal;  // canonical
  float value = 0.0F;
  float advantage = 0.0F;
  float value_target = 0.0F;
  float weight = 1.0F;     // of the policy loss
  Action action = 0;       // canonical
  std::uint8_t seat = 0;   // absolute
  bool bidding = false;    // before card play and doubling
  std::uint8_t group = 0;  // contract class + 1, 0 = none yet: see AdvantageSums
  std::array<float, kMaxLegal> behaviour_log{};  // log-probabilities, lowest action first
};

/// Decisions of one update; memory is kept from update to update.
struct Batch {
  std::vector<PlayerView> views;
  std::vector<FullView> full_views;  // empty unless the critic sees all hands
  std::vector<Decision> decisions;

  void clear();
  [[nodiscard]] std::size_t size() const { return decisions.size(); }
};

struct AdvantageSettings {
  float gamma = 1.0F;
  float lambda = 0.95F;
  float reward_scale = 50.0F;
  float reward_clip = 10.0F;
};

/// Advantages and value targets of one finished game.
///
/// The reward of a seat, its payoff / reward_scale cut at +-reward_clip, comes with the last own
/// decision of that seat; GAE(gamma, lambda) runs over each seat's own decisions.
/// decisions  of all games
/// game       indices of the decisions of this game, in order
/// payoffs    [4] tariff units by absolute seat
void finish_game(std::span<Decision> decisions, std::span<const std::uint32_t> game,
                 std::span<const float> payoffs, const AdvantageSettings& settings);

/// Sums for the normalisation of advantages.
struct AdvantageSums {
  double count = 0, sum = 0, squares = 0;
  double target = 0, target_squares = 0, residual_squares = 0;  // for the explained variance

  void add(const AdvantageSums& other);
  [[nodiscard]] double mean() const;
  [[nodiscard]] double deviation() const;
  /// 1 - Var(target - value) / Var(target), 0 if the targets are all equal.
  [[nodiscard]] double explained_variance() const;
};

/// Sums of all decisions and of each group: payoffs of single games vary several times as much as
/// those of partner games, so each group is normalised by itself.
struct BatchAdvantages {
  AdvantageSums all;
  std::array<AdvantageSums, kNumContractClasses + 1> groups;

  void add(std::span<const Decision> decisions);
};
/// What to take away from the advantages of a group and what to multiply them by.
struct Normalisation {
  float mean = 0.0F, factor = 1.0F;
};
using Normalisations = std::array<Normalisation, kNumContractClasses + 1>;
/// by_contract  false: the same for all groups. Groups of less than 100 decisions use the
///              deviation of all.
[[nodiscard]] Normalisations normalisations(const BatchAdvantages& sums, bool by_contract);

}  // namespace schafkopf
