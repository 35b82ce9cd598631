// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "agent/system/nvml_abi.h"
#include "base/result.h"

namespace steptrace::agent {

// NVIDIA's management library, loaded and initialised at run time; shut down and unloaded with the
// object. Functions that the installed driver lacks are null. One thread.
class NvmlLibrary {
 public:
  // `path`: as for dlopen; the error says why there is no library, driver or permission.
  // On a machine without persistence mode this wakes the GPUs, which can take seconds.
  static Result<std::unique_ptr<NvmlLibrary>> Load(const std::string& path);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  const nvml::Functions& call() const { return functions_; }
  // What a code means, in the library's words.
  std::string Describe(nvml::Return code) const;

 private:
  NvmlLibrary() = default;
  void BindFunctions();

  void* handle_ = nullptr;
  bool initialized_ = false;
  nvml::Functions functions_{};
};

}  // namespace steptrace::agent
