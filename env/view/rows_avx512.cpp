// Rows of observations, compiled for AVX512 (cmake/SchafkopfKernels.cmake).
#include "env/view/row_writer.h"

namespace schafkopf::rows {
namespace {
struct Isa {};
}  // namespace

constinit const RowKernel kAvx512Rows = RowWriter<Isa>::kernel();

}  // namespace schafkopf::rows
