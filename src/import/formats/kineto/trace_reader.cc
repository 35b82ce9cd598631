// SPDX-License-Identifier: Apache-2.0
#include "import/formats/kineto/trace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyze/trace/trace.h"
#include "base/fnv.h"
#include "base/time.h"
#include "import/formats/kineto/decimal.h"
#include "import/formats/kineto/rank_mark.h"

namespace steptrace::import::kineto {
namespace {

using json::Value;

constexpr size_t kMostMemberBytes = 4 << 20;  // a job of thousands of ranks lists them
constexpr size_t kMostWithoutTime = 1 << 16;
constexpr int64_t kMostOpen = 1 << 20;  // ranges that were begun, on threads and async ones apart
constexpr int64_t kMostCategories = 1 << 12;
// Times at 0 beside others later than this are the profiler's failure (a time before its base was
// clamped), not times.
constexpr int64_t kZeroIsTimeNs = 60 * kNsPerSecond;
// Times since 1970 lie in between: 2001 to 2096.
constexpr int64_t kUtcFromNs = 1'000'000'000 * kNsPerSecond;
constexpr int64_t kUtcToNs = 4'000'000'000 * kNsPerSecond;

// What is kept of the top level. All else may hold anything, also secrets of the environment.
constexpr std::array<std::string_view, 19> kMembers = {"schemaVersion",
                                                       "deviceProperties",
                                                       "distributedInfo",
                                                       "baseTimeNanoseconds",
                                                       "cuda_runtime_version",
                                                       "cuda_driver_version",
                                                       "cupti_version",
                                                       "hip_runtime_version",
                                                       "hip_driver_version",
                                                       "roctracer_version",
                                                       "record_shapes",
                                                       "with_stack",
                                                       "profile_memory",
                                                       "with_flops",
                                                       "with_modules",
                                                       "trace_id",
                                                       "host_name",
                                                       "displayTimeUnit",
                                                       "PT_PROFILER_JOB_NAME"};

// From where CANN hands a task to the device to where that runs it.
constexpr std::string_view kLaunchFlow = "HostToDevice";

// Names of 2021 and those that came after.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kRenamed = {
    std::pair<std::string_view, std::string_view>{"Operator", "cpu_op"},
    {"Runtime", "cuda_runtime"},
    {"Kernel", "kernel"},
    {"Memcpy", "gpu_memcpy"},
    {"Memset", "gpu_memset"}};

}  // namespace

TraceReader::TraceReader(PartSink& sink, LearntTexts& texts, Reads reads)
    : sink_(sink),
      texts_(texts),
      reads_(reads),
      tracks_(sink),
      not_a_number_(texts.args.not_a_number()) {}

void TraceReader::OnMember(std::string_view key, const Value& value) {
  marks_.Key(key);
  kineto_ = kineto_ || key == "schemaVersion" || key == "deviceProperties" ||
            key == "baseTimeNanoseconds" || key == "distributedInfo";
  if (std::find(kMembers.begin(), kMembers.end(), key) == kMembers.end()) return;
  if (value.text.size() > kMostMemberBytes) return;
  std::string& member = members_[std::string(key)];
  member.clear();
  const json::Replaced replaced = json::AppendCompact(value, &member);
  lost_[LossCause::kNotANumber] += replaced.values;
  member = Cleaned(member, replaced.characters > 0);
}

const std::string& TraceReader::Member(const std::string& key) const {
  static const std::string none;
  auto found = members_.find(key);
  return found == members_.end() ? none : found->second;
}

std::optional<int64_t> TraceReader::BaseNs() const {
  int64_t base = 0;
  std::string_view digits = Member("baseTimeNanoseconds");
  if (digits.starts_with('"') && digits.size() >= 2) digits = digits.substr(1, digits.size() - 2);
  return ParseWhole(digits, &base) ? std::optional(base) : std::nullopt;
}

bool TraceReader::has_bad_base() const {
  const std::string& text = Member("baseTimeNanoseconds");
  return !text.empty() && text != "null" && !BaseNs();
}

std::optional<int64_t> TraceReader::UtcOffsetNs() const {
  if (const auto base = BaseNs()) return base;
  if (first_time_ns_ >= kUtcFromNs && first_time_ns_ < kUtcToNs) return 0;
  return std::nullopt;
}

int64_t TraceReader::without_time() const {
  int64_t count = 0;
  for (const LossCause cause : {LossCause::kBadTimestamp, LossCause::kZeroTimestamp}) {
    if (const auto found = lost_.find(cause); found != lost_.end()) count += found->second;
  }
  return count;
}

