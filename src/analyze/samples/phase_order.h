// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "store/step_columns.h"

namespace steptrace::analyze {

// Whether a phase may lie anywhere in a step. Data, forward, backward and optimizer come in this
// order, `other` is what lies between them, and samples of steps with an evaluation do not count.
constexpr bool LiesAnywhere(const store::StepColumn& phase) {
  for (const auto placed : {&store::StepRow::data_ns, &store::StepRow::forward_ns,
                            &store::StepRow::backward_ns, &store::StepRow::optimizer_ns,
                            &store::StepRow::other_phase_ns, &store::StepRow::evaluation_ns}) {
    if (phase.ns == placed) return false;
  }
  return true;
}

}  // namespace steptrace::analyze
