// A player that tells how often it was asked.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "agents/registry.h"
#include "env/view/policy.h"

namespace schafkopf::test {

/// Plays at random; all copies count together the decisions that they were asked for.
class CountedPolicy final : public BatchPolicy {
 public:
  using Count = std::atomic<std::size_t>;

  explicit CountedPolicy(std::shared_ptr<Count> asked) : asked_(std::move(asked)) {}
  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    random_->policy(batch, probabilities, values);
  }
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override {
    *asked_ += batch.size;
    random_->act(batch, keys, actions);
  }
  [[nodiscard]] std::string name() const override { return "asked"; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<CountedPolicy>(asked_);
  }

 private:
  std::shared_ptr<Count> asked_;
  std::unique_ptr<BatchPolicy> random_ = make_agent("random");
};

}  // namespace schafkopf::test
