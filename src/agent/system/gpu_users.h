// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "agent/system/metric_sink.h"
#include "agent/system/nvml_library.h"

namespace steptrace::agent {

// Who computes on one GPU, as NVML lists them. The list has the driver's numbers of processes: in a
// container they may be of another namespace, or there may be none. Only where it holds a process
// of the job are the numbers known to be ours, and the rest to be others'. A process counts when
// two looks saw it, half a second apart at least: one that begins is in NVML's list or in the job's
// first, and the daemon of NVIDIA's MPS, which is there on behalf of its clients, does not count.
//
// A look takes one call of the driver, every quarter of a minute, and another with the next sample
// where somebody is new. One thread.
class GpuUsers {
 public:
  // `library` outlives it.
  GpuUsers(const NvmlLibrary& library, nvml::Device device, int32_t index, std::string name,
           std::string proc_root);

  // `job`: the living processes of the run. What there is to tell for the first time, or what has
  // grown.
  std::optional<GpuUse> UseOf(int64_t now_ns, const std::set<int32_t>& job);

 private:
  std::optional<std::set<int32_t>> List();
  bool IsMps(int32_t pid) const;

  const NvmlLibrary& library_;
  nvml::Device device_;
  std::string proc_root_;
  GpuUse use_;
  bool reported_ = false;
  bool off_ = false;  // it gives no list
  int64_t next_ns_ = 0;
  bool again_ = false;      // the last look saw somebody new
  std::set<int32_t> last_;  // whom it saw
};

}  // namespace steptrace::agent
