// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/operators/operator_changes.h"
#include "analyze/report/step_parts.h"
#include "model/finding.h"

namespace steptrace::analyze {

// A part of the mean steady step in two runs. What one of them has none of is 0 there.
struct ComparedPart {
  StepPartKind kind = StepPartKind::kStep;
  std::string name;
  StepPart a, b;
  // B less A, and the 95 % interval in which that lies; unknown where a run has few steps, or
  // none was drawn of the part.
  int64_t change_ns = 0;
  std::optional<int64_t> change_low_ns, change_high_ns;
};

// Whether the change of a part may be chance: its interval holds 0, or is not known.
bool MayBeChance(const ComparedPart& part);

// Two runs, part by part: the step, then phases, suspects and stages.
struct Comparison {
  std::string a, b;                   // the runs' names
  std::vector<ComparedPart> parts;    // empty: neither has steady steps
  std::vector<model::Finding> notes;  // which stages are told of one run alone
  Comparability of_a{}, of_b{};       // what the runs must have in common for this to mean much
  std::optional<OperatorChanges> operators{};
};

// The parts of each run as MeasureStepParts gives them. Where one run alone tells the stages of its
// dataset's time, and the other waited for its own, that time is one in both.
Comparison Compare(const RunParts& a, const RunParts& b);

// Which run's step is shorter, and by how much.
model::Finding HeadlineOf(const Comparison& comparison);

}  // namespace steptrace::analyze
