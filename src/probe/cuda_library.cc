// SPDX-License-Identifier: Apache-2.0
#include "probe/cuda_library.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "transport/writer/libc_floor.h"

namespace steptrace::probe {
namespace {

constexpr size_t kMostPath = 4096;
constinit char g_driver_path[kMostPath]{};  // too large for a stack

int NoteDriver(dl_phdr_info* info, size_t, void*) {
  if (info->dlpi_name == nullptr) return 0;
  const char* slash = strrchr(info->dlpi_name, '/');
  const char* file = slash == nullptr ? info->dlpi_name : slash + 1;
  if (strncmp(file, "libcuda.so", strlen("libcuda.so")) != 0) return 0;
  if (strlen(info->dlpi_name) >= kMostPath) return 0;
  strcpy(g_driver_path, info->dlpi_name);
  return 1;
}

template <class Function>
bool TakeDriver(void* library, const char* name, Function* out) {
  void* address = dlsym(library, name);
  memcpy(out, &address, sizeof address);
  return address != nullptr;
}

}  // namespace

const char* FindCuda(cuda::Functions* out) {
  g_driver_path[0] = 0;
  dl_iterate_phdr(NoteDriver, nullptr);
  if (g_driver_path[0] == 0) return "no CUDA driver (libcuda.so) is loaded in this process";
  void* library = dlopen(g_driver_path, RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr) return "libcuda is loaded and cannot be opened";
  const bool all = TakeDriver(library, "cuCtxGetCurrent", &out->CtxGetCurrent) &&
                   TakeDriver(library, "cuCtxGetDevice", &out->CtxGetDevice) &&
                   TakeDriver(library, "cuEventCreate", &out->EventCreate) &&
                   TakeDriver(library, "cuEventRecord", &out->EventRecord) &&
                   TakeDriver(library, "cuEventQuery", &out->EventQuery) &&
                   TakeDriver(library, "cuEventElapsedTime", &out->EventElapsedTime) &&
                   TakeDriver(library, "cuStreamIsCapturing", &out->StreamIsCapturing) &&
                   TakeDriver(library, "cuThreadExchangeStreamCaptureMode",
                              &out->ThreadExchangeStreamCaptureMode);
  return all ? nullptr : "libcuda is too old: it lacks events or the capture of streams";
}

}  // namespace steptrace::probe
