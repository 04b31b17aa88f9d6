// Means with their 95 % intervals for Python, as tournaments compute them.
#include <vector>

#include "agents/tournament/tournament.h"
#include "bindings/common.h"
#include "env/base/wrong_argument.h"

namespace schafkopf::python {

void register_intervals(py::module_& module) {
  module.def(
      "mean_interval",
      [](const std::vector<double>& values) {
        if (values.empty()) refuse_argument("values", " has no number, allowed: at least one");
        const Estimate found = estimate(values);
        return py::make_tuple(found.mean, found.half_width);
      },
      py::arg("values"),
      R"(Mean of independent values and the half width of its 95 % interval (Student's t).

Raises:  ValueError: no value.
Returns: (mean, half_width); half_width is infinite for one value and where all are the same.)");
}

}  // namespace schafkopf::python
