// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

#include "serve/export/formats.h"
#include "serve/export/proto.h"

// Perfetto's trace format: packets with the descriptors of tracks and with slices' begins and ends.
// Field numbers: google/perfetto, protos/perfetto/trace/ (trace_packet, track_event/*,
// interned_data, clock_snapshot).
namespace steptrace::exporter {
namespace {

namespace packet {
constexpr uint32_t kPacketOfTrace = 1;
constexpr uint32_t kClockSnapshot = 6, kTimestamp = 8, kSequenceId = 10, kTrackEvent = 11;
constexpr uint32_t kInternedData = 12, kSequenceFlags = 13, kTrackDescriptor = 60;
constexpr uint64_t kStateCleared = 1, kNeedsState = 2;
}  // namespace packet

namespace descriptor {
constexpr uint32_t kUuid = 1, kName = 2, kProcess = 3, kThread = 4, kParent = 5, kCounter = 8;
constexpr uint32_t kProcessPid = 1, kProcessName = 6;
constexpr uint32_t kThreadPid = 1, kThreadTid = 2, kThreadName = 5;
}  // namespace descriptor

namespace event {
constexpr uint32_t kCategoryIid = 3, kAnnotation = 4, kType = 9, kNameIid = 10, kTrackUuid = 11;
constexpr uint32_t kDoubleCounterValue = 44, kFlowId = 47;
constexpr uint64_t kBegin = 1, kEnd = 2, kCounterType = 4;
}  // namespace event

namespace interned {
constexpr uint32_t kCategories = 1, kNames = 2, kAnnotationNames = 3, kIid = 1, kText = 2;
}  // namespace interned

namespace annotation {
constexpr uint32_t kNameIid = 1, kInteger = 4, kText = 6;
}  // namespace annotation

// Uuids by kind, apart from each other whatever the numbers.
enum class Uuid : uint64_t { kProcess = 1, kTrack = 2, kOverflow = 3, kSteps = 4, kMemory = 5 };
uint64_t UuidOf(Uuid kind, int64_t number) {
  return static_cast<uint64_t>(kind) << 56 | (static_cast<uint64_t>(number) & 0xffffffffffffff);
}

// Texts that repeat go into the trace once, until there are too many: then it starts anew.
class Interner {
 public:
  // The number of a text; what is new is added to `news` under `field`.
  uint64_t Of(uint32_t field, const std::string& text, Message& news) {
    auto [found, added] = known_.try_emplace({field, text}, known_.size() + 1);
    if (added) {
      Message entry;
      entry.Varint(interned::kIid, found->second);
      entry.Text(interned::kText, text);
      news.Sub(field, entry);
    }
    return found->second;
  }
  bool full() const { return known_.size() >= kMostKnown; }
  void Clear() { known_.clear(); }

 private:
  static constexpr size_t kMostKnown = 1 << 16;
  std::map<std::pair<uint32_t, std::string>, uint64_t> known_;
};

class PerfettoWriter {
 public:
  PerfettoWriter(RunFrame& frame, Output& output) : frame_(frame), output_(output) {}

  Status Write(const std::filesystem::path& run) {
    STEPTRACE_RETURN_IF_ERROR(Clock());
    STEPTRACE_RETURN_IF_ERROR(Descriptors());
    STEPTRACE_RETURN_IF_ERROR(
        ForEachSlice(run, std::nullopt, [this](const SliceCells& slice) { return Slice(slice); }));
    STEPTRACE_RETURN_IF_ERROR(CloseAll());
    STEPTRACE_RETURN_IF_ERROR(
        ForEachStep(run, [this](const StepCells& step) { return Step(step); }));
    STEPTRACE_RETURN_IF_ERROR(
        ForEachMemory(run, std::nullopt, [this](const MemoryCells& row) { return Memory(row); }));
    return ForEachCounter(run, [this](const CounterCells& row) { return Counter(row); });
  }

 private:
  // A row of open slices; those of one level never overlap but by nesting.
  struct Level {
    uint64_t uuid = 0;
    std::vector<int64_t> open_ends_ns;
  };

  Status Emit(const Message& content) {
    Message trace;
    trace.Sub(packet::kPacketOfTrace, content);
    return output_.Write(trace.bytes());
  }

