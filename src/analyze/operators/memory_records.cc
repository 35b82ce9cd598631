// SPDX-License-Identifier: Apache-2.0
#include "analyze/operators/memory_records.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "analyze/operators/vector_index.h"
#include "analyze/stats/distribution.h"
#include "analyze/stats/quantile.h"
#include "analyze/trace/host_ancestors.h"
#include "base/text_hash.h"

namespace steptrace::analyze {
namespace {

// Records carry 0 where the profile gave no address.
constexpr int64_t kNoAddress = 0;

// First and past-the-last host event of each lane.
struct LaneEvents {
  size_t begin = 0;
  size_t end = 0;
};

std::vector<LaneEvents> EventsOfLanes(const RankTrace& rank) {
  std::vector<LaneEvents> lanes(rank.lanes.size());
  for (size_t i = 0; i < rank.host.size(); ++i) {
    LaneEvents& lane = lanes[At(rank.host[i].lane)];
    if (lane.end == 0) lane.begin = i;
    lane.end = i + 1;
  }
  return lanes;
}

bool Holds(const TraceEvent& event, int64_t ts_ns) {
  return event.ts_ns <= ts_ns && (ts_ns < event.end_ns() || ts_ns == event.ts_ns);
}

}  // namespace

std::vector<DeviceRecords> FindRecords(const RankTrace& rank, const OperatorTree& tree) {
  const std::vector<LaneEvents> lanes = EventsOfLanes(rank);
  if (rank.memory.empty()) return {};
  const std::vector<int32_t> operators = NearestSuch(rank.host, [&](size_t i) {
    return tree.listed[At(tree.call[i])] && rank.host[i].kind == EventKind::kOperator;
  });
  std::vector<NearestAncestor> innermost(lanes.size(), NearestAncestor(rank.host, operators));
  std::vector<size_t> next(lanes.size());
  for (size_t lane = 0; lane < lanes.size(); ++lane) next[lane] = lanes[lane].begin;
  std::unordered_map<int32_t, size_t> lane_of;
  for (size_t lane = 0; lane < rank.lanes.size(); ++lane) {
    if (!rank.lanes[lane].on_device) lane_of.try_emplace(rank.lanes[lane].track, lane);
  }
  std::map<int32_t, DeviceRecords> devices;
  for (const store::MemoryRow& row : rank.memory) {  // by time, so each lane is walked once
    MemoryRecord record{&row, kNone};
    const auto found = row.track ? lane_of.find(*row.track) : lane_of.end();
    if (found != lane_of.end()) {
      const LaneEvents& lane = lanes[found->second];
      size_t& at = next[found->second];
      while (at < lane.end && rank.host[at].ts_ns <= row.ts_ns) ++at;
      if (at > lane.begin) {
        const int32_t op = innermost[found->second].At(
            static_cast<int32_t>(at - 1), row.ts_ns,
            [&row](const TraceEvent& event) { return Holds(event, row.ts_ns); });
        record.op = op == kNone ? kNone : tree.call[At(op)];
      }
    }
    devices[row.device].records.push_back(record);
  }
  std::vector<DeviceRecords> list;
  for (auto& [device, records] : devices) {
    records.device = device;
    list.push_back(std::move(records));
  }
  return list;
}

std::vector<BlockSides> PairBlocks(const DeviceRecords& records) {
  std::vector<BlockSides> blocks;
  SeededMap<int64_t, size_t> live;  // by address
  for (size_t i = 0; i < records.records.size(); ++i) {
    const store::MemoryRow& row = *records.records[i].row;
    if (row.address == kNoAddress || row.bytes == 0) continue;
    if (row.bytes > 0) {
      const auto [block, is_new] = live.try_emplace(row.address, blocks.size());
      if (!is_new) blocks[block->second].reuse = static_cast<int32_t>(i);
      block->second = blocks.size();
      blocks.push_back({static_cast<int32_t>(i), kNone});
    } else if (auto found = live.find(row.address); found != live.end()) {
      blocks[found->second].release = static_cast<int32_t>(i);
      live.erase(found);
    } else {
      blocks.push_back({kNone, static_cast<int32_t>(i)});
    }
  }
  return blocks;
}

namespace {

// Fewer ends of steps show no growth: one pair could be chance.
constexpr size_t kLeastSteps = 3;

// The first step that ends after the moment.
size_t StepUntil(const std::vector<TraceStep>& steps, int64_t ts_ns) {
  return static_cast<size_t>(
      std::partition_point(steps.begin(), steps.end(),
                           [&](const TraceStep& step) { return step.end_ns() <= ts_ns; }) -
      steps.begin());
}

// Bytes of an operator's blocks that live at the end of each step, as differences.
using Held = std::vector<int64_t>;

// Its pace is that of most steps: what one alone holds besides, as the last one whose results are
// still in use, is none.
std::optional<MemoryLeak> LeakOf(const Held& changes, size_t steps) {
  MemoryLeak leak;
  std::vector<double> held = {0};  // above the end of the first step
  for (size_t k = 1; k < steps; ++k) {
    if (changes[k] <= 0) return std::nullopt;
    AddSaturating(leak.bytes, changes[k]);
    held.push_back(static_cast<double>(leak.bytes));
  }
  leak.bytes_per_step = std::llround(RobustSlope(held));
  return leak;
}

std::vector<MemoryLeak> LeaksOf(const Trace& trace, const std::map<int32_t, Held>& held,
                                size_t steps) {
  std::vector<MemoryLeak> leaks;
  for (const auto& [name, changes] : held) {
    std::optional<MemoryLeak> leak = LeakOf(changes, steps);
    if (!leak) continue;
    leak->operator_name = trace.Text(static_cast<store::StringId>(name));
    leaks.push_back(*leak);
  }
  std::sort(leaks.begin(), leaks.end(), [](const auto& a, const auto& b) {
    return std::tie(b.bytes, a.operator_name) < std::tie(a.bytes, b.operator_name);
  });
  return leaks;
}

}  // namespace

void FindLeaks(const Trace& trace, const RankTrace& rank, const DeviceRecords& records,
               const std::vector<BlockSides>& blocks, MemoryDevice& device) {
  device.leak_status = LeakStatus::kNoAddresses;
  if (blocks.empty()) return;
  device.leak_status = LeakStatus::kTooFewSteps;
  const std::vector<TraceStep>& steps = rank.steps;
  if (steps.empty()) return;
  for (const TraceStep& step : steps) device.steps.push_back({step.number, 0, 0, 0});
  std::map<int32_t, Held> held;  // by name of the operator
  Held all(steps.size() + 1);
  for (const BlockSides& block : blocks) {
    if (block.allocation == kNone) continue;
    const MemoryRecord& allocation = records.records[At(block.allocation)];
    const int64_t ts_ns = allocation.row->ts_ns;
    const size_t begin = StepUntil(steps, ts_ns);
    if (ts_ns < steps.front().ts_ns || begin == steps.size()) continue;
    const size_t end =
        block.gone_by() == kNone
            ? steps.size()
            : std::max(begin, StepUntil(steps, records.records[At(block.gone_by())].row->ts_ns));
    const int64_t bytes = allocation.row->bytes;
    if (ts_ns >= steps[begin].ts_ns) {
      AddSaturating(device.steps[begin].allocated_bytes, bytes);
      if (end > begin) AddSaturating(device.steps[begin].kept_bytes, bytes);
    }
    const int32_t name =
        allocation.op == kNone ? 0 : static_cast<int32_t>(rank.host[At(allocation.op)].name);
    Held& changes = held[name];
    if (changes.empty()) changes.resize(steps.size() + 1);
    for (Held* of : {&changes, &all}) {
      AddSaturating((*of)[begin], bytes);
      AddSaturating((*of)[end], -bytes);
    }
  }
  int64_t sum = 0;
  for (size_t k = 0; k < steps.size(); ++k) {
    AddSaturating(sum, all[k]);
    device.steps[k].held_bytes = sum;
  }
  if (steps.size() < kLeastSteps) return;
  device.leaks = LeaksOf(trace, held, steps.size());
  device.leak_status = device.leaks.empty() ? LeakStatus::kNoLeak : LeakStatus::kFound;
}

}  // namespace steptrace::analyze
