// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {
namespace {

void MoveExchangeWork(const StepEvidence& step, StageTimes& times) {
  const double of_backward = step.rules.exchange_of_backward;
  if (of_backward <= 0 || step.row.backwards <= 0) return;
  const double ns = of_backward * static_cast<double>(step.row.backwards);
  const auto had = static_cast<double>(At(times, SubStage::kBackward));
  Move(times, SubStage::kBackward, SubStage::kExposed, std::llround(std::clamp(ns, 0.0, had)));
}

}  // namespace

extern const Transfer kExchangeWorkTransfer;
const Transfer kExchangeWorkTransfer = {
    .name = "exchange_work",
    .from = {SubStage::kBackward},
    .to = {SubStage::kExposed},
    .reason = "windows of operators show the training thread pack, hand over and unpack gradients",
    .move = MoveExchangeWork,
};

}  // namespace steptrace::analyze
