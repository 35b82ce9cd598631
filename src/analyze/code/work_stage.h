// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analyze/stages/stage_ids.h"

namespace steptrace::analyze {

// Nothing: no stage is called so.
std::optional<WorkStage> WorkStageNamed(std::string_view name);
// All of them, for a message.
std::string WorkStageNames();

}  // namespace steptrace::analyze
