// SPDX-License-Identifier: Apache-2.0
// Run by callbacks_bench.py under callgrind: loops of what a library calls that is watched by NVTX
// or by NCCL's profiler plugin, each in a function of its own that is counted alone.
//
// usage: callback_loops CONTENDER COUNT

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "probe/nccl_v4.h"
#include "probe/nvtx_abi.h"

namespace {

namespace nccl = steptrace::probe::nccl;
namespace nvtx = steptrace::probe::nvtx;

[[noreturn]] void Fail(const char* what) {
  std::fprintf(stderr, "callback_loops: %s\n", what);
  std::exit(2);
}

void* Probe() {
  const char* path = std::getenv("STEPTRACE_PROBE");
  void* probe = path == nullptr ? nullptr : ::dlopen(path, RTLD_NOW);
  return probe != nullptr ? probe : (Fail("no probe at $STEPTRACE_PROBE"), nullptr);
}

// ---- NVTX: a place for a pointer, as in its header; empty without a tool ----

constexpr unsigned kSlots = 16;
nvtx::FunctionPointer g_places[kSlots];
nvtx::FunctionPointer* g_table[kSlots];

int GiveTable(int32_t module, nvtx::FunctionTable* table, unsigned* size) {
  if (module != static_cast<int32_t>(nvtx::Module::kCore)) return 0;
  *table = g_table;
  *size = kSlots;
  return 1;
}

const void* GiveExports(uint32_t id) {
  static const nvtx::CallbacksTable callbacks{sizeof(nvtx::CallbacksTable), GiveTable};
  return id == static_cast<uint32_t>(nvtx::ExportTable::kCallbacks) ? &callbacks : nullptr;
}

void InjectNvtx() {
  for (unsigned i = 1; i < kSlots; ++i) g_table[i] = &g_places[i];
  using Initialize = int(nvtx::GetExportTable);
  auto* initialize = reinterpret_cast<Initialize*>(::dlsym(Probe(), "InitializeInjectionNvtx2"));
  if (initialize == nullptr || initialize(GiveExports) != 1) Fail("NVTX was not taken");
}

int Push(const char* text) {
  auto* push = reinterpret_cast<int (*)(const char*)>(g_places[nvtx::kRangePushA]);
  return push != nullptr ? push(text) : -1;
}
int Pop() {
  auto* pop = reinterpret_cast<int (*)()>(g_places[nvtx::kRangePop]);
  return pop != nullptr ? pop() : -1;
}

// ---- NCCL: what a collective of two channels and one proxy operation makes it call ----

nccl::v4::Profiler* g_plugin = nullptr;
void* g_context = nullptr;

int32_t StartNothing(void*, void**, nccl::v4::Descriptor*) {
  return 0;
}
int32_t StopNothing(void*) {
  return 0;
}
nccl::v4::Profiler g_empty{"empty", nullptr, StartNothing, StopNothing, nullptr, nullptr};

void LoadPlugin() {
  g_plugin = static_cast<nccl::v4::Profiler*>(::dlsym(Probe(), "ncclProfiler_v4"));
  int32_t mask = 0;
  if (g_plugin == nullptr ||
      g_plugin->init(&g_context, &mask, "bench", 0xABCD, 1, 2, 0, nullptr) != 0 || mask == 0) {
    Fail("NCCL's plugin was not taken");
  }
}

void* Start(uint64_t type, void* parent) {
  nccl::v4::Descriptor descriptor{};
  descriptor.type = static_cast<uint8_t>(type);
  descriptor.parent = parent;
  if (type == nccl::kCollective) {
    static uint64_t sequence = 0;
    descriptor.collective.sequence = sequence++;
    descriptor.collective.function = "AllReduce";
    descriptor.collective.datatype = "ncclFloat32";
    descriptor.collective.algorithm = "RING";
    descriptor.collective.protocol = "SIMPLE";
    descriptor.collective.count = 1 << 20;
    descriptor.collective.channels = 2;
  }
  if (type == nccl::kProxyOp) {
    descriptor.proxy_op.pid = ::getpid();
    descriptor.proxy_op.peer = 1;
    descriptor.proxy_op.is_send = 1;
  }
  void* handle = nullptr;
  g_plugin->start_event(g_context, &handle, &descriptor);
  return handle;
}

void Collective(int steps) {
  void* call = Start(nccl::kCollective, nullptr);
  g_plugin->stop_event(call);
  void* channels[] = {Start(nccl::kKernelChannel, call), Start(nccl::kKernelChannel, call)};
  void* op = Start(nccl::kProxyOp, call);
  for (int i = 0; i < steps; ++i) {
    void* step = Start(nccl::kProxyStep, op);
    if (step == nullptr) continue;
    constexpr int32_t kStates[] = {8, 20, 9};  // the device, the peer, the network
    size_t bytes[2] = {4096, 0};
    for (int32_t state : kStates) g_plugin->record_event_state(step, state, bytes);
    g_plugin->stop_event(step);
  }
  g_plugin->stop_event(op);
  for (void* channel : channels) g_plugin->stop_event(channel);
}

}  // namespace

// Counted by name: neither inlined nor mangled.
extern "C" {
__attribute__((noinline)) void CountedNvtx(int count) {
  for (int i = 0; i < count; ++i) {
    Push("forward");
    Pop();
  }
}
__attribute__((noinline)) void CountedNccl(int count) {
  if (g_plugin == nullptr) return;
  for (int i = 0; i < count; ++i) Collective(0);
}
// A step each within the budget of its collective, of which there is one for each sixteen.
__attribute__((noinline)) void CountedNcclSteps(int count) {
  for (int i = 0; i < count; i += 16) Collective(16);
}
// All beyond it, but the first 32.
__attribute__((noinline)) void CountedNcclOver(int count) {
  Collective(count);
}
}

int main(int count, char** words) {
  if (count != 3) Fail("usage: callback_loops CONTENDER COUNT");
  const std::string_view contender = words[1];
  const int times = std::atoi(words[2]);
  if (contender == "nvtx") InjectNvtx();
  if (contender == "nccl" || contender == "nccl_steps" || contender == "nccl_over") LoadPlugin();
  if (contender == "nccl_empty") g_plugin = &g_empty;
  if (contender.starts_with("nvtx")) {
    CountedNvtx(times);
  } else if (contender == "nccl_steps") {
    CountedNcclSteps(times);
  } else if (contender == "nccl_over") {
    CountedNcclOver(times);
  } else {
    CountedNccl(times);
  }
  if (g_context != nullptr) g_plugin->finalize(g_context);
  return 0;
}
