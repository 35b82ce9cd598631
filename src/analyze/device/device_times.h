// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/device/precision.h"

// What the report says of devices. Values; times are exact, in ns.
namespace steptrace::analyze {

// Time ranges of one device within a window. busy + idle = span, and
// busy = compute + exposed communication + exposed memory.
struct BusyTimes {
  int64_t span_ns = 0;
  int64_t busy_ns = 0;                   // |any work|
  int64_t idle_ns = 0;                   // span - busy
  int64_t compute_ns = 0;                // |compute kernels|
  int64_t communication_ns = 0;          // |communication kernels|
  int64_t memory_ns = 0;                 // |copies and fills|
  int64_t overlap_ns = 0;                // |compute and communication|
  int64_t exposed_communication_ns = 0;  // |communication without compute|
  int64_t exposed_memory_ns = 0;         // |memory without compute or communication|
};

struct DeviceStepTimes {
  int64_t step = 0;
  int64_t ts_ns = 0;
  BusyTimes times;
};

// Why nothing ran, by what ended the pause: it was launched only after the pause had begun
// (host), it followed within the threshold (kernel wait: the device's own gap between kernels),
// or it waited for something else (other: another stream, an event).
struct IdleCauses {
  int64_t host_ns = 0;
  int64_t kernel_wait_ns = 0;
  int64_t other_ns = 0;
};

struct StreamTimes {
  int64_t stream = 0;
  int64_t events = 0;
  int64_t busy_ns = 0;
  IdleCauses idle;             // between the first and the last event of the stream
  int64_t overlapping = 0;     // events that begin before an earlier one of the stream has ended
  int64_t overlapping_ns = 0;  // for how long they run beside it
  // Launches under way: called, and not yet begun on the device.
  int64_t queue_sum_ns = 0;   // over all launches: from the call's begin to the device's
  int64_t queue_span_ns = 0;  // from the first call to the last begin on the device
  int64_t queue_max = 0;
  int64_t queue_full_ns = 0;         // kFullQueue or more under way
  std::optional<double> queue_mean;  // time-weighted: sum over span
};

struct CopyTimes {
  std::string kind;  // HtoD, DtoH, DtoD, PtoP, Memset, ...
  int64_t count = 0;
  std::optional<int64_t> bytes;  // of those that tell; empty: none does
  int64_t sum_ns = 0;            // of durations
  int64_t busy_ns = 0;           // of their union
  int64_t small = 0;             // of less than kSmallCopyBytes
  int64_t small_sum_ns = 0;
  std::optional<double> bytes_per_s;  // bytes over busy
};

struct DurationSummary {
  int64_t sum = 0, mean = 0, min = 0, p50 = 0, p90 = 0, max = 0;
};

// Calls of one name that launched work on this device.
struct LaunchTimes {
  std::string call;  // cudaLaunchKernel, cuLaunchKernelEx, hipLaunchKernel, cudaGraphLaunch, ...
  int64_t calls = 0;
  int64_t device_events = 0;
  DurationSummary call_ns;   // on the host
  DurationSummary delay_ns;  // from the call's end to the first device event's begin, at least 0
  int64_t short_work = 0;    // the device was done sooner than the host with launching it
  int64_t slow_calls = 0;    // over kSlowCallNs
  int64_t late_starts = 0;   // delay over kLateStartNs
};

struct TensorCoreUse {
  int64_t tensor_core_ns = 0;  // sums of kernel durations
  int64_t compute_kernel_ns = 0;
  int64_t kernel_ns = 0;        // communication kernels too
  std::optional<double> share;  // of all kernel time, as torch-tb-profiler
  std::optional<double> compute_share;
};

// What computing kernels compute in, as far as their names tell.
struct PrecisionTime {
  Precision precision = Precision::kNotStated;
  int64_t ns = 0;               // sum of durations
  std::optional<double> share;  // of all computing kernels'
};

struct DeviceTimes {
  int32_t node = 0;
  int32_t rank = 0;
  int32_t device = 0;
  std::string name;
  std::string uuid;  // of the GPU, which several ranks may share; empty: not reported
  int64_t events = 0;
  int64_t ts_ns = 0;  // begin of the window: of the first device event
  BusyTimes window;   // to the end of the last one
  std::vector<DeviceStepTimes> steps;
  // Over the steps, from the begin of the first to the end of the last.
  int64_t steps_span_ns = 0;
  int64_t kernel_busy_ns = 0;
  std::optional<double> utilization;
  std::optional<double> est_sm_efficiency;
  std::optional<double> est_achieved_occupancy;  // 0 to 1
  IdleCauses idle;                               // pauses of the whole device; sum to idle_ns
  TensorCoreUse tensor_cores;
  std::vector<PrecisionTime> precisions;  // the longest first; sum to compute_kernel_ns
  int64_t graph_launches = 0;
  int64_t graph_kernels = 0;
  int64_t without_launch = 0;  // device events whose launch is not in the profile
  std::vector<StreamTimes> streams;
  std::vector<CopyTimes> copies;
  std::vector<LaunchTimes> launches;  // the most calls first
};

// torch-tb-profiler's eight, each exclusive of those before it; they sum to the total.
struct RoleTimes {
  int64_t kernel_ns = 0;
  int64_t memcpy_ns = 0;
  int64_t memset_ns = 0;
  int64_t communication_ns = 0;
  int64_t runtime_ns = 0;
  int64_t dataloader_ns = 0;
  int64_t cpu_ns = 0;
  int64_t other_ns = 0;
  int64_t total_ns = 0;
};

struct RoleRow {
  int32_t rank = 0;
  int64_t step = 0;
  int64_t ts_ns = 0;
  RoleTimes times;
};

struct DevicesSection {
  std::vector<DeviceTimes> devices;  // by rank, then device
  std::vector<RoleRow> roles;        // by rank, then step
};

// A gap on a stream that is shorter is the device's own (HTA's default).
inline constexpr int64_t kKernelWaitNs = 30'000;
inline constexpr int64_t kFullQueue = 1024;  // launches that a driver keeps before it blocks
inline constexpr int64_t kSlowCallNs = 50'000;
inline constexpr int64_t kLateStartNs = 100'000;
inline constexpr int64_t kSmallCopyBytes = 64 * 1024;

}  // namespace steptrace::analyze
