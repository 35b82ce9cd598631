// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "analyze/trace/marked_steps.h"
#include "analyze/trace/trace.h"
#include "analyze/trace/trace_builder.h"
#include "base/large_memory.h"
#include "base/text_hash.h"

namespace steptrace::analyze {
namespace {

bool IsDevice(EventKind kind) {
  return kind >= EventKind::kKernel;
}

int64_t Or(const std::optional<int64_t>& value) {
  return value.value_or(kNone);
}

void LinkParents(std::vector<TraceEvent>& host) {
  std::vector<int32_t> around;
  for (size_t i = 0; i < host.size(); ++i) {
    TraceEvent& event = host[i];
    while (!around.empty()) {
      const TraceEvent& top = host[static_cast<size_t>(around.back())];
      if (top.lane == event.lane && top.end_ns() > event.ts_ns && top.end_ns() >= event.end_ns()) {
        break;
      }
      if (top.lane == event.lane && top.end_ns() == event.ts_ns && event.dur_ns == 0) break;
      // One that ends later than the top but begins in it belongs to what encloses both.
      around.pop_back();
    }
    if (!around.empty()) event.parent = around.back();
    around.push_back(static_cast<int32_t>(i));
  }
}

// Index of the last step that begins at or before the moment and ends after it. Moments of one
// thread come in order: the step of the one before nearly always answers for the next.
class StepFinder {
 public:
  explicit StepFinder(const std::vector<TraceStep>& steps) : steps_(steps) {}

  int32_t At(int64_t ts_ns) {
    const bool same = before_ns_ <= ts_ns && ts_ns < after_ns_;
    if (!same) Search(ts_ns);
    return ts_ns < end_ns_ ? step_ : kNone;
  }

 private:
  void Search(int64_t ts_ns) {
    auto after =
        std::upper_bound(steps_.begin(), steps_.end(), ts_ns,
                         [](int64_t ts, const TraceStep& step) { return ts < step.ts_ns; });
    after_ns_ = after == steps_.end() ? INT64_MAX : after->ts_ns;
    step_ = static_cast<int32_t>(after - steps_.begin()) - 1;  // kNone before the first
    before_ns_ = step_ == kNone ? INT64_MIN : std::prev(after)->ts_ns;
    end_ns_ = step_ == kNone ? INT64_MIN : std::prev(after)->end_ns();
  }

