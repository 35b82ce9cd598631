// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "store/columns_of.h"

namespace steptrace::rpc {

// Of slices, all that the analysis of operators and kernels reads.
inline std::vector<std::string> TraceColumns() {
  using Row = store::SliceRow;
  return store::SliceColumnsWith<&Row::correlation, &Row::flow_out, &Row::flow_in, &Row::bytes,
                                 &Row::sequence, &Row::external_id, &Row::details>();
}

}  // namespace steptrace::rpc
