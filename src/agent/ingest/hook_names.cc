// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/hook_names.h"

#include <algorithm>

namespace steptrace::agent {

using analyze::HookName;
using wire::Category;

HookName HookOf(Category category, std::string_view text) {
  for (const analyze::HookRecord& record : analyze::kHookRecords) {
    if (record.category == category && (record.name.empty() || record.name == text)) {
      return record.hook;
    }
  }
  return HookName::kUser;
}

bool IndicatesTraining(const ResolvedName& name) {
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

}  // namespace steptrace::agent
