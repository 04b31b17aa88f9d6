// Rows of observations, compiled for AVX2 (cmake/SchafkopfKernels.cmake).
#include "env/view/row_writer.h"

namespace schafkopf::rows {
namespace {
struct Isa {};
}  // namespace

constinit const RowKernel rows_avx2 = RowWriter<Isa>::kernel();

}  // namespace schafkopf::rows
