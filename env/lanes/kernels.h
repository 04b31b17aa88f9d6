// The kernels of kernel_*.cpp, for lane_kernels.cpp alone.
#pragma once

#include "env/lanes/lane_kernels.h"

namespace schafkopf {

extern const LaneKernel kAvx2Kernel;
extern const LaneKernel kAvx512Kernel;

}  // namespace schafkopf
