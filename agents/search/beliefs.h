// How the others are taken to have acted when worlds are weighed by what they did (METHODS section
// 6): by the rule agent, by a network, or by both in equal shares.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "env/base/enum_set.h"
#include "env/view/policy.h"

namespace schafkopf {

enum class Beliefs : std::uint8_t {
  kUniform,  // nothing: every world that the rules allow is as likely
  kOwn,      // they act as the player itself, mistakes included
  kRules,    // they act as the rule agent
  kBoth,     // the mean of both
};
[[nodiscard]] constexpr auto names_of(Beliefs) {
  return make_names("uniform", "own", "rules", "both");
}

/// Plays the mean of two players' distributions.
class MeanPolicy final : public BatchPolicy {
 public:
  /// Throws std::invalid_argument without a player and for one that sees hidden hands.
  MeanPolicy(std::unique_ptr<BatchPolicy> first, std::unique_ptr<BatchPolicy> second);

  /// Values are NaN.
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

 private:
  std::unique_ptr<BatchPolicy> first_, second_;
  std::vector<float> scratch_;
};

/// The policy that worlds are weighed by; null for kUniform.
///
/// own  distribution of the player itself, for kOwn and kBoth
/// Throws std::invalid_argument for a number that names none.
[[nodiscard]] std::unique_ptr<BatchPolicy> make_beliefs(Beliefs beliefs, const BatchPolicy& own);

}  // namespace schafkopf
