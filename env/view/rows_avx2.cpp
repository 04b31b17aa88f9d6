// Rows of observations, compiled for AVX2 (cmake/SchafkopfKernels.cmake).
#include "env/view/row_writer.h"

namespace schafkopf::rows {
namespace {
struct Isa {};
}  // namespace

constinit const RowKernel kAvx2Rows = RowWriter<Isa>::kernel();

}  // namespace schafkopf::rows
