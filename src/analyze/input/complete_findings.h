// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "analyze/input/report_input.h"
#include "model/finding.h"

namespace steptrace::analyze {

// What findings are about, as only those who have all of them know it: the names of the machines,
// and which of several about the same each is. Of no two of them is the id the same then.
void CompleteFindings(std::span<const store::NodeInfo> nodes,
                      std::span<model::Finding* const> findings);

}  // namespace steptrace::analyze
