// A player that answers a batch on several threads, for searchers whose decisions take
// milliseconds.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "env/base/slice_pool.h"
#include "env/view/policy.h"

namespace schafkopf {

/// Each thread asks its own clone for some rows at a time, as long as there are any. The answers
/// are those of the player itself: they do not depend on how a batch is cut.
class ParallelPolicy final : public BatchPolicy {
 public:
  static constexpr int kMostThreads = 1024;

  /// num_threads  1..kMostThreads, 0 = all processors; throws std::invalid_argument if it is not
  ParallelPolicy(std::unique_ptr<BatchPolicy> player, int num_threads);

  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override;
  void act(const ViewBatch& batch, std::span<const RngKey> keys,
           std::span<Action> actions) override;
  [[nodiscard]] bool sees_hidden_hands() const override { return players_[0]->sees_hidden_hands(); }
  [[nodiscard]] bool stops_by_the_clock() const override {
    return players_[0]->stops_by_the_clock();
  }
  [[nodiscard]] bool answers_alike() const override { return players_[0]->answers_alike(); }
  [[nodiscard]] std::string name() const override { return players_[0]->name(); }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override;
  /// One for each thread, clones of each other.
  [[nodiscard]] std::span<const std::unique_ptr<BatchPolicy>> players() const { return players_; }
  [[nodiscard]] int num_threads() const { return pool_.num_slices(); }

 private:
  /// Calls ask(player, first row, number of rows) until all rows have been asked for.
  template <class Ask>
  void share_out(std::size_t rows, Ask ask);

  SlicePool pool_;
  std::vector<std::unique_ptr<BatchPolicy>> players_;  // one per thread
};

}  // namespace schafkopf
