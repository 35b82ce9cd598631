// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/nccl_abi.h"

// Version 5 of NCCL's profiler interface: names and layouts are those of
// github:NVIDIA/nccl, plugins/profiler/example/nccl/profiler_v5.h. Of a descriptor only what is
// read here is named; its place is what counts.
namespace steptrace::probe::nccl::v5 {

struct Descriptor {
  uint64_t type;
  void* parent;
  int32_t rank;
  union {
    struct {
      uint64_t sequence;
      const char* function;
      const void* send_buffer;
      void* receive_buffer;
      size_t count;
      int32_t root;
      const char* datatype;
      uint8_t channels;
      uint8_t warps;
      const char* algorithm;
      const char* protocol;
      void* parent_group;
    } collective;
    struct {
      const char* function;
      void* buffer;
      const char* datatype;
      size_t count;
      int32_t peer;
      uint8_t channels;
      void* parent_group;
    } transfer;
    struct {
      int32_t pid;
      uint8_t channel;
      int32_t peer;
      int32_t steps;
      int32_t chunk_bytes;
      int32_t is_send;
    } proxy_op;
    struct {
      uint8_t channel;
      uint64_t gpu_time;
    } kernel_channel;
  };
};
static_assert(offsetof(Descriptor, parent) == 8);
static_assert(offsetof(Descriptor, rank) == 16);
static_assert(offsetof(Descriptor, collective.sequence) == 24);
static_assert(offsetof(Descriptor, collective.function) == 32);
static_assert(offsetof(Descriptor, collective.count) == 56);
static_assert(offsetof(Descriptor, collective.datatype) == 72);
static_assert(offsetof(Descriptor, collective.algorithm) == 88);
static_assert(offsetof(Descriptor, collective.protocol) == 96);
static_assert(offsetof(Descriptor, transfer.function) == 24);
static_assert(offsetof(Descriptor, transfer.count) == 48);
static_assert(offsetof(Descriptor, transfer.datatype) == 40);
static_assert(offsetof(Descriptor, transfer.peer) == 56);
static_assert(offsetof(Descriptor, proxy_op.pid) == 24);
static_assert(offsetof(Descriptor, proxy_op.peer) == 32);
static_assert(offsetof(Descriptor, proxy_op.is_send) == 44);
static_assert(offsetof(Descriptor, collective.channels) == 80);
static_assert(offsetof(Descriptor, transfer.channels) == 60);
static_assert(offsetof(Descriptor, kernel_channel.channel) == 24);

struct Profiler {
  const char* name;
  int32_t (*init)(void** context, uint64_t communicator, int32_t* event_mask, const char* name,
                  int32_t nodes, int32_t ranks, int32_t rank, void* logger);
  int32_t (*start_event)(void* context, void** handle, Descriptor* descriptor);
  int32_t (*stop_event)(void* handle);
  int32_t (*record_event_state)(void* handle, int32_t state, void* arguments);
  int32_t (*finalize)(void* context);
};

}  // namespace steptrace::probe::nccl::v5
