// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What all versions of NCCL's profiler interface share (github:NVIDIA/nccl,
// src/include/plugin/nccl_profiler.h). What differs stands in a header of each version.
//
//   application thread   init(communicator) -> context, mask of events
//                        start(collective) … stop(it): it has been enqueued, not done
//   proxy thread         start(proxy operation | kernel channel, parent = the collective) … stop
//   application thread   finalize(context)
//
// Handles and contexts are the plugin's own words. All calls return 0: nothing of ours is an error
// of NCCL's.
namespace steptrace::probe::nccl {

enum Event : uint64_t {
  kGroup = 1 << 0,
  kCollective = 1 << 1,
  kTransfer = 1 << 2,
  kProxyOp = 1 << 3,
  kProxyStep = 1 << 4,
  kProxyControl = 1 << 5,
  kKernelChannel = 1 << 6,
};

inline constexpr int32_t kSuccess = 0;

}  // namespace steptrace::probe::nccl