  const std::vector<TraceStep>& steps_;
  int32_t step_ = kNone;
  int64_t before_ns_ = 0;  // the answer holds from here on, up to after_ns_; nothing yet
  int64_t after_ns_ = 0;
  int64_t end_ns_ = 0;
};

// Of each host event in the place of its launch the nearest operator, itself included. Parents come
// first: nobody climbs, as profiles may nest as deep as they are long.
void NumberOperators(std::vector<TraceEvent>& host) {
  for (size_t i = 0; i < host.size(); ++i) {
    TraceEvent& event = host[i];
    event.launch = event.parent == kNone ? kNone : host[static_cast<size_t>(event.parent)].launch;
    if (event.kind == EventKind::kOperator) event.launch = static_cast<int32_t>(i);
  }
}

// Whether an operator runs on the event's thread when that begins. Some profiles number runtime
// calls by their correlation where others give the operator's id: such a number may be that of an
// operator far away.
bool RunsAround(const TraceEvent& op, const TraceEvent& event) {
  return op.lane == event.lane && op.ts_ns <= event.ts_ns && event.ts_ns <= op.end_ns();
}

}  // namespace

int64_t RankTrace::SequenceOf(int32_t host_event) const {
  const auto found =
      std::lower_bound(sequences.begin(), sequences.end(), host_event,
                       [](const HostNumber& one, int32_t event) { return one.event < event; });
  return found == sequences.end() || found->event != host_event ? kNone : found->number;
}

RankTraceBuilder::RankTraceBuilder(int32_t rank, std::span<const store::TrackRow> tracks,
                                   const store::StringTable& strings)
    : rank_(rank), tracks_(tracks), strings_(strings) {}
RankTraceBuilder::~RankTraceBuilder() = default;

void RankTraceBuilder::Pieces::Add(const TraceEvent& event) {
  // Pieces grow with what is there, up to a few huge pages: threads with a few events stay small.
  constexpr size_t kMostEvents = (size_t{8} << 20) / sizeof(TraceEvent);
  constexpr size_t kFewestEvents = 16;
  if (pieces_.empty() || pieces_.back().size() == pieces_.back().capacity()) {
    ReserveLarge(pieces_.emplace_back(), std::clamp(size_, kFewestEvents, kMostEvents));
  }
  pieces_.back().push_back(event);
  ++size_;
}

void RankTraceBuilder::Pieces::MoveTo(std::vector<TraceEvent>& events, int32_t lane,
                                      bool parents_first) {
  const auto from = static_cast<std::ptrdiff_t>(events.size());
  // Until they are sorted `lane` tells which came first: a sort that keeps that by itself copies
  // half of them.
  int32_t came = 0;
  for (auto& piece : pieces_) {
    for (TraceEvent& event : piece) event.lane = came++;
    events.insert(events.end(), piece.begin(), piece.end());
    piece = std::vector<TraceEvent>();  // {} would keep its memory
  }
  pieces_.clear();
  const auto before = [parents_first](const TraceEvent& a, const TraceEvent& b) {
    if (a.ts_ns != b.ts_ns) return a.ts_ns < b.ts_ns;
    if (parents_first && a.dur_ns != b.dur_ns) return a.dur_ns > b.dur_ns;
    return a.lane < b.lane;
  };
  // Rows come by time: as a rule only parents that begin with their children are out of place.
  for (auto at = events.begin() + from; at != events.end();) {
    auto end = std::next(at);
    while (end != events.end() && end->ts_ns == std::prev(end)->ts_ns) ++end;
    if (end != events.end() && end->ts_ns < at->ts_ns) {
      std::sort(events.begin() + from, events.end(), before);
      break;
    }
    if (!std::is_sorted(at, end, before)) std::sort(at, end, before);
    at = end;
  }
  for (auto event = events.begin() + from; event != events.end(); ++event) event->lane = lane;
}

RankTraceBuilder::Class RankTraceBuilder::Classify(store::StringId category,
                                                   store::StringId name) const {
  const std::string& text = strings_.Text(category);
  Class known;
  known.category = category;
  known.kind = KindOf(text, strings_.Text(name));
  known.role = RoleOf(known.kind, strings_.Text(name));
  known.known = true;
  known.left_out = text == "Trace";
  known.in_collective =
      (known.kind == EventKind::kOperator || known.kind == EventKind::kAnnotation) &&
      IsCollectiveRange(strings_.Text(name));
  known.tells_sequence = IsDevice(known.kind) || strings_.Text(name) == kCommsOperator;
  return known;
}

// Kind and role of each pair of category and name, decided once. Nearly every name has one
// category.
const RankTraceBuilder::Class& RankTraceBuilder::ClassOf(const store::SliceRow& row) {
  const auto name = static_cast<size_t>(row.name);
  if (name >= classes_.size()) classes_.resize(static_cast<size_t>(strings_.size()));
  Class& first = classes_[name];
  if (!first.known) first = Classify(row.category, row.name);
  if (first.category == row.category) return first;
  const uint64_t key = static_cast<uint64_t>(row.category) << 32 | static_cast<uint32_t>(row.name);
  auto [found, added] = other_classes_.try_emplace(key);
  if (added) found->second = Classify(row.category, row.name);
  return found->second;
}

RankTraceBuilder::LaneRows& RankTraceBuilder::LaneOf(int32_t track, bool on_device, int64_t ts_ns) {
  if (last_lane_ == nullptr || last_track_ != track) {
    LaneRows*& lane = lane_of_[track];
    if (lane == nullptr) {
      lanes_.push_back(std::make_unique<LaneRows>());
      lane = lanes_.back().get();
      lane->track = track;
      lane->on_device = on_device;
      lane->first_ns = ts_ns;
      lane->first_row = added_;
    }
    last_track_ = track;
    last_lane_ = lane;
  }
  if (ts_ns < last_lane_->first_ns) {
    last_lane_->first_ns = ts_ns;
    last_lane_->first_row = added_;
    last_lane_->on_device = on_device;
  }
  return *last_lane_;
}

TraceEvent RankTraceBuilder::EventOf(const store::SliceRow& row, const Class& of) {
  TraceEvent event;
  event.ts_ns = row.ts_ns;
  event.dur_ns = std::max<int64_t>(0, row.dur_ns);
  event.name = row.name;
  event.details = row.details;
  event.kind = of.kind;
  event.role = of.role;
  event.in_collective = of.in_collective;
  event.launch = Held(Or(row.correlation));
  event.op = Held(Or(row.external_id));
  const bool bytes = IsDevice(of.kind) && row.bytes;
  const bool sequence = of.tells_sequence && row.sequence;
  if (bytes || sequence || row.flow_out || row.flow_in) {
    event.step = static_cast<int32_t>(numbers_.size());
    numbers_.push_back({{sequence ? *row.sequence : kNone, bytes ? *row.bytes : kNone},
                        Or(row.flow_out),
                        Or(row.flow_in)});
  }
  return event;
}

// As a rule of the category of the row before.
void RankTraceBuilder::CountRow(store::StringId category) {
  if (last_count_ == nullptr || category != last_category_) {
    last_count_ = &rows_by_category_[category];
    last_category_ = category;
  }
  ++*last_count_;
}

void RankTraceBuilder::Add(std::span<const store::SliceRow> slices) {
  for (const store::SliceRow& row : slices) {
    ++added_;
    CountRow(row.category);
    const Class& of = ClassOf(row);
    if (of.left_out) continue;
    const bool on_device = IsDevice(of.kind);
    LaneRows& lane = LaneOf(row.track, on_device, row.ts_ns);
    (on_device ? lane.device : lane.host).Add(EventOf(row, of));
  }
}

void RankTraceBuilder::MakeLanes(RankTrace& trace) const {
  std::unordered_map<int32_t, const store::TrackRow*> track_of;  // of one number the first counts
  for (const store::TrackRow& track : tracks_) track_of.emplace(track.track, &track);
  for (const auto& rows : lanes_) {
    TraceLane& lane = trace.lanes.emplace_back();
    lane.track = rows->track;
    lane.on_device = rows->on_device;
    auto found = track_of.find(rows->track);
    if (found == track_of.end()) continue;
    const store::TrackRow& row = *found->second;
    lane.pid = Or(row.pid);
    lane.tid = Or(row.tid);
    lane.device = row.device.value_or(kNone);
    lane.stream = Or(row.stream);
    lane.name = row.name;
    trace.node = row.node;
  }
}

// Of all lanes, by begin, then lane: runs that are in order each are merged two by two.
void RankTraceBuilder::MoveDevice(std::vector<TraceEvent>& device) {
  std::vector<std::vector<TraceEvent>> runs;
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane]->device.size() == 0) continue;
    ReserveLarge(runs.emplace_back(), lanes_[lane]->device.size());
    lanes_[lane]->device.MoveTo(runs.back(), static_cast<int32_t>(lane), false);
  }
  const auto before = [](const TraceEvent& a, const TraceEvent& b) {
    return std::tie(a.ts_ns, a.lane) < std::tie(b.ts_ns, b.lane);
  };
  while (runs.size() > 1) {
    std::vector<std::vector<TraceEvent>> merged;
    for (size_t i = 0; i + 1 < runs.size(); i += 2) {
      auto& both = merged.emplace_back();
      ReserveLarge(both, runs[i].size() + runs[i + 1].size());
      std::merge(runs[i].begin(), runs[i].end(), runs[i + 1].begin(), runs[i + 1].end(),
                 std::back_inserter(both), before);
      runs[i] = std::vector<TraceEvent>();
      runs[i + 1] = std::vector<TraceEvent>();
    }
    if (runs.size() % 2 == 1) merged.push_back(std::move(runs.back()));
    runs = std::move(merged);
  }
  if (!runs.empty()) device = std::move(runs.front());
}

