// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What NVIDIA's CUPTI hands to a collector of its activity API, as far as we read it: the common
// beginning of its records from CUDA 11 to 13. They only grow at their ends, and
// cuptiActivityGetNextRecord alone knows their sizes. Facts as of github:NVIDIA's published headers
// (cupti_activity.h, cupti_result.h); nothing of them is needed to build.
namespace steptrace::probe::cupti {

using Result = int;
inline constexpr Result kSuccess = 0;
inline constexpr Result kNotCompatible = 14;        // the process uses the other family of calls
inline constexpr Result kMultipleSubscribers = 39;  // another has subscribed, or Nsight is there

enum class Kind : uint32_t {
  kMemcpy = 1,
  kMemset = 2,
  kDriver = 4,
  kRuntime = 5,
  kConcurrentKernel = 10,  // never 3: that one makes kernels run one after the other
  kSynchronization = 38,
};

inline constexpr uint32_t kFlushForced = 1;  // buffers in use and records that have not ended too
inline constexpr size_t kBufferAlignment = 8;
// From this version on (CUDA 12.9) a collector may refuse a buffer; before, CUPTI might crash.
inline constexpr uint32_t kMayRefuseVersion = 27;
// From this version on (CUDA 11.0) a kernel's record holds its graph.
inline constexpr uint32_t kGraphVersion = 13;

// From this version on (CUDA 12.6) CUPTI can leave a process that goes on.
inline constexpr uint32_t kFinalizeVersion = 24;

enum class ThreadIdType : int { kPthread = 0, kSystem = 1 };
enum class CallbackDomain : int { kDriver = 1, kRuntime = 2 };
enum class CallbackSite : int { kEnter = 0, kExit = 1 };
struct CallbackData {  // its begin
  CallbackSite site;
};
using Subscriber = void*;
using OnCallback = void (*)(void* user, CallbackDomain domain, uint32_t call,
                            const CallbackData* data);

struct Memcpy {
  uint32_t kind;
  uint8_t copy_kind, source_kind, destination_kind, flags;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
};
struct Memset {
  uint32_t kind, value;
  uint64_t bytes, start, end;
  uint32_t device, context, stream, correlation;
  uint16_t flags, memory_kind;
};
struct Kernel {
  uint32_t kind;
  uint8_t cache_config, shared_memory_config;
  uint16_t registers;
  uint32_t partitioned_cache[2];
  uint64_t start, end, completed;
  uint32_t device, context, stream;
  int32_t grid[3], block[3];
  int32_t static_shared, dynamic_shared;
  uint32_t local_per_thread, local_total, correlation;
  int64_t grid_id;
  const char* name;
};
struct KernelInGraph {  // from kGraphVersion on
  Kernel kernel;
  uint8_t between[144 - sizeof(Kernel)];
  uint64_t graph_node;
  uint32_t shared_limit, graph;
};
struct Api {
  uint32_t kind, call;
  uint64_t start, end;
  uint32_t process, thread, correlation, returned;
};
struct Synchronization {
  uint32_t kind, type;
  uint64_t start, end;
  uint32_t correlation, context, stream, event;
};
static_assert(sizeof(Memcpy) == 48 && offsetof(Memcpy, correlation) == 44);
static_assert(offsetof(Memset, correlation) == 44 && offsetof(Memset, memory_kind) == 50);
static_assert(offsetof(Kernel, start) == 16 && offsetof(Kernel, device) == 40);
static_assert(offsetof(Kernel, grid) == 52 && offsetof(Kernel, correlation) == 92);
static_assert(offsetof(Kernel, name) == 104 && sizeof(Kernel) == 112);
static_assert(offsetof(KernelInGraph, graph_node) == 144 && offsetof(KernelInGraph, graph) == 156);
static_assert(sizeof(Api) == 40 && sizeof(Synchronization) == 40);

// The library's functions by their names without "cupti". A null pointer: this version lacks it.
struct Functions {
  Result (*ActivityRegisterCallbacks)(void (*requested)(uint8_t** buffer, size_t* bytes,
                                                        size_t* most_records),
                                      void (*completed)(void* context, uint32_t stream,
                                                        uint8_t* buffer, size_t bytes,
                                                        size_t valid_bytes));
  Result (*ActivityEnable)(Kind kind);
  Result (*ActivityDisable)(Kind kind);
  Result (*ActivityFlushAll)(uint32_t flags);
  Result (*ActivityGetNextRecord)(uint8_t* buffer, size_t valid_bytes, void** record);
  Result (*ActivityGetNumDroppedRecords)(void* context, uint32_t stream, size_t* dropped);
  Result (*GetTimestamp)(uint64_t* ns);
  Result (*GetVersion)(uint32_t* version);
  // What older versions may lack.
  Result (*GetResultString)(Result result, const char** text);
  Result (*GetCallbackName)(CallbackDomain domain, uint32_t call, const char** name);
  Result (*GetThreadIdType)(ThreadIdType* type);
  Result (*ActivityFlushPeriod)(uint32_t ms);
  Result (*Subscribe)(Subscriber* subscriber, OnCallback on_callback, void* user);
  Result (*Unsubscribe)(Subscriber subscriber);
  Result (*EnableDomain)(uint32_t on, Subscriber subscriber, CallbackDomain domain);
  Result (*Finalize)();
};

}  // namespace steptrace::probe::cupti
