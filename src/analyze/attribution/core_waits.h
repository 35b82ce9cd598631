// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "analyze/input/report_input.h"

namespace steptrace::analyze {

// By rank: of the time in which threads of its process could run while its steps lay in windows of
// operators, the share in which they had no core. Ranks without a known process, or that waited for
// less than a tenth of it, are left out.
std::map<int32_t, double> CoreWaitsInWindows(const ReportInput& input);

}  // namespace steptrace::analyze
