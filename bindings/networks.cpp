// Weights of networks for Python: the container, what its metadata say, and the checks of both.
#include <fmt/format.h>
#include <pybind11/numpy.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "agents/network/mlp_network.h"
#include "agents/network/net_agent.h"
#include "agents/network/network.h"
#include "agents/network/weights.h"
#include "bindings/common.h"
#include "bindings/gil.h"

namespace schafkopf::python {
namespace {

using Floats = py::array_t<float, py::array::c_style>;

/// What the networks of Python read, and not the other tensors of a checkpoint.
py::dict shape_to_dict(const NetworkShape& shape) {
  py::dict row;
  row["architecture"] = architecture_name(shape);
  row["trunk"] = std::string(name_of(shape.trunk));
  row["width"] = shape.width;
  row["layers"] = shape.layers;
  row["inputs"] = shape.inputs;
  row["observation_version"] = static_cast<int>(shape.observation);
  row["input_sections"] = shape.input_sections;
  py::list pieces;
  const InputGather gather(shape);
  for (const auto& [offset, length] : gather.pieces()) {
    pieces.append(py::make_tuple(offset, length));
  }
  row["input_pieces"] = pieces;
  row["value_scale"] = shape.value_scale;
  return row;
}

py::tuple read_network(const std::string& path) {
  WeightsFile weights;
  NetworkShape shape;
  {
    const GilReleased release;
    weights = read_player_weights(path);
    shape = make_mlp_network(weights, path)->shape();  // checks the critic too
  }
  const py::dict tensors;
  for (const auto& [name, tensor] : weights.tensors) {
    Floats array(std::vector<py::ssize_t>(tensor.shape.begin(), tensor.shape.end()));
    std::ranges::copy(tensor.data, array.mutable_data());
    tensors[py::str(name)] = std::move(array);
  }
  return py::make_tuple(tensors, py::cast(weights.metadata), shape_to_dict(shape));
}

Tensor tensor_from(const std::string& name, const py::handle& given) {
  if (!py::isinstance<py::array_t<float, 0>>(given)) {
    throw std::invalid_argument(fmt::format("tensor '{}': {} came, allowed: a NumPy array float32",
                                            name, describe_array(given)));
  }
  const auto array = Floats::ensure(given);  // a copy of what lies otherwise
  Tensor tensor;
  tensor.shape.assign(array.shape(), array.shape() + array.ndim());
  tensor.data.assign(array.data(), array.data() + array.size());
  return tensor;
}

void write_network(const std::string& path, const py::dict& tensors,
                   std::map<std::string, std::string> metadata, bool half) {
  WeightsFile weights{.tensors = {}, .metadata = std::move(metadata)};
  for (const auto& [name, tensor] : tensors) {
    const std::string key = py::str(name);
    weights.tensors[key] = tensor_from(key, tensor);
  }
  const GilReleased release;
  (void)make_mlp_network(weights, path);
  write_weights(path, weights, half ? WeightsPrecision::kHalf : WeightsPrecision::kSingle);
}

py::tuple describe_network(
    const Text<"architecture">& architecture,
    Whole<"observation_version", int, 1, static_cast<int>(kLastVersion)> version,
    std::vector<std::string> sections, float value_scale) {
  NetworkShape shape = make_network_shape(architecture.value, std::move(sections),
                                          static_cast<ObservationVersion>(version.value));
  if (!std::isfinite(value_scale) || value_scale <= 0.0F) {
    throw std::invalid_argument(
        fmt::format("value_scale = {}, allowed: a positive number", value_scale));
  }
  shape.value_scale = value_scale;
  return py::make_tuple(shape_to_dict(shape), network_metadata(shape));
}

}  // namespace

void register_networks(py::module_& module) {
  module.def("read_network", &read_network, py::arg("path"),
             R"(Tensors, metadata and shape of a network's weights.

Args:    path: a weights file, or the name of weights that come with the library.
Returns: ({name: float32 array}, {key: text}, {architecture, trunk, width, layers, inputs,
         observation_version, input_sections, input_pieces, value_scale}); input_pieces are
         (offset, length) in an observation row.
Raises:  RuntimeError: the file cannot be read.  ValueError: it is damaged, or no network that this
         version plays.)");
  module.def("write_network", &write_network, py::arg("path"), py::arg("tensors"),
             py::arg("metadata"), py::arg("half") = false,
             R"(Write a network's weights as a file that net:FILE plays.

Args:    tensors: {name: float32 array};  metadata: {key: text}, as describe_network gives them.
         half: float16, at half the size.
Raises:  ValueError: they are no network, or a number is not finite or beyond half precision.
         RuntimeError: disk. Nothing is written then.)");
  module.def("net_player", &net_player, py::arg("file"),
             R"(Registry string of the player of a weights file, "net:FILE".

It never means weights that come with the library: those are "net:baseline", a file of that name
"net:./baseline".)");
  module.def("describe_network", &describe_network, py::arg("architecture"),
             py::arg("observation_version"), py::arg("input_sections"), py::arg("value_scale"),
             R"((shape as read_network gives it, metadata) of a network.

Args:    architecture: "mlp:<width>x<layers>" or "residual:<width>x<blocks>".
         input_sections: names of observation_sections(version), [] = all but the rule features.
Raises:  ValueError: unknown architecture or sections.)");
}

}  // namespace schafkopf::python
