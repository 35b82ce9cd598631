// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "store/damaged_segments.h"

namespace steptrace::cli {

// A line of stderr for each file of a run that could not be used; `what` lacks its rows.
void PrintDamaged(const std::vector<store::DamagedSegment>& damaged, const char* what);

}  // namespace steptrace::cli
