// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/advice_of_framework.h"

#include <algorithm>

#include "model/finding_kinds.h"

namespace steptrace::analyze {

bool MayBeOf(std::string_view framework, const JobFacts& facts) {
  using store::ProfileWriter;
  constexpr std::string_view kPytorch = "pytorch";
  if (facts.imported_as.empty()) return true;
  const bool reported_by_process = facts.torch_seen && framework == kPytorch;
  return reported_by_process || std::ranges::any_of(facts.writers, [&](ProfileWriter writer) {
           // Debugger's advice was PyTorch's, and its files do not tell which of the two it ran.
           if (writer == ProfileWriter::kSagemaker) return framework == kPytorch;
           return InfoOf(writer).framework == framework;
         });
}

bool IsForeign(const model::Finding& advice, const JobFacts& facts) {
  const std::string_view framework = InfoOf(advice.kind).framework;
  return !framework.empty() && !MayBeOf(framework, facts);
}

}  // namespace steptrace::analyze
