// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyze/input/report_input.h"
#include "analyze/operators/operator_changes.h"
#include "analyze/report/run_card.h"

namespace steptrace::analyze {

struct ProfileAnalysis;

enum class StepPartKind : uint8_t { kStep, kPhase, kSuspect, kSubStage };

constexpr const char* NameOf(StepPartKind kind) {  // as in the report's JSON
  constexpr const char* kNames[] = {"step", "phase", "suspect", "sub_stage"};
  return kNames[static_cast<size_t>(kind)];
}

// A part of the mean steady step with the 95 % intervals in which its time and its share lie
// (analyze/stats/bootstrap.h): what two runs are compared by.
struct StepPart {
  StepPartKind kind = StepPartKind::kStep;
  std::string name;
  double ns = 0, ns_low = 0, ns_high = 0;
  double share = 0, share_low = 0, share_high = 0;
  bool spread_known = true;  // false: its intervals have no width, for none were drawn
};

// Those of a run, and its name.
struct RunParts {
  std::string run;
  std::vector<StepPart> parts;
  // false: of fewer than kMinSteadySteps. What is drawn from so few lies between their own extremes
  // and misses far more than one in twenty times: no part has an interval.
  bool spread_known = true;
  // The stages once more with what is waited for the dataset as one, in getitem: what a run can be
  // compared by of which nothing tells more. Empty: nothing tells this one's apart.
  std::vector<StepPart> dataset_as_one{};
  Comparability comparability{};
  OperatorsInSteps operators{};
};

// The run's step first, then its phases, suspects and stages: the parts of a kind sum to the step.
// Of a run without steady steps none.
// `analysis`: of input.profile, where the caller has it: what Python functions tell is in it alone.
RunParts MeasureStepParts(const ReportInput& input, const ProfileAnalysis* analysis = nullptr);

}  // namespace steptrace::analyze
