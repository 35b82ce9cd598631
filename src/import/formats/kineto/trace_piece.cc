// SPDX-License-Identifier: Apache-2.0
// Of a TraceReader: events that are no stretches of time, and pieces.
#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "base/fnv.h"
#include "base/utf8.h"
#include "import/core/short_name.h"
#include "import/formats/kineto/trace_reader.h"

namespace steptrace::import::kineto {
namespace {

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

}  // namespace

Status TraceReader::OnMemory(const RawEvent& event, int64_t ts_ns) {
  if (IsNoTime(ts_ns)) return {};
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
  if (!TimeOf(event, &row.ts_ns) || IsNoTime(row.ts_ns)) return {};
  std::string name = TextOf(event.name);
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
    row.track = tracks_.Named(pid, full, "counter");
    if (row.track >= 0) STEPTRACE_RETURN_IF_ERROR(sink_.Append(row));
  }
  if (cut > 0) lost_[LossCause::kNameTooLong] += cut;
  return {};
}

Status TraceReader::OnMetadata(const RawEvent& event) {
  const Arg* name = Find(event, "name");
  const Arg* labels = Find(event, "labels");
  if (event.name.text == "process_name" && name) {
    const std::string text = TextOf(name->value);
    NameLine([&](LineNames& lines) { lines.NameProcess(event.pid.text, text); });
    marks_.Line(text);
    tracks_.NameProcess(event.pid.text, text);
  } else if (event.name.text == "process_labels" && labels) {
    tracks_.LabelProcess(event.pid.text, TextOf(labels->value));
  } else if (event.name.text == "thread_name" && name) {
    const std::string text = TextOf(name->value);
    const size_t known = lines_.names.version();
    NameLine([&](LineNames& lines) { lines.NameThread(event.pid.text, event.tid.text, text); });
    // Of a process without a name it tells nothing; in a piece the name may lie in front of it.
    lines_.asked = lines_.asked || lines_.names.version() == known;
    marks_.Line(text);
    tracks_.NameThread(event.pid.text, event.tid.text, text);
  }
  return {};
}

void TraceReader::EndPiece(std::unique_ptr<Part> next) {
  not_a_number_ = texts_.args.not_a_number() - not_a_number_;
  rows_ = sink_.TakePiece(std::move(next));
}

std::string TraceReader::Cleaned(const std::string& text, bool replaced) {
  std::string clean = CleanUtf8(text);
  if (replaced || clean != text) NoteBadText(Fnv1a(clean));
  return clean;
}

Result<bool> TraceReader::Absorb(TraceReader& piece) {
  // What it took for plain lines the names behind which it began may make others.
  if (piece.lines_.asked && piece.lines_.ahead != lines_.names.version()) return false;
  if (!sink_.HasRoomFor(piece.tracks_.size())) return false;
  NameLine([&](LineNames& lines) { lines.Take(piece.lines_.names, piece.lines_.ahead); });
  lines_.late.Take(piece.lines_.late);
  lines_.npu.Take(piece.lines_.npu);
  std::vector<int32_t> tracks = tracks_.Absorb(piece.tracks_);
  auto here = [&](int32_t track) { return tracks[static_cast<size_t>(track)]; };
  // No event of a piece is at 0, so its first time is older than its first row.
  if (first_time_ns_ == 0) first_time_ns_ = piece.first_time_ns_;
  for (const Flow& flow : piece.early_launches_) {
    if (has_held_ && held_.track == here(flow.track) && held_.ts_ns == flow.ts_ns) {
      held_.correlation = flow.id;
    }
  }
  for (const Flow& flow : piece.early_flows_) {
    int32_t track = here(flow.track);
    if (has_held_ && held_.track == track && held_.ts_ns == flow.ts_ns) {
      (flow.out ? held_.flow_out : held_.flow_in) = flow.id;
    } else if (track >= 0) {
      STEPTRACE_RETURN_IF_ERROR(sink_.AddFlow(track, flow.ts_ns, flow.id, flow.out));
    }
  }
  if (piece.has_held_) STEPTRACE_RETURN_IF_ERROR(Release());
  STEPTRACE_RETURN_IF_ERROR(sink_.Absorb(*piece.rows_, tracks));
  if (piece.has_held_) {
    held_ = piece.held_;
    held_.track = here(held_.track);
    has_held_ = held_.track >= 0;
  }
  for (const auto& [cause, count] : piece.lost_) lost_[cause] += count;
  lost_[LossCause::kNotANumber] += piece.not_a_number_;
  not_utf8_.insert(piece.not_utf8_.begin(), piece.not_utf8_.end());
  for (const uint64_t hash : piece.bad_texts_) NoteBadText(hash);
  device_events_ += piece.device_events_;
  marks_.Add(piece.marks_);
  kineto_ = kineto_ || piece.kineto_;
  of_2021_ = of_2021_ || piece.of_2021_;
  return true;
}

}  // namespace steptrace::import::kineto
