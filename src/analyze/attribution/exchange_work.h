// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "analyze/trace/trace.h"
#include "store/packed_rows.h"

namespace steptrace::analyze {

// What a training thread does for the exchange of gradients in backward, and for nothing else:
// DistributedDataParallel packs them into buckets, hands these to the process group and unpacks
// them. ns of each backward pass, as the rows show that lie in windows of operators, of the rank
// with least of it: one figure for all, for what the ranks differ in is waiting for each other. 0:
// none.
double ExchangeWorkOfBackward(const Trace& operators, const store::PackedSteps& rows);

}  // namespace steptrace::analyze
