// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/trace_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "analyze/trace/trace.h"
#include "base/shallow_json.h"
#include "import/core/rows/slice_numbers.h"
#include "import/formats/perfetto/gpu_stage.h"
#include "import/formats/perfetto/kineto_form.h"
#include "import/formats/perfetto/proto_fields.h"
#include "model/finding_kinds.h"
#include "store/all_tables.h"

namespace steptrace::import::perfetto {
namespace {

using Own = TrackInfo::Own;
using Type = RawTrackEvent::Type;

constexpr int64_t kMostInterned = 1 << 21;
constexpr size_t kMostSequences = 1 << 16;
constexpr size_t kMostFlows = 1 << 20;
constexpr std::string_view kFactCategory = "steptrace.fact";
constexpr std::string_view kMemoryCategory = "steptrace.memory";

}  // namespace

TraceEvents::TraceEvents(TraceLayout& layout, TrackLines& lines, RunSink& sink,
                         const Limits& limits, bool sort)
    : layout_(layout),
      lines_(lines),
      sink_(sink),
      max_depth_(limits.max_depth),
      annotations_(sink, limits),
      nesting_(
          {sort, limits.max_rows_in_memory},
          [this](uint64_t uuid, const Slice& slice) { return Emit(uuid, slice); },
          [this](const Slice& end, Slice* slice) { Join(end, slice); }),
      interned_room_(kMostInterned) {}

Status TraceEvents::Take(std::string_view packet) {
  try {
    return TakeSound(ReadPacket(packet));
  } catch (const protozero::exception&) {
    ++lost_[LossCause::kDamagedPacket];
    return {};
  }
}

Status TraceEvents::TakeSound(const RawPacket& raw) {
  auto found = sequences_.find(raw.sequence);
  if (found == sequences_.end()) {
    if (sequences_.size() >= kMostSequences) {
      ++lost_[LossCause::kUnsupportedEvent];
      return {};
    }
    found = sequences_.try_emplace(raw.sequence).first;
  }
  Sequence& sequence = found->second;
  if (raw.clears_state) sequence.Clear();
  if (raw.dropped_before != 0) ++lost_[LossCause::kPacketsDropped];
  if (raw.interned.data() != nullptr) {
    sequence.Intern(raw.interned, sink_, &interned_room_, &invalid_texts_);
  }
  if (raw.defaults.data() != nullptr) sequence.SetDefaults(raw.defaults);
  if (raw.snapshot.data() != nullptr) sequence.TakeSnapshot(raw.snapshot);
  if (raw.event.data() != nullptr) return OnEvent(raw, sequence);
  if (raw.gpu_stage.data() != nullptr) return OnGpuStage(raw, sequence);
  if (raw.is_other && !raw.is_track && raw.snapshot.data() == nullptr)
    ++lost_[LossCause::kOtherData];
  return {};
}

// By the trace's clock. A clock of differences moves on even where the event is of no use.
std::optional<int64_t> TraceEvents::TimeOf(const RawPacket& raw, Sequence& sequence) {
  constexpr uint64_t kMost = SnapshotClocks::kMostNs;
  auto failed = [this](LossCause cause) {
    ++lost_[cause];
    return std::nullopt;
  };
  if (!raw.timestamp) return failed(LossCause::kBadTimestamp);
  if (*raw.timestamp >= kMost) return failed(LossCause::kBadTimestamp);
  auto value = static_cast<int64_t>(*raw.timestamp);
  const std::optional<uint32_t> number = raw.clock ? raw.clock : sequence.default_clock;
  std::optional<int64_t> ns = value;
  if (number && *number != 0) {
    auto clock = sequence.clocks.find(*number);
    if (clock != sequence.clocks.end()) {
      Sequence::Clock& state = clock->second;
      if (state.incremental && __builtin_add_overflow(value, state.value, &value)) {
        return failed(LossCause::kBadTimestamp);
      }
      if (state.incremental) state.value = value;
      if (__builtin_mul_overflow(value, state.unit_ns, &value))
        return failed(LossCause::kBadTimestamp);
    }
    ns = layout_.clocks.ToTrace(ClockOf(*number, raw.sequence), value);
    if (!ns) return failed(LossCause::kClockNotJoined);
  }
  if (*ns != 0 && !first_time_ns_) first_time_ns_ = ns;
  return ns;
}

store::StringId TraceEvents::Find(const Sequence::Texts& texts, uint64_t number) {
  auto found = texts.find(number);
  if (found != texts.end()) return found->second;
  ++lost_[LossCause::kInternedTextMissing];
  return sink_.Intern("");
}

store::StringId TraceEvents::NameOf(const Sequence& sequence) {
  if (!event_.name_number) return sink_.Intern(SoundText(event_.name, &invalid_texts_));
  return Find(sequence.names, *event_.name_number);
}

std::string TraceEvents::CategoryOf(const Sequence& sequence) {
  std::string category;
  auto add = [&](std::string_view text) {
    if (!category.empty()) category += ',';
    category += text;
  };
  for (uint64_t number : event_.category_numbers) {
    add(annotations_.Interned(sequence.categories, number));
  }
  for (std::string_view text : event_.categories) add(SoundText(text, &invalid_texts_));
  return category;
}

Status TraceEvents::OnEvent(const RawPacket& raw, Sequence& sequence) {
  ReadTrackEvent(raw.event, &event_);
  if (!raw.timestamp && event_.type == Type::kInstant) {
    ReadAnnotations(sequence);
    OnMetadata(sink_.strings().Text(NameOf(sequence)));
    return {};
  }
  auto ts_ns = TimeOf(raw, sequence);
  if (!ts_ns) return {};
  ++events_;
  std::optional<uint64_t> uuid = event_.track ? event_.track : sequence.default_track;
  STEPTRACE_RETURN_IF_ERROR(OnCounters(*ts_ns, uuid, sequence));
  switch (event_.type) {
    case Type::kCounter:
      return {};
    case Type::kNone:
      ++lost_[LossCause::kUnsupportedEvent];
      return {};
    default:
      return OnSlice(*ts_ns, uuid.value_or(0), sequence);
  }
}

void TraceEvents::ReadAnnotations(const Sequence& sequence) {
  annotations_.Clear();
  for (std::string_view message : event_.annotations) annotations_.Add(message, sequence);
}

Status TraceEvents::OnSlice(int64_t ts_ns, uint64_t uuid, const Sequence& sequence) {
  auto track = layout_.tracks.find(uuid);
  if (track != layout_.tracks.end() && track->second.own != Own::kNone) {
    STEPTRACE_ASSIGN_OR_RETURN(bool done, OnOwn(track->second, uuid, ts_ns, sequence));
    if (done) return {};
  }
  Edge edge;
  edge.ts_ns = edge.slice.ts_ns = ts_ns;
  edge.uuid = uuid;
  ReadAnnotations(sequence);
  if (event_.type == Type::kEnd) {
    if (!annotations_.empty()) annotations_.Sort(false, sink_.part(), &edge.slice);
    return nesting_.Add(edge);
  }
  edge.begins = true;
  Describe(sequence, uuid, &edge.slice);
  if (edge.slice.track < 0) {
    if (event_.type == Type::kBegin) return nesting_.Add(edge);  // its end looks for it
    return {};
  }
  if (event_.type == Type::kBegin) return nesting_.Add(edge);
  if (event_.type == Type::kComplete) {
    edge.slice.dur_ns = event_.duration_ns;
    if (edge.slice.dur_ns < 0) ++lost_[LossCause::kNegativeDuration];
    edge.slice.dur_ns = std::clamp<int64_t>(edge.slice.dur_ns, 0, SnapshotClocks::kMostNs);
    return Emit(uuid, edge.slice);
  }
  return OnInstant(uuid, edge.slice, sink_.strings().Text(edge.slice.name));
}

Status TraceEvents::OnInstant(uint64_t uuid, const Slice& slice, std::string_view name) {
  if (name == "[memory]" && annotations_.Has("Bytes")) return OnMemory(uuid, slice.ts_ns);
  return Emit(uuid, slice);
}

Status TraceEvents::Emit(uint64_t uuid, const Slice& slice) {
  if (slice.track < 0) return {};
  lines_.SelectPartOf(uuid);
  bool mark = sink_.strings().Text(slice.category) == "Trace";  // the profiler's own
  return mark ? sink_.AppendMark(slice) : sink_.Append(slice);
}

void TraceEvents::Describe(const Sequence& sequence, uint64_t uuid, Slice* slice) {
  slice->name = NameOf(sequence);
  std::string category = CategoryOf(sequence);
  if (layout_.is_own()) {
    NoteCategory(category);
    slice->category = sink_.Intern(category);
    slice->track = lines_.Host(uuid);
    DescribeOwn(slice);
    return;
  }
  DescribeForeign(uuid, std::move(category), slice);
}

void TraceEvents::NoteCategory(const std::string& category) {
  if (category == last_category_) return;
  last_category_ = category;
  marks_.Category(category);
}

void TraceEvents::DescribeOwn(Slice* slice) {
  if (annotations_.empty()) return;
  ForEachNullableNumber([&](const char* name, int64_t Slice::*member) {
    if (auto value = annotations_.Integer(name)) slice->*member = *value;
  });
  if (auto details = annotations_.Text("details")) slice->details = sink_.Intern(*details);
  if (auto args = annotations_.Text("args")) slice->args = sink_.Intern(*args);
}

void TraceEvents::DescribeForeign(uint64_t uuid, std::string category, Slice* slice) {
  SpreadKinetoArguments(max_depth_, &annotations_);
  std::string_view name = sink_.strings().Text(slice->name);
  if (category.empty()) {
    category = KinetoCategory(name, annotations_);
    if (category.empty() && event_.type == Type::kInstant) category = "instant";
  }
  NoteCategory(category);
  slice->category = sink_.Intern(category);
  const analyze::EventKind kind = analyze::KindOf(category, name);
  const bool on_device = kind >= analyze::EventKind::kKernel;
  kineto_ = kineto_ ||
            (kind != analyze::EventKind::kOtherHost && kind != analyze::EventKind::kUnrecognised);
  if (on_device) {
    slice->track = lines_.Device(
        uuid, {annotations_.Integer("device"), annotations_.Integer("stream"), std::string()});
  } else {
    slice->track = lines_.Host(uuid);
  }
  if (!annotations_.empty() && annotations_.Has("Bytes") && name == "[memory]") return;
  annotations_.Sort(on_device, sink_.part(), slice);
  SetFlows(slice);
}

// The first event of a flow is where it begins, the others are where it ends. A flow that repeats
// the correlation says nothing new.
void TraceEvents::SetFlows(Slice* slice) {
  auto set = [&](uint64_t id, bool last) {
    const auto number = static_cast<int64_t>(id);
    if (number == slice->correlation || number == kNull) return;
    if (flows_.size() >= kMostFlows) flows_.clear();
    auto [found, began] = flows_.try_emplace(id, true);
    (began && !last ? slice->flow_out : slice->flow_in) = number;
    if (last) flows_.erase(found);
  };
  for (uint64_t id : event_.flows) set(id, false);
  for (uint64_t id : event_.ending_flows) set(id, true);
}

// Arguments of an end are arguments of its slice.
void TraceEvents::Join(const Slice& end, Slice* slice) {
  if (end.details == store::StringId::kEmpty) return;
  std::string_view first = sink_.strings().Text(slice->details);
  std::string_view second = sink_.strings().Text(end.details);
  if (first.size() < 2 || second.size() < 2 || first.back() != '}' || second.front() != '{') {
    if (first.empty()) slice->details = end.details;
    return;
  }
  std::string joined(first.substr(0, first.size() - 1));
  joined += ',';
  joined += second.substr(1);
  slice->details = sink_.Intern(joined);
}

Status TraceEvents::OnMemory(uint64_t uuid, int64_t ts_ns) {
  store::MemoryRow row;
  row.ts_ns = ts_ns;
  auto bytes = annotations_.Integer("Bytes");
  if (!bytes) {
    ++lost_[LossCause::kBadMemoryEvent];
    return {};
  }
  row.bytes = *bytes;
  const int64_t device = annotations_.Integer("Device Id").value_or(-1);
  const bool fits = device >= 0 && device <= std::numeric_limits<int32_t>::max();
  row.device = annotations_.Integer("Device Type").value_or(0) == 0 || !fits
                   ? -1
                   : static_cast<int32_t>(device);
  row.address = annotations_.Integer("Addr").value_or(0);
  row.total_allocated_bytes = annotations_.Integer("Total Allocated");
  row.total_reserved_bytes = annotations_.Integer("Total Reserved");
  auto track = layout_.tracks.find(uuid);
  const bool of_rank = track != layout_.tracks.end() && track->second.own == Own::kProcess;
  lines_.SelectPartOf(uuid);
  if (!of_rank) {
    const int32_t line = lines_.Host(uuid);
    if (line >= 0) row.track = line;
  }
  return sink_.Append(row);
}

Result<bool> TraceEvents::OnOwn(const TrackInfo& track, uint64_t uuid, int64_t ts_ns,
                                const Sequence& sequence) {
  if (track.own == Own::kView) return true;
  if (track.own == Own::kSteps) {
    if (event_.type != Type::kBegin) return true;
    ReadAnnotations(sequence);
    lines_.SelectPartOf(uuid);
    STEPTRACE_RETURN_IF_ERROR(OnOwnStep(ts_ns));
    return true;
  }
  if (event_.type != Type::kInstant) return track.own == Own::kProcess;
  const std::string category = CategoryOf(sequence);
  if (category != kFactCategory && category != kMemoryCategory) return false;
  ReadAnnotations(sequence);
  lines_.SelectPartOf(uuid);
  if (category == kMemoryCategory) {
    STEPTRACE_RETURN_IF_ERROR(OnMemory(uuid, ts_ns));
  } else if (auto json = annotations_.Text("json")) {
    sink_.Fact(ts_ns, sink_.strings().Text(NameOf(sequence)), *json,
               annotations_.Integer("pid").value_or(0));
  }
  return true;
}

Status TraceEvents::OnOwnStep(int64_t ts_ns) {
  store::StepRow row;
  store::ForEachField<store::StepRow>([&](const auto& field) {
    auto& member = row.*field.member;
    using Member = std::remove_reference_t<decltype(member)>;
    if constexpr (std::is_same_v<Member, store::StringId>) {
      if (auto text = annotations_.Text(field.name)) member = sink_.Intern(*text);
    } else if (auto value = annotations_.Integer(field.name)) {
      if constexpr (std::is_same_v<Member, int64_t>) {
        member = *value;
      } else {
        member = static_cast<int32_t>(*value);
      }
    }
  });
  row.ts_ns = ts_ns;
  row.dur_ns = std::clamp<int64_t>(row.dur_ns, 0, SnapshotClocks::kMostNs);
  return sink_.Append(row);
}

// Of Kineto's builder: what its JSON has at the top level comes as instants without a time.
void TraceEvents::OnMetadata(std::string_view name) {
  constexpr size_t kMostMetadata = 4 << 20;
  const bool is_devices = name == "device_properties";
  if (!is_devices && name != "trace_metadata") {
    ++lost_[LossCause::kBadTimestamp];
    return;
  }
  kineto_ = true;
  marks_.Is(store::ProfileWriter::kPytorch);
  auto text = annotations_.Text(is_devices ? "properties" : "distributedInfo");
  if (!text) return;
  if (is_devices && !text->starts_with('[')) text = "[" + *text + "]";
  nlohmann::json json;
  if (text->size() <= kMostMetadata) json = ParseShallow<nlohmann::json>(*text);
  if (is_devices ? !json.is_array() : !json.is_object()) {
    ++lost_[LossCause::kMissingMetadata];
    return;
  }
  if (!is_devices) job_ = *text;
  for (const auto& device : json) {
    if (!is_devices || !device.is_object()) continue;
    devices_.push_back(device.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

Status TraceEvents::OnCounters(int64_t ts_ns, std::optional<uint64_t> uuid, Sequence& sequence) {
  if (event_.type == Type::kCounter && uuid) {
    if (event_.value) {
      STEPTRACE_RETURN_IF_ERROR(AddCounter(ts_ns, *uuid, *event_.value, sequence));
    } else {
      ++lost_[LossCause::kUnsupportedEvent];
    }
  }
  auto extra = [&](const std::vector<uint64_t>& own, const std::vector<uint64_t>& defaults,
                   const std::vector<double>& values) -> Status {
    const std::vector<uint64_t>& uuids = own.empty() ? defaults : own;
    for (size_t i = 0; i < std::min(uuids.size(), values.size()); ++i) {
      STEPTRACE_RETURN_IF_ERROR(AddCounter(ts_ns, uuids[i], values[i], sequence));
    }
    return {};
  };
  STEPTRACE_RETURN_IF_ERROR(extra(event_.counters, sequence.default_counters, event_.values));
  return extra(event_.double_counters, sequence.default_double_counters, event_.double_values);
}

Status TraceEvents::AddCounter(int64_t ts_ns, uint64_t uuid, double value, Sequence& sequence) {
  auto found = layout_.tracks.find(uuid);
  if (found != layout_.tracks.end()) {
    const TrackInfo& info = found->second;
    if (info.own == Own::kView) return {};
    if (info.incremental) value = sequence.counter_values[uuid] += value;
    if (info.multiplier != 1) value *= static_cast<double>(info.multiplier);
  }
  store::CounterRow row;
  row.ts_ns = ts_ns;
  row.value = value;
  row.track = lines_.Counter(uuid);
  return row.track < 0 ? Status() : sink_.Append(row);
}

// Device work on a hardware queue, complete in one packet: of PyTorch's exporter a kernel or a copy
// on its stream.
Status TraceEvents::OnGpuStage(const RawPacket& raw, Sequence& sequence) {
  RawStage stage = ReadStage(raw.gpu_stage);
  auto ts_ns = TimeOf(raw, sequence);
  if (!ts_ns) return {};
  ++events_;
  kineto_ = true;
  annotations_.Clear();
  ReadStageArguments(stage, &annotations_);
  const std::string stage_name(annotations_.Interned(sequence.gpu_specs, stage.stage));
  Slice slice;
  slice.ts_ns = *ts_ns;
  slice.name =
      sink_.Intern(stage.name.empty() ? stage_name : SoundText(stage.name, &invalid_texts_));
  if (stage.kernel_number) slice.name = Find(sequence.kernels, *stage.kernel_number);
  if (stage.name_number && *stage.name_number != 0) {
    slice.name = Find(sequence.names, *stage.name_number);
  }
  slice.category = sink_.Intern(CategoryOfStage(stage_name));
  constexpr uint64_t kMost = uint64_t{1} << 61;
  if (stage.duration > kMost) ++lost_[LossCause::kBadTimestamp];
  slice.dur_ns = stage.duration > kMost ? 0 : static_cast<int64_t>(stage.duration);
  std::string queue(annotations_.Interned(sequence.gpu_specs, stage.queue));
  auto stream = annotations_.Integer("stream id");
  if (!stream) stream = StreamIn(queue);
  if (!stream) stream = static_cast<int64_t>(stage.queue & std::numeric_limits<int32_t>::max());
  for (const char* key : {"device id", "stream id"}) annotations_.Remove(key);
  annotations_.Rename("context id", "context");
  slice.track = lines_.Device(0, {stage.gpu, stream, std::move(queue)});
  annotations_.Sort(true, sink_.part(), &slice);
  return Emit(0, slice);
}

Status TraceEvents::Finish() {
  STEPTRACE_RETURN_IF_ERROR(nesting_.Finish());
  lost_[LossCause::kNegativeDuration] += nesting_.negative();
  lost_[LossCause::kBeginWithoutEnd] += nesting_.begins_without_end();
  lost_[LossCause::kEndWithoutBegin] += nesting_.ends_without_begin();
  lost_[LossCause::kLateEvent] += nesting_.late();
  const Annotations::Counts& counts = annotations_.counts();
  lost_[LossCause::kArgumentsTooDeep] += counts.too_deep;
  lost_[LossCause::kNotANumber] += annotations_.not_a_number();
  lost_[LossCause::kInternedTextMissing] += counts.no_interned;
  lost_[LossCause::kInvalidUtf8] += counts.no_text + invalid_texts_ + layout_.invalid_texts;
  if (interned_room_ < 0) {
    sink_.Loss(
        "slices", LossCause::kTextLimit, -interned_room_,
        Make(model::finding::LossBeyond{
            .most = kMostInterned, .descriptors = false, .snapshots = false, .texts = true}));
  }
  AddLosses(sink_, lost_);
  return {};
}

}  // namespace steptrace::import::perfetto
