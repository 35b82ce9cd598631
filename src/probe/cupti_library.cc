// SPDX-License-Identifier: Apache-2.0
#include "probe/cupti_library.h"

#include <dlfcn.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "transport/writer/libc_floor.h"

namespace steptrace::probe {
namespace {

constexpr size_t kMaxPath = 4096;

// What of this process's libraries matters here.
struct Loaded {
  char cupti[kMaxPath];
  bool driver;
  bool other_tool;
};
constinit Loaded g_loaded{};  // too large for a stack

const char* FileName(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool StartsWith(const char* text, const char* start) {
  return strncmp(text, start, strlen(start)) == 0;
}

int NoteLibrary(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_name == nullptr) return 0;
  const char* file = FileName(info->dlpi_name);
  if (StartsWith(file, "libcupti.so") && strlen(info->dlpi_name) < kMaxPath) {
    strcpy(g_loaded.cupti, info->dlpi_name);
  }
  g_loaded.driver = g_loaded.driver || StartsWith(file, "libcuda.so");
  // Nsight Systems' and Nsight Compute's injections.
  g_loaded.other_tool = g_loaded.other_tool || StartsWith(file, "libToolsInjection") ||
                        StartsWith(file, "libcuda-injection");
  return 0;
}

bool IsSet(const char* variable) {
  const char* value = getenv(variable);
  return value != nullptr && value[0] != 0;
}

// A tool that has CUPTI collect the ranges of NVTX uses CUPTI.
bool NamesCupti(const char* variable) {
  return IsSet(variable) && StartsWith(FileName(getenv(variable)), "libcupti");
}

template <class Function>
bool Take(void* library, const char* name, Function* out) {
  void* address = dlsym(library, name);
  memcpy(out, &address, sizeof address);
  return address != nullptr;
}

bool TakeAll(void* library, cupti::Functions& f) {
  Take(library, "cuptiGetResultString", &f.GetResultString);
  Take(library, "cuptiGetCallbackName", &f.GetCallbackName);
  Take(library, "cuptiGetThreadIdType", &f.GetThreadIdType);
  Take(library, "cuptiActivityFlushPeriod", &f.ActivityFlushPeriod);
  Take(library, "cuptiSubscribe", &f.Subscribe);
  Take(library, "cuptiUnsubscribe", &f.Unsubscribe);
  Take(library, "cuptiEnableDomain", &f.EnableDomain);
  Take(library, "cuptiFinalize", &f.Finalize);
  return Take(library, "cuptiActivityRegisterCallbacks", &f.ActivityRegisterCallbacks) &&
         Take(library, "cuptiActivityEnable", &f.ActivityEnable) &&
         Take(library, "cuptiActivityDisable", &f.ActivityDisable) &&
         Take(library, "cuptiActivityFlushAll", &f.ActivityFlushAll) &&
         Take(library, "cuptiActivityGetNextRecord", &f.ActivityGetNextRecord) &&
         Take(library, "cuptiActivityGetNumDroppedRecords", &f.ActivityGetNumDroppedRecords) &&
         Take(library, "cuptiGetTimestamp", &f.GetTimestamp) &&
         Take(library, "cuptiGetVersion", &f.GetVersion);
}

}  // namespace

const char* FindCupti(CuptiLibrary* out) {
  g_loaded = Loaded{};
  dl_iterate_phdr(NoteLibrary, nullptr);
  if (!g_loaded.driver) return "no CUDA driver (libcuda.so) is loaded in this process";
  if (g_loaded.cupti[0] == 0) {
    return "libcupti is not loaded in this process: its framework was built without it";
  }
  void* library = dlopen(g_loaded.cupti, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return "libcupti is loaded and cannot be opened";
  if (!TakeAll(library, out->functions)) return "libcupti is too old: it lacks the activity API";
  out->has_subscribers_calls = dlsym(library, "cuptiActivityEnable_v2") != nullptr;
  out->other_tool = g_loaded.other_tool || IsSet("CUDA_INJECTION64_PATH") ||
                    IsSet("NSYS_PROFILING_SESSION_ID") || NamesCupti("NVTX_INJECTION64_PATH");
  if (out->functions.GetVersion(&out->version) != cupti::kSuccess) {
    return "libcupti does not tell its version";
  }
  return nullptr;
}

}  // namespace steptrace::probe
