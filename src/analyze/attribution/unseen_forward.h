// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "analyze/attribution/attribution_rules.h"
#include "analyze/input/step_selection.h"
#include "store/packed_rows.h"
#include "store/tables.h"

namespace steptrace::analyze {

// Of `forward_ns` of a step, what nothing shows to have computed: of windows of operators the time
// apart from these, without them all of it.
int64_t UnseenForwardNs(const store::StepRow& row, int64_t forward_ns,
                        const AttributionRules& rules);

// The same as a share of these steps.
double UnseenForwardShare(const store::PackedSteps& steps, const StepSelection& selection,
                          const AttributionRules& rules);

}  // namespace steptrace::analyze
