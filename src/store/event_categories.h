// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/event_categories.toml.
#pragma once

#include <cstdint>
#include <string_view>

namespace steptrace::store {

// clang-format off
enum class CategoryKind : uint8_t { kOperator, kAnnotation, kStep, kRuntime, kPython, kOverhead, kHandover, kOtherHost, kKernel, kMemcpy, kMemset, kSync, kDeviceAnnotation };

struct EventCategory {
  std::string_view name;  // as it is stored
  CategoryKind is;
  bool by_name;           // an event's name may say that it is another thing
};
inline constexpr EventCategory kEventCategories[] = {
    {"kernel", CategoryKind::kKernel, false},
    {"gpu_memcpy", CategoryKind::kMemcpy, false},
    {"gpu_memset", CategoryKind::kMemset, false},
    {"collective_comm", CategoryKind::kKernel, true},
    {"mtia_ccp_events", CategoryKind::kKernel, true},
    {"cuda_sync", CategoryKind::kSync, false},
    {"npu_sync", CategoryKind::kSync, false},
    {"gpu_user_annotation", CategoryKind::kDeviceAnnotation, false},
    {"hccl_task", CategoryKind::kDeviceAnnotation, false},
    {"npu_figure", CategoryKind::kDeviceAnnotation, false},
    {"xla_line", CategoryKind::kDeviceAnnotation, false},
    {"cpu_op", CategoryKind::kOperator, false},
    {"primitive", CategoryKind::kOperator, false},
    {"hlo_op", CategoryKind::kOperator, false},
    {"tf_op", CategoryKind::kOperator, false},
    {"operator", CategoryKind::kOperator, true},
    {"user_annotation", CategoryKind::kAnnotation, true},
    {"step_annotation", CategoryKind::kStep, false},
    {"python_function", CategoryKind::kPython, false},
    {"enqueue", CategoryKind::kHandover, false},
    {"dequeue", CategoryKind::kHandover, false},
    {"overhead", CategoryKind::kOverhead, false},
    {"user", CategoryKind::kOtherHost, false},
    {"phase", CategoryKind::kOtherHost, false},
    {"communication", CategoryKind::kOtherHost, false},
    {"worker", CategoryKind::kOtherHost, false},
    {"fact", CategoryKind::kOtherHost, false},
    {"window", CategoryKind::kOtherHost, false},
    {"details", CategoryKind::kOtherHost, false},
    {"nccl", CategoryKind::kOtherHost, false},
    {"nccl_proxy", CategoryKind::kOtherHost, false},
    {"stack", CategoryKind::kOtherHost, false},
    {"device_memory", CategoryKind::kOtherHost, false},
    {"device_phase", CategoryKind::kOtherHost, false},
    {"step", CategoryKind::kOtherHost, false},
    {"data_wait", CategoryKind::kOtherHost, false},
    {"data_work", CategoryKind::kOtherHost, false},
    {"framework", CategoryKind::kOtherHost, false},
    {"horovod", CategoryKind::kOtherHost, false},
    {"python_profile", CategoryKind::kOtherHost, false},
    {"os_runtime", CategoryKind::kOtherHost, false},
    {"library_range", CategoryKind::kOtherHost, false},
    {"instant", CategoryKind::kOtherHost, false},
    {"cpu_instant_event", CategoryKind::kOtherHost, false},
    {"Trace", CategoryKind::kOtherHost, false},
    {"ac2g", CategoryKind::kOtherHost, false},
    {"fwdbwd", CategoryKind::kOtherHost, false},
    {"async_cpu_to_gpu", CategoryKind::kOtherHost, false},
    {"async_npu", CategoryKind::kOtherHost, false},
};
// Work of a device's stream.
inline constexpr std::string_view kStreamWorkCategories[] = {"kernel", "gpu_memcpy", "gpu_memset", "collective_comm"};
// Likewise, and waits of a stream.
inline constexpr std::string_view kStreamCategories[] = {"kernel", "gpu_memcpy", "gpu_memset", "collective_comm", "mtia_ccp_events", "cuda_sync", "npu_sync"};
// Parts of the names of kernels that communicate, in lower case; theirs may have another.
inline constexpr std::string_view kCommunicationParts[] = {"nccl", "rccl", "hccl", "hcom_", "xccl", "oneccl", "cross_device_reduce", "multimem_", "one_shot_all_reduce", "two_shot_all_reduce"};
// How other names of such kernels begin.
inline constexpr std::string_view kCommunicationBegins[] = {"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "collective-permute", "collective-broadcast"};
// How ranges around collectives begin.
inline constexpr std::string_view kCollectiveRangeBegins[] = {"nccl:", "gloo:", "xccl::"};
// clang-format on

constexpr bool IsStreamWork(std::string_view category) {
  for (const std::string_view one : kStreamWorkCategories) {
    if (one == category) return true;
  }
  return false;
}
constexpr bool IsOnStream(std::string_view category) {
  for (const std::string_view one : kStreamCategories) {
    if (one == category) return true;
  }
  return false;
}

// As PyTorch names them, of whatever maker's devices: cuda_runtime, xpu_driver.
constexpr bool IsRuntimeCall(std::string_view category) {
  return category.ends_with("_runtime") || category.ends_with("_driver");
}

// Null: nobody knows it. Of runtimes those that are declared alone.
constexpr const EventCategory* FindEventCategory(std::string_view name) {
  for (const EventCategory& one : kEventCategories) {
    if (one.name == name) return &one;
  }
  return nullptr;
}

}  // namespace steptrace::store
