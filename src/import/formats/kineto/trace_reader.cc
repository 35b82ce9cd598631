// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/trace_reader.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/fnv.h"
#include "import/core/bounded_name.h"
#include "import/formats/kineto/rank_mark.h"

namespace steptrace::import::kineto {
namespace {

using json::Value;

const Arg* Find(const RawEvent& event, std::string_view key) {
  for (const Arg& arg : event.args) {
    if (arg.key == key) return &arg;
  }
  return nullptr;
}

bool IntegerArg(const RawEvent& event, std::string_view key, int64_t* out) {
  const Arg* arg = Find(event, key);
  return arg != nullptr && json::ReadInteger(arg->value, out);
}

// A number where the text is one, else one made of the text, never negative.
int64_t FlowId(const Value& value) {
  int64_t number = 0;
  if (json::ReadIntegerInWindow(value, &number)) return number;
  return static_cast<int64_t>(Fnv1a(value.text) >> 1);
}

}  // namespace

TraceReader::TraceReader(PartSink& sink, TextCache& texts, Reads reads)
    : sink_(sink),
      reads_(reads),
      texts_(sink, texts, marks_, lost_),
      times_(lost_, reads),
      categories_(sink, texts_, marks_),
      members_(texts_, lost_),
      tracks_(sink),
      rows_(sink, times_, reads),
      open_(lost_),
      lines_(sink, tracks_, texts_, rows_) {}

void TraceReader::OnMember(std::string_view key, const Value& value) {
  marks_.Key(key);
  members_.Take(key, value);
}

std::optional<int64_t> TraceReader::UtcOffsetNs() const {
  if (const auto base = members_.BaseNs()) return base;
  return times_.counts_from_1970() ? std::optional<int64_t>(0) : std::nullopt;
}

Status TraceReader::OnEvent(const RawEvent& event) {
  bool piece = reads_ == Reads::kPiece;
  if (piece && sink_.is_full()) return Refuse();
  switch (event.ph()) {
    case 'X':
      return OnComplete(event);
    case 's':
    case 't':
    case 'f':
      return OnFlow(event);
    case 'i':
    case 'I':
    case 'R':
      return OnInstant(event);
    case 'B':
      return piece ? Refuse() : OnBegin(event);
    case 'E':
      return piece ? Refuse() : OnEnd(event);
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F':
      return piece ? Refuse() : OnAsync(event);
    case 'C':
      return OnCounter(event);
    case 'M':
      return OnMetadata(event);
    default:
      ++lost_[LossCause::kUnsupportedEvent];
      return {};
  }
}

std::optional<int64_t> TraceReader::NumberOf(const RawEvent& event, std::string_view key) {
  int64_t number = 0;
  event.AllArgs(&scratch_args_);
  for (const Arg& arg : scratch_args_) {
    if (arg.key == key && json::ReadInteger(arg.value, &number)) return number;
  }
  return std::nullopt;
}

// Work whose pid is no device's number, as null, is of the one that its arguments tell; so its
// stream.
int32_t TraceReader::TrackByArgs(const RawEvent& event) {
  const auto device = NumberOf(event, "device");
  const auto stream = NumberOf(event, "stream");
  const bool tells_stream = stream && !TraceTracks::StreamIn(event.tid.text);
  std::string mark(TakeMark(event.pid.text).mark);
  if (!mark.empty()) mark += ' ';
  return tracks_.Of(device ? mark + std::to_string(*device) : std::string(event.pid.text),
                    tells_stream ? std::to_string(*stream) : std::string(event.tid.text),
                    /*on_device=*/true);
}

int32_t TraceReader::TrackOf(const RawEvent& event, const FileCategory& category) {
  const int32_t known = categories_.TrackOf(event);
  if (known >= 0) return known;
  if (category.on_device && !TraceTracks::DeviceIn(event.pid.text)) return TrackByArgs(event);
  DevicePlace place;
  if (category.tells_stream) place.stream = NumberOf(event, "stream");
  const int32_t track = tracks_.Of(event.pid.text, event.tid.text, category.on_device, place);
  categories_.KeepTrack(event, track);
  return track;
}

void TraceReader::Describe(const RawEvent& event, const FileCategory& category, Slice* slice) {
  slice->name = texts_.NameOf(event.name);
  slice->category = category.id;
  if (category.is_operator && event.name.text.starts_with("ProfilerStep#")) {
    slice->category = sink_.Intern("user_annotation");
  }
  if (event.args.empty() && event.run_count == 0) return;
  if (category.is_step) slice->step = NumberOf(event, "step_num").value_or(kNull);
  texts_.Describe(event, category.on_device, slice);
}

Status TraceReader::OnComplete(const RawEvent& event) {
  Slice slice;
  if (!times_.Of(event, &slice.ts_ns)) return {};
  slice.dur_ns = times_.DurationOf(event);
  if (!event.category) {
    const Line line = lines_.Of(event);
    if (line.kind != LineKind::kPlain) return lines_.Take(event, line, slice);
  }
  const FileCategory& category = categories_.Of(event);
  if (category.is_mark && reads_ == Reads::kPiece) return Refuse();  // it passes the held row
  has_device_events_ = has_device_events_ || category.on_device;
  slice.track = TrackOf(event, category);
  if (slice.track < 0) return {};
  Describe(event, category, &slice);
  if (category.is_mark) return sink_.AppendMark(slice);
  return rows_.Hold(slice);
}

Status TraceReader::OnBegin(const RawEvent& event) {
  Slice slice;
  if (!times_.Of(event, &slice.ts_ns)) return {};
  const FileCategory& category = categories_.Of(event);
  slice.track = tracks_.Of(event.pid.text, event.tid.text, category.on_device);
  if (slice.track < 0 || !open_.HasRoomOnThreads()) return {};
  Describe(event, category, &slice);
  open_.Begin(slice);
  return {};
}

Status TraceReader::OnEnd(const RawEvent& event) {
  int64_t end_ns = 0;
  if (!times_.Of(event, &end_ns)) return {};
  const bool on_device = categories_.Of(event).on_device;
  const auto slice = open_.End(tracks_.Of(event.pid.text, event.tid.text, on_device), end_ns);
  return slice ? rows_.Hold(*slice) : Status();
}

// Ranges that are joined by an id and may overlap: b and e, in the old form S and F; n is a moment.
Status TraceReader::OnAsync(const RawEvent& event) {
  int64_t ts_ns = 0;
  if (!times_.Of(event, &ts_ns)) return {};
  const bool global = event.id2.text.find("\"global\"") != std::string_view::npos;
  std::string key = fmt::format("{}\n{}\n{}\n{}", global ? std::string_view() : event.pid.text,
                                event.category.text, event.id.text, event.id2.text);
  char ph = event.ph();
  if (ph == 'S' || ph == 'F') key += fmt::format("\n{}", event.name.text);
  if (ph == 'e' || ph == 'F') {
    const auto slice = open_.EndAsync(key, ts_ns);
    return slice ? rows_.Hold(*slice) : Status();
  }
  Slice begun;
  const FileCategory& category = categories_.Of(event);
  begun.ts_ns = ts_ns;
  begun.track = tracks_.Named(event.pid.text, fmt::format("{} (async)", category.raw),
                              store::TrackKind::kThread);
  if (begun.track < 0) return {};
  Describe(event, category, &begun);
  if (ph == 'n') return rows_.Hold(begun);
  open_.BeginAsync(std::move(key), begun);
  return {};
}

Status TraceReader::OnInstant(const RawEvent& event) {
  int64_t ts_ns = 0;
  if (!times_.Of(event, &ts_ns)) return {};
  if (event.name.text == "[memory]") return OnMemory(event, ts_ns);
  bool mark =
      event.name.text == "Record Window End" || event.name.text.starts_with("Iteration Start");
  if (mark && reads_ == Reads::kPiece) return Refuse();
  Slice slice;
  slice.ts_ns = ts_ns;
  const FileCategory& category = categories_.Of(event);
  slice.track = tracks_.Of(event.pid.text, event.tid.text, category.on_device);
  if (slice.track < 0) return {};
  Describe(event, category, &slice);
  if (mark) {
    slice.category = sink_.Intern("Trace");
    return times_.IsNone(ts_ns) ? Status() : sink_.AppendMark(slice);
  }
  if (!event.category) slice.category = sink_.Intern("instant");
  return rows_.Hold(slice);
}

Status TraceReader::OnMemory(const RawEvent& event, int64_t ts_ns) {
  if (times_.IsNone(ts_ns)) return {};
  store::MemoryRow row;
  row.ts_ns = ts_ns;
  constexpr int64_t kMostBytes = int64_t{1} << 60;  // no machine has as much
  if (!IntegerArg(event, "Bytes", &row.bytes) || row.bytes > kMostBytes ||
      row.bytes < -kMostBytes) {
    ++lost_[LossCause::kBadMemoryEvent];
    return {};
  }
  int64_t type = 0;
  int64_t device = -1;
  (void)IntegerArg(event, "Device Type", &type);
  (void)IntegerArg(event, "Device Id", &device);
  row.device = type == 0 ? -1 : static_cast<int32_t>(device);
  (void)IntegerArg(event, "Addr", &row.address);
  int64_t total = 0;
  if (IntegerArg(event, "Total Allocated", &total)) row.total_allocated_bytes = total;
  if (IntegerArg(event, "Total Reserved", &total)) row.total_reserved_bytes = total;
  row.track = tracks_.Of(event.pid.text, event.tid.text, false);
  return sink_.Append(row);
}

Status TraceReader::OnCounter(const RawEvent& event) {
  store::CounterRow row;
  if (!times_.Of(event, &row.ts_ns) || times_.IsNone(row.ts_ns)) return {};
  std::string name = texts_.TextOf(event.name);
  if (event.id) name += fmt::format("[{}]", event.id.text);
  int64_t cut = 0;
  name = ShortName(name, &cut);
  const std::string pid = ShortName(event.pid.text, &cut);
  for (const Arg& arg : event.args) {
    std::string_view text = arg.value.text;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), row.value);
    bool sound = arg.value.kind != json::Value::Kind::kNested && json::IsNumber(text);
    if (!sound || error != std::errc() || end != text.data() + text.size()) {
      ++lost_[LossCause::kBadCounter];
      continue;
    }
    std::string full =
        event.args.size() == 1 ? name : fmt::format("{}.{}", name, ShortName(arg.key, &cut));
    row.track = tracks_.Named(pid, full, store::TrackKind::kCounter);
    if (row.track >= 0) STEPTRACE_RETURN_IF_ERROR(sink_.Append(row));
  }
  if (cut > 0) lost_[LossCause::kNameTooLong] += cut;
  return {};
}

