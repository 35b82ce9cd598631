// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/line_events.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "analyze/trace/host_activity.h"
#include "base/fnv.h"
#include "import/core/xla_events.h"
#include "import/formats/kineto/npu_tasks.h"

namespace steptrace::import::kineto {
namespace {

std::string_view TextOfArg(const RawEvent& event, std::string_view key) {
  for (const Arg& arg : event.args) {
    if (arg.key == key) return arg.value.text;
  }
  return {};
}

// What numbers a task, or follows from its other arguments.
bool NumbersTask(std::string_view key, LineKind kind) {
  if (kind >= LineKind::kXlaStream) return key == "run_id";
  constexpr std::array<std::string_view, 12> kKeys = {
      "Task Id",          "Subtask Id", "Batch Id",  "connection_id",   "Physic Stream Id",
      "task id",          "context id", "stream id", "bandwidth(GB/s)", "duration estimated(us)",
      "bandwidth (GB/s)", "id"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

// The number of a step that the script marked; kNull: it did not, or what it marked is evaluation.
int64_t StepOf(const RawEvent& event) {
  int64_t step = kNull;
  for (const Arg& arg : event.args) {
    if (arg.key == "step_num" && !json::ReadInteger(arg.value, &step)) step = kNull;
  }
  const auto doing = analyze::DoingOf(analyze::EventKind::kAnnotation, event.name.text);
  return doing == analyze::HostActivityKind::kEvaluation ? kNull : step;
}

std::string_view CategoryOfXlaHost(const RawEvent& event) {
  XlaHostEvent reported;
  reported.name = event.name.text;
  reported.has_step = StepOf(event) != kNull;
  for (const Arg& arg : event.args) {
    reported.has_operation = reported.has_operation || arg.key == "hlo_op";
    reported.has_correlation = reported.has_correlation || arg.key == "correlation_id";
    reported.has_source = reported.has_source || arg.key == "_src";
  }
  return XlaHostCategory(reported);
}

std::string_view CategoryOnLine(const RawEvent& event, LineKind kind) {
  switch (kind) {
    case LineKind::kNpuStream:
      return NpuTaskCategory(TextOfArg(event, "Task Type"), event.name.text);
    case LineKind::kNpuPlane:
      return "hccl_task";
    case LineKind::kNpuHost:
      return "cann_runtime";
    case LineKind::kNpuFigures:
      return "npu_figure";
    case LineKind::kXlaStream:
      return XlaStreamCategory(event.name.text);
    case LineKind::kXlaDerived:
      return "xla_line";
    case LineKind::kXlaHost:
      return CategoryOfXlaHost(event);
    case LineKind::kNpuCollectives:
    case LineKind::kXlaOps:
    case LineKind::kPlain:
      break;
  }
  return "kernel";
}

bool IsOnHost(LineKind kind) {
  return kind == LineKind::kNpuHost || kind == LineKind::kXlaHost;
}

// Of a transfer between two ranks, which each rank numbers by itself.
bool IsOfTwo(std::string_view call) {
  return call.starts_with("hcom_send_") || call.starts_with("hcom_receive_");
}

int64_t BytesOf(const RawEvent& event) {
  int64_t bytes = kNull;
  for (const Arg& arg : event.args) {
    const bool reported = arg.key == "size(B)" || arg.key == "size(Byte)";
    if (reported && json::ReadInteger(arg.value, &bytes)) return bytes;
    if (arg.key != "memcpy_details" && arg.key != "memset_details") continue;
    bytes = XlaBytesIn(arg.value.text);
    if (bytes >= 0) return bytes;
  }
  return kNull;
}

// What a rank gives to a call of HCCL.
int64_t BytesOfCall(const RawEvent& event) {
  int64_t bytes = kNull;
  const int64_t of_one = NpuTypeBytes(TextOfArg(event, "data_type"));
  for (const Arg& arg : event.args) {
    if (arg.key != "count" || !json::ReadInteger(arg.value, &bytes)) continue;
    return of_one < 0 || __builtin_mul_overflow(bytes, of_one, &bytes) ? kNull : bytes;
  }
  return kNull;
}

}  // namespace

LineNames LineEvents::NamesSoFar() const {
  std::lock_guard lock(mutex_);
  return names_;
}

void LineEvents::Know(LineNames names) {
  ahead_ = names.version();
  names_ = std::move(names);
}

// Only this reader's thread changes them, and reads them without the lock.
void LineEvents::Name(const std::function<void(LineNames&)>& name) {
  const size_t before = names_.version();
  {
    std::lock_guard lock(mutex_);
    name(names_);
  }
  if (names_.version() != before) late_.Update(names_);
}

void LineEvents::NameProcess(std::string_view pid, std::string_view name) {
  Name([&](LineNames& names) { names.NameProcess(pid, name); });
}

void LineEvents::NameThread(std::string_view pid, std::string_view tid, std::string_view name) {
  const size_t known = names_.version();
  Name([&](LineNames& names) { names.NameThread(pid, tid, name); });
  // Of a process without a name it tells nothing; in a piece the name may lie in front of it.
  asked_ = asked_ || names_.version() == known;
}

void LineEvents::Absorb(const LineEvents& piece) {
  Name([&](LineNames& names) { names.Take(piece.names_, piece.ahead_); });
  late_.Take(piece.late_);
  npu_.Take(piece.npu_);
  has_device_events_ = has_device_events_ || piece.has_device_events_;
}

Line LineEvents::Of(const RawEvent& event) {
  asked_ = true;
  const std::string_view pid = event.pid.text;
  const std::string_view tid = event.tid.text;
  return cache_.Of(pid, tid, names_.version(), [&] {
    const Line line = names_.Of(pid, tid);
    late_.TakeLine(pid, tid, line.kind);
    return line;
  });
}

int32_t LineEvents::TrackOf(const RawEvent& event, const Line& line) {
  if (line.kind == LineKind::kPlain || line.kind == LineKind::kXlaHost) {
    return tracks_.Of(event.pid.text, event.tid.text, false);
  }
  if (line.kind == LineKind::kNpuHost) {  // the threads are those of the process itself
    const std::string_view pid = line.host_pid.empty() ? event.pid.text : line.host_pid;
    return tracks_.Of(pid, event.tid.text, false);
  }
  DevicePlace place;
  place.device = line.device;
  place.is_stream = line.kind == LineKind::kNpuStream || line.kind == LineKind::kXlaStream;
  if (line.stream >= 0) place.stream = line.stream;
  return tracks_.Of(event.pid.text, event.tid.text, true, place);
}

void LineEvents::Describe(const RawEvent& event, LineKind kind, Slice* slice) {
  slice->name = texts_.NameOf(event.name);
  line_event_.Clear();
  line_event_.duplicate_keys = event.duplicate_keys;
  event.AllArgs(&scratch_args_);
  for (Arg arg : scratch_args_) {
    if (NumbersTask(arg.key, kind)) arg.fate = ArgFate::kDrop;
    line_event_.args.push_back(arg);
  }
  if (line_event_.args.empty()) return;
  texts_.Describe(line_event_, !IsOnHost(kind), slice);
}

Status LineEvents::Take(const RawEvent& event, const Line& line, Slice slice) {
  slice.track = TrackOf(event, line);
  if (slice.track < 0) return {};
  if (line.kind == LineKind::kNpuStream) npu_.Take(event.pid.text, slice.ts_ns);
  line_event_.Clear();
  line_event_.name = event.name;
  event.AllArgs(&scratch_args_);
  for (const Arg& arg : scratch_args_) line_event_.args.push_back(arg);
  slice.category = sink_.Intern(CategoryOnLine(line_event_, line.kind));
  slice.bytes =
      line.kind == LineKind::kNpuCollectives ? BytesOfCall(line_event_) : BytesOf(line_event_);
  if (line.kind == LineKind::kXlaHost) slice.step = StepOf(line_event_);
  Describe(event, line.kind, &slice);
  has_device_events_ = has_device_events_ || !IsOnHost(line.kind);
  if (line.kind == LineKind::kXlaHost && event.name.text.starts_with('$')) {
    slice.name = sink_.Intern(XlaPythonName(texts_.TextOf(event.name)));
  }
  if (line.kind == LineKind::kNpuCollectives) {
    const std::string name = texts_.TextOf(event.name);
    if (const auto call = HcclCallIn(name)) {
      slice.name = sink_.Intern(call->name);
      if (!IsOfTwo(call->name)) slice.group = call->group;
      slice.sequence = call->number;
    }
  }
  return rows_.Hold(slice);
}

// Its begin is a moment on the thread that launches, unless a call stands there; its end belongs to
// the task in front of it.
Status LineEvents::TakeLaunch(const RawEvent& event, std::string_view category, int64_t ts_ns) {
  Line line = Of(event);
  if (line.kind == LineKind::kPlain) {
    line.host_pid = names_.NpuHostOf(event.pid.text);
    if (!line.host_pid.empty()) line.kind = LineKind::kNpuHost;
  }
  const int32_t track = TrackOf(event, line);
  if (track < 0) return {};
  const auto id =
      static_cast<int64_t>(Fnv1a(event.id.text, Fnv1a(category)) >> 1);  // no correlation's
  const Flow flow{ts_ns, id, track, false};
  if (rows_.JoinLaunch(flow)) return {};
  if (event.ph() != 's') {
    rows_.KeepEarlyLaunch(flow);
    return {};
  }
  Slice launch;
  launch.ts_ns = ts_ns;
  launch.track = track;
  launch.name = sink_.Intern(category);
  launch.category = sink_.Intern("cann_runtime");
  launch.correlation = id;
  return rows_.Hold(launch);
}

}  // namespace steptrace::import::kineto
