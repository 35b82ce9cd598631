// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

namespace steptrace::agent {

// What bounds how many threads an NVIDIA multiprocessor holds at once; 0: not reported.
struct MultiprocessorLimits {
  int64_t count = 0;    // of the device
  int64_t threads = 0;  // of one
  int64_t registers = 0;
  int64_t shared_bytes = 0;
  int64_t capability = 0;  // ten times the major number, and the minor: 90
};

struct LaunchConfiguration {
  double blocks = 0;
  double threads = 0;        // of a block
  int64_t registers = 0;     // of a thread
  int64_t shared_bytes = 0;  // of a block, static and dynamic
};

// The estimated achieved occupancy in per cent, as PyTorch's profiler estimates it: of the threads
// that a multiprocessor can hold those that the launch gives it, which are as many blocks as fit or
// as there are. Source of what fits: NVIDIA's occupancy calculator (CUDA C++ programming guide,
// compute capabilities; cuda_occupancy.h). Where PyTorch's profiler tells 0, of kernels with much
// dynamic shared memory, this tells what ran. Nothing: a limit or the launch is not known.
std::optional<double> AchievedOccupancyPercent(const MultiprocessorLimits& limits,
                                               const LaunchConfiguration& launch);

}  // namespace steptrace::agent
