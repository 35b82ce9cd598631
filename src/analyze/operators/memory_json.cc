// SPDX-License-Identifier: Apache-2.0
#include "analyze/json/json_parts.h"
#include "analyze/operators/memory_section.h"

namespace steptrace::analyze {
namespace {

Json OperatorJson(const MemoryOperator& row) {
  return {{"name", TextOrNull(row.name)},
          {"calls", row.calls},
          {"size_increase_bytes", row.size_increase_bytes},
          {"self_size_increase_bytes", row.self_size_increase_bytes},
          {"allocations", row.allocations},
          {"self_allocations", row.self_allocations},
          {"allocated_bytes", row.allocated_bytes},
          {"self_allocated_bytes", row.self_allocated_bytes}};
}

Json BlockJson(const MemoryBlock& block) {
  std::optional<int64_t> lived;
  if (block.allocated_ns && block.released_ns) lived = *block.released_ns - *block.allocated_ns;
  return {{"operator", TextOrNull(block.operator_name)},
          {"caller", TextOrNull(block.caller)},
          {"bytes", block.bytes},
          {"allocated_ns", OrNull(block.allocated_ns)},
          {"released_ns", OrNull(block.released_ns)},
          {"released_by_ns", OrNull(block.released_by_ns)},
          {"duration_ns", OrNull(lived)}};
}

Json PointJson(const MemoryPoint& point) {
  return {{"ts_ns", point.ts_ns},
          {"allocated_bytes", point.allocated_bytes},
          {"reserved_bytes", point.reserved_bytes}};
}

const char* StatusName(LeakStatus status) {
  switch (status) {
    case LeakStatus::kNoLeak:
      return "none";
    case LeakStatus::kFound:
      return "found";
    case LeakStatus::kTooFewSteps:
      return "too_few_steps";
    case LeakStatus::kNoAddresses:
      return "no_addresses";
  }
  return "";
}

Json LeaksJson(const MemoryDevice& device) {
  return {{"status", StatusName(device.leak_status)},
          {"operators", Each(device.leaks,
                             [](const MemoryLeak& leak) -> Json {
                               return {{"operator", TextOrNull(leak.operator_name)},
                                       {"bytes", leak.bytes},
                                       {"bytes_per_step", leak.bytes_per_step}};
                             })},
          {"steps", Each(device.steps, [](const MemoryStep& step) -> Json {
             return {{"step", step.number},
                     {"allocated_bytes", step.allocated_bytes},
                     {"kept_bytes", step.kept_bytes},
                     {"held_bytes", step.held_bytes}};
           })}};
}

Json MemoryDeviceJson(const MemoryDevice& device) {
  Json peak = PointJson(device.peak);
  peak["peak_reserved_bytes"] = device.peak_reserved_bytes;
  return {{"rank", device.rank},
          {"device", device.device},
          {"records", device.records},
          {"records_without_address", device.without_address},
          {"peak", std::move(peak)},
          {"at_peak", Each(device.at_peak,
                           [](const MemoryHolder& holder) -> Json {
                             return {{"operator", TextOrNull(holder.operator_name)},
                                     {"blocks", holder.blocks},
                                     {"bytes", holder.bytes}};
                           })},
          {"operators", Each(device.operators, OperatorJson)},
          {"blocks_paired", device.blocks_paired},
          {"blocks_reused", device.blocks_reused},
          {"blocks_unreleased", device.blocks_unreleased},
          {"bytes_unreleased", device.bytes_unreleased},
          {"blocks_released_only", device.blocks_released_only},
          {"blocks", Each(device.blocks, BlockJson)},
          {"leaks", LeaksJson(device)},
          {"curve_from_zero", device.from_zero},
          {"curve", Each(device.curve, PointJson)}};
}

}  // namespace

Json MemoryJson(const MemorySection& section) {
  return {{"devices", Each(section.devices, MemoryDeviceJson)},
          {"allocator", Each(section.allocator, [](const AllocatorCall& call) -> Json {
             return {{"rank", call.rank},          {"name", call.name},
                     {"calls", call.calls},        {"total_ns", call.total_ns},
                     {"max_ns", call.max_ns},      {"steady_calls", call.steady_calls},
                     {"steady_ns", call.steady_ns}};
           })}};
}

}  // namespace steptrace::analyze
