// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/watch/observer.h"
#include "agent/watch/step_shift.h"
#include "store/tables.h"

namespace steptrace::agent {

// Watches the steady steps of a job's first rank on this node, whose steps are the others' where
// they exchange gradients, and says when their time has changed for good.
class StepWatch : public Observer {
 public:
  explicit StepWatch(double rise) : rise_(rise), detector_(rise) {}

  void OnStep(const store::StepRow& row, std::string_view kind) override;
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;

 private:
  Alert MakeAlert(const StepShift& shift) const;

  double rise_;
  std::optional<int32_t> rank_;
  ShiftDetector detector_;
  bool reported_rise_ = false;
  std::vector<StepShift> shifts_;
};

}  // namespace steptrace::agent