  Status Clock() {
    constexpr uint32_t kClocks = 1, kClockId = 1, kClockTime = 2;
    constexpr uint64_t kRealtime = 1, kBoottime = 6;  // BuiltinClock
    Message snapshot;
    for (auto [clock, time] : {std::pair<uint64_t, int64_t>{kBoottime, frame_.before_epoch_ns},
                               {kRealtime, frame_.manifest.epoch_utc_ns}}) {
      Message reading;
      reading.Varint(kClockId, clock);
      reading.Varint(kClockTime, static_cast<uint64_t>(time));
      snapshot.Sub(kClocks, reading);
    }
    Message first;
    first.Sub(packet::kClockSnapshot, snapshot);
    first.Varint(packet::kSequenceId, 1);
    first.Varint(packet::kSequenceFlags, packet::kStateCleared);
    return Emit(first);
  }

  Status Descriptor(const Message& track) {
    Message content;
    content.Sub(packet::kTrackDescriptor, track);
    content.Varint(packet::kSequenceId, 1);
    return Emit(content);
  }

  // Real ids where no other rank has the same; viewers merge processes of one id.
  int64_t PidOf(const ExportTrack& track) {
    const int64_t number = track.rank;
    auto found = pids_.find(number);
    if (found != pids_.end()) return found->second;
    constexpr int64_t kBeyondPids = 1 << 22;  // PID_MAX_LIMIT of Linux
    int64_t pid = track.on_device || track.pid <= 0 ? kBeyondPids + number + 1 : track.pid;
    for (const auto& [rank, taken] : pids_) {
      if (taken == pid) pid = kBeyondPids + number + 1;
    }
    return pids_[number] = pid;
  }

  Status Descriptors() {
    std::map<int32_t, const ExportTrack*> by_number;
    for (const auto& [number, track] : frame_.tracks) by_number.emplace(number, &track);
    // Threads first: they know the ids of their processes.
    for (bool on_device : {false, true}) {
      for (const auto& [number, track] : by_number) {
        if (track->on_device != on_device) continue;
        STEPTRACE_RETURN_IF_ERROR(Declare(*track));
      }
    }
    return {};
  }

  Status Declare(const ExportTrack& track) {
    const int64_t pid = PidOf(track);
    const uint64_t parent = UuidOf(Uuid::kProcess, track.rank + 1);
    if (!declared_[track.rank]) {
      declared_[track.rank] = true;
      Message process;
      process.Varint(descriptor::kProcessPid, static_cast<uint64_t>(pid));
      process.Text(descriptor::kProcessName,
                   track.rank < 0 ? std::string("node") : fmt::format("rank {}", track.rank));
      Message owner;
      owner.Varint(descriptor::kUuid, parent);
      owner.Sub(descriptor::kProcess, process);
      STEPTRACE_RETURN_IF_ERROR(Descriptor(owner));
    }
    Message line;
    line.Varint(descriptor::kUuid, UuidOf(Uuid::kTrack, track.track));
    line.Varint(descriptor::kParent, parent);
    if (track.is_counter) {
      line.Text(descriptor::kName, track.name);
      line.Sub(descriptor::kCounter, Message());
    } else if (track.on_device) {
      line.Text(descriptor::kName, NameOf(track));
    } else {
      Message thread;
      thread.Varint(descriptor::kThreadPid, static_cast<uint64_t>(pid));
      thread.Varint(descriptor::kThreadTid, static_cast<uint64_t>(track.tid));
      thread.Text(descriptor::kThreadName, NameOf(track));
      line.Sub(descriptor::kThread, thread);
    }
    return Descriptor(line);
  }

  static std::string NameOf(const ExportTrack& track) {
    if (track.on_device) return fmt::format("GPU {} stream {}", track.pid, track.tid);
    return track.name.empty() ? fmt::format("thread {}", track.tid) : track.name;
  }

  Status Event(int64_t ts_ns, const Message& content, const Message& news, bool cleared = false) {
    Message whole;
    whole.Varint(packet::kTimestamp,
                 static_cast<uint64_t>(std::max<int64_t>(0, ts_ns + frame_.before_epoch_ns)));
    whole.Sub(packet::kTrackEvent, content);
    whole.Varint(packet::kSequenceId, 1);
    whole.Varint(packet::kSequenceFlags,
                 packet::kNeedsState | (cleared ? packet::kStateCleared : 0));
    if (!news.empty()) whole.Sub(packet::kInternedData, news);
    return Emit(whole);
  }

