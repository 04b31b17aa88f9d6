#include "agents/network/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "env/base/assert.h"
#include "env/base/input_limits.h"
#include "env/base/refuse.h"
#include "env/cards/card_map.h"
#include "env/view/encoder.h"

namespace schafkopf {
namespace {

/// Rows of views that are expanded at a time; bounds the scratch memory, not the results.
constexpr std::size_t kViewTile = 64;
constexpr int kMaxWidth = 1 << 16;
constexpr int kMaxLayers = 64;
constexpr std::size_t kRow = kNumActions;

std::string all_section_names(ObservationVersion version) {
  std::vector<std::string_view> names;
  for (const Section& section : observation_sections(version)) names.push_back(section.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The whole text as a number, or nothing.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

const std::string& metadata_of(const WeightsFile& weights, const std::string& path,
                               const std::string& key) {
  const auto found = weights.metadata.find(key);
  if (found == weights.metadata.end()) {
    refuse_file(path, fmt::format("no weights of a network: metadata '{}' is missing", key));
  }
  return found->second;
}

constexpr ObservationVersion kReadVersions[] = {ObservationVersion::kV1, ObservationVersion::kV2,
                                                ObservationVersion::kV3, ObservationVersion::kV4};
static_assert(std::size(kReadVersions) == static_cast<std::size_t>(kLastVersion),
              "networks read every version of observations, and the error below names them");

ObservationVersion read_observation_version(const WeightsFile& weights, const std::string& path) {
  const std::string& found = metadata_of(weights, path, "observation_version");
  for (const ObservationVersion version : kReadVersions) {
    if (found == fmt::format("{}", static_cast<int>(version))) return version;
  }
  refuse_file(path, fmt::format("observation_version is {}, this program reads 1, 2, 3, 4",
                                quotable(found)));
}

void check_version(const WeightsFile& weights, const std::string& path, const std::string& key,
                   int needed) {
  const std::string& found = metadata_of(weights, path, key);
  if (found != fmt::format("{}", needed)) {
    refuse_file(path, fmt::format("{} is {}, this program needs {}", key, quotable(found), needed));
  }
}

/// Kind, width and layers of "mlp:256x2"; what is wrong with the name, or nothing.
std::string parse_architecture(std::string_view name, NetworkShape& shape) {
  const std::size_t colon = std::min(name.find(':'), name.size());
  constexpr auto kKinds = names_of(TrunkKind{});
  const auto kind = std::ranges::find(kKinds, name.substr(0, colon));
  const std::string_view size = name.substr(std::min(colon + 1, name.size()));
  const std::size_t cross = size.find('x');
  if (kind != kKinds.end() && cross != std::string_view::npos) {
    const auto width = parse_number<int>(size.substr(0, cross));
    const auto layers = parse_number<int>(size.substr(cross + 1));
    if (width && layers && *width >= 1 && *width <= kMaxWidth && *layers >= 1 &&
        *layers <= kMaxLayers) {
      shape.trunk = static_cast<TrunkKind>(kind - kKinds.begin());
      shape.width = *width;
      shape.layers = *layers;
      return {};
    }
  }
  return fmt::format(
      "architecture '{}' is none of this program; allowed: "
      "'mlp:<width>x<layers>' or 'residual:<width>x<blocks>', as in 'mlp:256x2', width 1..{}, "
      "layers or blocks 1..{}",
      quotable(name), kMaxWidth, kMaxLayers);
}

void check_tensor(const WeightsFile& weights, const std::string& path, const std::string& name,
                  std::vector<std::int64_t> shape) {
  const auto found = weights.tensors.find(name);
  if (found == weights.tensors.end())
    refuse_file(path, fmt::format("tensor '{}' is missing", name));
  if (found->second.shape != shape) {
    refuse_file(path, fmt::format("tensor '{}' has the shape [{}], the network needs [{}]", name,
                                  fmt::join(found->second.shape, ", "), fmt::join(shape, ", ")));
  }
}

void check_tensors(const WeightsFile& weights, const std::string& path, const NetworkShape& shape) {
  int columns = shape.inputs;
  for (int layer = 0; layer < shape.linears(); ++layer) {
    check_tensor(weights, path, fmt::format("trunk.{}.weight", layer), {shape.width, columns});
    check_tensor(weights, path, fmt::format("trunk.{}.bias", layer), {shape.width});
    columns = shape.width;
  }
  for (const std::string& norm : norm_names(shape)) {
    check_tensor(weights, path, fmt::format("trunk.{}.weight", norm), {shape.width});
    check_tensor(weights, path, fmt::format("trunk.{}.bias", norm), {shape.width});
  }
  check_tensor(weights, path, "policy.weight", {shape.outputs, shape.width});
  check_tensor(weights, path, "policy.bias", {shape.outputs});
  if (weights.tensors.contains("value.weight")) {
    check_tensor(weights, path, "value.weight", {1, shape.width});
    check_tensor(weights, path, "value.bias", {1});
  }
}

/// Move the logits of one row from canonical to absolute card indices.
void to_absolute(int map, float* logits) {
  if (map == 0) return;
  const std::uint8_t* canonical =
      card_maps().data() + std::size_t{kNumCards} * static_cast<std::size_t>(map);
  float moved[kNumCards];
  for (std::size_t card = 0; card < kNumCards; ++card) moved[card] = logits[canonical[card]];
  std::memcpy(logits, moved, sizeof moved);
}

/// Softmax of one row; `legal` is not empty.
void softmax_row(const float* logits, const ActionMask& legal, std::size_t row,
                 float* probabilities) {
  float best = -std::numeric_limits<float>::infinity();
  for (int n = 0; n < legal.count(); ++n) {
    const Action action = legal.nth(n);
    const float logit = logits[action];
    if (std::isnan(logit) || logit == std::numeric_limits<float>::infinity()) {
      throw std::runtime_error(fmt::format("row {}: the logit of {} is {}, no probabilities follow",
                                           row, action_name(action), logit));
    }
    best = std::max(best, logit);
  }
  if (std::isinf(best)) {
    throw std::runtime_error(fmt::format("row {}: all legal logits are -infinity", row));
  }
  float weights[kRow] = {};
  float sum = 0.0F;
  for (int n = 0; n < legal.count(); ++n) {
    const Action action = legal.nth(n);
    SCHAFKOPF_ASSERT(action < kRow);
    weights[action] = std::exp(logits[action] - best);
    sum += weights[action];
  }
  for (std::size_t action = 0; action < kRow; ++action) {
    probabilities[action] = weights[action] / sum;
  }
}

}  // namespace

std::vector<std::string> section_names(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return names;
}

std::vector<std::string> norm_names(const NetworkShape& shape) {
  std::vector<std::string> names;
  if (shape.trunk != TrunkKind::kResidual) return names;
  for (int block = 1; block <= shape.layers; ++block) names.push_back(fmt::format("norm{}", block));
  names.emplace_back("norm");
  return names;
}

std::vector<std::string> default_input_sections(ObservationVersion version) {
  std::vector<std::string> names;
  const int rule_features = observation_size(version) - rule_feature_size(version);
  for (const Section& section : observation_sections(version)) {
    if (section.offset < rule_features) names.emplace_back(section.name);
  }
  return names;
}

NetworkShape make_network_shape(int width, int layers, std::vector<std::string> input_sections,
                                TrunkKind trunk, ObservationVersion observation) {
  if (width < 1 || width > kMaxWidth || layers < 1 || layers > kMaxLayers) {
    throw std::invalid_argument(
        fmt::format("network of {} layers of width {}, allowed: 1..{} "
                    "layers of width 1..{}",
                    layers, width, kMaxLayers, kMaxWidth));
  }
  NetworkShape shape;
  shape.width = width;
  shape.layers = layers;
  shape.trunk = trunk;
  shape.observation = observation;
  shape.input_sections =
      input_sections.empty() ? default_input_sections(observation) : std::move(input_sections);
  shape.inputs = InputGather(shape).size();
  return shape;
}

NetworkShape make_network_shape(std::string_view architecture,
                                std::vector<std::string> input_sections,
                                ObservationVersion observation) {
  NetworkShape parsed;
  const std::string wrong = parse_architecture(architecture, parsed);
  if (!wrong.empty()) throw std::invalid_argument(wrong);
  return make_network_shape(parsed.width, parsed.layers, std::move(input_sections), parsed.trunk,
                            observation);
}

std::string architecture_name(const NetworkShape& shape) {
  return fmt::format("{}:{}x{}", name_of(shape.trunk), shape.width, shape.layers);
}

std::map<std::string, std::string> network_metadata(const NetworkShape& shape) {
  return {{"format", std::string(kNetworkFormat)},
          {"observation_version", fmt::format("{}", static_cast<int>(shape.observation))},
          {"action_version", fmt::format("{}", kActionVersion)},
          {"view_version", fmt::format("{}", kViewVersion)},
          {"cards", std::string(kNetworkCards)},
          {"input_sections", fmt::format("{}", fmt::join(shape.input_sections, ","))},
          {"architecture", architecture_name(shape)},
          {"value_scale", fmt::format("{}", shape.value_scale)}};
}

NetworkShape read_network_shape(const WeightsFile& weights, const std::string& path) {
  const std::string& format = metadata_of(weights, path, "format");
  if (format != kNetworkFormat && format != kUnsummedFormat) {
    refuse_file(path, fmt::format("format is '{}', this program needs '{}'", quotable(format),
                                  kNetworkFormat));
  }
  check_version(weights, path, "action_version", kActionVersion);
  check_version(weights, path, "view_version", kViewVersion);
  const auto cards = weights.metadata.find("cards");  // absent in files older than the key
  if (cards != weights.metadata.end() && cards->second != kNetworkCards) {
    refuse_file(path, fmt::format("cards is '{}', this program needs '{}'", quotable(cards->second),
                                  kNetworkCards));
  }
  NetworkShape shape;
  shape.observation = read_observation_version(weights, path);
  const std::string wrong = parse_architecture(metadata_of(weights, path, "architecture"), shape);
  if (!wrong.empty()) refuse_file(path, wrong);
  const std::string& scale = metadata_of(weights, path, "value_scale");
  shape.value_scale = parse_number<float>(scale).value_or(0.0F);
  if (!std::isfinite(shape.value_scale) || shape.value_scale <= 0.0F) {
    refuse_file(path,
                fmt::format("value_scale is '{}', allowed: a positive number", quotable(scale)));
  }
  shape.input_sections = section_names(metadata_of(weights, path, "input_sections"));
  try {
    shape.inputs = InputGather(shape).size();
  } catch (const std::invalid_argument& error) {
    refuse_file(path, fmt::format("input_sections: {}", error.what()));
  }
  check_tensors(weights, path, shape);
  return shape;
}

InputGather::InputGather(std::span<const std::string> sections, ObservationVersion version)
    : version_(version) {
  if (sections.empty()) {
    throw std::invalid_argument(fmt::format(
        "a network needs at least one input section, allowed: {}", all_section_names(version)));
  }
  const std::span<const Section> known = observation_sections(version);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const std::span before = sections.first(i);
    if (std::ranges::find(before, sections[i]) != before.end()) {
      throw std::invalid_argument(
          fmt::format("input section '{}' is named twice, allowed: once", quotable(sections[i])));
    }
    const auto found = std::ranges::find(known, sections[i], &Section::name);
    if (found == known.end()) {
      throw std::invalid_argument(fmt::format(
          "unknown input section '{}', allowed: {} (observation version {})", quotable(sections[i]),
          all_section_names(version), static_cast<int>(version)));
    }
    size_ += found->length;
    if (!pieces_.empty() && pieces_.back().first + pieces_.back().second == found->offset) {
      pieces_.back().second += found->length;
    } else {
      pieces_.emplace_back(found->offset, found->length);
    }
  }
}

void InputGather::gather(std::span<const float> rows, std::span<float> inputs) const {
  const auto stride = static_cast<std::size_t>(observation_size(version_));
  const std::size_t count = rows.size() / stride;
  SCHAFKOPF_ASSERT(inputs.size() == count * static_cast<std::size_t>(size_));
  float* target = inputs.data();
  for (std::size_t row = 0; row < count; ++row) {
    for (const auto& [offset, length] : pieces_) {
      std::memcpy(target, rows.data() + row * stride + static_cast<std::size_t>(offset),
                  static_cast<std::size_t>(length) * sizeof(float));
      target += length;
    }
  }
}

void PolicyNetwork::forward(const ViewBatch& batch, std::span<float> logits,
                            std::span<float> values) {
  SCHAFKOPF_ASSERT(logits.size() == batch.size * kRow);
  SCHAFKOPF_ASSERT(values.empty() || values.size() == batch.size);
  if (!gather_) gather_.emplace(shape());
  const auto features = static_cast<std::size_t>(observation_size(shape().observation));
  const auto inputs = static_cast<std::size_t>(shape().inputs);
  rows_.resize(kViewTile * features);
  inputs_.resize(kViewTile * inputs);
  for (std::size_t begin = 0; begin < batch.size; begin += kViewTile) {
    const std::size_t count = std::min(kViewTile, batch.size - begin);
    const ViewBatch tile = batch.slice(begin, count);
    const std::span rows(rows_.data(), count * features);
    const std::span tile_inputs(inputs_.data(), count * inputs);
    expand(gather_->form(), tile, rows);
    gather_->gather(rows, tile_inputs);
    const std::span tile_logits = logits.subspan(begin * kRow, count * kRow);
    forward_inputs(tile_inputs, tile_logits,
                   values.empty() ? values : values.subspan(begin, count));
    for (std::size_t row = 0; row < count; ++row) {
      to_absolute(tile.order[row].card_map, tile_logits.data() + row * kRow);
    }
  }
}

void expand_oracle(const FullView& full, int card_map, std::span<float, kOracleInputs> row) {
  std::ranges::fill(row, 0.0F);
  std::size_t block = 0;
  for (int seat = 1; seat < kNumSeats; ++seat, block += kNumCards) {
    for (const Card card : CardSet(to_canonical(full.hands[seat], card_map))) {
      row[block + card] = 1.0F;
    }
  }
  for (std::size_t seat = 0; seat < kNumSeats; ++seat) {
    row[block + seat] = static_cast<float>((full.declarer_party >> seat) & 1);
  }
  if (full.owner < kNumSeats) row[block + kNumSeats + full.owner] = 1.0F;
}

void masked_softmax(std::span<const float> logits, std::span<const ActionMask> masks,
                    std::span<float> probabilities) {
  SCHAFKOPF_ASSERT(logits.size() == masks.size() * kRow);
  SCHAFKOPF_ASSERT(probabilities.size() == masks.size() * kRow);
  for (std::size_t row = 0; row < masks.size(); ++row) {
    float* const out = probabilities.data() + row * kRow;
    if (masks[row].empty()) {
      std::fill_n(out, kRow, 0.0F);
    } else {
      softmax_row(logits.data() + row * kRow, masks[row], row, out);
    }
  }
}

}  // namespace schafkopf