// Each text counts once, as far as a bounded list tells.
void TraceReader::NoteBadText(uint64_t hash) {
  constexpr size_t kMostBadTexts = 1 << 16;
  if (bad_texts_.size() < kMostBadTexts) {
    bad_texts_.insert(hash);
  } else if (!bad_texts_.contains(hash)) {
    ++lost_[LossCause::kInvalidUtf8];
  }
}

const TraceReader::Category& TraceReader::LearnCategory(const RawEvent& event) {
  uint32_t place = PlaceOfCategory(event.category, event.name.text);
  if (event.origin != 0) {
    if (event.origin >= origins_.size()) origins_.resize(event.origin + 1);
    origins_[event.origin] = {static_cast<int32_t>(place), -1};
  }
  return categories_[place];
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

int32_t TraceReader::TrackOf(const RawEvent& event, const Category& category) {
  bool has_origin = event.origin != 0 && event.origin < origins_.size();
  if (has_origin && origins_[event.origin].track >= 0) return origins_[event.origin].track;
  if (category.on_device && !TraceTracks::DeviceIn(event.pid.text)) return TrackByArgs(event);
  DevicePlace place;
  if (category.tells_stream) place.stream = NumberOf(event, "stream");
  int32_t track = tracks_.Of(event.pid.text, event.tid.text, category.on_device, place);
  if (has_origin && origins_[event.origin].category >= 0) origins_[event.origin].track = track;
  return track;
}

uint32_t TraceReader::PlaceOfCategory(const Value& value, std::string_view event_name) {
  // Kinds of events take turns: a few places by length and last character find nearly all.
  auto last = value.text.empty() ? 0u : static_cast<unsigned char>(value.text.back());
  uint32_t& place = category_places_[(value.text.size() * 5 + last) % category_places_.size()];
  if (place < categories_.size() && categories_[place].raw == value.text) return place;
  const auto known = category_numbers_.find(value.text);
  if (known != category_numbers_.end()) return place = known->second;
  Category category;
  category.raw = value.text;
  std::string name = TextOf(value);
  for (const auto& [old_name, new_name] : kRenamed) {
    if (name != old_name) continue;
    name = new_name;
    of_2021_ = kineto_ = true;
  }
  marks_.Category(name);
  category.id = sink_.Intern(name);
  // One maker's collective_comm are calls of the host, others' kernels: the first tells for all.
  category.on_device = analyze::KindOf(name, event_name) >= analyze::EventKind::kKernel;
  category.is_operator = name == "cpu_op";
  category.tells_stream = name == "mtia_ccp_events";
  category.is_mark = name == "Trace";
  category.is_step = name == analyze::kStepAnnotation;
  category.is_link = name == "ac2g" || name == "async" || name == "async_cpu_to_gpu" ||
                     name == "async_gpu" || name == "async_npu" || name == "async_task_queue";
  category.is_launch = name == kLaunchFlow;
  if (static_cast<int64_t>(categories_.size()) >= kMostCategories) {
    categories_.clear();
    category_numbers_.clear();
    origins_.clear();
  }
  place = static_cast<uint32_t>(categories_.size());
  category_numbers_.emplace(category.raw, place);
  categories_.push_back(std::move(category));
  return place;
}

std::string TraceReader::TextOf(const Value& value) {
  std::string text;
  int64_t halves = 0;
  if (value.kind == Value::Kind::kString && value.escaped) {
    halves = json::Unescape(value.text, &text);
  } else {
    text = value.text;
  }
  return Cleaned(text, halves > 0);
}

store::StringId TraceReader::NameOf(const Value& value) {
  constexpr size_t kMostKept = 256;
  LearntTexts::Name& known = texts_.names[json::ShortHash(value.text) >> 56];
  store::StringId id = known.id;
  if (value.escaped || known.text != value.text) {
    std::string_view text = value.text;
    int64_t halves = 0;
    if (value.escaped) {
      scratch_.clear();
      halves = json::Unescape(value.text, &scratch_);
      text = scratch_;
    }
    TextFacts facts;
    id = sink_.Intern(text, &facts);
    if (halves > 0 || !facts.is_utf8) texts_.not_utf8.insert(id);
    if (facts.added) marks_.EventName(text);
    // One that the run has no room for is told anew each time it comes.
    if (!facts.added && text.size() <= kMostKept) known = {std::string(text), id};
  }
  if (!texts_.not_utf8.empty() && texts_.not_utf8.count(id) > 0) not_utf8_.insert(id);
  return id;
}

// A number where the text is one, else one made of the text, never negative.
int64_t TraceReader::IdOf(const Value& value) {
  int64_t number = 0;
  if (json::ReadIntegerInWindow(value, &number)) return number;
  return static_cast<int64_t>(Fnv1a(value.text) >> 1);
}

bool TraceReader::TimeOf(const RawEvent& event, int64_t* ns) {
  constexpr int64_t kMostNs = int64_t{1} << 62;  // room for a duration behind it
  bool sound =
      event.ts && event.ts.kind != Value::Kind::kNested && ParseMicroseconds(event.ts.text, ns);
  if (!sound || *ns >= kMostNs || *ns <= -kMostNs) {
    ++lost_[LossCause::kBadTimestamp];
    return false;
  }
  if (*ns == 0 && reads_ == Reads::kPiece) {  // whether that is a time is told by those before
    refused_ = true;
    return false;
  }
  if (*ns != 0 && first_time_ns_ == 0) first_time_ns_ = *ns;
  return true;
}

bool TraceReader::IsNoTime(int64_t ts_ns) {
  if (ts_ns != 0 || first_time_ns_ < kZeroIsTimeNs) return false;
  ++lost_[LossCause::kZeroTimestamp];
  return true;
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

void TraceReader::Describe(const RawEvent& event, const Category& category, Slice* slice) {
  slice->name = NameOf(event.name);
  slice->category = category.id;
  if (category.is_operator && event.name.text.starts_with("ProfilerStep#")) {
    slice->category = sink_.Intern("user_annotation");
  }
  if (event.args.empty() && event.run_count == 0) return;
  if (category.is_step) slice->step = NumberOf(event, "step_num").value_or(kNull);
  if (!texts_.args.Sort(event, category.on_device, sink_, slice)) not_utf8_.insert(slice->details);
}

Status TraceReader::OnComplete(const RawEvent& event) {
  Slice slice;
  if (!TimeOf(event, &slice.ts_ns)) return {};
  bool timed = event.dur && event.dur.kind != Value::Kind::kNested &&
               ParseMicroseconds(event.dur.text, &slice.dur_ns);
  constexpr int64_t kMostNs = int64_t{1} << 61;
  if (!timed || slice.dur_ns > kMostNs) {
    ++lost_[event.dur ? LossCause::kBadDuration : LossCause::kAbsentDuration];
    slice.dur_ns = 0;
  } else if (slice.dur_ns < 0) {
    ++lost_[LossCause::kNegativeDuration];
    slice.dur_ns = 0;
  }
  if (!event.category) {
    const Line line = LineOf(event);
    if (line.kind != LineKind::kPlain) return OnLine(event, line, slice);
  }
  const Category& category = CategoryOf(event);
  if (category.is_mark && reads_ == Reads::kPiece) return Refuse();  // it passes the held row
  device_events_ += category.on_device;
  slice.track = TrackOf(event, category);
  if (slice.track < 0) return {};
  Describe(event, category, &slice);
  if (category.is_mark) return sink_.AppendMark(slice);
  return Hold(slice);
}

Status TraceReader::Hold(const Slice& slice) {
  STEPTRACE_RETURN_IF_ERROR(Release());
  held_ = slice;
  has_held_ = true;
  return {};
}

Status TraceReader::Release() {
  if (!has_held_) return {};
  has_held_ = false;
  return Keep(held_);
}

Status TraceReader::Keep(const Slice& slice) {
  if (slice.ts_ns == 0) {
    if (first_time_ns_ == 0 && without_time_.size() < kMostWithoutTime) {
      without_time_.push_back(slice);
      return {};
    }
    if (IsNoTime(0)) return {};
  }
  return sink_.Append(slice);
}

Status TraceReader::OnBegin(const RawEvent& event) {
  Open open;
  if (!TimeOf(event, &open.slice.ts_ns)) return {};
  const Category& category = CategoryOf(event);
  open.slice.track = tracks_.Of(event.pid.text, event.tid.text, category.on_device);
  if (open.slice.track < 0) return {};
  if (begun_open_ >= kMostOpen) {
    ++lost_[LossCause::kBeginWithoutEnd];
    return {};
  }
  Describe(event, category, &open.slice);
  begun_[open.slice.track].push_back(open);
  ++begun_open_;
  return {};
}

Status TraceReader::OnEnd(const RawEvent& event) {
  int64_t end_ns = 0;
  if (!TimeOf(event, &end_ns)) return {};
  int32_t track = tracks_.Of(event.pid.text, event.tid.text, CategoryOf(event).on_device);
  auto found = begun_.find(track);
  if (found == begun_.end() || found->second.empty()) {
    ++lost_[LossCause::kEndWithoutBegin];
    return {};
  }
  Slice slice = found->second.back().slice;
  found->second.pop_back();
  --begun_open_;
  slice.dur_ns = end_ns - slice.ts_ns;
  if (slice.dur_ns < 0) {
    ++lost_[LossCause::kNegativeDuration];
    slice.dur_ns = 0;
  }
  return Hold(slice);
}

// Ranges that are joined by an id and may overlap: b and e, in the old form S and F; n is a moment.
Status TraceReader::OnAsync(const RawEvent& event) {
  int64_t ts_ns = 0;
  if (!TimeOf(event, &ts_ns)) return {};
  const bool global = event.id2.text.find("\"global\"") != std::string_view::npos;
  std::string key = fmt::format("{}\n{}\n{}\n{}", global ? std::string_view() : event.pid.text,
                                event.category.text, event.id.text, event.id2.text);
  char ph = event.ph();
  if (ph == 'S' || ph == 'F') key += fmt::format("\n{}", event.name.text);
  if (ph == 'e' || ph == 'F') {
    auto found = async_.find(key);
    if (found == async_.end()) {
      ++lost_[LossCause::kEndWithoutBegin];
      return {};
    }
    Slice slice = found->second.back().slice;
    found->second.pop_back();
    --async_open_;
    if (found->second.empty()) async_.erase(found);
    slice.dur_ns = std::max<int64_t>(0, ts_ns - slice.ts_ns);
    if (ts_ns < slice.ts_ns) ++lost_[LossCause::kNegativeDuration];
    return Hold(slice);
  }
  Open begun;
  const Category& category = CategoryOf(event);
  begun.slice.ts_ns = ts_ns;
  begun.slice.track =
      tracks_.Named(event.pid.text, fmt::format("{} (async)", category.raw), "thread");
  if (begun.slice.track < 0) return {};
  Describe(event, category, &begun.slice);
  if (ph == 'n') return Hold(begun.slice);
  if (async_open_ >= kMostOpen) {
    ++lost_[LossCause::kBeginWithoutEnd];
    return {};
  }
  async_[std::move(key)].push_back(begun);
  ++async_open_;
  return {};
}

Status TraceReader::OnInstant(const RawEvent& event) {
  int64_t ts_ns = 0;
  if (!TimeOf(event, &ts_ns)) return {};
  if (event.name.text == "[memory]") return OnMemory(event, ts_ns);
  bool mark =
      event.name.text == "Record Window End" || event.name.text.starts_with("Iteration Start");
  if (mark && reads_ == Reads::kPiece) return Refuse();
  Slice slice;
  slice.ts_ns = ts_ns;
  const Category& category = CategoryOf(event);
  slice.track = tracks_.Of(event.pid.text, event.tid.text, category.on_device);
  if (slice.track < 0) return {};
  Describe(event, category, &slice);
  if (mark) {
    slice.category = sink_.Intern("Trace");
    return IsNoTime(ts_ns) ? Status() : sink_.AppendMark(slice);
  }
  if (!event.category) slice.category = sink_.Intern("instant");
  return Hold(slice);
}

Status TraceReader::OnFlow(const RawEvent& event) {
  const Category& category = CategoryOf(event);
  if (category.is_link) return {};
  if (category.is_launch) return OnLaunchFlow(event, category);
  int64_t ts_ns = 0;
  if (!event.id || !TimeOf(event, &ts_ns)) return {};
  int32_t track = tracks_.Of(event.pid.text, event.tid.text, false);
  if (track < 0) return {};
  int64_t id = IdOf(event.id);
  bool out = event.ph() != 'f';
  // Kineto writes the end of a flow behind the operator that it belongs to.
  if (has_held_ && held_.track == track && held_.ts_ns == ts_ns) {
    (out ? held_.flow_out : held_.flow_in) = id;
  } else if (reads_ == Reads::kPiece && !has_held_) {
    early_flows_.push_back({ts_ns, id, track, out});
  } else {
    return sink_.AddFlow(track, ts_ns, id, out);
  }
  return {};
}

Status TraceReader::Finish() {
  STEPTRACE_RETURN_IF_ERROR(Release());
  for (const Slice& slice : std::exchange(without_time_, {})) {
    if (!IsNoTime(slice.ts_ns)) STEPTRACE_RETURN_IF_ERROR(sink_.Append(slice));
  }
  for (const auto& [track, open] : begun_) {
    lost_[LossCause::kBeginWithoutEnd] += static_cast<int64_t>(open.size());
  }
  lost_[LossCause::kBeginWithoutEnd] += async_open_;
  lost_[LossCause::kNotANumber] += texts_.args.not_a_number() - not_a_number_;
  lost_[LossCause::kInvalidUtf8] += static_cast<int64_t>(not_utf8_.size() + bad_texts_.size());
  tracks_.SetNames();
  AddLosses(sink_, lost_);
  return {};
}

}  // namespace steptrace::import::kineto
