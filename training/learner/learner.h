// The network in training: weights shared by all workers, forward for acting, forward and backward
// for learning, one Adam step for all. Spans in and out; only learner.cpp knows the tensor library.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "agents/network/network.h"
#include "agents/network/weights.h"
#include "env/view/view.h"

namespace schafkopf {

class Peers;

enum class Critic : std::uint8_t {
  kShared,    // value head on the policy's trunk
  kSeparate,  // trunk of its own, same inputs
  kOracle,    // trunk of its own that also sees the hidden hands
};

/// While it lives the tensor library uses one thread for an operation, as all workers here do; then
/// as many as before. The count is one of the whole process, a notebook's own tensors included.
class SingleThreaded {
 public:
  SingleThreaded();
  ~SingleThreaded();
  SingleThreaded(const SingleThreaded&) = delete;
  SingleThreaded& operator=(const SingleThreaded&) = delete;

 private:
  int before_;
};

struct LearnerSettings {
  NetworkShape shape;
  Critic critic = Critic::kShared;
  std::string device = "cpu";
  int replicas = 1;
  std::uint64_t seed = 0;
  double adam_epsilon = 1e-5;
  /// Of a trunk of the critic's own; 0 = as wide as the policy's.
  int critic_width = 0;
  /// How slowly the averaged weights follow, 0..1; 0 = they are not kept.
  double average_decay = 0.0;
  /// First layer by its non-zero inputs instead of a dense product (CPU only).
  bool sparse_inputs = true;
  /// Processes that learn the same weights, null = this one alone; outlives the learner.
  Peers* peers = nullptr;
};

/// Outputs of a tile of rows and where their gradients go; row i belongs to view i.
struct NetworkOutputs {
  const float* logits = nullptr;  // [rows, 128], canonical
  const float* values = nullptr;  // [rows]
  float* logits_grad = nullptr;   // [rows, 128]
  float* values_grad = nullptr;   // [rows]
};

/// Training has diverged: a loss or a gradient is not finite, or beyond all measure.
class Diverged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Weights, their gradients per replica, and the optimiser.
///
/// forward and accumulate may run at the same time on different replicas; everything else needs all
/// replicas at rest. Results depend on the number of replicas only through the order of summation.
class Learner {
 public:
  /// Initial weights are a function of shape, critic and seed; those of the policy head are small.
  /// Raises std::runtime_error if the device does not exist.
  explicit Learner(LearnerSettings settings);
  ~Learner();
  Learner(Learner&&) noexcept;
  Learner& operator=(Learner&&) noexcept;

  /// Logits and values of rows.
  ///
  /// views   [B]
  /// full    [B] if the critic is an oracle, else not read
  /// logits  float [B, 128] by canonical action
  /// values  float [B] in units of shape.value_scale
  void forward(int replica, std::span<const PlayerView> views, std::span<const FullView> full,
               std::span<float> logits, std::span<float> values);

  /// Logits alone, as forward gives them: the critic is not asked.
  void policy(int replica, std::span<const PlayerView> views, std::span<float> logits);

  /// Forward, then add the gradients that `loss` returns to the replica's.
  void accumulate(int replica, std::span<const PlayerView> views, std::span<const FullView> full,
                  const std::function<void(const NetworkOutputs&)>& loss);

  /// Sum the gradients of all replicas in order, then those of all processes, cut them to
  /// max_grad_norm, take one Adam step and set them to zero. Returns the norm before the cut. Raises
  /// Diverged if it is not finite; the weights are then unchanged. With several processes all call
  /// it, and it raises as Peers does.
  double step(double learning_rate, double max_grad_norm);

  /// Take over the weights of process 0: processors of several kinds round differently, and the
  /// weights would drift apart. All processes call it.
  void agree();

  /// Copies of the weights ("trunk.0.weight" ...) and of the optimiser's state
  /// ("adam.first.trunk.0.weight", "adam.second...", "adam.steps", and "average.trunk.0.weight" ...
  /// if averages are kept).
  [[nodiscard]] std::map<std::string, Tensor> weights() const;
  [[nodiscard]] std::map<std::string, Tensor> optimiser() const;
  /// Weights averaged over the steps (exponentially, over as many steps as there were at first);
  /// weights() if no averages are kept. Names as there.
  [[nodiscard]] std::map<std::string, Tensor> averages() const;
  /// Take over both; raises std::invalid_argument naming a missing tensor or one of another shape.
  void load(const std::map<std::string, Tensor>& tensors);
  /// Start from weights alone: every tensor of ours that is there, the averages too; the optimiser
  /// starts anew. Returns the names of those that stay as they were, being missing or of another
  /// shape: all of the critic, or none. Raises std::invalid_argument naming a tensor of the policy
  /// that is.
  std::vector<std::string> start_from(const std::map<std::string, Tensor>& tensors);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Single-thread rate of a matrix product as the learner uses it (GFLOP/s), measured in about 20
/// ms; shows mis-detected kernels.
[[nodiscard]] double matrix_product_gflops();

}  // namespace schafkopf
