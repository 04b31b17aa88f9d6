// The kernels of kernel_*.cpp, for lane_kernels.cpp alone.
#pragma once

#include "env/lanes/lane_kernels.h"

namespace schafkopf {

extern const LaneKernel kernel_avx2;
extern const LaneKernel kernel_avx512;

}  // namespace schafkopf
