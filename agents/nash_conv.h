// Exact NashConv on stand-alone endgames (METHODS section 7): how much the four seats could gain,
// each alone, by a best response to a profile of strategies. 0 = a Nash equilibrium.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "agents/endgame_tree.h"
#include "env/policy.h"

namespace schafkopf {

/// Values in tariff units per game, by absolute seat.
struct NashConv {
  std::array<double, kNumSeats> values{};          // all seats play the profile
  std::array<double, kNumSeats> best_responses{};  // this seat responds best, the others play it

  [[nodiscard]] double gain(int seat) const {
    const auto s = static_cast<std::size_t>(seat);
    return best_responses[s] - values[s];
  }
  /// NashConv: the sum of the gains.
  [[nodiscard]] double total() const { return gain(0) + gain(1) + gain(2) + gain(3); }
};

/// Exact values of a profile. The best response of a seat chooses per information set against
/// three fixed others, from its last choice backwards; it knows what its views show and no more.
///
/// profile     [tree.num_actions()], sums to 1 in every information set
/// checkpoint  passed once per deal of each pass
[[nodiscard]] NashConv nash_conv(const EndgameTree& tree, std::span<const double> profile,
                                 const Checkpoint& checkpoint = {});

/// The same for the profile that every card is equally likely.
[[nodiscard]] EndgameProfile uniform_profile(const EndgameTree& tree);

/// Probabilities that a player gives in every information set, asked once each in batches of
/// `rows`; `checkpoint` is passed once per deal and batch.
///
/// Throws std::invalid_argument naming the player, the view's seat and what is wrong, where its
/// distribution has an illegal card, a negative or infinite number, or another sum than 1.
[[nodiscard]] EndgameProfile profile_of(BatchPolicy& policy, const EndgameTree& tree,
                                        std::size_t rows = 4096, const Checkpoint& checkpoint = {});

/// A profile as a player of this one endgame: CFR+ at the table, or a test's strategy. Elsewhere,
/// and where only one card is legal, it plays every legal card with the same probability.
class TabularPolicy final : public BatchPolicy {
 public:
  TabularPolicy(std::shared_ptr<const EndgameTree> tree, EndgameProfile profile, std::string name);

  /// Values are NaN.
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

 private:
  std::shared_ptr<const EndgameTree> tree_;
  EndgameProfile profile_;
  std::string name_;
};

}  // namespace schafkopf