// An id in half its size: nearly all are small.
int32_t RankTraceBuilder::Held(int64_t id) {
  if (id >= kNone && id <= INT32_MAX) return static_cast<int32_t>(id);
  great_ids_.push_back(id);
  return kNone - static_cast<int32_t>(great_ids_.size());
}

int64_t RankTraceBuilder::IdOf(int32_t held) const {
  return held >= kNone ? held : great_ids_[static_cast<size_t>(kNone - held) - 1];
}

// Moves what few rows tell to where the events stand now.
void RankTraceBuilder::TakeNumbers(RankTrace& trace) const {
  for (size_t i = 0; i < trace.host.size(); ++i) {
    if (trace.host[i].step == kNone) continue;
    const Numbers& reported = numbers_[static_cast<size_t>(trace.host[i].step)];
    const auto event = static_cast<int32_t>(i);
    const int64_t sequence = reported.of_device.sequence;
    if (sequence != kNone) trace.sequences.push_back({event, sequence});
    if (reported.flow_out != kNone) trace.flows_out.push_back({event, reported.flow_out});
    if (reported.flow_in != kNone) trace.flows_in.push_back({event, reported.flow_in});
  }
  for (TraceEvent& event : trace.device) {
    if (event.step == kNone) continue;
    event.numbers = static_cast<int32_t>(trace.numbers.size());
    trace.numbers.push_back(numbers_[static_cast<size_t>(event.step)].of_device);
  }
}

