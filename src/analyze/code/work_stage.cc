// SPDX-License-Identifier: Apache-2.0
#include "analyze/code/work_stage.h"

namespace steptrace::analyze {

std::optional<WorkStage> WorkStageNamed(std::string_view name) {
  for (size_t i = 0; i < kWorkStageCount; ++i) {
    if (name == kWorkInfos[i].name) return static_cast<WorkStage>(i);
  }
  return std::nullopt;
}

bool IsPreparing(WorkStage stage) {
  return kWorkInfos[static_cast<size_t>(stage)].prepares;
}

std::string WorkStageNames() {
  std::string names;
  for (const WorkInfo& work : kWorkInfos) {
    names += (names.empty() ? "" : ", ") + std::string(work.name);
  }
  return names;
}

}  // namespace steptrace::analyze
