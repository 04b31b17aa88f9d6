#include "training/learner/grown_inputs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "env/base/assert.h"
#include "env/view/encoder.h"

namespace schafkopf {
namespace {

const Section* section_of(ObservationVersion version, std::string_view name) {
  const auto sections = observation_sections(version);
  const auto found = std::ranges::find(sections, name, &Section::name);
  return found == sections.end() ? nullptr : &*found;
}

/// A column of one network for each column of another; -1 = none.
std::vector<std::int64_t> columns(const NetworkShape& from, const NetworkShape& to) {
  std::vector<std::int64_t> columns(static_cast<std::size_t>(to.inputs), -1);
  std::int64_t column = 0;
  for (const std::string& name : from.input_sections) {
    std::size_t at = 0;
    for (const std::string& other : to.input_sections) {
      const auto length = static_cast<std::size_t>(section_of(to.observation, other)->length);
      if (other == name) {
        for (std::size_t i = 0; i < length; ++i) columns[at + i] = column++;
        break;
      }
      at += length;
    }
  }
  SCHAFKOPF_ASSERT(column == from.inputs);
  return columns;
}

Tensor with_columns(const Tensor& tensor, const std::vector<std::int64_t>& from, int inputs) {
  const auto rows = static_cast<std::size_t>(tensor.shape[0]);
  const auto length = static_cast<std::size_t>(tensor.shape[1]);
  const std::size_t behind = length - static_cast<std::size_t>(inputs);
  const std::size_t wide = from.size() + behind;
  Tensor made{.shape = {tensor.shape[0], static_cast<std::int64_t>(wide)},
              .data = std::vector<float>(rows * wide)};
  for (std::size_t row = 0; row < rows; ++row) {
    const float* const old = tensor.data.data() + row * length;
    float* const out = made.data.data() + row * wide;
    for (std::size_t column = 0; column < from.size(); ++column) {
      if (from[column] >= 0) out[column] = old[from[column]];
    }
    std::copy_n(old + inputs, behind, out + from.size());
  }
  return made;
}

}  // namespace

bool reads_more(const NetworkShape& from, const NetworkShape& to) {
  NetworkShape alike = from;
  alike.observation = to.observation;
  alike.input_sections = to.input_sections;
  alike.inputs = to.inputs;
  if (alike != to || from.inputs >= to.inputs) return false;
  return std::ranges::all_of(from.input_sections, [&](const std::string& name) {
    const Section* const old = section_of(from.observation, name);
    const Section* const now = section_of(to.observation, name);
    return std::ranges::find(to.input_sections, name) != to.input_sections.end() &&
           old != nullptr && now != nullptr && old->length == now->length &&
           old->scale == now->scale && old->meaning == now->meaning;
  });
}

std::map<std::string, Tensor> with_inputs(std::map<std::string, Tensor> tensors,
                                          const NetworkShape& from, const NetworkShape& to) {
  const std::vector<std::int64_t> places = columns(from, to);
  for (const char* name : {"trunk.0.weight", "critic.trunk.0.weight"}) {
    const auto found = tensors.find(name);
    if (found == tensors.end() || found->second.shape.size() != 2 ||
        found->second.shape[1] < from.inputs) {
      continue;
    }
    found->second = with_columns(found->second, places, from.inputs);
  }
  return tensors;
}

}  // namespace schafkopf
