// SPDX-License-Identifier: Apache-2.0
// What an event is, by its category and name.
#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {
namespace {

constexpr std::string_view kStepPrefix = "ProfilerStep#";
constexpr std::string_view kXcclPrefix = "xccl::";

// What analyses look for by name, or need not look at: of Steptrace's own runs, of Debugger, of
// Kineto moments and marks.
constexpr std::array<std::string_view, 25> kOthers = {
    "user",          "phase",        "communication",  "worker",           "fact",
    "window",        "details",      "nccl",           "nccl_proxy",       "stack",
    "device_memory", "device_phase", "step",           "data_wait",        "data_work",
    "framework",     "horovod",      "python_profile", "instant",          "cpu_instant_event",
    "Trace",         "ac2g",         "fwdbwd",         "async_cpu_to_gpu", "async_npu"};

bool ContainsNoCase(std::string_view text, std::string_view lower) {
  auto same = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  return std::search(text.begin(), text.end(), lower.begin(), lower.end(), same) != text.end();
}

}  // namespace

EventKind KindOf(std::string_view category, std::string_view name) {
  if (category == "kernel") return EventKind::kKernel;
  // Of Intel's XCCL the call on the host, of others' what the device does.
  if (category == "collective_comm") {
    return name.starts_with(kXcclPrefix) ? EventKind::kAnnotation : EventKind::kKernel;
  }
  // What MTIA's control processor does is all of one category: copies, and one stream's waits for
  // another, too.
  if (category == "mtia_ccp_events") {
    if (name.starts_with("dma_")) return EventKind::kMemcpy;
    const bool waits = name == "event_wait" || name == "event_record";
    return waits ? EventKind::kSync : EventKind::kKernel;
  }
  if (category == "cpu_op" || category == "primitive" || category == "hlo_op") {
    return EventKind::kOperator;
  }
  if (category == kStepAnnotation) return EventKind::kStep;
  // Of a live run's window: what names a namespace or a node of autograd; the rest are ranges of
  // Python code (Optimizer.step#SGD.step, a script's record_function).
  if (category == "operator") {
    const bool runs = name.find("::") != std::string_view::npos ||
                      name.find("Backward") != std::string_view::npos;
    return runs ? EventKind::kOperator : EventKind::kAnnotation;
  }
  if (category == "user_annotation") {
    return name.starts_with(kStepPrefix) ? EventKind::kStep : EventKind::kAnnotation;
  }
  if (category.ends_with("_runtime") || category.ends_with("_driver")) return EventKind::kRuntime;
  if (category == "python_function") return EventKind::kPython;
  if (category == "gpu_memcpy") return EventKind::kMemcpy;
  if (category == "gpu_memset") return EventKind::kMemset;
  if (category == "cuda_sync" || category == "npu_sync") return EventKind::kSync;
  if (category == "gpu_user_annotation") return EventKind::kDeviceAnnotation;
  // Of Ascend: what a collective is made of, and figures of its profiler; of XLA what its profiler
  // tells again.
  if (category == "hccl_task" || category == "npu_figure" || category == "xla_line") {
    return EventKind::kDeviceAnnotation;
  }
  if (category == "enqueue" || category == "dequeue") return EventKind::kHandover;
  if (category == "overhead") return EventKind::kOverhead;
  const bool known = std::find(kOthers.begin(), kOthers.end(), category) != kOthers.end();
  return known ? EventKind::kOtherHost : EventKind::kUnrecognised;
}

DeviceRole RoleOf(EventKind kind, std::string_view name) {
  if (kind == EventKind::kMemcpy || kind == EventKind::kMemset) return DeviceRole::kMemory;
  if (kind != EventKind::kKernel) return DeviceRole::kNone;
  // The last three are PyTorch's symmetric memory: kernels of its own on peers' memory.
  for (std::string_view part :
       {"nccl", "rccl", "hccl", "hcom_", "xccl", "oneccl", "cross_device_reduce", "multimem_",
        "one_shot_all_reduce", "two_shot_all_reduce"}) {
    if (ContainsNoCase(name, part)) return DeviceRole::kCommunication;
  }
  // Operations of XLA on devices without streams: all-reduce-start.7.
  for (std::string_view begin : {"all-reduce", "all-gather", "reduce-scatter", "all-to-all",
                                 "collective-permute", "collective-broadcast"}) {
    if (name.starts_with(begin)) return DeviceRole::kCommunication;
  }
  return DeviceRole::kCompute;
}

bool IsCollectiveRange(std::string_view name) {
  return name.starts_with("nccl:") || name.starts_with("gloo:") || name.starts_with(kXcclPrefix);
}

}  // namespace steptrace::analyze
