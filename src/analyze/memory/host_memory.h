// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "analyze/memory/growth.h"
#include "analyze/memory/memory_kinds.h"
#include "model/finding.h"
#include "store/packed_rows.h"
#include "store/string_table.h"
#include "store/tables.h"

// What the training's processes hold in memory, of the host and of devices, whether it grows with
// the steps, and when there would be no more.
namespace steptrace::analyze {

struct CounterSeries;
struct RankProcess;
struct ReportInput;

// One process's memory of one kind: its own anonymous memory, or what it allocated on a device.
struct ProcessMemoryRow {
  int32_t node = 0;
  int64_t pid = 0;
  std::optional<int32_t> rank;                // of a process that trains
  std::optional<ProcessClass> process_class;  // where the run's processes are known
  std::optional<int32_t> device;              // of a device's memory, as torch counts it
  double bytes = 0;                           // anonymous, or allocated; the last value
  double peak_bytes = 0;
  bool ended = false;                // before the node's last two samples
  std::optional<double> file_bytes;  // of the host: the other kinds
  std::optional<double> shmem_bytes;
  std::optional<double> reserved_bytes;        // of a device: held by the allocator
  std::optional<double> inactive_split_bytes;  // … of that, what its fragmentation keeps from use
  std::optional<double> alloc_retries;  // times that the allocator had to give all back first
  std::optional<double> ooms;
  Growth growth;           // by steady steps
  double bytes_per_s = 0;  // the same by time
  // Of the judged steps those in which torch.compile was at work, in a process that trains.
  int64_t compiled_steps = 0;
};

// When a node's memory would be used up by what leaks.
struct MemoryOutlook {
  int32_t node = 0;
  std::optional<int32_t> device;
  std::string limit;  // cgroup, machine
  double limit_bytes = 0;
  double left_bytes = 0;
  int64_t exhausted_in_ns = 0;  // from the last sample on
};

struct HostMemorySection {
  std::vector<ProcessMemoryRow> processes;  // what leaks first, then the largest, at most 256
  int64_t process_count = 0;                // of all
  std::vector<MemoryOutlook> outlooks;      // only where something leaks for certain
  std::vector<KindMemory> kinds;            // of a whole run
};

// How many steady steps a rank had made at a time, and in how many of them torch.compile was at
// work: a line through knots.
class StepAxis {
 public:
  // In order of time.
  void Add(int64_t ts_ns, double steps, int64_t compiled = 0) {
    knots_.push_back({ts_ns, steps, compiled});
  }
  // Every second knot goes, but the first and the last.
  void Thin();
  size_t size() const { return knots_.size(); }
  bool empty() const { return knots_.empty(); }
  int64_t from_ns() const { return knots_.front().ts_ns; }
  int64_t to_ns() const { return knots_.back().ts_ns; }
  double steps() const { return knots_.back().steps; }
  int64_t compiled() const { return knots_.back().compiled; }
  double At(int64_t ts_ns) const;
  // Of the last so many steps, those that compiled; what a knot left out counts as before it.
  int64_t CompiledOfLast(double steps) const;

 private:
  struct Knot {
    int64_t ts_ns = 0;
    double steps = 0;
    int64_t compiled = 0;
  };
  std::vector<Knot> knots_;
};
using StepAxes = std::map<int32_t, StepAxis>;  // by rank

// Of rows in any order.
StepAxes AxesOf(const store::PackedSteps& steps, const store::StringTable& strings);

// Those that processes are judged by: none where no process was measured.
StepAxes AxesOfMeasured(const ReportInput& input);

// `ranks`: the processes that train. Other processes are judged by the steps of their node's first
// rank.
HostMemorySection MakeHostMemory(std::span<const CounterSeries> counters, const StepAxes& axes,
                                 std::span<const RankProcess> ranks);

// What the report says of a run's memory, kinds included; null: its processes were not measured.
std::shared_ptr<const HostMemorySection> MakeHostMemory(const ReportInput& input,
                                                        const StepAxes& axes);

nlohmann::ordered_json HostMemoryJson(const HostMemorySection& section);

// "memory of rank 0 grows by 1 MiB a step (0.98 to 1.02), …"; for findings and the report's text.
std::string SubjectOf(const ProcessMemoryRow& process);
model::Finding GrowthOf(const ProcessMemoryRow& process, const HostMemorySection& section);

}  // namespace steptrace::analyze
