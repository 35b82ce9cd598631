// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyze/operators/operators_section.h"
#include "analyze/operators/step_time.h"

namespace steptrace::analyze {

// Own time of each operator in the steps of a run, of all ranks together.
struct OperatorsInSteps {
  struct Times {
    int64_t host_ns = 0;
    int64_t device_ns = 0;
  };
  StepTime steps;
  std::map<std::string, Times> by_name;
};

OperatorsInSteps OperatorsInStepsOf(const OperatorsSection& section);

// Own time of an operator in a step of each run; none: that run has no time of it.
struct OperatorChange {
  std::string name;
  std::optional<int64_t> a_ns, b_ns;
  int64_t change_ns = 0;  // B less A; what one has none of is 0 there
};

inline constexpr size_t kMostOperatorChanges = 100;

struct OperatorChanges {
  bool device = false;  // of the device; else of the host
  int64_t a_steps = 0, b_steps = 0;
  std::vector<OperatorChange> rows;  // the largest change first
  int64_t left_out = 0;              // beyond kMostOperatorChanges
};

// None where a run has no operators in steps. Of the device where both runs have time on one.
std::optional<OperatorChanges> CompareOperators(const OperatorsInSteps& a,
                                                const OperatorsInSteps& b);

}  // namespace steptrace::analyze