// Runtime calls by correlation, operators and annotations by external id.
struct RankTraceBuilder::HostIds {
  IdIndex launches;
  IdIndex operators;
  SeededSet<int64_t> collectives;  // external ids of ranges around collectives
  std::vector<Handover> handovers;
};

RankTraceBuilder::HostIds RankTraceBuilder::IndexHost(const std::vector<TraceEvent>& host) const {
  const auto is_range = [](const TraceEvent& event) {
    return event.kind == EventKind::kOperator || event.kind == EventKind::kAnnotation;
  };
  size_t launches = 0;
  size_t operators = 0;
  for (const TraceEvent& event : host) {
    launches += event.kind == EventKind::kRuntime ? 1 : 0;
    operators += is_range(event) ? 1 : 0;
  }
  HostIds ids;
  ids.launches.Reserve(launches);
  for (size_t i = 0; i < host.size(); ++i) {
    if (host[i].kind != EventKind::kRuntime) continue;
    ids.launches.Add(IdOf(host[i].launch), host[i].ts_ns, static_cast<int32_t>(i));
  }
  ids.launches.Finish();
  ids.operators.Reserve(operators);
  for (size_t i = 0; i < host.size(); ++i) {
    if (!is_range(host[i])) continue;
    const int64_t external_id = IdOf(host[i].op);
    ids.operators.Add(external_id, host[i].ts_ns, static_cast<int32_t>(i));
    if (host[i].in_collective && external_id != kNone) ids.collectives.insert(external_id);
  }
  ids.operators.Finish();
  ids.handovers = FindHandovers(host);
  return ids;
}

// By correlation; of one the first by time leaves what the others take up.
std::vector<RankTraceBuilder::Handover> RankTraceBuilder::FindHandovers(
    const std::vector<TraceEvent>& host) const {
  IdIndex left;
  for (size_t i = 0; i < host.size(); ++i) {
    if (host[i].kind != EventKind::kHandover) continue;
    left.Add(IdOf(host[i].launch), host[i].ts_ns, static_cast<int32_t>(i));
  }
  left.Finish();
  std::vector<Handover> handovers;
  for (size_t i = 0; i < host.size(); ++i) {
    if (host[i].kind != EventKind::kHandover) continue;
    const int32_t first = left.Find(IdOf(host[i].launch));
    const auto taken = static_cast<int32_t>(i);
    if (first != kNone && first != taken) handovers.push_back({first, taken});
  }
  return handovers;
}

// What a thread launches for another is of the operator that left it to it.
void RankTraceBuilder::NumberHandedOver(std::vector<TraceEvent>& host,
                                        const std::vector<Handover>& handovers) {
  if (handovers.empty()) return;
  for (const Handover& handover : handovers) {
    TraceEvent& taken = host[static_cast<size_t>(handover.taken)];
    const int32_t op = host[static_cast<size_t>(handover.left)].launch;
    if (taken.launch == kNone) taken.launch = op;
  }
  for (TraceEvent& event : host) {
    if (event.launch != kNone || event.parent == kNone) continue;
    event.launch = host[static_cast<size_t>(event.parent)].launch;
  }
}