Status TraceReader::OnFlow(const RawEvent& event) {
  const FileCategory& category = categories_.Of(event);
  int64_t ts_ns = 0;
  if (category.is_link || !event.id || !times_.Of(event, &ts_ns)) return {};
  if (category.is_launch) return lines_.TakeLaunch(event, category.raw, ts_ns);
  const int32_t track = tracks_.Of(event.pid.text, event.tid.text, false);
  if (track < 0) return {};
  return rows_.AddFlow({ts_ns, FlowId(event.id), track, event.ph() != 'f'});
}

Status TraceReader::OnMetadata(const RawEvent& event) {
  const Arg* name = Find(event, "name");
  const Arg* labels = Find(event, "labels");
  if (event.name.text == "process_name" && name) {
    const std::string text = texts_.TextOf(name->value);
    lines_.NameProcess(event.pid.text, text);
    marks_.Line(text);
    tracks_.NameProcess(event.pid.text, text);
  } else if (event.name.text == "process_labels" && labels) {
    tracks_.LabelProcess(event.pid.text, texts_.TextOf(labels->value));
  } else if (event.name.text == "thread_name" && name) {
    const std::string text = texts_.TextOf(name->value);
    lines_.NameThread(event.pid.text, event.tid.text, text);
    marks_.Line(text);
    tracks_.NameThread(event.pid.text, event.tid.text, text);
  }
  return {};
}

