// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analyze/trace/id_index.h"
#include "store/string_table.h"
#include "store/tables.h"

// A profile in memory: what one rank's host and devices did, linked. Every device analysis starts
// from here. A value; built once by BuildRankTrace from rows of the store, never from a file.
namespace steptrace::analyze {

enum class EventKind : uint8_t {
  kOperator,      // cpu_op
  kAnnotation,    // user_annotation, but for steps
  kStep,          // ProfilerStep#N on the host, or a step_annotation
  kRuntime,       // cuda_runtime, cuda_driver, and their likes of other makers
  kPython,        // python_function
  kOverhead,      // the profiler's own
  kHandover,      // enqueue, dequeue: what one thread leaves to another to launch (torch_npu)
  kOtherHost,     // of other categories on a host thread those that are known
  kUnrecognised,  // and those that nobody knows
  kKernel,        // device work from here on
  kMemcpy,
  kMemset,
  kSync,              // a device-side wait: Stream Wait Event, Event Sync, Context Sync
  kDeviceAnnotation,  // gpu_user_annotation: around device work, no work itself; parts of it, too
};

// What the device does while an event of it runs.
enum class DeviceRole : uint8_t { kCompute, kCommunication, kMemory, kNone };
inline constexpr int32_t kNone = -1;

// There are millions of them: what only some have stands next to them in the RankTrace, and ids
// that have linked them are not kept.
struct TraceEvent {
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  store::StringId name{};
  store::StringId details{};
  int32_t lane = 0;  // index in RankTrace::lanes
  union {
    int32_t parent = kNone;  // host: index of the innermost host event of the lane around this one
    int32_t numbers;         // device: index in RankTrace::numbers
  };
  int32_t step = kNone;    // host: index in RankTrace::steps of the step that its begin falls in;
                           // device: that of its launch, else by its own begin
  int32_t launch = kNone;  // device: index in `host` of the runtime call with its correlation
  int32_t op = kNone;      // host runtime: its operator; device: the launch's operator, else the
                           // one of its external id. Index in `host`
  EventKind kind = EventKind::kOtherHost;
  DeviceRole role = DeviceRole::kNone;
  bool in_collective = false;  // host: a range that IsCollectiveRange; device: its external id is
                               // that of one

  int64_t end_ns() const { return ts_ns + dur_ns; }
};
static_assert(sizeof(TraceEvent) == 48);

// What few events of the device have; kNone: it has none.
struct DeviceNumbers {
  int64_t sequence = kNone;
  int64_t bytes = kNone;
};

// A number that few host events have.
struct HostNumber {
  int32_t event = 0;  // index in RankTrace::host
  int64_t number = 0;
};

// A host thread or a device's stream.
struct TraceLane {
  int32_t track = 0;
  bool on_device = false;
  int64_t pid = kNone;
  int64_t tid = kNone;
  int32_t device = kNone;
  int64_t stream = kNone;
  std::string name;
};

// A step as the script's profiler marked it (ProfilerStep#N on the host), or the script itself.
struct TraceStep {
  int64_t number = 0;
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  int32_t lane = 0;

  int64_t end_ns() const { return ts_ns + dur_ns; }
};

// Of a live run: collectives that its script, or a library, calls in its steps.
struct ExchangeSums {
  int64_t calls = 0;
  int64_t asynchronous = 0;  // of them; their ns are those of the start
  int64_t bytes = 0;         // that the ranks gave to them
  int64_t ns = 0;

  void Add(const ExchangeSums& other) {
    calls += other.calls;
    asynchronous += other.asynchronous;
    bytes += other.bytes;
    ns += other.ns;
  }
};

struct ExchangeCounts {
  std::map<std::string, ExchangeSums> by_name;
  int64_t steps = 0;  // of all ranks

  void Add(const ExchangeCounts& other) {
    for (const auto& [name, sums] : other.by_name) by_name[name].Add(sums);
    steps += other.steps;
  }
};

struct RankTrace {
  int32_t rank = 0, node = 0;
  std::vector<TraceLane> lanes;
  std::vector<TraceEvent> host;    // by lane, then begin, then the longer first: parents precede
  std::vector<TraceEvent> device;  // by begin, then lane
  std::vector<TraceStep> steps;    // by begin; without marks of the script: empty
  int64_t nested_marks = 0;        // of steps: they lie in another's, or around those of steps
  std::vector<store::MemoryRow> memory;  // by time
  std::vector<DeviceNumbers> numbers;    // of events of the device
  std::vector<HostNumber> sequences;     // of kCommsOperator, by event
  std::vector<HostNumber> flows_out;     // of forward operators to backward ones, by event
  std::vector<HostNumber> flows_in;
  ExchangeCounts calls;
  std::map<store::StringId, int64_t> rows_by_category;  // of slices, all of them
  IdIndex launches;                                     // runtime calls in `host` by correlation

  DeviceNumbers NumbersOf(const TraceEvent& of_device) const {
    return of_device.numbers == kNone ? DeviceNumbers()
                                      : numbers[static_cast<size_t>(of_device.numbers)];
  }
  int64_t SequenceOf(int32_t host_event) const;  // kNone: it tells none
};

// All ranks of a run. `strings` holds the texts of all of them and outlives the value.
struct Trace {
  const store::StringTable* strings = nullptr;
  std::vector<RankTrace> ranks;  // by rank
  std::vector<store::RunMetadataRow> facts;
  // Of a live run with several windows the newest alone, for what needs a time without gaps in
  // which nothing was recorded; null: it is this one.
  std::shared_ptr<const Trace> newest;
  // Of a live run, of all ranks: steps in its windows that are left out, for a damaged file held
  // slices of them.
  int64_t steps_left_out = 0;

  const Trace& WithoutGaps() const { return newest ? *newest : *this; }

  const std::string& Text(store::StringId id) const { return strings->Text(id); }
};

// Kind and role by category and name (schema/event_categories.toml).
EventKind KindOf(std::string_view category, std::string_view name);
DeviceRole RoleOf(EventKind kind, std::string_view name);

inline constexpr std::string_view kStepAnnotation = "step_annotation";  // step_num in its details
// PyTorch's operator around a collective, which tells what it is.
inline constexpr std::string_view kCommsOperator = "record_param_comms";
// A range around collectives, by name.
bool IsCollectiveRange(std::string_view name);

// Kernels, copies and fills, which are a device's time; what waits or only names others is none.
inline bool IsDeviceWork(const TraceEvent& event) {
  return event.kind == EventKind::kKernel || event.kind == EventKind::kMemcpy ||
         event.kind == EventKind::kMemset;
}

// Whether a profile holds what the host did, and not its calls into the device's runtime alone.
inline bool HoldsOperators(const RankTrace& rank) {
  return std::any_of(rank.host.begin(), rank.host.end(), [](const TraceEvent& event) {
    return event.kind == EventKind::kOperator || event.kind == EventKind::kAnnotation ||
           event.kind == EventKind::kPython;
  });
}

// Links one rank's rows. Rows in any order; negative durations count as 0. Rows of categories that
// are no time range of work (Trace, flows) are left out. Of events with one correlation on a host
// the first by time is the launch; a kernel without one stays without.
RankTrace BuildRankTrace(int32_t rank, std::span<const store::SliceRow> slices,
                         std::span<const store::TrackRow> tracks,
                         std::span<const store::MemoryRow> memory,
                         const store::StringTable& strings);

}  // namespace steptrace::analyze
