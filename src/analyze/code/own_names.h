// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "analyze/code/work_stage.h"

namespace steptrace::analyze {

// What a function of the user's own says by being called so: decode_row, RandomCrop.__call__,
// JsonLogger.write. Its qualified name.
std::optional<WorkStage> StageOfOwnName(std::string_view function);
// What a method in C says by being called so on whatever object: "self.con.execute".
std::optional<WorkStage> StageOfMethod(std::string_view method);

}  // namespace steptrace::analyze
