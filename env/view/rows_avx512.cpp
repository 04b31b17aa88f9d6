// Rows of observations, compiled for AVX512 (cmake/SchafkopfKernels.cmake).
#include "env/base/lanes_avx512.h"
#include "env/view/row_writer.h"

namespace schafkopf::rows {
namespace {
struct OfThisFile {};
struct Isa : LanesAvx512<OfThisFile> {};
}  // namespace

constinit const RowKernel kAvx512Rows = RowWriter<Isa>::kernel();

}  // namespace schafkopf::rows
