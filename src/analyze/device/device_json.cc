// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "analyze/device/device_section.h"
#include "analyze/json/json_parts.h"

namespace steptrace::analyze {
namespace {

void AddBusy(const BusyTimes& times, Json::object_t& to) {
  AddMembers(to, "span_ns", times.span_ns, "busy_ns", times.busy_ns, "idle_ns", times.idle_ns,
             "compute_ns", times.compute_ns, "communication_ns", times.communication_ns,
             "memory_ns", times.memory_ns, "overlap_ns", times.overlap_ns,
             "exposed_communication_ns", times.exposed_communication_ns, "exposed_memory_ns",
             times.exposed_memory_ns);
}

Json BusyJson(const BusyTimes& times) {
  Json::object_t json;
  AddBusy(times, json);
  return Json(std::move(json));
}

Json StepJson(const DeviceStepTimes& step) {
  Json::object_t json;
  AddMembers(json, "step", step.step, "ts_ns", step.ts_ns);
  AddBusy(step.times, json);
  return Json(std::move(json));
}

Json IdleJson(const IdleCauses& idle) {
  return {{"host_ns", idle.host_ns},
          {"kernel_wait_ns", idle.kernel_wait_ns},
          {"other_ns", idle.other_ns}};
}

Json StreamJson(const StreamTimes& stream) {
  return {{"stream", stream.stream},
          {"events", stream.events},
          {"busy_ns", stream.busy_ns},
          {"idle", IdleJson(stream.idle)},
          {"overlapping_events", stream.overlapping},
          {"overlapping_ns", stream.overlapping_ns},
          {"queue",
           {{"mean", OrNull(stream.queue_mean)},
            {"max", stream.queue_max},
            {"sum_ns", stream.queue_sum_ns},
            {"span_ns", stream.queue_span_ns},
            {"full_ns", stream.queue_full_ns}}}};
}

Json CopyJson(const CopyTimes& copies) {
  return {{"kind", copies.kind},           {"count", copies.count},
          {"bytes", OrNull(copies.bytes)}, {"sum_ns", copies.sum_ns},
          {"busy_ns", copies.busy_ns},     {"bytes_per_s", OrNull(copies.bytes_per_s)},
          {"small_count", copies.small},   {"small_sum_ns", copies.small_sum_ns}};
}

Json SummaryJson(const DurationSummary& summary) {
  return {{"sum", summary.sum}, {"mean", summary.mean}, {"min", summary.min},
          {"p50", summary.p50}, {"p90", summary.p90},   {"max", summary.max}};
}

Json LaunchJson(const LaunchTimes& launch) {
  return {{"call", launch.call},
          {"calls", launch.calls},
          {"device_events", launch.device_events},
          {"call_ns", SummaryJson(launch.call_ns)},
          {"delay_ns", SummaryJson(launch.delay_ns)},
          {"short_work", launch.short_work},
          {"slow_calls", launch.slow_calls},
          {"late_starts", launch.late_starts}};
}

Json TensorCoresJson(const TensorCoreUse& use) {
  return {{"tensor_core_ns", use.tensor_core_ns},
          {"compute_kernel_ns", use.compute_kernel_ns},
          {"kernel_ns", use.kernel_ns},
          {"share", OrNull(use.share)},
          {"compute_share", OrNull(use.compute_share)}};
}

Json PrecisionJson(const PrecisionTime& time) {
  return {{"precision", TextOrNull(PrecisionName(time.precision))},
          {"ns", time.ns},
          {"share", OrNull(time.share)}};
}

Json DeviceJson(const DeviceTimes& device) {
  return {{"node", device.node},
          {"rank", device.rank},
          {"device", device.device},
          {"name", device.name},
          {"uuid", TextOrNull(device.uuid)},
          {"events", device.events},
          {"ts_ns", device.ts_ns},
          {"window", BusyJson(device.window)},
          {"idle", IdleJson(device.idle)},
          {"steps", Each(device.steps, StepJson)},
          {"steps_span_ns", device.steps_span_ns},
          {"kernel_busy_ns", device.kernel_busy_ns},
          {"utilization", OrNull(device.utilization)},
          {"est_sm_efficiency", OrNull(device.est_sm_efficiency)},
          {"est_achieved_occupancy", OrNull(device.est_achieved_occupancy)},
          {"tensor_cores", TensorCoresJson(device.tensor_cores)},
          {"precisions", Each(device.precisions, PrecisionJson)},
          {"graph_launches", device.graph_launches},
          {"graph_kernels", device.graph_kernels},
          {"without_launch", device.without_launch},
          {"streams", Each(device.streams, StreamJson)},
          {"copies", Each(device.copies, CopyJson)},
          {"launches", Each(device.launches, LaunchJson)}};
}

Json RoleJson(const RoleRow& row) {
  const RoleTimes& times = row.times;
  return ObjectOf("rank", row.rank, "step", row.step, "ts_ns", row.ts_ns, "kernel_ns",
                  times.kernel_ns, "memcpy_ns", times.memcpy_ns, "memset_ns", times.memset_ns,
                  "communication_ns", times.communication_ns, "runtime_ns", times.runtime_ns,
                  "dataloader_ns", times.dataloader_ns, "cpu_ns", times.cpu_ns, "other_ns",
                  times.other_ns, "total_ns", times.total_ns);
}

}  // namespace

void AddDevicesJson(const DevicesSection& section, Json& report) {
  report["roles"] = Each(section.roles, RoleJson);
  report["devices"] = Each(section.devices, DeviceJson);
}

}  // namespace steptrace::analyze
