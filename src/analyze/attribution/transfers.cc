// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "analyze/attribution/sample_split.h"
#include "analyze/attribution/transfer.h"

namespace steptrace::analyze {

extern const Transfer kStorageTransfer;
extern const Transfer kNoStorageTransfer;
extern const Transfer kWorkerShortageTransfer;
extern const Transfer kTrainerShortageTransfer;
extern const Transfer kSamplerBeginTransfer;
extern const Transfer kSampledCollateTransfer;
extern const Transfer kSampledFetchTransfer;
extern const Transfer kSamplerTransfer;
extern const Transfer kOutsideTorchTransfer;
extern const Transfer kTorchBackwardTransfer;
extern const Transfer kTorchOptimizerTransfer;
extern const Transfer kIdleForwardTransfer;
extern const Transfer kDispatchTransfer;
extern const Transfer kExchangeWorkTransfer;
extern const Transfer kUnseenForwardTransfer;
extern const Transfer kModelWithoutPhaseTransfer;
extern const Transfer kDevicePhasesTransfer;
extern const Transfer kDeviceBusyTransfer;

namespace {

constexpr const Transfer* kTransfers[] = {
    &kStorageTransfer,           &kNoStorageTransfer,      &kWorkerShortageTransfer,
    &kTrainerShortageTransfer,   &kSamplerBeginTransfer,   &kSampledCollateTransfer,
    &kSampledFetchTransfer,      &kSamplerTransfer,        &kOutsideTorchTransfer,
    &kTorchBackwardTransfer,     &kTorchOptimizerTransfer, &kIdleForwardTransfer,
    &kDispatchTransfer,          &kExchangeWorkTransfer,   &kUnseenForwardTransfer,
    &kModelWithoutPhaseTransfer, &kDevicePhasesTransfer,   &kDeviceBusyTransfer,
};

}  // namespace

std::span<const Transfer* const> Transfers() {
  return kTransfers;
}

StepEvidence EvidenceOf(const store::StepRow& row, const AttributionRules& rules,
                        const StageTimes& times) {
  StepEvidence step{.row = row, .rules = rules, .forward_ns = At(times, SubStage::kForward)};
  if (rules.samples != nullptr) step.thread = rules.samples->ThreadOf(row.rank);
  if (step.thread != nullptr) {
    step.taken = TakenOf(*step.thread, At(times, SubStage::kUnknown), step.forward_ns);
  }
  return step;
}

}  // namespace steptrace::analyze
