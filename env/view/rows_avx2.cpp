// Rows of observations, compiled for AVX2 (cmake/SchafkopfKernels.cmake).
#include "env/base/lanes_avx2.h"
#include "env/view/row_writer.h"

namespace schafkopf::rows {
namespace {
struct OfThisFile {};
struct Isa : LanesAvx2<OfThisFile> {};
}  // namespace

constinit const RowKernel kAvx2Rows = RowWriter<Isa>::kernel();

}  // namespace schafkopf::rows
