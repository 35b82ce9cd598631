// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "analyze/rules/rule_catalogue.h"
#include "base/result.h"
#include "cli/commands.h"

namespace steptrace::cli {

struct RulesView {
  bool json = false;
  std::optional<int64_t> top;
};

// Prints the rules, the sections of the profiling report and the cost of a run.
Status PrintRules(const std::filesystem::path& run, const analyze::RuleSettings& rules,
                  const Session& session, const RulesView& view);

}  // namespace steptrace::cli
