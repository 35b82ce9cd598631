// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyze/stages/stage_ids.h"

namespace steptrace::analyze {

// Nothing: no stage is called so.
std::optional<WorkStage> WorkStageNamed(std::string_view name);
// Whether it is work on data before it becomes a batch, whoever does it.
bool IsPreparing(WorkStage stage);
// All of them, for a message.
std::string WorkStageNames();

}  // namespace steptrace::analyze
