// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "agent/step_shift.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::agent {

// Watches the steady steps of a job's first rank on this node, whose steps are the others' where
// they exchange gradients, and says when their time has changed for good. One thread.
class StepWatch {
 public:
  // `strings` are those of the row.
  void Add(const store::StepRow& row, const store::StringTable& strings);
  // The findings since the last call.
  std::vector<store::FindingRow> Take(int64_t now_ns, store::StringTable& strings);

 private:
  std::optional<int32_t> rank_;
  ShiftDetector detector_;
  bool told_rise_ = false;
  std::vector<StepShift> shifts_;
};

}  // namespace steptrace::agent
