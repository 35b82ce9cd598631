// SPDX-License-Identifier: Apache-2.0
#include "analyze/json/json_parts.h"
#include "analyze/operators/kernels_section.h"

namespace steptrace::analyze {
namespace {

void AddSums(const KernelSums& sums, Json& row) {
  row["calls"] = sums.calls;
  row["total_ns"] = sums.total_ns;
  row["in_steps_ns"] = sums.in_steps_ns;
  row["mean_ns"] = sums.mean_ns();
  row["max_ns"] = sums.max_ns;
  row["min_ns"] = sums.min_ns;
  row["blocks_per_sm"] = OrNull(sums.blocks_per_sm());
  row["calls_without_blocks_per_sm"] = sums.without_blocks_per_sm;
  row["occupancy_percent"] = OrNull(sums.occupancy_percent());
  row["calls_without_occupancy"] = sums.without_occupancy;
}

Json LaunchJson(const KernelLaunch& launch) {
  Json json = {{"operator", TextOrNull(launch.operator_name)},
               {"operator_tensor_core_eligible", launch.operator_tensor_core_eligible},
               {"grid", DetailJson(launch.grid)},
               {"block", DetailJson(launch.block)},
               {"registers_per_thread", OrNull(launch.registers_per_thread)},
               {"shared_memory_bytes", OrNull(launch.shared_memory_bytes)}};
  AddSums(launch.sums, json);
  return json;
}

Json RowJson(const KernelRow& row) {
  Json json = {{"rank", row.rank},
               {"name", row.name},
               {"role", row.role == DeviceRole::kCommunication ? "communication" : "compute"},
               {"tensor_cores", row.tensor_cores}};
  AddSums(row.sums, json);
  json["share"] = row.share;
  json["per_step_ns"] = OrNull(row.steps.PerStep(row.sums.in_steps_ns));
  json["step_share"] = OrNull(row.steps.ShareOf(row.sums.in_steps_ns));
  Json streams = Json::array();
  for (const KernelStream& stream : row.streams) {
    streams.push_back({{"device", stream.device},
                       {"stream", stream.stream},
                       {"calls", stream.calls},
                       {"total_ns", stream.total_ns}});
  }
  json["streams"] = std::move(streams);
  Json launches = Json::array();
  for (const KernelLaunch& launch : row.launches) launches.push_back(LaunchJson(launch));
  json["launches"] = std::move(launches);
  return json;
}

}  // namespace

Json KernelsJson(const KernelsSection& section) {
  Json rows = Json::array();
  for (const KernelRow& row : section.rows) rows.push_back(RowJson(row));
  return rows;
}

}  // namespace steptrace::analyze
