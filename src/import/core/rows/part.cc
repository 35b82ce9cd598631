// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/part.h"

namespace steptrace::import {

Status SpillOthers(Part& part, SpillFile& file) {
  part.other_bytes = 0;
  STEPTRACE_RETURN_IF_ERROR(part.flows.Spill(file));
  STEPTRACE_RETURN_IF_ERROR(part.counters.Spill(file));
  STEPTRACE_RETURN_IF_ERROR(part.memory.Spill(file));
  STEPTRACE_RETURN_IF_ERROR(part.steps.Spill(file));
  return part.fact_rows.Spill(file);
}

void TrimOthers(Part& part) {
  part.flows.Trim();
  part.counters.Trim();
  part.memory.Trim();
  part.steps.Trim();
}

}  // namespace steptrace::import
