// SPDX-License-Identifier: Apache-2.0
#include "analyze/trace/kernel_class.h"

#include <algorithm>
#include <string>

#include "analyze/trace/name_pattern.h"

namespace steptrace::analyze {
namespace {

constexpr size_t kMostOfName = 2000;  // bytes of a name: those of templates go on for ever

// Parameters name types of anything: cudnn::reduced_divisor makes no reduction.
std::string_view WithoutParameters(std::string_view name) {
  if (!name.ends_with(')')) return name;
  int depth = 0;
  for (size_t i = name.size(); i-- > 0;) {
    if (name[i] == ')') ++depth;
    if (name[i] == '(' && --depth == 0) return i == 0 ? name : name.substr(0, i);
  }
  return name;
}

}  // namespace

KernelClass ClassOfKernel(std::string_view name) {
  if (RoleOf(EventKind::kKernel, name) == DeviceRole::kCommunication) {
    return KernelClass::kCommunication;
  }
  const std::string lower = LowerCase(WithoutParameters(name).substr(0, kMostOfName));
  for (const KernelClassPatterns& list : KernelNameLists()) {
    const auto fits = [&lower](std::string_view one) { return HoldsPattern(lower, one); };
    if (std::ranges::any_of(list.any, fits)) return list.of;
  }
  return KernelClass::kOther;
}

KernelClass KernelClassReader::Of(const TraceEvent& work) {
  if (work.kind != EventKind::kKernel) return KernelClass::kCopy;
  if (work.role == DeviceRole::kCommunication) return KernelClass::kCommunication;
  const auto [found, added] = classes_.try_emplace(work.name, KernelClass::kOther);
  if (added) found->second = ClassOfKernel(strings_.Text(work.name));
  return found->second;
}

}  // namespace steptrace::analyze
