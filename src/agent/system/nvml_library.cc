// SPDX-License-Identifier: Apache-2.0
#include "agent/system/nvml_library.h"

#include <dlfcn.h>

#include <array>

namespace steptrace::agent {
namespace {

// Where the library lies when the loader's own path does not lead to it: containers of the NVIDIA
// toolkit on some clusters, and Windows' Linux.
constexpr std::array kOtherFolders = {"/usr/local/nvidia/lib64/", "/usr/lib/wsl/lib/"};

void* Open(const std::string& path, std::string& reason) {
  if (void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  const char* said = ::dlerror();
  reason = said != nullptr ? said : path + " cannot be loaded";
  if (path.find('/') != std::string::npos) return nullptr;
  for (const char* folder : kOtherFolders) {
    if (void* handle = ::dlopen((folder + path).c_str(), RTLD_NOW | RTLD_LOCAL)) return handle;
  }
  return nullptr;
}

template <class Function>
void Bind(void* handle, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(::dlsym(handle, name));
}

}  // namespace

void NvmlLibrary::BindFunctions() {
#define STEPTRACE_BIND(name) Bind(handle_, #name, functions_.name)
  STEPTRACE_BIND(nvmlInit_v2);
  STEPTRACE_BIND(nvmlShutdown);
  STEPTRACE_BIND(nvmlErrorString);
  STEPTRACE_BIND(nvmlDeviceGetCount_v2);
  STEPTRACE_BIND(nvmlDeviceGetHandleByIndex_v2);
  STEPTRACE_BIND(nvmlDeviceGetName);
  STEPTRACE_BIND(nvmlDeviceGetUUID);
  STEPTRACE_BIND(nvmlDeviceGetComputeRunningProcesses_v3);
  STEPTRACE_BIND(nvmlDeviceGetComputeRunningProcesses_v2);
  STEPTRACE_BIND(nvmlDeviceGetUtilizationRates);
  STEPTRACE_BIND(nvmlDeviceGetMemoryInfo);
  STEPTRACE_BIND(nvmlDeviceGetPowerUsage);
  STEPTRACE_BIND(nvmlDeviceGetClockInfo);
  STEPTRACE_BIND(nvmlDeviceGetTemperature);
  STEPTRACE_BIND(nvmlDeviceGetCurrentClocksEventReasons);
  STEPTRACE_BIND(nvmlDeviceGetCurrentClocksThrottleReasons);
  STEPTRACE_BIND(nvmlDeviceGetFieldValues);
  STEPTRACE_BIND(nvmlEventSetCreate);
  STEPTRACE_BIND(nvmlDeviceRegisterEvents);
  STEPTRACE_BIND(nvmlEventSetWait_v2);
  STEPTRACE_BIND(nvmlEventSetFree);
  STEPTRACE_BIND(nvmlDeviceGetMigMode);
  STEPTRACE_BIND(nvmlGpmQueryDeviceSupport);
  STEPTRACE_BIND(nvmlGpmSampleAlloc);
  STEPTRACE_BIND(nvmlGpmSampleFree);
  STEPTRACE_BIND(nvmlGpmSampleGet);
  STEPTRACE_BIND(nvmlGpmMetricsGet);
#undef STEPTRACE_BIND
}

Result<std::unique_ptr<NvmlLibrary>> NvmlLibrary::Load(const std::string& path) {
  std::unique_ptr<NvmlLibrary> library(new NvmlLibrary);
  std::string reason;
  library->handle_ = Open(path, reason);
  if (library->handle_ == nullptr) return Error{std::move(reason)};
  library->BindFunctions();
  const nvml::Functions& call = library->functions_;
  if (call.nvmlInit_v2 == nullptr || call.nvmlShutdown == nullptr ||
      call.nvmlDeviceGetCount_v2 == nullptr || call.nvmlDeviceGetHandleByIndex_v2 == nullptr) {
    return Error{path + " has no nvmlInit_v2: it is not NVML, or is older than driver 319"};
  }
  const nvml::Return code = call.nvmlInit_v2();
  if (code != nvml::kSuccess) return Error{"nvmlInit: " + library->Describe(code)};
  library->initialized_ = true;
  return library;
}

NvmlLibrary::~NvmlLibrary() {
  if (initialized_) functions_.nvmlShutdown();
  if (handle_ != nullptr) ::dlclose(handle_);
}

std::string NvmlLibrary::Describe(nvml::Return code) const {
  const char* text = functions_.nvmlErrorString ? functions_.nvmlErrorString(code) : nullptr;
  return (text != nullptr ? std::string(text) : "error") + " (" + std::to_string(code) + ")";
}

}  // namespace steptrace::agent