void TraceReader::EndPiece(std::unique_ptr<Part> next) {
  texts_.EndPiece();
  rows_of_piece_ = sink_.TakePiece(std::move(next));
}

Result<bool> TraceReader::Absorb(TraceReader& piece) {
  // What it took for plain lines the names behind which it began may make others.
  if (!lines_.MayAbsorb(piece.lines_)) return false;
  if (!sink_.HasRoomFor(piece.tracks_.size())) return false;
  lines_.Absorb(piece.lines_);
  const std::vector<int32_t> tracks = tracks_.Absorb(piece.tracks_);
  // No event of a piece is at 0, so its first time is older than its first row.
  times_.Absorb(piece.times_);
  STEPTRACE_RETURN_IF_ERROR(rows_.Absorb(piece.rows_, *piece.rows_of_piece_, tracks));
  for (const auto& [cause, count] : piece.lost_) lost_[cause] += count;
  texts_.Absorb(piece.texts_);
  has_device_events_ = has_device_events_ || piece.has_device_events_;
  marks_.Add(piece.marks_);
  categories_.Absorb(piece.categories_);
  return true;
}

Status TraceReader::Finish() {
  STEPTRACE_RETURN_IF_ERROR(rows_.Finish());
  open_.Finish();
  texts_.Finish();
  tracks_.SetNames();
  AddLosses(sink_, lost_);
  return {};
}

}  // namespace steptrace::import::kineto
