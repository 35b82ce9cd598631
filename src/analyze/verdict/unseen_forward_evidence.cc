// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/unseen_forward_evidence.h"

#include <algorithm>
#include <cstdint>

#include "analyze/verdict/questions.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

std::vector<model::Finding> UnseenForwardEvidence(const VerdictInput& input) {
  std::vector<model::Finding> evidence;
  if (!MayWaitInForward(input)) return evidence;
  if (StacksWereNotTaken(input)) {
    evidence.push_back(Make(finding::ModelNoStacks{.reason = input.facts.no_stacks}));
  } else {
    evidence.push_back(Make(finding::ModelFewSamples{}));
  }
  int64_t operators_ns = 0, steps_ns = 0;
  for (const uint32_t i : input.selection.steady) {
    const store::StepRow& row = input.report.steps[i];
    if (!row.operators_ns) continue;
    operators_ns += std::clamp<int64_t>(*row.operators_ns, 0, row.dur_ns);
    steps_ns += row.dur_ns;
  }
  if (steps_ns == 0) return evidence;
  evidence.push_back(Make(finding::ModelOperatorsShare{.share = static_cast<double>(operators_ns) /
                                                                static_cast<double>(steps_ns)}));
  return evidence;
}

}  // namespace steptrace::analyze
