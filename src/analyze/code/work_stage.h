// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "analyze/stages/stage_ids.h"

namespace steptrace::analyze {

constexpr const char* WorkStageName(WorkStage stage) {  // as in [stages]: "storage_read"
  return kWorkInfos[static_cast<size_t>(stage)].name;
}
// Nothing: no stage is called so.
std::optional<WorkStage> WorkStageNamed(std::string_view name);
// All of them, for a message.
std::string WorkStageNames();

}  // namespace steptrace::analyze
