// Decisions of complete games, stored as views, and the advantages of each seat's own sequence.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "env/base/enum_set.h"
#include "env/cards/action.h"
#include "env/cards/contract_class.h"
#include "env/view/view.h"
#include "training/learner/ppo_loss.h"

namespace schafkopf {

/// How decisions are grouped when advantages are scaled. The payoff of who plays alone is three
/// times that of each opponent, and single games cost more than partner games.
enum class Grouping : std::uint8_t { kAll, kContract, kRole };
[[nodiscard]] constexpr auto names_of(Grouping) { return make_names("all", "contract", "role"); }

/// Groups of decisions: before there is a contract, then of each contract class the defenders and
/// the declarer's side.
inline constexpr std::size_t kNumGroups = 1 + 2 * static_cast<std::size_t>(kNumContractClasses);
/// contract_code  contract class + 1, 0 = none yet (CardsLine::contract_code)
[[nodiscard]] constexpr std::uint8_t advantage_group(int contract_code, bool declarer_side) {
  if (contract_code == 0) return 0;
  return static_cast<std::uint8_t>(2 * contract_code - 1 + (declarer_side ? 1 : 0));
}

inline constexpr std::uint32_t kNoActionValues = ~std::uint32_t{0};
inline constexpr std::uint32_t kNoTeacher = ~std::uint32_t{0};

/// One decision with more than one legal action.
struct Decision {
  ActionMask legal;  // canonical
  float value = 0.0F;
  float advantage = 0.0F;
  float value_target = 0.0F;
  float payoff = 0.0F;  // what the game brought the seat, in units of rewards, cut as they are
  float weight = 1.0F;  // of the policy loss
  std::uint32_t action_values = kNoActionValues;  // first of them in Batch::action_values
  std::uint32_t teacher = kNoTeacher;             // first in Batch::teacher_probabilities
  Action action = 0;                              // canonical
  std::uint8_t seat = 0;                          // absolute
  bool bidding = false;                           // before card play and doubling
  bool played_out = false;                        // action values come from playouts
  bool held = false;                              // of a phase that is not learned
  std::uint8_t group = 0;                         // advantage_group()
  std::array<float, kMaxLegal> behaviour_log{};   // log-probabilities, lowest action first
};

/// Decisions of one update; memory is kept from update to update.
struct Batch {
  std::vector<PlayerView> views;
  std::vector<FullView> full_views;  // empty unless the critic sees all hands
  std::vector<Decision> decisions;
  std::vector<float> action_values;  // of decisions that have them, in the order of legal actions
  std::vector<float> teacher_probabilities;  // of decisions that a teacher saw, in the same order

  void clear();
  [[nodiscard]] std::size_t size() const { return decisions.size(); }
};

struct AdvantageSettings {
  float gamma = 1.0F;
  float lambda = 0.95F;
  float reward_scale = 50.0F;
  float reward_clip = 10.0F;
};

/// A payoff in tariff units as a reward.
[[nodiscard]] inline float reward_of(float payoff, const AdvantageSettings& settings) {
  return std::clamp(payoff / settings.reward_scale, -settings.reward_clip, settings.reward_clip);
}

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
  double payoff = 0, payoff_squares = 0;      // for the explained variance
  double residual = 0, residual_squares = 0;  // payoff - value

  void add(const AdvantageSums& other);
  [[nodiscard]] double mean() const;
  [[nodiscard]] double deviation() const;
  /// 1 - Var(payoff - value) / Var(payoff), 0 if the payoffs are all equal.
  [[nodiscard]] double explained_variance() const;
};

/// Sums of all decisions, and of those that are learned, together and of each group: what is only
/// held sets no scale.
struct BatchAdvantages {
  AdvantageSums all, learned;
  std::array<AdvantageSums, kNumGroups> groups;

  void add(std::span<const Decision> decisions);
};

/// Squares of advantages over many updates, so that rare groups have a scale of their own.
struct RunningSquares {
  std::array<double, kNumGroups> count{}, squares{};

  /// Older updates count for less and less.
  void add(const BatchAdvantages& sums);
};

/// What to take away from the advantages of a group and what to multiply them by.
struct Normalisation {
  float mean = 0.0F, factor = 1.0F;
};
using Normalisations = std::array<Normalisation, kNumGroups>;
/// kAll, kContract: by mean and deviation in this batch; contracts of less than 100 decisions use
/// those of all. kRole: by the running scale, and no mean is taken away: that of a small group is
/// noise. Groups of less than 1,500 decisions, older ones counting for less, use the scale of all.
[[nodiscard]] Normalisations normalisations(const BatchAdvantages& sums,
                                            const RunningSquares& running, Grouping grouping);

}  // namespace schafkopf
