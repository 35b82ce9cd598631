// SPDX-License-Identifier: Apache-2.0
#include "import/formats/sagemaker/trace_file.h"

#include <charconv>
#include <nlohmann/json.hpp>

#include "base/utf8.h"
#include "import/core/bounded_name.h"
#include "import/formats/sagemaker/moments.h"
#include "import/json/fields.h"
#include "import/json/numbers.h"

namespace steptrace::import::sagemaker {
namespace {

constexpr int kUsToNs = 3;
constexpr const char* kBaseKey = "start_time_since_epoch_in_micros";
// Ranges and lines that may stand open: more is no trace.
constexpr int64_t kMaxOpen = 1 << 20;
constexpr size_t kMaxLines = 1 << 20;

bool StartsWith(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}
bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The number behind `begin`; none: the text does not begin so, or something else follows.
std::optional<int32_t> NumberAfter(std::string_view text, std::string_view begin) {
  if (!StartsWith(text, begin)) return std::nullopt;
  const std::string_view rest = text.substr(begin.size());
  int32_t number = 0;
  const char* end = rest.data() + rest.size();
  const auto [stop, error] = std::from_chars(rest.data(), end, number);
  if (error != std::errc() || stop != end || number < 0) return std::nullopt;
  return number;
}

void AppendMember(std::string& object, const json::Field& field) {
  object += object.empty() ? "{\"" : ",\"";
  object += field.key;
  object += "\":";
  object += field.value;
}

}  // namespace

TraceFile::LineKey TraceFile::KeyOf(const Raw& raw) {
  return {json::IntegerOf(raw.pid).value_or(0), json::IntegerOf(raw.tid).value_or(0)};
}

std::optional<int64_t> TraceFile::TimeOf(std::string_view ts) {
  const auto relative_ns = json::DecimalScaled(ts, kUsToNs);
  int64_t ts_ns = 0;
  if (!relative_ns) {
    Lose(LossCause::kBadTimestamp);
  } else if (__builtin_add_overflow(*relative_ns, base_ns_.value_or(0), &ts_ns) || !IsTime(ts_ns)) {
    Lose(LossCause::kBadTimestamp);
  } else {
    return ts_ns;
  }
  return std::nullopt;
}

std::string_view* TraceFile::SlotOf(std::string_view key, Raw& raw) {
  if (key == "name") return &raw.name;
  if (key == "ph") return &raw.phase;
  if (key == "pid") return &raw.pid;
  if (key == "tid") return &raw.tid;
  if (key == "ts") return &raw.ts;
  if (key == "dur") return &raw.dur;
  if (key == "args") return &raw.args;
  return nullptr;
}

void TraceFile::Add(std::string_view object) {
  Raw raw;
  bool any = false;
  json::Fields fields(object);
  for (json::Field field; fields.Next(field);) {
    any = true;
    if (std::string_view* slot = SlotOf(field.key, raw)) {
      if (!slot->empty()) Lose(LossCause::kDuplicateKey);
      *slot = field.value;
    }
  }
  if (!fields.ok()) return Lose(LossCause::kDamagedEvent);
  if (!any) return;  // TensorFlow ends its list with {}
  if (raw.phase.size() != 3) return Lose(LossCause::kEventWithoutPhase);
  const char phase = raw.phase[1];
  if (phase == 'M') return Metadata(raw);
  if (phase != 'X' && phase != 'B' && phase != 'E' && phase != 'i' && phase != 'I') {
    return Lose(LossCause::kUnsupportedEvent);
  }
  const auto ts_ns = TimeOf(raw.ts);
  if (!ts_ns) return;
  if (phase == 'B') return Begin(raw, *ts_ns);
  if (phase == 'E') return End(raw, *ts_ns);
  if (phase == 'X') return Complete(raw, *ts_ns);
  TraceFileEvent event;
  event.ts_ns = *ts_ns;
  event.instant = true;
  event.name = json::Text(raw.name);
  Emit(KeyOf(raw), !raw.tid.empty(), std::move(event), raw.args);
}

void TraceFile::Metadata(const Raw& raw) {
  const std::string kind = json::Text(raw.name);
  json::Fields fields(raw.args);
  for (json::Field field; fields.Next(field);) {
    if (kind == "process_name" && field.key == kBaseKey) {
      if (const auto base_ns = json::DecimalScaled(field.value, kUsToNs)) {
        base_ns_ = *base_ns;
      } else {
        Lose(LossCause::kBadBaseTime);
      }
    } else if (field.key == "name" && lines_.size() + threads_.size() < kMaxLines) {
      int64_t cut = 0;
      std::string name = ShortName(json::Text(field.value), &cut);
      if (cut > 0) Lose(LossCause::kNameTooLong);
      if (kind == "process_name") lines_[KeyOf(raw).first] = std::move(name);
      if (kind == "thread_name") threads_[KeyOf(raw)] = std::move(name);
    }
  }
}

void TraceFile::Begin(const Raw& raw, int64_t ts_ns) {
  if (open_count_ >= kMaxOpen) return Lose(LossCause::kTooManyOpenRanges);
  ++open_count_;
  open_[KeyOf(raw)].push_back({ts_ns, json::Text(raw.name), std::string(raw.args)});
}

// Horovod's ends have no name: they end the innermost range of their line.
void TraceFile::End(const Raw& raw, int64_t ts_ns) {
  const auto found = open_.find(KeyOf(raw));
  if (found == open_.end() || found->second.empty()) return Lose(LossCause::kEndWithoutBegin);
  Open begin = std::move(found->second.back());
  found->second.pop_back();
  --open_count_;
  TraceFileEvent event;
  event.ts_ns = begin.ts_ns;
  event.dur_ns = ts_ns - begin.ts_ns;
  if (event.dur_ns < 0) {
    Lose(LossCause::kNegativeDuration);
    event.dur_ns = 0;
  }
  event.name = std::move(begin.name);
  Emit(KeyOf(raw), !raw.tid.empty(), std::move(event), begin.args);
}

void TraceFile::Complete(const Raw& raw, int64_t ts_ns) {
  TraceFileEvent event;
  event.ts_ns = ts_ns;
  event.name = json::Text(raw.name);
  const auto dur_ns = json::DecimalScaled(raw.dur, kUsToNs);
  int64_t end_ns = 0;
  if (!dur_ns) {
    Lose(raw.dur.empty() ? LossCause::kAbsentDuration : LossCause::kBadDuration);
  } else if (*dur_ns < 0) {
    Lose(LossCause::kNegativeDuration);
  } else if (__builtin_add_overflow(ts_ns, *dur_ns, &end_ns) || !IsTime(end_ns)) {
    Lose(LossCause::kBadDuration);
  } else {
    event.dur_ns = *dur_ns;
  }
  Emit(KeyOf(raw), !raw.tid.empty(), std::move(event), raw.args);
}

void TraceFile::ReadArgs(std::string_view args, TraceFileEvent& event) {
  if (args.empty() || args == "null") return;
  json::Fields fields(args);
  for (json::Field field; fields.Next(field);) {
    std::optional<int64_t>* typed = nullptr;
    if (field.key == "pid") typed = &event.pid;
    if (field.key == "thread_id") typed = &event.tid;
    if (field.key == "step_num") typed = &event.step;
    if (field.key == "bytes") typed = &event.bytes;
    if (typed != nullptr && (*typed = json::IntegerOf(field.value))) continue;
    AppendMember(event.args, field);
  }
  if (event.args.empty()) {
    if (!fields.ok()) Lose(LossCause::kArgsDamaged);
    return;
  }
  event.args += "}";
  if (fields.ok() && nlohmann::json::accept(event.args)) return;
  Lose(LossCause::kArgsDamaged);
  event.args.clear();
}

void TraceFile::Emit(LineKey key, bool has_tid, TraceFileEvent event, std::string_view args) {
  event.line_id = key.first;
  if (has_tid) event.line_tid = key.second;
  if (const auto line = lines_.find(key.first); line != lines_.end()) event.line = line->second;
  if (const auto name = threads_.find(key); name != threads_.end()) {
    event.thread_name = name->second;
  }
  ReadArgs(args, event);
  if (!IsUtf8(event.name)) Lose(LossCause::kInvalidUtf8);
  ++events_;
  on_event_(event);
}

void TraceFile::Finish() {
  if (open_count_ > 0) losses_[LossCause::kBeginWithoutEnd] += open_count_;
  open_.clear();
  open_count_ = 0;
}

namespace {

EventPlace PlaceOnTensorFlowDevice(const TraceFileEvent& event, int32_t device) {
  // Beside streams a device has lines that repeat them by operator, name scope or step.
  if (!StartsWith(event.thread_name, "stream") && !StartsWith(event.thread_name, "Stream")) {
    return {EventRole::kDeviceLabel, device};
  }
  const std::string_view name = event.name;
  if (StartsWith(name, "Memcpy") || StartsWith(name, "MEMCPY")) {
    return {EventRole::kDeviceCopy, device};
  }
  if (StartsWith(name, "Memset") || StartsWith(name, "MEMSET")) {
    return {EventRole::kDeviceSet, device};
  }
  return {EventRole::kDeviceOperator, device};
}

// A TensorFlow timeline's operators are "name:Type"; C++ scopes are not.
bool IsTensorFlowOperator(std::string_view name) {
  const size_t colon = name.rfind(':');
  return colon != std::string_view::npos && colon > 0 && name[colon - 1] != ':' &&
         colon + 1 < name.size();
}

}  // namespace

EventPlace PlaceOfEvent(const TraceFileEvent& event, bool tensorflow_timeline) {
  const std::string_view name = event.name, line = event.line;
  if (tensorflow_timeline) {
    if (const auto device = NumberAfter(line, "/device:GPU:")) {
      return PlaceOnTensorFlowDevice(event, *device);
    }
    if (StartsWith(name, "Iterator::")) return {EventRole::kDataWork, -1};
    if (IsTensorFlowOperator(name)) return {EventRole::kHostOperator, -1};
    return {};
  }
  const auto is = [&](std::string_view begin) {
    return StartsWith(name, begin) || StartsWith(line, begin);
  };
  if (const auto device = NumberAfter(line, "gpu_functions-dev:")) {
    return {EventRole::kDeviceOperator, *device};
  }
  if (is("Step:ModeKeys")) return {EventRole::kStep, -1};
  if (is("DataLoaderWorker")) return {EventRole::kLoaderWorker, -1};
  if (is("DataLoaderIterInitialize")) return {EventRole::kDataWork, -1};
  if (is("DataLoaderIter") || name == "IteratorGetNextOp::DoCompute") {
    return {EventRole::kDataWait, -1};
  }
  if (is("DataIterator") || is("Dataset") || is("dataset")) return {EventRole::kDataWork, -1};
  if (is("Forward")) return {EventRole::kForward, -1};
  if (is("Backward")) return {EventRole::kBackward, -1};
  if (Contains(line, "NcclManager") || Contains(name, "AllReduce")) {
    return {EventRole::kCommunication, -1};
  }
  if (is("cpu_functions")) return {EventRole::kHostOperator, -1};
  return {};
}

const char* CategoryOf(EventRole role) {
  switch (role) {
    case EventRole::kStep:
      return "step";
    case EventRole::kDataWait:
      return "data_wait";
    case EventRole::kDataWork:
      return "data_work";
    case EventRole::kLoaderWorker:
      return "worker";
    case EventRole::kForward:
    case EventRole::kBackward:
      return "phase";
    case EventRole::kCommunication:
      return "communication";
    case EventRole::kHostOperator:
      return "cpu_op";
    case EventRole::kDeviceOperator:
      return "kernel";
    case EventRole::kDeviceCopy:
      return "gpu_memcpy";
    case EventRole::kDeviceSet:
      return "gpu_memset";
    case EventRole::kDeviceLabel:
      return "gpu_user_annotation";
    case EventRole::kOther:
      return "framework";
  }
  return "framework";
}

}  // namespace steptrace::import::sagemaker
