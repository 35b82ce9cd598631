// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "analyze/samples/stage_table.h"

namespace steptrace::analyze {

// A line of the built-in table: functions of packages, and the work that they do. Public names of
// the packages' own documentation; globs as in StageTable.
struct KnownFunctions {
  std::string_view module;
  std::string_view function;
  WorkStage stage;
};

std::span<const KnownFunctions> BuiltInFunctions();

// What a function of the user's own says by being called so: decode_row, RandomCrop.__call__,
// JsonLogger.write. Its qualified name.
std::optional<WorkStage> StageOfOwnName(std::string_view function);
// What a method in C says by being called so on whatever object: "self.con.execute".
std::optional<WorkStage> StageOfMethod(std::string_view method);

}  // namespace steptrace::analyze
