// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// What a copy or a fill moves between, short: "Memcpy HtoD (Pinned -> Device)", "CopyHostToDevice"
// and a dma_request with the direction HOST_TO_DEVICE are HtoD; fills are Memset; one that does not
// say is its name.
std::string CopyKind(const TraceEvent& event, const store::StringTable& strings);

}  // namespace steptrace::analyze
