// SPDX-License-Identifier: Apache-2.0
#include "probe/nccl_steps.h"

#include <string.h>

#include "transport/writer/hot_path.h"
#include "transport/writer/writer.h"
#include "wire/vocabulary.h"

namespace steptrace::probe {
namespace {

namespace t = transport;

// github:NVIDIA/nccl, src/include/plugin/nccl_profiler.h; the second since version 4.
enum NcclStepState : uint8_t {
  kSendDevice = 8,
  kSendPeer = 20,
  kSendNetwork = 9,
  kReceiveNetwork = 10,
  kReceiveFlush = 11,
  kReceiveDevice = 12,
};

const char* StepName(uint8_t state) {
  switch (state) {
    case kSendDevice:
      return "send step: device";
    case kSendPeer:
      return "send step: peer";
    case kSendNetwork:
      return "send step: network";
    case kReceiveNetwork:
      return "receive step: network";
    case kReceiveFlush:
      return "receive step: flush";
    case kReceiveDevice:
      return "receive step: device";
    default:
      return nullptr;
  }
}

void WriteStepState(const nccl_events::EventState& step, uint64_t bytes, uint64_t now) {
  const char* text = StepName(step.step_state);
  if (text == nullptr || now < step.begin) return;
  const uint32_t name =
      t::Name(text, strlen(text), static_cast<uint16_t>(wire::Category::kNcclProxyStep));
  const wire::Record records[] = {
      wire::MakeRecord(wire::RecordKind::kDetail, step.begin, step.details, 0, step.number, bytes),
      wire::MakeRecord(wire::RecordKind::kComplete, step.begin, name, 0, 0, now)};
  const bool reported = step.details != 0;
  t::WriteReady(reported ? records : records + 1, reported ? 2 : 1);
}

}  // namespace

uint64_t StartNcclStep(uint64_t operation) {
  nccl_events::EventState* op = nccl_events::EventOf(operation);
  if (op == nullptr || op->kind != nccl_events::Kind::kProxyOp) return 0;
  // An operation for another process (PXN) has its collective there.
  nccl_events::EventState* call = nccl_events::EventOf(op->parent);
  std::atomic<uint32_t>& steps = call != nullptr ? call->steps : op->steps;
  if (steps.load(std::memory_order_relaxed) >= kMostNcclSteps) return 0;
  steps.fetch_add(1, std::memory_order_relaxed);
  nccl_events::EventState* step = nccl_events::TakeEvent();
  if (step == nullptr) return 0;
  step->kind = nccl_events::Kind::kStep;
  step->parent = operation;
  step->details = op->details;
  step->number = op->number;
  return nccl_events::Open(*step);
}

void SetNcclStepState(nccl_events::EventState& step, int32_t state, uint64_t bytes) {
  const uint64_t now = t::ClockTicks();
  // NCCL knows what was received when it has come, and what is sent before.
  if (step.step_state == kReceiveNetwork) step.bytes = bytes;
  WriteStepState(step, step.bytes, now);
  step.step_state = static_cast<uint8_t>(state > 0 && state <= UINT8_MAX ? state : 0);
  step.bytes = step.step_state == kSendNetwork ? bytes : 0;
  step.begin = now;
}

void StopNcclStep(nccl_events::EventState& step, uint64_t handle, uint64_t now) {
  if (!nccl_events::Claim(step, handle)) return;
  WriteStepState(step, step.bytes, now);
  nccl_events::Free(step, handle);
}

}  // namespace steptrace::probe
