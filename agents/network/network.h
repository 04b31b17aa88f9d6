// Policy networks: views in, logits and values out. The interface that search, agents and trainers
// use; implementations are the MLP without torch (agents/network/mlp_network.h) and the LibTorch
// one (training/).
//
// Weights of an MLP, "mlp:<width>x<layers>" (W = width, I = inputs; row-major, as in
// torch.nn.Linear: y = W x + b, ReLU after each trunk layer):
//
//   trunk.0.weight [W, I]   trunk.0.bias [W]      trunk.k.weight [W, W]  trunk.k.bias [W]
//   policy.weight [128, W]  policy.bias [128]     value.weight [1, W]    value.bias [1]
//
// Weights of a residual network, "residual:<width>x<blocks>": the same tensors, and before each of
// the layers 1..blocks and before the heads a normalisation (torch.nn.LayerNorm, eps = 1e-5):
//
//   trunk.norm<k>.weight [W], .bias [W], k = 1..blocks      trunk.norm.weight [W], .bias [W]
//
//   h = layer 0 of x;   h = h + layer k of relu(norm<k>(h));   heads read relu(norm(h))
//
// A separate critic is a second trunk under "critic.": critic.trunk.k.*, critic.value.*. With
// metadata critic.oracle = "0" it reads the same inputs and gives the values; value.* may then be
// missing. With "1" it read hidden hands in training (kOracleInputs after the others): policies
// ignore it, search over worlds uses it. Without value.* and a critic that a policy can use the
// values are NaN.
//
// Inputs are sections of the observation (env/view/encoder.h) of the version in the metadata, named
// there; by default all but the rule features. Card inputs and card logits use the canonical index of the view's card
// map: cards = "canonical" in the metadata.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agents/network/weights.h"
#include "env/base/enum_set.h"
#include "env/cards/action.h"
#include "env/view/encoder.h"
#include "env/view/policy.h"

namespace schafkopf {

/// "format" in the metadata of a network's weights. Files of kUnsummedFormat are read too
/// (agents/network/weights.h).
inline constexpr std::string_view kNetworkFormat = "schafkopf-network-2";
/// "cards" in it: how inputs and logits count cards. Files without the key count so as well.
inline constexpr std::string_view kNetworkCards = "canonical";

/// How the layers of a trunk follow each other.
enum class TrunkKind : std::uint8_t { kMlp, kResidual };
[[nodiscard]] constexpr auto names_of(TrunkKind) { return make_names("mlp", "residual"); }

/// Added to the variance by the normalisation of residual trunks.
inline constexpr float kNormEpsilon = 1e-5F;

/// Size and inputs of a network.
struct NetworkShape {
  int inputs = 0;  // sum of the lengths of input_sections
  int width = 256;
  int layers = 2;  // of an MLP's trunk, or residual blocks; at least 1
  TrunkKind trunk = TrunkKind::kMlp;
  ObservationVersion observation = ObservationVersion::kV1;
  int outputs = kNumActions;  // logits
  float value_scale = 50.0F;  // tariff units per unit of the value head
  std::vector<std::string> input_sections;

  /// Linear layers of the trunk: those of an MLP, or the input layer and one of each block.
  [[nodiscard]] int linears() const { return layers + (trunk == TrunkKind::kResidual ? 1 : 0); }

  friend bool operator==(const NetworkShape&, const NetworkShape&) = default;
};

/// All sections of an observation but the rule features.
[[nodiscard]] std::vector<std::string> default_input_sections(
    ObservationVersion version = ObservationVersion::kV1);

/// Shape of a network on named sections; no names = default_input_sections(). Raises
/// std::invalid_argument for width or layers below 1 and for unknown or repeated sections.
[[nodiscard]] NetworkShape make_network_shape(
    int width, int layers, std::vector<std::string> input_sections = {},
    TrunkKind trunk = TrunkKind::kMlp, ObservationVersion observation = ObservationVersion::kV1);

/// The same by the name of an architecture, "mlp:256x2".
[[nodiscard]] NetworkShape make_network_shape(
    std::string_view architecture, std::vector<std::string> input_sections = {},
    ObservationVersion observation = ObservationVersion::kV1);

/// Names of a comma-separated list, "hand,unseen".
[[nodiscard]] std::vector<std::string> section_names(std::string_view text);

/// Normalisations of a trunk, "norm1" ... "norm"; none of an MLP.
[[nodiscard]] std::vector<std::string> norm_names(const NetworkShape& shape);

/// "mlp:256x2", "residual:256x2".
[[nodiscard]] std::string architecture_name(const NetworkShape& shape);

/// Metadata that describe a network: format, versions, cards, input_sections, architecture,
/// value_scale.
[[nodiscard]] std::map<std::string, std::string> network_metadata(const NetworkShape& shape);

/// Check metadata and the shape of every tensor of the trunk and the heads, and return the shape.
///
/// path  stands at the beginning of messages
/// Raises std::invalid_argument naming what was found and what is needed: another format, version
/// or architecture, an unknown section, a missing tensor or one of another shape.
[[nodiscard]] NetworkShape read_network_shape(const WeightsFile& weights, const std::string& path);

/// Copies the inputs of a network out of observation rows.
class InputGather {
 public:
  /// Raises std::invalid_argument for an unknown or repeated name (the message lists all names).
  explicit InputGather(std::span<const std::string> sections,
                       ObservationVersion version = ObservationVersion::kV1);
  explicit InputGather(const NetworkShape& shape)
      : InputGather(shape.input_sections, shape.observation) {}

