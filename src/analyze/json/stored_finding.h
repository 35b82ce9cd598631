// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "model/finding.h"

// A finding as a row of `findings` stores it: among its evidence, a JSON object, `finding` is the
// id of its kind, `subject` what it is about and `values` what the kind declares. Written and read
// here alone.
namespace steptrace::analyze {

void AddFinding(const model::Finding& finding, nlohmann::ordered_json& evidence);

// Nothing: there is none, as in runs of before, it is of a kind that is not known here, or not what
// the kind declares. Which rows show it is not stored.
std::optional<model::Finding> ReadFinding(const std::string& evidence);

}  // namespace steptrace::analyze
