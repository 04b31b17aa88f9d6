// Uniformly random legal play: the zero of every strength scale.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "env/view/policy.h"

namespace schafkopf {

/// Every legal action with the same probability; claims (57, 58) are legal only where the caller
/// offers them. Rows without a legal action get probabilities 0 and the action PASS.
class RandomAgent final : public BatchPolicy {
 public:
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  /// The action whose number, counted from the lowest bit, is (r * count) >> 64 (DESIGN section 3).
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override;
  [[nodiscard]] std::string name() const override { return "random"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;
};

}  // namespace schafkopf