// The profiler's own link first; nesting where it gives none.
void RankTraceBuilder::LinkHost(RankTrace& trace, const HostIds& ids) const {
  StepFinder steps(trace.steps);
  NumberOperators(trace.host);
  NumberHandedOver(trace.host, ids.handovers);
  for (TraceEvent& event : trace.host) {
    event.step = steps.At(event.ts_ns);
    event.op = event.kind == EventKind::kRuntime ? ids.operators.Find(IdOf(event.op)) : kNone;
    if (event.kind != EventKind::kRuntime) continue;
    if (event.op == kNone || !RunsAround(trace.host[static_cast<size_t>(event.op)], event)) {
      event.op = event.launch;  // a call is no operator itself
    }
  }
  for (TraceEvent& event : trace.host) event.launch = kNone;
}

void RankTraceBuilder::LinkDevice(RankTrace& trace, const HostIds& ids) const {
  StepFinder steps(trace.steps);
  for (TraceEvent& event : trace.device) {
    const int64_t external_id = IdOf(event.op);
    event.op = kNone;
    event.in_collective = external_id != kNone && ids.collectives.contains(external_id);
    event.launch = ids.launches.Find(IdOf(event.launch));
    if (event.launch != kNone) {
      event.op = trace.host[static_cast<size_t>(event.launch)].op;
      event.step = trace.host[static_cast<size_t>(event.launch)].step;
    } else {
      event.step = steps.At(event.ts_ns);
    }
    if (event.op != kNone) continue;
    const int32_t named = ids.operators.Find(external_id);
    if (named != kNone &&
        (event.launch == kNone || RunsAround(trace.host[static_cast<size_t>(named)],
                                             trace.host[static_cast<size_t>(event.launch)]))) {
      event.op = named;
    }
  }
}

RankTrace RankTraceBuilder::Build(std::vector<store::MemoryRow> memory, LaneOrder order) {
  if (order == LaneOrder::kByTime) {
    std::sort(lanes_.begin(), lanes_.end(), [](const auto& a, const auto& b) {
      return std::tie(a->first_ns, a->first_row) < std::tie(b->first_ns, b->first_row);
    });
  }
  RankTrace trace;
  trace.rank = rank_;
  trace.rows_by_category = std::move(rows_by_category_);
  MakeLanes(trace);
  size_t host = 0;
  for (const auto& lane : lanes_) host += lane->host.size();
  ReserveLarge(trace.host, host);
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    lanes_[lane]->host.MoveTo(trace.host, static_cast<int32_t>(lane), true);
  }
  MoveDevice(trace.device);
  lanes_.clear();
  LinkParents(trace.host);
  MarkedSteps marked = StepsOf(trace.host, strings_);
  trace.steps = std::move(marked.steps);
  trace.nested_marks = marked.nested;
  TakeNumbers(trace);
  const HostIds ids = IndexHost(trace.host);
  LinkHost(trace, ids);
  LinkDevice(trace, ids);
  trace.launches = ids.launches;  // a copy is no larger than what it holds
  great_ids_ = std::vector<int64_t>();
  numbers_ = std::vector<Numbers>();
  trace.memory = std::move(memory);
  for (store::MemoryRow& row : trace.memory) {  // of a damaged run: its negative is a number, too
    row.bytes = std::max(row.bytes, -std::numeric_limits<int64_t>::max());
  }
  const auto earlier = [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; };
  if (!std::is_sorted(trace.memory.begin(), trace.memory.end(), earlier)) {
    std::stable_sort(trace.memory.begin(), trace.memory.end(), earlier);
  }
  return trace;
}

RankTrace BuildRankTrace(int32_t rank, std::span<const store::SliceRow> slices,
                         std::span<const store::TrackRow> tracks,
                         std::span<const store::MemoryRow> memory,
                         const store::StringTable& strings) {
  RankTraceBuilder builder(rank, tracks, strings);
  builder.Add(slices);
  return builder.Build({memory.begin(), memory.end()}, LaneOrder::kAsGiven);
}

}  // namespace steptrace::analyze
