// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/slowed_operators_advice.h"

#include <utility>

#include "analyze/operators/slowed_operators.h"
#include "analyze/verdict/deterministic_fill.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {

namespace finding = model::finding;

namespace {

std::optional<SlowedOperators> SlowedOf(const VerdictInput& input) {
  // Without a core any call takes longer.
  if (!input.device_phases.empty() || input.load.short_of_cores()) return std::nullopt;
  const ReportInput& report = input.report;
  const TraceRef operators = report.profile ? report.profile : report.operators;
  return FindSlowedOperators(*operators, BatchesHaveSameShapes(input.facts));
}

}  // namespace

std::optional<model::Finding> SlowedOperatorsEvidence(const VerdictInput& input) {
  const auto found = SlowedOf(input);
  if (!found) return std::nullopt;
  if (!found->steps) {
    return Make(finding::ModelSlowerThanAlike{
        .times = found->times, .share = found->share, .call = found->name});
  }
  return Make(finding::ModelSlowerThanInOtherSteps{.times = found->times,
                                                   .share = found->share,
                                                   .first = found->steps->first,
                                                   .last = found->steps->last,
                                                   .call = found->name});
}

std::vector<model::Finding> CallsOfOperatorsEvidence(const VerdictInput& input) {
  std::vector<model::Finding> all;
  for (auto one : {DeterministicFillEvidence(input), SlowedOperatorsEvidence(input)}) {
    if (one) all.push_back(*std::move(one));
  }
  return all;
}

std::optional<Advice> AdviseFlushDenormals(const VerdictInput& input) {
  if (!SlowedOf(input)) return std::nullopt;
  return Advice{Make(finding::ModelFlushDenormals{}), "", "", ""};
}

}  // namespace steptrace::analyze
