// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "probe/nccl_abi.h"

// Version 3 of NCCL's profiler interface: names and layouts are those of
// github:NVIDIA/nccl, plugins/profiler/example/nccl/profiler_v3.h. Of a descriptor only what is
// read here is named; its place is what counts.
namespace steptrace::probe::nccl::v3 {

struct Descriptor {
  uint8_t type;
  void* parent;
  int32_t rank;
  union {
    struct {
      const char* name;
      uint64_t communicator;
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
    } collective;
    struct {
      const char* name;
      uint64_t communicator;
      const char* function;
      void* buffer;
      const char* datatype;
      size_t count;
      int32_t peer;
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
    } kernel_channel;
  };
};
static_assert(offsetof(Descriptor, parent) == 8);
static_assert(offsetof(Descriptor, rank) == 16);
static_assert(offsetof(Descriptor, collective.sequence) == 40);
static_assert(offsetof(Descriptor, collective.function) == 48);
static_assert(offsetof(Descriptor, collective.count) == 72);
static_assert(offsetof(Descriptor, collective.datatype) == 88);
static_assert(offsetof(Descriptor, collective.algorithm) == 104);
static_assert(offsetof(Descriptor, collective.protocol) == 112);
static_assert(offsetof(Descriptor, transfer.function) == 40);
static_assert(offsetof(Descriptor, transfer.count) == 64);
static_assert(offsetof(Descriptor, transfer.datatype) == 56);
static_assert(offsetof(Descriptor, transfer.peer) == 72);
static_assert(offsetof(Descriptor, proxy_op.pid) == 24);
static_assert(offsetof(Descriptor, proxy_op.peer) == 32);
static_assert(offsetof(Descriptor, proxy_op.is_send) == 44);
static_assert(offsetof(Descriptor, collective.channels) == 96);
static_assert(offsetof(Descriptor, collective.communicator) == 32);
static_assert(offsetof(Descriptor, transfer.communicator) == 32);
static_assert(offsetof(Descriptor, kernel_channel.channel) == 24);

struct Profiler {
  const char* name;
  int32_t (*init)(void** context, int32_t* event_mask);
  int32_t (*start_event)(void* context, void** handle, Descriptor* descriptor);
  int32_t (*stop_event)(void* handle);
  int32_t (*record_event_state)(void* handle, int32_t state, void* arguments);
  int32_t (*finalize)(void* context);
};

}  // namespace steptrace::probe::nccl::v3
