// SPDX-License-Identifier: Apache-2.0
#include "agent/hook_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace steptrace::agent {
namespace {

using analyze::HookName;
using wire::Category;

constexpr std::array<std::pair<std::string_view, HookName>, 16> kPhases = {{
    {wire::kNameData, HookName::kData},
    {wire::kNameDataEnd, HookName::kDataEnd},
    {wire::kNameDataFrom, HookName::kDataFrom},
    {wire::kNameLoaderIter, HookName::kLoaderIter},
    {wire::kNameBackward, HookName::kBackward},
    {wire::kNameOptimizer, HookName::kOptimizer},
    {wire::kNameCheckpoint, HookName::kCheckpoint},
    {wire::kNameForward, HookName::kForward},
    {wire::kNameEvaluation, HookName::kEvaluation},
    {wire::kNameLogging, HookName::kLogging},
    {wire::kNameCapture, HookName::kCapture},
    {wire::kNameStep, HookName::kStep},
    {wire::kNameGc, HookName::kGc},
    {wire::kNameCompile, HookName::kCompile},
    {wire::kNameHooksAside, HookName::kHooksAside},
    {wire::kNameHooksBack, HookName::kHooksBack},
}};

}  // namespace

HookName HookOf(Category category, std::string_view text) {
  if (category == Category::kCommunication) return HookName::kCollective;
  if (category == Category::kWorker && text == wire::kNameFetch) return HookName::kFetch;
  if (category == Category::kWorker && text == wire::kNameCollate) return HookName::kCollate;
  if (category == Category::kWorker && text == wire::kNameSend) return HookName::kSend;
  if (category == Category::kOperator || category == Category::kPrimitive) {
    return HookName::kOperator;
  }
  if (category == Category::kWindow && text == wire::kNameWindowBegin) {
    return HookName::kWindowBegin;
  }
  if (category == Category::kWindow && text == wire::kNameWindowEnd) return HookName::kWindowEnd;
  if (category == Category::kPhase) {
    for (const auto& [name, hook] : kPhases) {
      if (name == text) return hook;
    }
  }
  return HookName::kUser;
}

bool SaysTraining(const ResolvedName& name) {
  if (name.category != Category::kPhase) return false;
  return name.hook == HookName::kBackward || name.hook == HookName::kOptimizer ||
         name.hook == HookName::kStep || name.hook == HookName::kData ||
         name.hook == HookName::kLoaderIter;
}

bool Computes(Category category, std::string_view text) {
  if (category == Category::kPrimitive) return true;
  if (category != Category::kOperator) return false;
  if (text.starts_with("## Call CompiledFxGraph")) return true;
  const size_t colons = text.find("::");
  if (colons == 0 || colons == std::string_view::npos || text.starts_with("autograd::")) {
    return false;
  }
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == ':';
  });
}

const char* CategoryText(Category category) {
  switch (category) {
    case Category::kUser:
      return "user";
    case Category::kPhase:
      return "phase";
    case Category::kCommunication:
      return "communication";
    case Category::kWorker:
      return "worker";
    case Category::kFact:
      return "fact";
    case Category::kOperator:
      return "operator";
    case Category::kPrimitive:
      return "primitive";
    case Category::kWindow:
      return "window";
    case Category::kKernel:
      return "kernel";
    case Category::kMemcpy:
      return "gpu_memcpy";
    case Category::kMemset:
      return "gpu_memset";
    case Category::kRuntime:
      return "cuda_runtime";
    case Category::kDeviceSync:
      return "cuda_sync";
    case Category::kDeviceMemory:
      return "device_memory";
    case Category::kDetails:
      return "details";
    case Category::kNccl:
      return "nccl";
    case Category::kNcclProxy:
      return "nccl_proxy";
    case Category::kAsync:
      return "user";
    case Category::kDevicePhase:
      return "device_phase";
    case Category::kStack:
      return "stack";
  }
  return "user";
}

}  // namespace steptrace::agent