  Status End(const Level& level, int64_t ts_ns) {
    Message content;
    content.Varint(event::kType, event::kEnd);
    content.Varint(event::kTrackUuid, level.uuid);
    return Event(ts_ns, content, Message());
  }

  // Ends what is over, and finds where the slice nests: kernels of a stream may overlap, and a
  // track of Perfetto's holds no such slices.
  Result<uint64_t> Open(const SliceCells& slice) {
    std::vector<Level>& levels = levels_[slice.track];
    for (Level& level : levels) {
      while (!level.open_ends_ns.empty() && level.open_ends_ns.back() <= slice.ts_ns) {
        STEPTRACE_RETURN_IF_ERROR(End(level, level.open_ends_ns.back()));
        level.open_ends_ns.pop_back();
      }
    }
    for (Level& level : levels) {
      if (!level.open_ends_ns.empty() && level.open_ends_ns.back() < slice.end_ns()) continue;
      level.open_ends_ns.push_back(slice.end_ns());
      return level.uuid;
    }
    STEPTRACE_ASSIGN_OR_RETURN(Level level, AddLevel(slice.track, levels.size()));
    levels.push_back({level.uuid, {slice.end_ns()}});
    return level.uuid;
  }

  Result<Level> AddLevel(int32_t track_number, size_t index) {
    const uint64_t own = UuidOf(Uuid::kTrack, track_number);
    if (index == 0) {
      if (!frame_.tracks.contains(track_number)) {
        STEPTRACE_RETURN_IF_ERROR(Declare(frame_.Track(track_number)));
      }
      return Level{own, {}};
    }
    const ExportTrack& track = frame_.Track(track_number);
    const uint64_t uuid =
        UuidOf(Uuid::kOverflow, int64_t{track_number} << 16 | static_cast<int64_t>(index));
    Message line;
    line.Varint(descriptor::kUuid, uuid);
    line.Varint(descriptor::kParent,
                track.on_device ? UuidOf(Uuid::kProcess, track.rank + 1) : own);
    line.Text(descriptor::kName, fmt::format("{} ({})", NameOf(track), index + 1));
    STEPTRACE_RETURN_IF_ERROR(Descriptor(line));
    return Level{uuid, {}};
  }

  Status CloseAll() {
    for (auto& [track, levels] : levels_) {
      for (Level& level : levels) {
        for (; !level.open_ends_ns.empty(); level.open_ends_ns.pop_back()) {
          STEPTRACE_RETURN_IF_ERROR(End(level, level.open_ends_ns.back()));
        }
      }
    }
    return {};
  }

  void Annotate(Message& content, Message& news, const char* key,
                const std::optional<int64_t>& value) {
    if (!value) return;
    Message note;
    note.Varint(annotation::kNameIid, names_.Of(interned::kAnnotationNames, key, news));
    note.Varint(annotation::kInteger, static_cast<uint64_t>(*value));
    content.Sub(event::kAnnotation, note);
  }

  void Annotate(Message& content, Message& news, const char* key, const std::string& text) {
    if (text.empty()) return;
    Message note;
    note.Varint(annotation::kNameIid, names_.Of(interned::kAnnotationNames, key, news));
    note.Text(annotation::kText, text);
    content.Sub(event::kAnnotation, note);
  }

  // Ids of flows are one space in the whole trace: by rank, then kind, then the profiler's own id.
  static uint64_t FlowId(int32_t rank, bool launch, int64_t id) {
    return static_cast<uint64_t>(rank + 1) << 44 ^ (launch ? uint64_t{1} << 43 : 0) ^
           static_cast<uint64_t>(id);
  }

  bool Cleared() {
    if (!names_.full()) return false;
    names_.Clear();
    return true;
  }

