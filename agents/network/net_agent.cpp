#include "agents/network/net_agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "agents/network/mlp_network.h"
#include "agents/network/shipped.h"
#include "agents/network/weights.h"
#include "agents/work/spec_value.h"
#include "env/base/assert.h"

namespace schafkopf {
namespace {

class NetAgent final : public BatchPolicy {
 public:
  NetAgent(std::unique_ptr<PolicyNetwork> network, std::string name, bool greedy)
      : network_(std::move(network)), name_(std::move(name)), greedy_(greedy) {}

  void policy(const ViewBatch& batch, std::span<float> probabilities,
              std::span<float> values) override {
    SCHAFKOPF_ASSERT(probabilities.size() == batch.size * kNumActions);
    network_->forward(batch, probabilities, values);
    masks_.resize(batch.size);
    for (std::size_t row = 0; row < batch.size; ++row) {
      masks_[row] = without_claims(legal_actions(batch.cards[row]));
    }
    masked_softmax(probabilities, masks_, probabilities);
    if (greedy_) {
      for (std::size_t row = 0; row < batch.size; ++row) {
        keep_best(probabilities.subspan(row * kNumActions, kNumActions));
      }
    }
    for (float& value : values) value *= network_->shape().value_scale;
  }

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::unique_ptr<BatchPolicy> clone() const override {
    return std::make_unique<NetAgent>(network_->clone(), name_, greedy_);
  }

 private:
  static void keep_best(std::span<float> row) {
    const auto best = std::ranges::max_element(row);
    if (*best <= 0.0F) return;  // nobody is to act
    std::fill(row.begin(), best, 0.0F);
    std::fill(best + 1, row.end(), 0.0F);
    *best = 1.0F;
  }

  std::unique_ptr<PolicyNetwork> network_;
  std::string name_;
  bool greedy_ = true;
  std::vector<ActionMask> masks_;
};

}  // namespace

std::unique_ptr<BatchPolicy> make_net_agent(const std::string& path, bool greedy) {
  return make_net_agent(make_mlp_network(read_player_weights(path), path),
                        fmt::format("net:{}{}", spec_value(path), greedy ? "" : ",greedy=false"),
                        greedy);
}

std::string net_player(const std::string& file) {
  const bool shipped = !shipped_bytes(file).empty();
  return "net:" + spec_value(shipped ? "./" + file : file);
}

std::unique_ptr<BatchPolicy> make_net_agent(std::unique_ptr<PolicyNetwork> network,
                                            std::string name, bool greedy) {
  return std::make_unique<NetAgent>(std::move(network), std::move(name), greedy);
}

}  // namespace schafkopf
