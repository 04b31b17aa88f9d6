// A player made deterministic: always the most probable action of another one.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "env/view/policy.h"

namespace schafkopf {

/// Wraps a policy; ties go to the lowest action. Values are those of the wrapped policy.
class GreedyAgent final : public BatchPolicy {
 public:
  /// name  registry string under which this player is made again
  GreedyAgent(std::unique_ptr<BatchPolicy> base, std::string name);
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  [[nodiscard]] bool sees_hidden_hands() const override { return base_->sees_hidden_hands(); }
  [[nodiscard]] bool stops_by_the_clock() const override { return base_->stops_by_the_clock(); }
  [[nodiscard]] bool answers_alike() const override { return base_->answers_alike(); }
  [[nodiscard]] BatchPolicy& base() { return *base_; }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;

 private:
  std::unique_ptr<BatchPolicy> base_;
  std::string name_;
};

}  // namespace schafkopf