  Status Slice(const SliceCells& slice) {
    STEPTRACE_ASSIGN_OR_RETURN(const uint64_t uuid, Open(slice));
    const bool cleared = Cleared();
    Message news;
    Message content;
    content.Varint(event::kType, event::kBegin);
    content.Varint(event::kTrackUuid, uuid);
    content.Varint(event::kCategoryIid, names_.Of(interned::kCategories, slice.category, news));
    content.Varint(event::kNameIid, names_.Of(interned::kNames, slice.name, news));
    Annotate(content, news, "correlation", slice.correlation);
    Annotate(content, news, "external_id", slice.external_id);
    Annotate(content, news, "bytes", slice.bytes);
    Annotate(content, news, "sequence", slice.sequence);
    Annotate(content, news, "details", slice.details);
    Annotate(content, news, "args", slice.args);
    const bool linked = IsLaunchCategory(slice.category) || IsDeviceCategory(slice.category);
    if (slice.correlation && linked) {
      content.Fixed64(event::kFlowId, FlowId(slice.rank, true, *slice.correlation));
    }
    for (const auto& flow : {slice.flow_out, slice.flow_in}) {
      if (flow) content.Fixed64(event::kFlowId, FlowId(slice.rank, false, *flow));
    }
    return Event(slice.ts_ns, content, news, cleared);
  }

  // Steps do not overlap within a rank.
  Status Step(const StepCells& step) {
    const uint64_t uuid = UuidOf(Uuid::kSteps, step.rank);
    if (!steps_declared_[step.rank]) {
      steps_declared_[step.rank] = true;
      Message line;
      line.Varint(descriptor::kUuid, uuid);
      line.Varint(descriptor::kParent, UuidOf(Uuid::kProcess, step.rank + 1));
      line.Text(descriptor::kName, "steps");
      STEPTRACE_RETURN_IF_ERROR(Descriptor(line));
    }
    const bool cleared = Cleared();
    Message news;
    Message content;
    content.Varint(event::kType, event::kBegin);
    content.Varint(event::kTrackUuid, uuid);
    content.Varint(event::kCategoryIid, names_.Of(interned::kCategories, step.kind, news));
    content.Varint(event::kNameIid,
                   names_.Of(interned::kNames, fmt::format("step {}", step.step), news));
    STEPTRACE_RETURN_IF_ERROR(Event(step.ts_ns, content, news, cleared));
    return End({uuid, {}}, step.ts_ns + step.dur_ns);
  }

  Status Memory(const MemoryCells& row) {
    if (!row.total_allocated_bytes) return {};
    const int64_t number = int64_t{row.rank + 1} << 16 | (row.device + 1);
    const uint64_t uuid = UuidOf(Uuid::kMemory, number);
    if (!memory_declared_[number]) {
      memory_declared_[number] = true;
      Message line;
      line.Varint(descriptor::kUuid, uuid);
      line.Varint(descriptor::kParent, UuidOf(Uuid::kProcess, row.rank + 1));
      line.Text(descriptor::kName, row.device < 0
                                       ? std::string("allocated on the host, bytes")
                                       : fmt::format("allocated on GPU {}, bytes", row.device));
      line.Sub(descriptor::kCounter, Message());
      STEPTRACE_RETURN_IF_ERROR(Descriptor(line));
    }
    return Value(row.ts_ns, uuid, static_cast<double>(*row.total_allocated_bytes));
  }

  Status Counter(const CounterCells& row) {
    return Value(row.ts_ns, UuidOf(Uuid::kTrack, row.track), row.value);
  }

  Status Value(int64_t ts_ns, uint64_t uuid, double value) {
    Message content;
    content.Varint(event::kType, event::kCounterType);
    content.Varint(event::kTrackUuid, uuid);
    content.Double(event::kDoubleCounterValue, value);
    return Event(ts_ns, content, Message());
  }

  RunFrame& frame_;
  Output& output_;
  Interner names_;
  std::map<int32_t, std::vector<Level>> levels_;  // by track
  std::map<int64_t, int64_t> pids_;               // by rank
  std::map<int32_t, bool> declared_, steps_declared_;
  std::map<int64_t, bool> memory_declared_;
};

}  // namespace

Status WritePerfetto(const std::filesystem::path& run, RunFrame& frame, Output& output) {
  return PerfettoWriter(frame, output).Write(run);
}

}  // namespace steptrace::exporter
