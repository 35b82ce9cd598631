// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "analyze/report/report.h"
#include "analyze/report/report_words.h"
#include "model/finding.h"

// What every section of the report's JSON says of itself: whether anything was found, why not, how
// much there is and whether all of it stands here (docs/reference/report.md).
namespace steptrace::analyze {

struct SectionState {
  SectionStatus status = SectionStatus::kFound;
  std::optional<SectionReason> reason;  // why it is not found
  std::optional<model::Finding> said;   // more of that; null: what schema/report.toml has of it
};

// The members `status` and `reason`.
nlohmann::ordered_json StateJson(const SectionState& state);
SectionState StateOf(VerdictStatus status);

// Puts the members into every section of a report: a list becomes the member `rows` beside them.
// Rows of ranks and machines beyond the first 64 are left out, and counted.
void FrameSections(const Report& report, nlohmann::ordered_json& json);

}  // namespace steptrace::analyze
