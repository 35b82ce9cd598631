// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/record_converter.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <nlohmann/json.hpp>

#include "agent/ingest/call_details.h"
#include "agent/ingest/device_phase_rows.h"
#include "agent/ingest/slice_args.h"
#include "base/shallow_json.h"
#include "base/time.h"
#include "base/utf8.h"
#include "store/metadata_json.h"
#include "wire/ring_layout.h"

namespace steptrace::agent {
namespace {

using analyze::HookName;
using analyze::MarkKind;
using wire::Category;
using wire::RecordKind;

// A fact is a description, not data; the writer's own limit is the same (wire/ring_layout.h).
constexpr size_t kMaxFactBytes = 64 << 10;

// More is damage: a call a nanosecond for centuries, memory beyond any machine's.
constexpr uint64_t kMostCalls = uint64_t{1} << 62;
constexpr uint64_t kMostBytes = uint64_t{1} << 60;

// Before the run's epoch nothing of it was running; clocks are compared to far less than this.
constexpr int64_t kEarliestNs = -kNsPerSecond;

bool HasTimeline(Category category) {
  return category != Category::kFact && category != Category::kWindow &&
         category != Category::kDeviceMemory && category != Category::kDetails &&
         category != Category::kStack && category != Category::kTensor;
}

// Not of the thread that told it.
bool IsOutsideStack(Category category) {
  return category == Category::kDevicePhase || category == Category::kNccl ||
         category == Category::kNcclProxy || category == Category::kNcclProxyStep ||
         category == Category::kAsync;
}

bool IsOfTensor(RecordKind kind) {
  return kind == RecordKind::kTensor || kind == RecordKind::kTensorPart;
}

bool IsForDeriver(const ResolvedName& name) {
  return name.category != Category::kFact && name.category != Category::kDeviceMemory &&
         name.category != Category::kTensor;
}

}  // namespace

RecordConverter::RecordConverter(Settings settings, store::StringTable& strings,
                                 TrackRegistry& tracks)
    : settings_(std::move(settings)),
      strings_(strings),
      tracks_(tracks),
      device_(DeviceHost(), strings, tracks),
      side_tracks_([this](int32_t number, const std::string& name) {
        // No thread has a number below 0.
        return tracks_.AddThread(ProcessTrack(), rank_, settings_.pid, -number, CleanUtf8(name));
      }) {}

DeviceActivity::Host RecordConverter::DeviceHost() {
  DeviceActivity::Host host;
  host.text_of = [this](uint32_t id) -> std::optional<std::string> {
    auto name = settings_.name_of(id);
    if (!name) return std::nullopt;
    return std::move(name->text);
  };
  host.thread_track = [this](int32_t tid) { return TrackOf(tid); };
  host.depth_at = [this](int32_t tid, int64_t ts_ns) {
    const auto found = depths_.find(tid);
    return found == depths_.end() ? 0 : found->second.At(ts_ns);
  };
  return host;
}

// Threads without end are no threads of a training.
void RecordConverter::NoteDepth(const ThreadState& thread, int64_t ts) {
  constexpr size_t kMostThreads = 64;
  if (!devices_on_ || (depths_.size() >= kMostThreads && !depths_.contains(thread.tid))) return;
  depths_[thread.tid].Note(ts, thread.stack.depth());
}

const ResolvedName* RecordConverter::Resolve(uint32_t id) {
  if (id < names_.size() && names_[id]) return &*names_[id];
  std::optional<Name> name = settings_.name_of(id);
  if (!name || !wire::IsCategory(name->category)) return nullptr;
  ResolvedName resolved;
  resolved.category = static_cast<Category>(name->category);
  resolved.hook = HookOf(resolved.category, name->text);
  if (resolved.category == Category::kDetails) {
    const auto details = ParseCallDetails(name->text);
    if (!details) return nullptr;
    resolved.text = strings_.Intern(details->json);
    resolved.group = details->group_number;
    resolved.group_text = strings_.Intern(details->group);
  } else {
    resolved.text = strings_.Intern(name->text);
  }
  resolved.computes = Computes(resolved.category, name->text);
  resolved.category_text = strings_.Intern(CategoryText(resolved.category));
  if (id >= names_.size()) names_.resize(id + 1);
  return &*(names_[id] = resolved);
}

void RecordConverter::Convert(ThreadState& thread, std::span<const wire::Record> records,
                              const RunClock& clock, RowBatch& out) {
  device_.Prepare(records);
  for (const wire::Record& record : records) ConvertOne(thread, record, clock, out);
}

// A time that cannot be is damage: the record stands where the thread was last, so that nesting
// stays right and the thread's later times are not lifted to it.
int64_t RecordConverter::TimeOf(const ThreadState& thread, uint64_t reading,
                                const RunClock& clock) {
  const int64_t reported_ns = clock.ToRunNs(reading);
  if (reported_ns >= kEarliestNs && reported_ns <= clock.latest_ns) return reported_ns;
  ++invalid_records_;
  return std::clamp<int64_t>(thread.stack.newest_ns(), 0, clock.latest_ns);
}

void RecordConverter::ConvertOne(ThreadState& thread, const wire::Record& record,
                                 const RunClock& clock, RowBatch& out) {
  if (record.kind == static_cast<uint8_t>(RecordKind::kActivity)) {
    if (!device_.Take(thread.device, record, clock, rank_, out)) ++invalid_records_;
    return;
  }
  const ResolvedName* name = Resolve(record.name);
  if (name == nullptr) {
    ++invalid_records_;
    return;
  }
  const auto kind = static_cast<RecordKind>(record.kind);
  NoteRole(*name);
  if (IsOfTensor(kind)) return OnTensor(thread, record, *name, clock, out);
  if (!thread.tensor.Break()) ++invalid_records_;
  if (kind != RecordKind::kComplete) thread.detail.reset();
  const int64_t ts = thread.stack.Rise(TimeOf(thread, record.tsc, clock));
  if ((record.flags & wire::kFlagAfterLoss) != 0) AddLoss(thread, ts, out);
  switch (kind) {
    case RecordKind::kBegin:
      return OnBegin(thread, record, *name, ts, out);
    case RecordKind::kEnd:
      return OnEnd(thread, record, ts, out);
    case RecordKind::kInstant:
      return OnInstant(thread, record, *name, ts, out);
    case RecordKind::kCounter:
      return OnCounter(record, *name, ts, out);
    case RecordKind::kFlowOut:
    case RecordKind::kFlowIn:
      return OnFlow(thread, record, *name, ts, out);
    case RecordKind::kPayload:
      return OnPayload(record, *name, ts, out);
    case RecordKind::kComplete:
      return OnComplete(thread, record, *name, clock, out);
    case RecordKind::kDetail:
      return OnDetail(thread, record, *name);
    default:
      ++invalid_records_;  // those that are left were taken above
  }
}

// The rank of a process is settled by the first record that shows it training (or a worker of one
// that does); until then it is a guess that is asked for anew.
void RecordConverter::NoteRole(const ResolvedName& name) {
  if (trains_ || is_worker_) return;
  if (IndicatesTraining(name)) trains_ = true;
  if (name.category == Category::kWorker) is_worker_ = true;
  if (trains_ || is_worker_ || rank_ < 0) rank_ = settings_.rank_of(settings_.rank, trains_);
  if (settled()) tracks_.SettleProcess(process_track_, KindOfProcess());
}

int32_t RecordConverter::TrackOf(ThreadState& thread) {
  if (thread.track < 0) thread.track = TrackOf(thread.tid);
  return thread.track;
}

int32_t RecordConverter::TrackOf(int32_t tid) {
  // A process may start threads without end; one that lives on then has another track for samples.
  constexpr size_t kMaxThreads = 4096;
  if (thread_tracks_.size() >= kMaxThreads && thread_tracks_.count(tid) == 0) {
    thread_tracks_.clear();
  }
  const auto [track, added] = thread_tracks_.try_emplace(tid, -1);
  if (!added) return track->second;
  track->second = tracks_.AddThread(ProcessTrack(), rank_, settings_.pid, tid,
                                    CleanUtf8(settings_.thread_name_of(tid)));
  return track->second;
}

int32_t RecordConverter::ProcessTrack() {
  if (process_track_ < 0) {
    const std::string process = CleanUtf8(settings_.process_name);
    process_track_ = settled() ? tracks_.AddProcess(KindOfProcess(), rank_, settings_.pid, process)
                               : tracks_.AddUnsettledProcess(rank_, settings_.pid, process);
  }
  return process_track_;
}

int32_t RecordConverter::SideTrackOf(const store::SliceRow& row, Category category,
                                     const ResolvedName* details) {
  std::string name = "NVTX";
  if (category == Category::kNccl) name = "NCCL";
  if (category == Category::kNcclProxy) name = "NCCL proxy";
  // What a chunk waits for lies below the operations that send and receive it.
  if (category == Category::kNcclProxyStep) name = "NCCL proxy steps";
  if (details != nullptr && details->group != 0) name += " " + strings_.Text(details->group_text);
  return side_tracks_.Of(name, row.ts_ns, row.ts_ns + row.dur_ns);
}

void RecordConverter::OnBegin(ThreadState& thread, const wire::Record& record,
                              const ResolvedName& name, int64_t ts, RowBatch& out) {
  if (!HasTimeline(name.category)) {
    ++invalid_records_;
    return;
  }
  OpenRange range;
  range.begin_ns = ts;
  range.name = record.name;
  range.a = record.a;
  range.b = record.b;
  if (!thread.stack.Begin(range)) {
    ++too_deep_ranges_;
    return;
  }
  NoteDepth(thread, ts);
  AddEvent(thread, MarkKind::kBegin, name, ts, record.a, record.b, out);
}

void RecordConverter::OnEnd(ThreadState& thread, const wire::Record& record, int64_t ts,
                            RowBatch& out) {
  auto closed = thread.stack.End(ts, record.a, record.b);
  if (!closed) return;
  NoteDepth(thread, ts);
  AddSlice(thread, *closed, out);
  AddEvent(thread, MarkKind::kEnd, *Resolve(closed->open.name), closed->end_ns, record.a, record.b,
           out);
}

void RecordConverter::OnInstant(ThreadState& thread, const wire::Record& record,
                                const ResolvedName& name, int64_t ts, RowBatch& out) {
  if (name.category == Category::kWindow) {
    if (strings_.Text(name.text) == wire::kNameDeviceDone) return OnDeviceDone(record, ts, out);
    // Derivation looks for operators in windows of them alone.
    constexpr auto kOperators = static_cast<uint32_t>(wire::CaptureKind::kOperators);
    const bool begins = name.hook == HookName::kWindowBegin;
    if (begins) operators_on_ = (record.b & kOperators) != 0;
    if (operators_on_) AddEvent(thread, MarkKind::kInstant, name, ts, record.a, record.b, out);
    operators_on_ = operators_on_ && begins;
    return OnWindow(record, name, ts, out);
  }
  if (!HasTimeline(name.category)) return;
  AddEvent(thread, MarkKind::kInstant, name, ts, record.a, record.b, out);
  if (name.hook == HookName::kDataEnd || name.hook == HookName::kDataFrom) return;
  if (name.hook == HookName::kHooksAside) ++asides_;
  ClosedRange instant;
  instant.open.begin_ns = ts;
  instant.open.name = record.name;
  instant.open.a = record.a;
  instant.open.b = record.b;
  instant.end_ns = ts;
  instant.depth = static_cast<int32_t>(thread.stack.depth());
  AddSlice(thread, instant, out);
}

// "0:allocated_bytes" of category kDeviceMemory is the metric torch_cuda.allocated_bytes of device
// 0.
const RecordConverter::CounterTrack* RecordConverter::TrackOfCounter(const ResolvedName& name) {
  const std::pair key(name.category, name.text);
  const auto known = counter_tracks_.find(key);
  if (known != counter_tracks_.end()) return &known->second;
  std::string metric = strings_.Text(name.text);
  int32_t device = -1;
  if (name.category == Category::kDeviceMemory) {
    constexpr int32_t kMostOfOne = 1024;
    const char* end = metric.data() + metric.size();
    const auto number = std::from_chars(metric.data(), end, device);
    const bool fits = number.ec == std::errc() && device >= 0 && device < kMostOfOne;
    if (!fits || number.ptr == end || *number.ptr != ':') return nullptr;
    metric = "torch_cuda." + std::string(number.ptr + 1, end);
  }
  const int32_t track = tracks_.AddCounter(metric, rank_, device, settings_.pid);
  return &counter_tracks_.emplace(key, CounterTrack{track, device, strings_.Intern(metric)})
              .first->second;
}

void RecordConverter::OnCounter(const wire::Record& record, const ResolvedName& name, int64_t ts,
                                RowBatch& out) {
  const bool memory = name.category == Category::kDeviceMemory;
  const auto value = std::bit_cast<double>(record.a);
  const CounterTrack* track = TrackOfCounter(name);
  if (track == nullptr || (memory && !(value >= 0 && value < double{kMostBytes}))) {
    ++invalid_records_;
    return;
  }
  store::CounterRow row;
  row.ts_ns = ts;
  row.track = track->track;
  row.value = value;
  out.counters.push_back(row);
  if (memory) out.device_memory.push_back({ts, track->device, track->metric, value});
}

void RecordConverter::OnFlow(ThreadState& thread, const wire::Record& record,
                             const ResolvedName& name, int64_t ts, RowBatch& out) {
  const auto flow = static_cast<int64_t>(record.a);
  const bool is_out = static_cast<RecordKind>(record.kind) == RecordKind::kFlowOut;
  if (OpenRange* range = thread.stack.Innermost()) {
    (is_out ? range->flow_out : range->flow_in) = flow;
    return;
  }
  if (!HasTimeline(name.category)) return;
  ClosedRange point;
  point.open.begin_ns = ts;
  point.open.name = record.name;
  (is_out ? point.open.flow_out : point.open.flow_in) = flow;
  point.end_ns = ts;
  AddSlice(thread, point, out);
}

void RecordConverter::OnComplete(ThreadState& thread, const wire::Record& record,
                                 const ResolvedName& name, const RunClock& clock, RowBatch& out) {
  if (!HasTimeline(name.category)) return;
  ClosedRange range;
  range.open.begin_ns = TimeOf(thread, record.tsc, clock);
  range.open.name = record.name;
  range.open.a = record.a;
  range.end_ns = std::max(range.open.begin_ns, TimeOf(thread, record.b, clock));
  const Category category = name.category;  // `name` moves when another is looked up
  range.depth = IsOutsideStack(category) ? 0 : static_cast<int32_t>(thread.stack.depth());
  const auto detail = std::exchange(thread.detail, std::nullopt);
  AddSlice(thread, range, out);
  store::SliceRow& row = out.slices.back();
  const bool reported = detail && detail->tsc == record.tsc;
  if (reported) {
    SetCall(row, detail->name, detail->a);
    if (detail->b != 0 && detail->b < kMostBytes) row.bytes = static_cast<int64_t>(detail->b);
  }
  if (category == Category::kDevicePhase) {
    if (!PlaceDevicePhase(record.a, side_tracks_, out.slices)) ++invalid_records_;
  } else if (IsOutsideStack(category)) {
    row.track = SideTrackOf(row, category, reported ? Resolve(detail->name) : nullptr);
  }
}

void RecordConverter::OnDetail(ThreadState& thread, const wire::Record& record,
                               const ResolvedName& name) {
  if (name.category != Category::kDetails) {
    ++invalid_records_;
    return;
  }
  thread.detail = record;
}

void RecordConverter::SetCall(store::SliceRow& row, uint32_t details, uint64_t number) {
  const ResolvedName* found = Resolve(details);
  if (found == nullptr || found->category != Category::kDetails || number >= kMostCalls) {
    ++invalid_records_;
    return;
  }
  row.details = found->text;
  if (found->group != 0) row.group = found->group;
  if (number != 0) row.sequence = static_cast<int64_t>(number);
}

void RecordConverter::OnStack(const wire::Record& record, int64_t ts, RowBatch& out) {
  const uint64_t tid = record.b & ~wire::kStackRuns;
  if (record.a > UINT32_MAX || tid > INT32_MAX) {
    ++invalid_records_;
    return;
  }
  out.stacks.push_back({ts, static_cast<uint32_t>(record.a), static_cast<int32_t>(tid),
                        (record.b & wire::kStackRuns) != 0});
}

void RecordConverter::OnTensor(ThreadState& thread, const wire::Record& record,
                               const ResolvedName& name, const RunClock& clock, RowBatch& out) {
  const int64_t newest_ns = std::max<int64_t>(thread.stack.newest_ns(), 0);
  if ((record.flags & wire::kFlagAfterLoss) != 0) AddLoss(thread, newest_ns, out);
  const bool begins = record.kind == static_cast<uint8_t>(RecordKind::kTensor);
  const int64_t ts = begins ? TimeOf(thread, record.tsc, clock) : 0;
  if (name.category != Category::kTensor || !thread.tensor.Add(record, ts)) ++invalid_records_;
  if (auto whole = thread.tensor.Take(name.text)) out.tensors.push_back(*whole);
}

void RecordConverter::OnPayload(const wire::Record& record, const ResolvedName& name, int64_t ts,
                                RowBatch& out) {
  if (name.category == Category::kStack) return OnStack(record, ts, out);
  std::optional<Name> text;
  if (name.category == Category::kFact && record.a <= UINT32_MAX) {
    text = settings_.name_of(static_cast<uint32_t>(record.a));
  }
  if (!text || text->text.size() > kMaxFactBytes) {
    ++invalid_facts_;
    return;
  }
  const auto parsed = ParseShallow<nlohmann::json>(text->text);
  if (!parsed.is_object()) {
    ++invalid_facts_;
    return;
  }
  if (strings_.Text(name.text) == wire::kFactJob) NoteJob(parsed);
  if (strings_.Text(name.text) == wire::kFactDevice) device_.NoteDevice(parsed);
  store::RunMetadataRow row;
  row.ts_ns = ts;
  row.node = settings_.node;
  row.rank = rank_;
  row.pid = settings_.pid;
  row.kind = name.text;
  row.json = parsed.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  out.facts.push_back(std::move(row));
}

// {"rank": 1, "world_size": 4, …}: what init_process_group was told, where the environment was not.
void RecordConverter::NoteJob(const nlohmann::json& fact) {
  constexpr int64_t kMaxRanks = 1 << 20;
  const int64_t rank = store::IntegerOf(fact, store::MetadataKey::kRank).value_or(-1);
  const int64_t world_size = store::IntegerOf(fact, store::MetadataKey::kWorldSize).value_or(-1);
  if (world_size < 1 || world_size > kMaxRanks || rank < 0 || rank >= world_size) return;
  settings_.world_size = static_cast<int32_t>(world_size);
  if (settled()) return;
  settings_.rank = static_cast<int32_t>(rank);
  rank_ = settings_.rank_of(settings_.rank, trains_);
}

void RecordConverter::AddSlice(ThreadState& thread, const ClosedRange& range, RowBatch& out) {
  const ResolvedName& name = *Resolve(range.open.name);
  store::SliceRow& row = out.slices.emplace_back();
  row.ts_ns = range.open.begin_ns;
  row.dur_ns = range.end_ns - range.open.begin_ns;
  row.track = TrackOf(thread);
  row.rank = rank_;
  row.name = name.text;
  row.category = name.category_text;
  row.depth = range.depth;
  row.flow_out = range.open.flow_out;
  row.flow_in = range.open.flow_in;
  row.args = SliceArgs(name, range);
  if (name.category != Category::kCommunication) return;
  if (range.open.a - 1 < kMostBytes) row.bytes = static_cast<int64_t>(range.open.a);  // 0: unknown
  const uint32_t details = wire::CallDetails(range.open.b);
  if (details != 0) SetCall(row, details, static_cast<uint64_t>(wire::CallNumber(range.open.b)));
}

void RecordConverter::AddEvent(const ThreadState& thread, MarkKind kind, const ResolvedName& name,
                               int64_t ts, uint64_t a, uint64_t b, RowBatch& out) {
  if (!IsForDeriver(name)) return;
  analyze::Event& event = out.events.emplace_back();
  event.ts_ns = ts;
  event.pid = settings_.pid;
  event.tid = thread.tid;
  event.kind = kind;
  event.name = name.hook;
  event.text = name.text;
  event.a = name.hook == HookName::kOperator ? uint64_t{name.computes} : a;
  event.b = b;
}

// What lies before this moment in this thread is not all there is.
void RecordConverter::AddLoss(const ThreadState& thread, int64_t ts, RowBatch& out) {
  analyze::Event& event = out.events.emplace_back();
  event.ts_ns = ts;
  event.pid = settings_.pid;
  event.tid = thread.tid;
  event.name = HookName::kRecordsLost;
}

void RecordConverter::OnWindow(const wire::Record& record, const ResolvedName& name, int64_t ts,
                               RowBatch& out) {
  if (name.hook != HookName::kWindowBegin && name.hook != HookName::kWindowEnd) {
    ++invalid_records_;
    return;
  }
  WindowMark mark{.ts_ns = ts, .begins = name.hook == HookName::kWindowBegin, .request = record.a};
  if (mark.begins) {
    mark.kinds = static_cast<uint32_t>(record.b);
    mark.first_step = static_cast<uint32_t>(record.b >> 32);
    devices_on_ = (mark.kinds & static_cast<uint32_t>(wire::CaptureKind::kKernels)) != 0;
  } else {
    mark.steps = static_cast<uint32_t>(record.b);
    mark.end = static_cast<wire::WindowEnd>(record.b >> 32);
  }
  out.windows.push_back(mark);
}

void RecordConverter::OnDeviceDone(const wire::Record& record, int64_t ts, RowBatch& out) {
  WindowMark mark;
  mark.ts_ns = ts;
  mark.request = record.a;
  mark.device_done = true;
  out.windows.push_back(mark);
  devices_on_ = false;
  depths_.clear();
}

void RecordConverter::EndThread(ThreadState& thread, int64_t end_ns, RowBatch& out) {
  for (const ClosedRange& range : thread.stack.CloseAll(end_ns)) {
    AddSlice(thread, range, out);
    AddEvent(thread, MarkKind::kEnd, *Resolve(range.open.name), range.end_ns, 0, 0, out);
  }
}

}  // namespace steptrace::agent