  /// I, the sum of the section lengths.
  [[nodiscard]] int size() const { return size_; }
  /// (offset, length) in an observation row of each piece, in input order; adjacent sections are
  /// one piece.
  [[nodiscard]] std::span<const std::pair<int, int>> pieces() const { return pieces_; }
  /// rows [B, observation_size(version)], inputs [B, size()].
  void gather(std::span<const float> rows, std::span<float> inputs) const;
  /// How rows are expanded that it reads.
  [[nodiscard]] ObservationForm form() const { return {version_, CardIndex::kCanonical}; }

 private:
  ObservationVersion version_;
  std::vector<std::pair<int, int>> pieces_;
  int size_ = 0;
};

/// A network for inference. Each row's result depends on that row alone, bit for bit, however the
/// batch is cut. Not thread-safe (scratch buffers); clone() shares the weights.
class PolicyNetwork {
 public:
  virtual ~PolicyNetwork() = default;

  [[nodiscard]] virtual const NetworkShape& shape() const = 0;
  [[nodiscard]] virtual std::unique_ptr<PolicyNetwork> clone() const = 0;

  /// Evaluate rows of inputs; card logits stay in the canonical index of the row.
  ///
  /// inputs  float [B, shape().inputs]
  /// logits  float [B, 128], all finite for finite inputs
  /// values  float [B] in units of shape().value_scale tariff units, or empty if not wanted
  virtual void forward_inputs(std::span<const float> inputs, std::span<float> logits,
                              std::span<float> values) = 0;

  /// Evaluate views: expand, gather, forward_inputs; card logits are moved back to absolute action
  /// ids by the view's card map. Illegal actions keep their logits: masked_softmax removes them.
  ///
  /// logits  float [B, 128] by absolute action id
  /// values  as in forward_inputs
  virtual void forward(const ViewBatch& batch, std::span<float> logits, std::span<float> values);

 protected:
  PolicyNetwork() = default;
  PolicyNetwork(const PolicyNetwork&) = default;
  PolicyNetwork& operator=(const PolicyNetwork&) = default;

 private:
  std::optional<InputGather> gather_;  // made by the first call
  std::vector<float> rows_, inputs_;   // one tile of views
};

/// What a seat can expect: the value function of search over worlds. Each row's result depends on
/// that row alone. Not thread-safe; clone() shares the weights.
class CriticNetwork {
 public:
  virtual ~CriticNetwork() = default;

  /// Whether it reads hidden hands; values() then needs ViewBatch::full.
  [[nodiscard]] virtual bool sees_hidden_hands() const = 0;
  /// Expected payoff of the seat of each view. values  float [B], tariff units
  virtual void values(const ViewBatch& batch, std::span<float> values) = 0;
  [[nodiscard]] virtual std::unique_ptr<CriticNetwork> clone() const = 0;

 protected:
  CriticNetwork() = default;
  CriticNetwork(const CriticNetwork&) = default;
  CriticNetwork& operator=(const CriticNetwork&) = default;
};

/// Length of an oracle critic's extra inputs: hidden hands of the three other seats by canonical
/// card, declarer party and owner of the called card by relative seat.
inline constexpr int kOracleInputs = 3 * kNumCards + 2 * kNumSeats;

/// Write these inputs; 0 or 1 each.
void expand_oracle(const FullView& full, int card_map, std::span<float, kOracleInputs> row);

/// Softmax over the legal actions of each row; 0 elsewhere. A row without legal actions (nobody is
/// to act) is all 0.
///
/// logits         float [B, 128]
/// masks          [B]
/// probabilities  float [B, 128], may be the same memory as logits
/// Raises std::runtime_error naming row and action if the logit of a legal action is NaN or
/// +infinity (weights that have diverged), or if all of them are -infinity.
void masked_softmax(std::span<const float> logits, std::span<const ActionMask> masks,
                    std::span<float> probabilities);

}  // namespace schafkopf
