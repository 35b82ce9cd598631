// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include "analyze/attribution/device_utilization.h"
#include "analyze/attribution/dispatch_split.h"
#include "analyze/attribution/trace_step_times.h"
#include "analyze/input/steps_on_device.h"
#include "analyze/stages/stages.h"

namespace steptrace::analyze {

class SampleSplit;

// What is known beside the step's own row, and moves time between its stages.
struct AttributionRules {
  // Without evidence of storage at work, a blocked fetch sleeps or waits for something else.
  bool storage_evidence = false;
  // Share of starved time in which the workers had no core: of a cgroup's quota, which some kernels
  // do not count as run delay, or of a crowded machine where the rows do not tell it.
  double worker_shortage_share = 0;
  // The same of the training thread while it takes over a batch: no row tells it.
  double parent_shortage_share = 0;
  const DeviceUtilization* device = nullptr;
  // Steps of which events at the boundaries of phases tell what the device did: more than `device`.
  const StepsOnDevice* phases = nullptr;
  // Share of a rank's forward in which its process did nothing (host_idle.h).
  std::map<int32_t, double> idle_of_forward{};
  // The job computes on the CPU alone: where its thread waits outside torch, it does not compute.
  bool on_host = false;
  // And neither samples nor CPU time show that its forward computed: windows of operators may.
  bool forward_unseen = false;
  // What windows of operators showed of the model's phases; of a job without a device alone, for
  // there the host's way from operator to operator is what the step waits for.
  const DispatchSplit* dispatch = nullptr;
  // ns of each backward pass that are work for the exchange of gradients alone, on any rank
  // (exchange_work.h): of a job without a device, whose backward is blocked while they go.
  double exchange_of_backward = 0;
  // Steps whose device activity is known to the nanosecond: nothing else moves their time.
  const ProfiledSteps* profiled = nullptr;
  // What samples of stacks say of the dataset's time and of the loop's; null: there are none.
  const SampleSplit* samples = nullptr;
  DatasetTime dataset = DatasetTime::kByStage;
  // Whether each step is wanted by itself, beside the sums.
  bool keep_steps = false;
};

}  // namespace steptrace::analyze
