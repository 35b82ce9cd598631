// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

#include "serve/export/formats.h"
#include "serve/export/perfetto_format.h"
#include "serve/rpc/table.h"
#include "store/all_tables.h"
#include "store/event_categories.h"
#include "store/run_reader.h"

// Perfetto's trace format: packets with the descriptors of tracks and with slices' begins and ends.
// Field numbers: google/perfetto, protos/perfetto/trace/ (trace_packet, track_event/*,
// interned_data, clock_snapshot).
//
// A viewer takes it as any other trace. What a viewer has no place for stands in descriptions of
// tracks ("steptrace " and a JSON object) and in instants of categories "steptrace.…"; with them
// src/import/formats/perfetto makes the same run of it again.
namespace steptrace::exporter {
namespace {

class PerfettoWriter {
 public:
  PerfettoWriter(RunFrame& frame, Output& output) : frame_(frame), output_(output) {}

  Status Write(const std::filesystem::path& run) {
    STEPTRACE_RETURN_IF_ERROR(Clock());
    STEPTRACE_RETURN_IF_ERROR(Descriptors());
    STEPTRACE_RETURN_IF_ERROR(
        ForEachSlice({run, frame_.damaged}, std::nullopt,
                     [this](const SliceCells& slice) { return Slice(slice); }));
    STEPTRACE_RETURN_IF_ERROR(CloseAll());
    STEPTRACE_RETURN_IF_ERROR(Steps(run));
    for (const ExportFact& fact : frame_.facts) STEPTRACE_RETURN_IF_ERROR(Fact(fact));
    STEPTRACE_RETURN_IF_ERROR(
        ForEachMemory({run, frame_.damaged}, std::nullopt,
                      [this](const MemoryCells& row) { return Memory(row); }));
    return ForEachCounter({run, frame_.damaged},
                          [this](const CounterCells& row) { return Counter(row); });
  }

 private:
  // A row of open slices; those of one level never overlap but by nesting.
  struct Level {
    uint64_t uuid = 0;
    std::vector<int64_t> open_ends_ns;
  };

  Status Emit(const Message& content) {
    Message trace;
    trace.fields.add_message(packet::kPacketOfTrace, content.bytes);
    return output_.Write(trace.bytes);
  }

  Status Clock() {
    constexpr uint32_t kClocks = 1, kClockId = 1, kClockTime = 2;
    constexpr uint64_t kRealtime = 1, kBoottime = 6;  // BuiltinClock
    Message snapshot;
    for (auto [clock, time] : {std::pair<uint64_t, int64_t>{kBoottime, frame_.before_epoch_ns},
                               {kRealtime, frame_.manifest.epoch_utc_ns}}) {
      if (clock == kRealtime && time == 0) continue;  // the run has no date
      Message reading;
      reading.fields.add_uint64(kClockId, clock);
      reading.fields.add_uint64(kClockTime, static_cast<uint64_t>(time));
      snapshot.fields.add_message(kClocks, reading.bytes);
    }
    Message first;
    first.fields.add_message(packet::kClockSnapshot, snapshot.bytes);
    first.fields.add_uint64(packet::kSequenceId, 1);
    first.fields.add_uint64(packet::kSequenceFlags, packet::kStateCleared);
    return Emit(first);
  }

  Status Descriptor(const Message& track) {
    Message content;
    content.fields.add_message(packet::kTrackDescriptor, track.bytes);
    content.fields.add_uint64(packet::kSequenceId, 1);
    return Emit(content);
  }

