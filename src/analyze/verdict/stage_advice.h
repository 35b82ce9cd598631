// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/stages/stage_row.h"
#include "analyze/verdict/verdict_input.h"
#include "model/finding.h"

// What to change about stages that samples found, by the function in which they saw most of it.
namespace steptrace::analyze {

model::Finding AdviseDecode(const StageFunction* function);
model::Finding AdviseAugmentation(const StageFunction* function, bool uses_device);
model::Finding AdviseDatasetCode(const VerdictInput& input, const StageFunction* function);
// Whether what a thread's own code gathers may make that stage longer: not where a device, a link,
// storage or a core is what takes the time.
bool MayGrowByCode(SubStage stage);
model::Finding AdviseLock(const VerdictInput& input, const StageFunction* function);

}  // namespace steptrace::analyze
