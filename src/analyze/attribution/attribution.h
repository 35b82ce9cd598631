// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/attribution/attribution_rules.h"
#include "analyze/attribution/device_utilization.h"
#include "analyze/attribution/load_summary.h"
#include "analyze/stages/stages.h"
#include "store/packed_rows.h"
#include "store/tables.h"

namespace steptrace::analyze {

AttributionRules MakeRules(const store::PackedSteps& rows, const LoadSummary& load,
                           const DeviceUtilization& device, bool has_peers);

// The step's stages, by its row and the transfers (transfer.h); they sum to its duration exactly.
// All communication is `exposed` here: what of it is waiting for a late rank shows only beside the
// other ranks.
StageTimes Attribute(const store::StepRow& row, const AttributionRules& rules);

}  // namespace steptrace::analyze
