// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "agent/ingest/process_session.h"
#include "agent/rows/row_batch.h"
#include "analyze/derive/event.h"
#include "store/tables.h"

namespace steptrace::agent {

// Is shown by a Recorder what the rings bring. One thread.
class RingListener {
 public:
  virtual ~RingListener() = default;

  // A step that is settled.
  virtual void OnStep(const store::StepRow&) {}
  // Of processes that train or work for one, in the order of each thread.
  virtual void OnEvents(const ProcessSession&, std::span<const analyze::Event>) {}
  // What torch counts of a device's memory.
  virtual void OnDeviceMemory(const ProcessSession&, const DeviceMemorySample&) {}
  // The stacks that a process told of itself, in the order of each thread.
  virtual void OnStacks(ProcessSession&, std::span<const ReportedStack>) {}
  // Tensors of a process, in the order of each thread.
  virtual void OnTensors(const ProcessSession&, std::span<const ReportedTensor>) {}
  // Its process is gone; before it is ended.
  virtual void OnEnd(ProcessSession&) {}
};

}  // namespace steptrace::agent
