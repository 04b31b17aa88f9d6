// Policy networks: metadata, the MLP against a plain double loop, the same bits in any batch, the
// masked softmax, and the player "net:path" on hand-made views.
#include "agents/network/network.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "agents/network/mlp_network.h"
#include "agents/network/net_agent.h"
#include "agents/registry.h"
#include "env/base/random.h"
#include "env/cards/card_map.h"
#include "env/view/encoder.h"
#include "tests/cpp/agents/random_weights.h"
#include "tests/cpp/agents/rule_choice.h"
#include "tests/cpp/support/errors.h"
#include "tests/cpp/support/temporary_file.h"

namespace schafkopf {
namespace {

using test::add_critic;
using test::error_of;
using test::random_weights;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::size_t kRow = kNumActions;

/// Rows of inputs of which `percent` in a hundred are not 0.
std::vector<float> random_inputs(const NetworkShape& shape, std::size_t rows, int percent) {
  Rng rng(5);
  std::vector<float> inputs(rows * static_cast<std::size_t>(shape.inputs));
  for (float& input : inputs) {
    if (rng.next_below(100) < percent) input = static_cast<float>(rng.next_unit());
  }
  return inputs;
}

struct Output {
  std::vector<float> logits, values;
};

Output evaluate(PolicyNetwork& network, std::span<const float> inputs) {
  const std::size_t rows = inputs.size() / static_cast<std::size_t>(network.shape().inputs);
  Output output{std::vector<float>(rows * kRow), std::vector<float>(rows)};
  network.forward_inputs(inputs, output.logits, output.values);
  return output;
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

// ---- a second implementation, from the definition -----------------------------------------------

std::vector<double> naive_layer(const WeightsFile& weights, const std::string& name,
                                const std::vector<double>& inputs, bool relu) {
  const Tensor& weight = weights.tensors.at(name + ".weight");
  std::vector<double> outputs;
  for (std::size_t out = 0; out < weights.tensors.at(name + ".bias").data.size(); ++out) {
    double sum = static_cast<double>(weights.tensors.at(name + ".bias").data[out]);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      sum += static_cast<double>(weight.data[out * inputs.size() + i]) * inputs[i];
    }
    outputs.push_back(relu ? std::max(sum, 0.0) : sum);
  }
  return outputs;
}

/// relu(norm(h))
std::vector<double> naive_norm(const WeightsFile& weights, const std::string& name,
                               std::vector<double> hidden) {
  const double count = static_cast<double>(hidden.size());
  double mean = 0, variance = 0;
  for (const double unit : hidden) mean += unit / count;
  for (const double unit : hidden) variance += (unit - mean) * (unit - mean) / count;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    const double scale = static_cast<double>(weights.tensors.at(name + ".weight").data[i]);
    const double shift = static_cast<double>(weights.tensors.at(name + ".bias").data[i]);
    hidden[i] = std::max(0.0, shift + scale * (hidden[i] - mean) / std::sqrt(variance + 1e-5));
  }
  return hidden;
}

std::vector<double> naive_residual(const WeightsFile& weights, const std::string& prefix,
                                   const std::vector<double>& row) {
  std::vector<double> hidden = naive_layer(weights, prefix + "0", row, false);
  for (int block = 1; weights.tensors.contains(prefix + std::to_string(block) + ".weight");
       ++block) {
    const std::string name = std::to_string(block);
    const auto change = naive_layer(weights, prefix + name,
                                    naive_norm(weights, prefix + "norm" + name, hidden), false);
    for (std::size_t i = 0; i < hidden.size(); ++i) hidden[i] += change[i];
  }
  return naive_norm(weights, prefix + "norm", hidden);
}

std::vector<double> naive_trunk(const WeightsFile& weights, const std::string& prefix,
                                std::span<const float> row) {
  std::vector<double> hidden(row.begin(), row.end());
  if (weights.tensors.contains(prefix + "norm.weight")) {
    return naive_residual(weights, prefix, hidden);
  }
  for (int layer = 0; weights.tensors.contains(prefix + std::to_string(layer) + ".weight");
       ++layer) {
    hidden = naive_layer(weights, prefix + std::to_string(layer), hidden, true);
  }
  return hidden;
}

// ---- metadata -----------------------------------------------------------------------------------

TEST(NetworkShape, default_inputs_are_all_but_the_rules) {
  const NetworkShape shape = make_network_shape(256, 2);
  EXPECT_EQ(shape.inputs, observation_size() - rule_feature_size());
  EXPECT_EQ(shape.input_sections.front(), "hand");
  EXPECT_THAT(shape.input_sections, testing::Not(testing::Contains("rules")));
}

TEST(NetworkShape, is_read_from_the_metadata_that_it_wrote) {
  NetworkShape shape = make_network_shape(48, 3, {"unseen", "hand"});
  shape.value_scale = 12.5F;
  const WeightsFile weights = random_weights(shape);
  EXPECT_EQ(weights.metadata.at("architecture"), "mlp:48x3");
  EXPECT_EQ(weights.metadata.at("input_sections"), "unseen,hand");
  EXPECT_EQ(read_network_shape(weights, "w"), shape);
}

TEST(NetworkShape, residual_networks_and_observations_are_read_by_name) {
  const NetworkShape shape = make_network_shape(24, 2, {"hand", "trick_leader"},
                                                TrunkKind::kResidual, ObservationVersion::kV3);
  const WeightsFile weights = random_weights(shape);
  EXPECT_EQ(weights.metadata.at("architecture"), "residual:24x2");
  EXPECT_EQ(weights.metadata.at("observation_version"), "3");
  EXPECT_EQ(shape.inputs, 32 + 32);
  EXPECT_EQ(read_network_shape(weights, "w"), shape);
  WeightsFile without = weights;
  without.tensors.erase("trunk.norm2.bias");
  EXPECT_EQ(error_of([&] { (void)read_network_shape(without, "w"); }),
            "w: tensor 'trunk.norm2.bias' is missing");
  WeightsFile narrow = weights;
  narrow.tensors["trunk.norm1.weight"] = {{7}, std::vector<float>(7)};
  EXPECT_EQ(error_of([&] { (void)make_mlp_network(narrow, "w"); }),
            "w: tensor 'trunk.norm1.weight' has the shape [7], the network needs [24]");
  EXPECT_THAT(error_of([] { (void)make_network_shape(24, 2, {"trick_leader"}); }),
              HasSubstr("unknown input section 'trick_leader', allowed: hand,"));
}

TEST(NetworkShape, is_made_of_the_name_of_an_architecture) {
  EXPECT_EQ(make_network_shape("residual:24x2", {"hand"}, ObservationVersion::kV3),
            make_network_shape(24, 2, {"hand"}, TrunkKind::kResidual, ObservationVersion::kV3));
  EXPECT_THAT(error_of([] { (void)make_network_shape("mpl:24x2", {}, ObservationVersion::kV1); }),
              HasSubstr("mpl:24x2"));
  EXPECT_THAT(error_of([] { (void)make_network_shape(0, 2); }),
              HasSubstr("network of 2 layers of width 0, allowed: 1.."));
}

struct WrongNetwork {
  const char* name;
  const char* key;    // of the metadata, or of a tensor that becomes a row of 7
  const char* value;  // "-" = removed
  const char* reason;
  friend std::ostream& operator<<(std::ostream& out, const WrongNetwork& wrong) {
    return out << wrong.name;
  }
};

class WrongNetworks : public testing::TestWithParam<WrongNetwork> {};

TEST_P(WrongNetworks, are_refused_by_what_was_found_and_what_is_needed) {
  WeightsFile weights = random_weights(make_network_shape(16, 2));
  const std::string key = GetParam().key;
  if (weights.tensors.contains(key)) {
    weights.tensors[key] = {{7}, std::vector<float>(7)};
    if (GetParam().value == std::string("-")) weights.tensors.erase(key);
  } else if (GetParam().value == std::string("-")) {
    weights.metadata.erase(key);
  } else {
    weights.metadata[key] = GetParam().value;
  }
  EXPECT_THROW(static_cast<void>(make_mlp_network(weights, "a/b.safetensors")),
               std::invalid_argument);
  EXPECT_THAT(error_of([&] { static_cast<void>(make_mlp_network(weights, "a/b.safetensors")); }),
              AllOf(HasSubstr("a/b.safetensors: "), HasSubstr(GetParam().reason)));
}

const WrongNetwork kWrong[] = {
    {"no_network", "format", "-", "metadata 'format' is missing"},
    {"other_format", "format", "gpt", "format is 'gpt', this program needs 'schafkopf-network-2'"},
    {"observation", "observation_version", "5",
     "observation_version is 5, this program reads 1, 2, 3, 4"},
    {"action", "action_version", "9", "action_version is 9, this program needs 1"},
    {"view", "view_version", "0", "view_version is 0, this program needs 1"},
    {"other_cards", "cards", "absolute", "cards is 'absolute', this program needs 'canonical'"},
    {"architecture", "architecture", "transformer:64x2", "'transformer:64x2'"},
    {"no_layers", "architecture", "mlp:16x0", "allowed: 'mlp:<width>x<layers>'"},
    {"huge_width", "architecture", "mlp:99999999999x2", "allowed: 'mlp:<width>x<layers>'"},
    {"more_layers", "architecture", "mlp:16x3", "tensor 'trunk.2.weight' is missing"},
    {"other_width", "architecture", "mlp:32x2", "tensor 'trunk.0.weight' has the shape [16, "},
    {"unknown_section", "input_sections", "hand,crystal_ball",
     "unknown input section 'crystal_ball'"},
    {"section_twice", "input_sections", "hand,hand", "input section 'hand' is named twice"},
    {"no_sections", "input_sections", "", "at least one input section"},
    {"value_scale", "value_scale", "0", "value_scale is '0', allowed: a positive number"},
    {"value_scale_text", "value_scale", "big", "value_scale is 'big'"},
    {"tensor_shape", "policy.bias", "",
     "tensor 'policy.bias' has the shape [7], the network needs [128]"},
    {"no_tensor", "trunk.1.bias", "-", "tensor 'trunk.1.bias' is missing"},
    {"half_a_value_head", "value.bias", "-", "tensor 'value.bias' is missing"},
};

INSTANTIATE_TEST_SUITE_P(Network, WrongNetworks, testing::ValuesIn(kWrong),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Network, states_how_it_counts_cards_and_older_files_count_so_as_well) {
  WeightsFile weights = random_weights(make_network_shape(16, 2));
  EXPECT_EQ(weights.metadata.at("cards"), "canonical");
  EXPECT_EQ(read_network_shape(weights, "w").width, 16);
  weights.metadata.erase("cards");
  EXPECT_EQ(read_network_shape(weights, "w").width, 16);
}

TEST(InputGather, copies_the_sections_in_the_given_order) {
  const std::vector<std::string> names = {"unseen", "hand", "legal_cards"};
  const InputGather gather(names);
  ASSERT_EQ(gather.size(), 96);
  EXPECT_EQ(gather.pieces().size(), 2U) << "hand and legal_cards are neighbours";
  const auto stride = static_cast<std::size_t>(observation_size());
  std::vector<float> rows(2 * stride);
  std::iota(rows.begin(), rows.end(), 0.0F);
  std::vector<float> inputs(2 * 96);
  gather.gather(rows, inputs);
  EXPECT_EQ(inputs[0], 64.0F);
  EXPECT_EQ(inputs[32], 0.0F);
  EXPECT_EQ(inputs[95], 63.0F);
  EXPECT_EQ(inputs[96], static_cast<float>(stride + 64));
}

// ---- the MLP ------------------------------------------------------------------------------------

class MlpSizes : public testing::TestWithParam<std::tuple<std::pair<int, int>, TrunkKind>> {};

TEST_P(MlpSizes, equal_a_plain_double_loop) {
  const auto [size, kind] = GetParam();
  const NetworkShape shape = make_network_shape(size.first, size.second, {}, kind);
  WeightsFile weights = random_weights(shape);
  const auto network = make_mlp_network(weights, "w");
  for (const int percent : {10, 100}) {
    const std::vector<float> inputs = random_inputs(shape, 5, percent);
    const Output output = evaluate(*network, inputs);
    for (std::size_t row = 0; row < 5; ++row) {
      const auto columns = static_cast<std::size_t>(shape.inputs);
      const auto hidden =
          naive_trunk(weights, "trunk.", std::span(inputs).subspan(row * columns, columns));
      const auto logits = naive_layer(weights, "policy", hidden, false);
      // Sums of about 600 float products of size 0.1 and less: each rounding is at most 6e-8 of a
      // partial sum below 10, and the roundings of the layers add up.
      for (std::size_t action = 0; action < kRow; ++action) {
        EXPECT_NEAR(static_cast<double>(output.logits[row * kRow + action]), logits[action], 2e-5);
      }
      EXPECT_NEAR(static_cast<double>(output.values[row]),
                  naive_layer(weights, "value", hidden, false)[0], 2e-5);
    }
  }
}

std::string size_name(const testing::TestParamInfo<MlpSizes::ParamType>& test) {
  const auto [size, kind] = test.param;
  return fmt::format("{}_w{}_l{}", name_of(kind), size.first, size.second);
}

INSTANTIATE_TEST_SUITE_P(Mlp, MlpSizes,
                         testing::Combine(testing::Values(std::pair(256, 2), std::pair(1, 1),
                                                          std::pair(5, 4), std::pair(33, 1),
                                                          std::pair(100, 3)),
                                          testing::Values(TrunkKind::kMlp, TrunkKind::kResidual)),
                         size_name);

TEST(Mlp, rows_have_the_same_bits_in_any_batch) {
  const NetworkShape shape = make_network_shape(256, 2);
  const auto network = make_mlp_network(random_weights(shape), "w");
  const auto columns = static_cast<std::size_t>(shape.inputs);
  for (const int percent : {12, 100}) {
    const std::vector<float> inputs = random_inputs(shape, 1000, percent);
    const Output whole = evaluate(*network, inputs);
    for (const std::size_t cut : {std::size_t{1}, std::size_t{7}, std::size_t{64}}) {
      for (std::size_t begin = 0; begin < 1000; begin += cut) {
        const std::size_t count = std::min(cut, 1000 - begin);
        const Output part =
            evaluate(*network, std::span(inputs).subspan(begin * columns, count * columns));
        ASSERT_TRUE(
            same_bits(part.logits, std::span(whole.logits).subspan(begin * kRow, count * kRow)))
            << "rows " << begin << " to " << begin + count;
        ASSERT_TRUE(same_bits(part.values, std::span(whole.values).subspan(begin, count)));
      }
    }
  }
}

TEST(Mlp, a_row_does_not_depend_on_the_rows_beside_it) {
  // Beside rows full of numbers the first layer is computed in the dense form, alone in the sparse.
  const NetworkShape shape = make_network_shape(256, 2);
  const auto network = make_mlp_network(random_weights(shape), "w");
  const auto columns = static_cast<std::size_t>(shape.inputs);
  const std::vector<float> sparse = random_inputs(shape, 1, 8);
  const Output alone = evaluate(*network, sparse);
  std::vector<float> inputs = random_inputs(shape, 50, 100);
  for (const std::size_t row : {std::size_t{0}, std::size_t{31}, std::size_t{49}}) {
    std::copy(sparse.begin(), sparse.end(),
              inputs.begin() + static_cast<std::ptrdiff_t>(row * columns));
    const Output output = evaluate(*network, inputs);
    EXPECT_TRUE(same_bits(alone.logits, std::span(output.logits).subspan(row * kRow, kRow))) << row;
    EXPECT_TRUE(same_bits(alone.values, std::span(output.values).subspan(row, 1))) << row;
  }
}

TEST(Mlp, clones_give_the_same_bits_and_no_rows_are_no_work) {
  const NetworkShape shape = make_network_shape(32, 2);
  const auto network = make_mlp_network(random_weights(shape), "w");
  const std::vector<float> inputs = random_inputs(shape, 9, 20);
  EXPECT_TRUE(
      same_bits(evaluate(*network, inputs).logits, evaluate(*network->clone(), inputs).logits));
  EXPECT_TRUE(evaluate(*network, {}).logits.empty());
}

TEST(Mlp, a_critic_gives_the_values_unless_it_saw_hidden_hands) {
  const NetworkShape shape = make_network_shape(32, 2);
  const std::vector<float> inputs = random_inputs(shape, 1, 20);
  WeightsFile weights = random_weights(shape);
  const float own = evaluate(*make_mlp_network(weights, "w"), inputs).values[0];
  const Output plain = evaluate(*make_mlp_network(weights, "w"), inputs);

  add_critic(weights, shape, false);
  const Output critic = evaluate(*make_mlp_network(weights, "w"), inputs);
  const double expected =
      naive_layer(weights, "critic.value", naive_trunk(weights, "critic.trunk.", inputs), false)[0];
  EXPECT_NEAR(static_cast<double>(critic.values[0]), expected, 2e-5);
  EXPECT_NE(critic.values[0], own);
  EXPECT_TRUE(same_bits(plain.logits, critic.logits));

  add_critic(weights, shape, true);
  EXPECT_EQ(evaluate(*make_mlp_network(weights, "w"), inputs).values[0], own);

  weights.tensors.erase("value.weight");
  weights.tensors.erase("value.bias");
  EXPECT_TRUE(std::isnan(evaluate(*make_mlp_network(weights, "w"), inputs).values[0]));
}

TEST(Mlp, a_critic_that_does_not_fit_is_refused) {
  const NetworkShape shape = make_network_shape(32, 2);
  const auto error = [](const WeightsFile& weights) {
    return error_of([&] { static_cast<void>(make_mlp_network(weights, "w")); });
  };
  WeightsFile weights = random_weights(shape);
  add_critic(weights, shape, false);
  weights.metadata["critic.oracle"] = "1";
  EXPECT_THAT(error(weights), AllOf(HasSubstr("critic.trunk.0.weight"),
                                    HasSubstr(std::to_string(shape.inputs + kOracleInputs))));
  weights.metadata.erase("critic.oracle");
  EXPECT_THAT(error(weights), HasSubstr("'critic.oracle'"));

  const NetworkShape residual = make_network_shape(32, 2, {}, TrunkKind::kResidual);
  weights = random_weights(residual);
  add_critic(weights, residual, false);
  WeightsFile damaged = weights;
  damaged.tensors["critic.trunk.norm1.weight"] = {{7}, std::vector<float>(7)};
  EXPECT_EQ(error(damaged),
            "w: tensor 'critic.trunk.norm1.weight' has the shape [7], the network needs [24]");
  damaged.tensors.erase("critic.trunk.norm1.weight");
  EXPECT_EQ(error(damaged), "w: tensor 'critic.trunk.norm1.weight' is missing");
  const auto last = std::to_string(residual.linears() - 1);
  weights.tensors["critic.trunk." + last + ".weight"] = {{17, 24}, std::vector<float>(17 * 24)};
  weights.tensors["critic.trunk." + last + ".bias"] = {{17}, std::vector<float>(17)};
  EXPECT_EQ(error(weights),
            "w: the critic is residual, its layers have 24 and 17 units, allowed: one width");

  weights = random_weights(shape);
  weights.tensors.erase("value.weight");
  EXPECT_THAT(error_of([&] { static_cast<void>(make_mlp_critic(weights, "w")); }),
              HasSubstr("there is no critic"));
}

class MlpCritics : public testing::TestWithParam<std::pair<TrunkKind, ObservationVersion>> {};

TEST_P(MlpCritics, an_oracle_reads_the_hidden_hands_after_the_observation) {
  const auto rules = CompiledRules::load("research");
  const NetworkShape shape = make_network_shape(16, 1, {}, GetParam().first, GetParam().second);
  WeightsFile weights = random_weights(shape);
  add_critic(weights, shape, true);
  const auto critic = make_mlp_critic(weights, "w");
  EXPECT_TRUE(critic->sees_hidden_hands());
  const Deal deal = rule_choice::deal_of(
      "EO HO EU HA H9 E9 S9 S8 | EA GA G10 GK GO HU H7 S7 | E10 E8 GU HK S10 G9 G8 H8 |"
      " SO SU H10 EK E7 SA SK G7");
  const Game game = Game::with_contract(*rules, deal, 3, rule_choice::ruf(0, "EA"));
  const PlayerView view = game.view(0);
  const FullView full = game.full_view(0);
  const CompiledRules* const list[] = {rules.get()};
  const RuleTable rule_table{list, {}};
  const ViewBatch batch{.size = 1,
                        .cards = &view.cards,
                        .order = &view.order,
                        .events = &view.events,
                        .rules = &rule_table,
                        .full = &full};
  const InputGather gather(shape);
  std::vector<float> row(static_cast<std::size_t>(observation_size(shape.observation))),
      inputs(static_cast<std::size_t>(shape.inputs));
  expand(gather.form(), batch, row);
  gather.gather(row, inputs);
  for (int seat = 1; seat < kNumSeats; ++seat) {
    for (int card = 0; card < kNumCards; ++card) {
      const bool held = (to_canonical(full.hands[seat], view.order.card_map) >> card & 1u) != 0;
      inputs.push_back(held ? 1.0F : 0.0F);
    }
  }
  inputs.insert(inputs.end(), {1, 1, 0, 0});  // the declarer's party
  inputs.insert(inputs.end(), {0, 1, 0, 0});  // the owner of the called ace
  std::vector<float> value(1);
  critic->values(batch, value);
  const double expected =
      naive_layer(weights, "critic.value", naive_trunk(weights, "critic.trunk.", inputs), false)[0];
  EXPECT_NEAR(static_cast<double>(value[0]), 50.0 * expected, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Mlp, MlpCritics,
                         testing::Values(std::pair(TrunkKind::kMlp, ObservationVersion::kV1),
                                         std::pair(TrunkKind::kResidual, ObservationVersion::kV3)),
                         [](const auto& test) {
                           return fmt::format("{}_v{}", name_of(test.param.first),
                                              static_cast<int>(test.param.second));
                         });

// ---- masked softmax -----------------------------------------------------------------------------

TEST(MaskedSoftmax, gives_probabilities_to_legal_actions_only) {
  Rng rng(3);
  std::vector<float> logits(200 * kRow);
  for (float& logit : logits) logit = static_cast<float>(40.0 * rng.next_unit() - 20.0);
  std::vector<ActionMask> masks;
  for (int row = 0; row < 200; ++row) masks.push_back({{rng.next() & rng.next(), rng.next()}});
  std::vector<float> probabilities(logits.size());
  masked_softmax(logits, masks, probabilities);
  for (std::size_t row = 0; row < 200; ++row) {
    double sum = 0.0;
    for (std::size_t a = 0; a < kRow; ++a) {
      const float p = probabilities[row * kRow + a];
      if (!masks[row].contains(static_cast<Action>(a))) {
        EXPECT_EQ(p, 0.0F);
      }
      EXPECT_GE(p, 0.0F);
      sum += static_cast<double>(p);
    }
    EXPECT_NEAR(sum, 1.0, 1e-5);  // rounding of at most 128 floats below 1
  }
}

TEST(MaskedSoftmax, depends_on_differences_of_legal_logits_only) {
  std::vector<float> logits(kRow, 1e30F);  // illegal ones may be anything
  logits[3] = 2e3F;
  logits[100] = 2e3F + std::log(3.0F);
  ActionMask mask;
  mask.add(3);
  mask.add(100);
  std::vector<float> probabilities(kRow);
  masked_softmax(logits, {&mask, 1}, probabilities);
  EXPECT_NEAR(probabilities[3], 0.25F, 1e-4F);  // floats at 2000 are 1.2e-4 apart
  EXPECT_NEAR(probabilities[100], 0.75F, 1e-4F);
  logits[100] = -std::numeric_limits<float>::infinity();
  masked_softmax(logits, {&mask, 1}, logits);  // in place
  EXPECT_EQ(logits[3], 1.0F);
  EXPECT_EQ(logits[100], 0.0F);
}

TEST(MaskedSoftmax, nobody_to_act_is_zero_and_no_number_is_an_error) {
  std::vector<float> logits(kRow, std::numeric_limits<float>::quiet_NaN());
  const ActionMask none;
  std::vector<float> probabilities(kRow, 5.0F);
  masked_softmax(logits, {&none, 1}, probabilities);
  EXPECT_EQ(probabilities, std::vector<float>(kRow, 0.0F));
  ActionMask pass;
  pass.add(kActionPass);
  EXPECT_THAT(error_of([&] { masked_softmax(logits, {&pass, 1}, probabilities); }),
              AllOf(HasSubstr("row 0"), HasSubstr("PASS"), HasSubstr("nan")));
  logits.assign(kRow, -std::numeric_limits<float>::infinity());
  EXPECT_EQ(error_of([&] { masked_softmax(logits, {&pass, 1}, probabilities); }),
            "row 0: all legal logits are -infinity");
}

// ---- views --------------------------------------------------------------------------------------

/// Views in card play with different hands, card maps and legal cards.
struct Views {
  std::vector<CardsLine> cards;
  std::vector<OrderLine> order;
  std::vector<EventsLine> events;

  [[nodiscard]] ViewBatch batch(std::size_t begin, std::size_t count) const {
    return {count, cards.data() + begin, order.data() + begin, events.data() + begin, nullptr,
            &table};
  }
  RuleTable table;
};

Views random_views(std::size_t count) {
  Rng rng(11);
  Views views;
  views.cards.resize(count);
  views.order.resize(count);
  views.events.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    CardsLine& line = views.cards[i];
    line.hand = static_cast<std::uint32_t>(rng.next() & rng.next());
    line.legal = line.hand | 1U;
    line.phase = static_cast<std::uint8_t>(Phase::kPlay);
    line.flags = kFlagToAct;
    line.declarer_leader = 1 | (2 << 3);
    line.partner_level = kNoSeat;
    views.order[i].card_map = static_cast<std::uint8_t>(rng.next_below(num_card_maps()));
  }
  return views;
}

TEST(Network, card_logits_come_back_to_absolute_ids) {
  const NetworkShape shape = make_network_shape(4, 1);
  WeightsFile weights = random_weights(shape);
  for (float& weight : weights.tensors["policy.weight"].data) weight = 0.0F;
  std::vector<float>& bias = weights.tensors["policy.bias"].data;
  std::iota(bias.begin(), bias.end(), 0.0F);  // logit = canonical action id
  const auto network = make_mlp_network(weights, "w");
  const Views views = random_views(40);
  std::vector<float> logits(40 * kRow);
  network->forward(views.batch(0, 40), logits, {});
  for (std::size_t row = 0; row < 40; ++row) {
    for (int action = 0; action < kNumActions; ++action) {
      ASSERT_EQ(logits[row * kRow + static_cast<std::size_t>(action)],
                static_cast<float>(
                    to_canonical_action(static_cast<Action>(action), views.order[row].card_map)))
          << "map " << int{views.order[row].card_map} << " " << action_name(action);
    }
  }
}

TEST(Network, views_give_the_same_bits_in_any_batch) {
  const NetworkShape shape = make_network_shape(64, 2);
  const auto network = make_mlp_network(random_weights(shape), "w");
  const Views views = random_views(300);
  std::vector<float> logits(300 * kRow), values(300);
  network->forward(views.batch(0, 300), logits, values);
  for (std::size_t begin = 0; begin < 300; begin += 7) {
    const std::size_t count = std::min<std::size_t>(7, 300 - begin);
    std::vector<float> part(count * kRow), part_values(count);
    network->forward(views.batch(begin, count), part, part_values);
    ASSERT_TRUE(same_bits(part, std::span(logits).subspan(begin * kRow, count * kRow))) << begin;
    ASSERT_TRUE(same_bits(part_values, std::span(values).subspan(begin, count))) << begin;
  }
}

TEST(NetAgent, plays_a_weights_file) {
  const NetworkShape shape = make_network_shape(64, 2);
  const test::TemporaryFile file("net_agent.safetensors");
  const std::string path = file.path();
  write_weights(path, random_weights(shape));
  const auto network = make_mlp_network(random_weights(shape), "w");
  const auto agent = make_net_agent(path, false);
  const auto greedy = make_net_agent(path, true)->clone();
  std::filesystem::remove(path);  // it has been read
  EXPECT_EQ(agent->name(), "net:" + path + ",greedy=false");
  EXPECT_EQ(greedy->name(), "net:" + path);

  const Views views = random_views(20);
  std::vector<float> probabilities(20 * kRow), values(20), one_hot(20 * kRow), raw(20 * kRow);
  agent->policy(views.batch(0, 20), probabilities, values);
  greedy->policy(views.batch(0, 20), one_hot, {});
  std::vector<float> raw_values(20);
  network->forward(views.batch(0, 20), raw, raw_values);
  for (std::size_t row = 0; row < 20; ++row) {
    EXPECT_EQ(values[row], 50.0F * raw_values[row]) << "tariff units";
    const auto begin = probabilities.begin() + static_cast<std::ptrdiff_t>(row * kRow);
    const auto best = static_cast<std::size_t>(std::max_element(begin, begin + kRow) - begin);
    for (std::size_t a = 0; a < kRow; ++a) {
      EXPECT_EQ(one_hot[row * kRow + a], a == best ? 1.0F : 0.0F);
      const bool legal = legal_actions(views.cards[row]).contains(static_cast<Action>(a));
      EXPECT_EQ(probabilities[row * kRow + a] > 0.0F, legal);
    }
  }
}

TEST(NetAgent, plays_the_averaged_weights_of_a_checkpoint) {
  const NetworkShape shape = make_network_shape(64, 2);
  WeightsFile averages = random_weights(shape), checkpoint = averages;
  for (const auto& [name, tensor] : averages.tensors) {
    checkpoint.tensors[std::string(kAveragedBegin) + name] = tensor;
    for (float& weight : checkpoint.tensors[name].data) weight = -weight;
  }
  const test::TemporaryFile file("averaged.safetensors"), plain("averages.safetensors");
  write_weights(file.path(), checkpoint);
  write_weights(plain.path(), averages);
  const Views views = random_views(20);
  const auto played = [&](const std::string& path) {
    std::vector<float> probabilities(20 * kRow);
    make_net_agent(path, false)->policy(views.batch(0, 20), probabilities, {});
    return probabilities;
  };
  EXPECT_EQ(played(file.path()), played(plain.path()));
  EXPECT_EQ(read_player_weights(file.path()).tensors.size(), averages.tensors.size());
  EXPECT_EQ(read_weights(file.path()).tensors.size(), 2 * averages.tensors.size());
}

TEST(NetAgent, names_the_file_that_is_missing) {
  EXPECT_THAT(error_of([] { static_cast<void>(make_net_agent("no/such.safetensors", true)); }),
              AllOf(HasSubstr("no/such.safetensors"), HasSubstr("No such file")));
}

TEST(NetAgent, stands_in_the_registry) {
  const test::TemporaryFile file("registry.safetensors");
  const std::string path = file.path();
  write_weights(path, random_weights(make_network_shape(8, 1)));
  EXPECT_EQ(make_agent("net:" + path)->name(), "net:" + path);
  const std::string drawn = "net:" + path + ",greedy=false";
  EXPECT_EQ(make_agent(drawn)->name(), drawn);
  EXPECT_THAT(error_of([] { static_cast<void>(make_agent("net")); }), HasSubstr("path is missing"));
  EXPECT_THAT(error_of([] { static_cast<void>(make_agent("net:x,greedy=1")); }),
              HasSubstr("allowed: true, false"));
}

}  // namespace
}  // namespace schafkopf