  // Real ids where no other rank has the same; viewers merge processes of one id.
  int64_t PidOf(const ExportTrack& track) {
    const int64_t number = track.rank < 0 ? -1 - int64_t{track.node} : track.rank;
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

  // The process of a rank; of what belongs to none, that of its node.
  static uint64_t ProcessUuid(int32_t rank, int32_t node) {
    return rank >= 0 ? UuidOf(Uuid::kProcess, rank + 1) : UuidOf(Uuid::kNode, node);
  }

  Status DeclareProcess(const ExportTrack& track, int64_t pid) {
    const uint64_t uuid = ProcessUuid(track.rank, track.node);
    if (std::exchange(declared_[uuid], true)) return {};
    Message process;
    process.fields.add_uint64(descriptor::kProcessPid, static_cast<uint64_t>(pid));
    process.fields.add_string(descriptor::kProcessName, track.rank < 0
                                                            ? std::string("node")
                                                            : fmt::format("rank {}", track.rank));
    Message owner;
    owner.fields.add_uint64(descriptor::kUuid, uuid);
    owner.fields.add_message(descriptor::kProcess, process.bytes);
    owner.fields.add_string(descriptor::kDescription,
                            Described(RankDescription(track.rank, track.node)));
    return Descriptor(owner);
  }

  static std::string Described(const nlohmann::json& json) {
    return "steptrace " + json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }

  nlohmann::json RankDescription(int32_t rank, int32_t node) const {
    nlohmann::json json = {{"rank", rank}, {"node", node}};
    for (const store::RankInfo& info : frame_.manifest.ranks) {
      if (rank < 0 || info.rank != rank) continue;
      json["node"] = node = info.node;
      json["local_rank"] = info.local_rank;
      json["world_size"] = info.world_size;
      json["pid"] = info.pid;
    }
    for (const store::NodeInfo& info : frame_.manifest.nodes) {
      if (info.node == node) json["host"] = info.host;
    }
    return json;
  }

  // All of a track's row, for the shapes of viewers' tracks keep only a part of it.
  static nlohmann::json TrackDescription(const ExportTrack& track) {
    const store::TrackRow& row = track.row;
    nlohmann::json json = {{"track", track.track}, {"rank", track.rank}, {"node", track.node}};
    json["kind"] = store::NameOf(track.kind);
    if (!row.name.empty()) json["name"] = row.name;
    auto put = [&](const char* key, const auto& value) {
      if (value) json[key] = *value;
    };
    put("parent", row.parent);
    put("pid", row.pid);
    put("tid", row.tid);
    put("device", row.device);
    put("stream", row.stream);
    return json;
  }

  Status Declare(const ExportTrack& track) {
    const int64_t pid = PidOf(track);
    const uint64_t parent = ProcessUuid(track.rank, track.node);
    STEPTRACE_RETURN_IF_ERROR(DeclareProcess(track, pid));
    Message line;
    line.fields.add_uint64(descriptor::kUuid, UuidOf(Uuid::kTrack, track.track));
    line.fields.add_uint64(descriptor::kParent, parent);
    line.fields.add_string(descriptor::kDescription, Described(TrackDescription(track)));
    if (track.is_counter) {
      line.fields.add_string(descriptor::kName, track.name);
      line.fields.add_message(descriptor::kCounter, std::string());
    } else if (track.on_device || IsGroup(track)) {
      line.fields.add_string(descriptor::kName, NameOf(track));
    } else {
      Message thread;
      thread.fields.add_uint64(descriptor::kThreadPid, static_cast<uint64_t>(pid));
      thread.fields.add_uint64(descriptor::kThreadTid, static_cast<uint64_t>(track.tid));
      thread.fields.add_string(descriptor::kThreadName, NameOf(track));
      line.fields.add_message(descriptor::kThread, thread.bytes);
    }
    return Descriptor(line);
  }

  // What other tracks lie in is no thread, and shows up only if something lies on itself.
  static bool IsGroup(const ExportTrack& track) {
    using enum store::TrackKind;
    return track.kind == kProcess || track.kind == kNode || track.kind == kDevice;
  }

  static std::string NameOf(const ExportTrack& track) {
    if (IsGroup(track))
      return track.name.empty() ? std::string(store::NameOf(track.kind)) : track.name;
    if (track.on_device) return fmt::format("GPU {} stream {}", track.pid, track.tid);
    return track.name.empty() ? fmt::format("thread {}", track.tid) : track.name;
  }

  Status Event(int64_t ts_ns, const Message& content, const Message& news, bool cleared = false) {
    Message whole;
    whole.fields.add_uint64(packet::kTimestamp, static_cast<uint64_t>(std::max<int64_t>(
                                                    0, ts_ns + frame_.before_epoch_ns)));
    whole.fields.add_message(packet::kTrackEvent, content.bytes);
    whole.fields.add_uint64(packet::kSequenceId, 1);
    whole.fields.add_uint64(packet::kSequenceFlags,
                            packet::kNeedsState | (cleared ? packet::kStateCleared : 0));
    if (!news.bytes.empty()) whole.fields.add_message(packet::kInternedData, news.bytes);
    return Emit(whole);
  }

  Status End(const Level& level, int64_t ts_ns) {
    Message content;
    content.fields.add_uint64(event::kType, event::kEnd);
    content.fields.add_uint64(event::kTrackUuid, level.uuid);
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
    STEPTRACE_ASSIGN_OR_RETURN(Level level, AddLevel(slice, levels.size()));
    levels.push_back({level.uuid, {slice.end_ns()}});
    return level.uuid;
  }

  // Of what no row declares, when it is first met.
  Status DeclareUnknown(int32_t track, int32_t rank, RunFrame::Holds holds) {
    if (frame_.Knows(track)) return {};
    return Declare(frame_.Track(track, rank, holds));
  }

  Result<Level> AddLevel(const SliceCells& slice, size_t index) {
    const int32_t track_number = slice.track;
    const uint64_t own = UuidOf(Uuid::kTrack, track_number);
    if (index == 0) {
      STEPTRACE_RETURN_IF_ERROR(DeclareUnknown(track_number, slice.rank, RunFrame::Holds::kSlices));
      return Level{own, {}};
    }
    const ExportTrack& track = frame_.Track(track_number);
    const uint64_t uuid =
        UuidOf(Uuid::kOverflow, int64_t{track_number} << 16 | static_cast<int64_t>(index));
    Message line;
    line.fields.add_uint64(descriptor::kUuid, uuid);
    line.fields.add_uint64(descriptor::kParent,
                           track.on_device ? ProcessUuid(track.rank, track.node) : own);
    line.fields.add_string(descriptor::kName, fmt::format("{} ({})", NameOf(track), index + 1));
    line.fields.add_string(descriptor::kDescription, Described(TrackDescription(track)));
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
    note.fields.add_uint64(annotation::kNameIid, names_.Of(interned::kAnnotationNames, key, news));
    note.fields.add_uint64(annotation::kInteger, static_cast<uint64_t>(*value));
    content.fields.add_message(event::kAnnotation, note.bytes);
  }

  void Annotate(Message& content, Message& news, const char* key, const std::string& text,
                uint32_t field = annotation::kText) {
    if (text.empty()) return;
    Message note;
    note.fields.add_uint64(annotation::kNameIid, names_.Of(interned::kAnnotationNames, key, news));
    note.fields.add_string(field, text);
    content.fields.add_message(event::kAnnotation, note.bytes);
  }

  // JSON as such, so that viewers show its parts; what is none stays a text.
  void AnnotateJson(Message& content, Message& news, const char* key, const std::string& text) {
    Annotate(content, news, key, text, json_.Is(text) ? annotation::kJson : annotation::kText);
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
    content.fields.add_uint64(event::kType, event::kBegin);
    content.fields.add_uint64(event::kTrackUuid, uuid);
    content.fields.add_uint64(event::kCategoryIid,
                              names_.Of(interned::kCategories, slice.category, news));
    content.fields.add_uint64(event::kNameIid, names_.Of(interned::kNames, slice.name, news));
    slice.ForEachNumber([&](const char* name, const std::optional<int64_t>& value) {
      Annotate(content, news, name, value);
    });
    AnnotateJson(content, news, "details", slice.details);
    AnnotateJson(content, news, "args", slice.args);
    const bool linked = store::IsRuntimeCall(slice.category) || store::IsOnStream(slice.category);
    if (slice.correlation && linked) {
      content.fields.add_fixed64(event::kFlowId, FlowId(slice.rank, true, *slice.correlation));
    }
    for (const auto& flow : {slice.flow_out, slice.flow_in}) {
      if (flow) content.fields.add_fixed64(event::kFlowId, FlowId(slice.rank, false, *flow));
    }
    return Event(slice.ts_ns, content, news, cleared);
  }

  // Steps do not overlap within a rank.
  Status Steps(const std::filesystem::path& run) {
    STEPTRACE_ASSIGN_OR_RETURN(store::RunReader reader, store::RunReader::Open(run));
    STEPTRACE_ASSIGN_OR_RETURN(auto steps, reader.Read<store::StepRow>());
    rpc::NoteDamaged(reader, store::TableOf<store::StepRow>::kName, &frame_.damaged);
    for (const store::StepRow& step : steps) STEPTRACE_RETURN_IF_ERROR(Step(step, reader));
    return {};
  }

  Status Step(const store::StepRow& step, const store::RunReader& reader) {
    const uint64_t uuid = UuidOf(Uuid::kSteps, step.rank);
    if (!std::exchange(steps_declared_[step.rank], true)) {
      STEPTRACE_RETURN_IF_ERROR(
          View(uuid, "steps", "steps", step.rank, step.node, /*is_counter=*/false));
    }
    const bool cleared = Cleared();
    Message news;
    Message content;
    content.fields.add_uint64(event::kType, event::kBegin);
    content.fields.add_uint64(event::kTrackUuid, uuid);
    content.fields.add_uint64(event::kCategoryIid,
                              names_.Of(interned::kCategories, reader.Text(step.kind), news));
    content.fields.add_uint64(event::kNameIid,
                              names_.Of(interned::kNames, fmt::format("step {}", step.step), news));
    store::ForEachField<store::StepRow>([&](const auto& field) {
      const auto& value = step.*field.member;
      using Member = std::remove_cvref_t<decltype(value)>;
      if constexpr (std::is_same_v<Member, store::StringId>) {
        Annotate(content, news, field.name, reader.Text(value));
      } else {
        Annotate(content, news, field.name, std::optional<int64_t>(value));
      }
    });
    STEPTRACE_RETURN_IF_ERROR(Event(step.ts_ns, content, news, cleared));
    return End({uuid, {}}, step.ts_ns + step.dur_ns);
  }

  // A track that shows what stands in the run elsewhere, or in its events' arguments.
  Status View(uint64_t uuid, const char* view, const std::string& name, int32_t rank, int32_t node,
              bool is_counter) {
    ExportTrack track;
    track.rank = rank;
    track.node = node;
    STEPTRACE_RETURN_IF_ERROR(DeclareProcess(track, PidOf(track)));
    Message line;
    line.fields.add_uint64(descriptor::kUuid, uuid);
    line.fields.add_uint64(descriptor::kParent, ProcessUuid(rank, node));
    line.fields.add_string(descriptor::kName, name);
    line.fields.add_string(descriptor::kDescription,
                           Described({{"view", view}, {"rank", rank}, {"node", node}}));
    if (is_counter) line.fields.add_message(descriptor::kCounter, std::string());
    return Descriptor(line);
  }

  Status Instant(int64_t ts_ns, uint64_t uuid, const char* category, const std::string& name,
                 const std::function<void(Message&, Message&)>& annotate) {
    const bool cleared = Cleared();
    Message news;
    Message content;
    content.fields.add_uint64(event::kType, event::kInstant);
    content.fields.add_uint64(event::kTrackUuid, uuid);
    content.fields.add_uint64(event::kCategoryIid,
                              names_.Of(interned::kCategories, category, news));
    content.fields.add_uint64(event::kNameIid, names_.Of(interned::kNames, name, news));
    annotate(content, news);
    return Event(ts_ns, content, news, cleared);
  }

  Status Fact(const ExportFact& fact) {
    ExportTrack track;
    track.rank = fact.rank;
    track.node = fact.node;
    STEPTRACE_RETURN_IF_ERROR(DeclareProcess(track, PidOf(track)));
    return Instant(fact.ts_ns, ProcessUuid(fact.rank, fact.node), "steptrace.fact", fact.kind,
                   [&](Message& content, Message& news) {
                     Annotate(content, news, "pid", std::optional(fact.pid));
                     AnnotateJson(content, news, "json", fact.json);
                   });
  }

  // As PyTorch's profiler says it, and as a counter to look at.
  Status Memory(const MemoryCells& row) {
    const int32_t node = NodeOf(row.rank);
    ExportTrack owner;
    owner.rank = row.rank;
    owner.node = node;
    STEPTRACE_RETURN_IF_ERROR(DeclareProcess(owner, PidOf(owner)));
    const bool on_track = row.track && frame_.tracks.contains(*row.track);
    const uint64_t place =
        on_track ? UuidOf(Uuid::kTrack, *row.track) : ProcessUuid(row.rank, node);
    STEPTRACE_RETURN_IF_ERROR(Instant(
        row.ts_ns, place, "steptrace.memory", "[memory]", [&](Message& content, Message& news) {
          Annotate(content, news, "Device Type", std::optional<int64_t>(row.device < 0 ? 0 : 1));
          Annotate(content, news, "Device Id", std::optional<int64_t>(row.device));
          Annotate(content, news, "Addr", std::optional(row.address));
          Annotate(content, news, "Bytes", std::optional(row.bytes));
          Annotate(content, news, "Total Allocated", row.total_allocated_bytes);
          Annotate(content, news, "Total Reserved", row.total_reserved_bytes);
        }));
    if (!row.total_allocated_bytes) return {};
    const int64_t number = int64_t{row.rank + 1} << 16 | (row.device + 1);
    const uint64_t uuid = UuidOf(Uuid::kMemory, number);
    if (!std::exchange(memory_declared_[number], true)) {
      const std::string name = row.device < 0
                                   ? std::string("allocated on the host, bytes")
                                   : fmt::format("allocated on GPU {}, bytes", row.device);
      STEPTRACE_RETURN_IF_ERROR(View(uuid, "memory", name, row.rank, node, /*is_counter=*/true));
    }
    return Value(row.ts_ns, uuid, static_cast<double>(*row.total_allocated_bytes));
  }

  int32_t NodeOf(int32_t rank) const {
    for (const store::RankInfo& info : frame_.manifest.ranks) {
      if (info.rank == rank) return info.node;
    }
    return 0;
  }

  Status Counter(const CounterCells& row) {
    STEPTRACE_RETURN_IF_ERROR(DeclareUnknown(row.track, -1, RunFrame::Holds::kValues));
    return Value(row.ts_ns, UuidOf(Uuid::kTrack, row.track), row.value);
  }

  Status Value(int64_t ts_ns, uint64_t uuid, double value) {
    Message content;
    content.fields.add_uint64(event::kType, event::kCounterType);
    content.fields.add_uint64(event::kTrackUuid, uuid);
    content.fields.add_double(event::kDoubleCounterValue, value);
    return Event(ts_ns, content, Message());
  }

  RunFrame& frame_;
  Output& output_;
  Interner names_;
  std::map<int32_t, std::vector<Level>> levels_;  // by track
  std::map<int64_t, int64_t> pids_;               // by rank
  std::map<uint64_t, bool> declared_;             // processes, by uuid
  std::map<int32_t, bool> steps_declared_;
  JsonCheck json_;
  std::map<int64_t, bool> memory_declared_;
};

}  // namespace

Status WritePerfetto(const std::filesystem::path& run, RunFrame& frame, Output& output) {
  return PerfettoWriter(frame, output).Write(run);
}

}  // namespace steptrace::exporter
