// Actions drawn from the logits of a network that lives in Python, legal ones alone.
#include "bindings/sampling.h"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <stdexcept>

#include "bindings/common.h"
#include "bindings/gil.h"
#include "env/cards/action.h"
#include "env/view/sampling.h"

namespace schafkopf::python {
namespace {

using Actions = py::array_t<std::int32_t, py::array::c_style>;

std::uint64_t seed_from(const py::handle& rng) {
  // numpy.random has a module of this name
  if (py::hasattr(rng, "bit_generator") && !PyModule_Check(rng.ptr())) {
    return rng.attr("bit_generator").attr("random_raw")().cast<std::uint64_t>();
  }
  if (PyIndex_Check(rng.ptr()) != 0) return whole_from<std::uint64_t>(rng, "rng");
  throw std::invalid_argument(fmt::format(
      "rng: {} came, allowed: numpy.random.Generator, or a seed 0..2^64-1", type_name(rng)));
}

Actions sample(const py::object& logits, const py::object& legal, const py::object& rng,
               const py::object& out) {
  refuse_masked(logits, "logits");
  refuse_masked(legal, "legal");
  const bool numbers = py::isinstance<py::array>(logits) &&
                       py::reinterpret_borrow<py::array>(logits).dtype().kind() == 'f' &&
                       py::reinterpret_borrow<py::array>(logits).ndim() == 2 &&
                       py::reinterpret_borrow<py::array>(logits).shape(1) == kNumActions;
  if (!numbers) {
    throw std::invalid_argument(
        fmt::format("logits: {} came, allowed: an array or a tensor float32 [N, {}] (float64 and "
                    "float16 are copied)",
                    describe_array(logits), kNumActions));
  }
  const Numbers<float> rows(logits);  // NumPy may raise where a float64 is beyond float32
  const py::ssize_t size = rows.shape(0);
  const bool bits = py::isinstance<py::array_t<std::uint64_t>>(legal) &&
                    py::reinterpret_borrow<py::array>(legal).ndim() == 2 &&
                    py::reinterpret_borrow<py::array>(legal).shape(0) == size &&
                    py::reinterpret_borrow<py::array>(legal).shape(1) == 2;
  if (!bits) {
    throw std::invalid_argument(
        fmt::format("legal: {} came, allowed: uint64 [{}, 2] of bits, or masks [{}, {}]",
                    describe_array(legal), size, size, kNumActions));
  }
  const Numbers<std::uint64_t> masks(legal);
  if (!out.is_none() && !is_target<std::int32_t>(out, size)) {
    throw std::invalid_argument(
        fmt::format("out: {} came, allowed: a contiguous and aligned NumPy array int32 [{}] that "
                    "can be written",
                    describe_array(out), size));
  }
  const std::uint64_t seed = seed_from(rng);
  Actions actions = out.is_none() ? Actions(size) : py::reinterpret_borrow<Actions>(out);
  const auto count = static_cast<std::size_t>(size);
  const std::span<const float> given{rows.data(), count * kNumActions};
  const std::span<const std::uint64_t> words{masks.data(), 2 * count};
  const std::span<std::int32_t> drawn{actions.mutable_data(), count};
  const std::size_t wrong = [&] {
    const GilReleased release;
    return sample_legal(given, words, seed, drawn);
  }();
  if (wrong < count) {
    throw std::invalid_argument(fmt::format(
        "row {}: no action to draw: it needs a legal one, and logits of legal ones that are below "
        "infinity, no NaN and not all of them -infinity",
        wrong));
  }
  return actions;
}

}  // namespace

void register_sampling(py::module_& module) {
  module.def("sample", &sample, py::arg("logits"), py::arg("legal"), py::arg("rng"),
             py::arg("out") = py::none(),
             R"(Draw a legal action for each row with the probabilities softmax(logits).

Args:    logits: float32 [N, 128]; float64 and float16 are copied. Those of illegal actions are not
         read.
         legal: uint64 [N, 2], as VectorEnv.legal: bit a of a row = action a; schafkopf.sample makes
         it of masks [N, 128]. Cards are counted alike in both, and in what comes back.
         rng: a numpy.random.Generator, which gives one number for the call, or a seed 0..2^64-1; a
         seed gives the same actions again, and row i does not depend on the others.
         out: int32 [N], for the result.
Returns: int32 [N], as VectorEnv.step takes it without a copy.
Raises:  ValueError: wrong shapes or dtypes, or a row without an action to draw.)");
}

}  // namespace schafkopf::python
