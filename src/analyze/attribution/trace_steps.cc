// SPDX-License-Identifier: Apache-2.0
#include "analyze/attribution/trace_steps.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyze/attribution/device_sweep.h"
#include "analyze/attribution/host_phases.h"
#include "analyze/attribution/python_work.h"
#include "analyze/attribution/trace_rank_steps.h"
#include "analyze/attribution/unrecorded_work.h"
#include "analyze/device/device_section.h"
#include "analyze/trace/host_activity.h"
#include "analyze/trace/intervals.h"
#include "analyze/trace/window_pieces.h"
#include "store/stored_words.h"

namespace steptrace::analyze {
namespace {

// When threads beside the one that trains were in a collective: gloo has threads of its own for
// them, and the training thread awaits these without an event.
Intervals ConcurrentCollectives(const RankTrace& trace, int32_t training,
                                const store::StringTable& strings) {
  std::unordered_map<store::StringId, bool> by_name;
  std::vector<TimeRange> found;
  for (const TraceEvent& event : trace.host) {
    if (event.lane == training || event.kind != EventKind::kAnnotation) continue;
    const auto [known, is_new] = by_name.try_emplace(event.name, false);
    if (is_new) {
      known->second =
          DoingOf(event.kind, strings.Text(event.name)) == HostActivityKind::kCollective;
    }
    if (known->second) found.push_back({event.ts_ns, event.end_ns()});
  }
  return Union(std::move(found));
}

// When threads beside the one that trains ran operations of XLA or TensorFlow, which have threads
// of their own for them on a CPU: the training thread awaits these without an event, or in one that
// waits.
Intervals ConcurrentOperations(const RankTrace& trace, int32_t training,
                               const store::StringTable& strings) {
  const auto has = [&](std::string_view category) {
    store::StringId id{};
    return strings.Find(category, &id) && trace.rows_by_category.contains(id);
  };
  if (!has("hlo_op") && !has("tf_op")) return {};
  std::vector<TimeRange> found;
  for (const TraceEvent& event : trace.host) {
    if (event.lane == training || event.kind != EventKind::kOperator) continue;
    found.push_back({event.ts_ns, event.end_ns()});
  }
  return Union(std::move(found));
}

// Puts the host's time into stages; without a device the model's into the phase that it lies in.
class HostStages {
 public:
  // table: null: what Python functions tell is left out.
  HostStages(const RankTrace& trace, const store::StringTable& strings, bool has_device,
             std::span<const PhaseRange> phases, const StageTable* table = nullptr)
      : trace_(trace),
        strings_(strings),
        training_(TrainingLane(trace)),
        collectives_(ConcurrentCollectives(trace, training_, strings)),
        operations_(has_device ? Intervals() : ConcurrentOperations(trace, training_, strings)),
        phases_(phases),
        operator_stage_(has_device ? SubStage::kDispatch : SubStage::kForward),
        call_stage_(has_device ? SubStage::kLaunch : SubStage::kForward),
        holds_operators_(HoldsOperators(trace)) {
    if (table != nullptr && training_ != kNone) {
      python_.emplace(trace, training_, strings, *table, !has_device);
    }
  }

  // By the training thread; where it does nothing of its own, by the thread that launched what came
  // next: autograd's, while the training thread waits in backward().
  void Add(const TimeRange& time, int32_t launching_lane, TraceStepTimes& step) {
    if (time.length_ns() <= 0) return;
    Walk(training_, time, step, [&](const TimeRange& unnamed) {
      if (launching_lane == kNone || launching_lane == training_) {
        AddUnnamed(kNone, unnamed, step);
        return;
      }
      Walk(launching_lane, unnamed, step,
           [&](const TimeRange& neither) { AddUnnamed(launching_lane, neither, step); });
    });
  }
  // Of how many steps the functions are told of what is added from now on.
  void SetFunctionSteps(int64_t steps) { reported_ = steps; }
  // Of all that was added while they were told.
  FunctionTimes TakeFunctions() const { return python_ ? python_->Take() : FunctionTimes(); }
  int32_t training_lane() const { return training_; }
  const HostActivity& Lane(int32_t lane) { return DoingOn(lane).activity; }

 private:
  struct LaneDoing {
    HostActivity activity;
    // The time ranges without a name that were looked at last, and that lie between two with one.
    size_t unnamed_begin = 1;
    size_t unnamed_end = 0;
  };
  LaneDoing& DoingOn(int32_t lane) {
    auto [found, added] = lanes_.try_emplace(lane);
    if (added && lane != kNone) found->second.activity = ActivityOf(trace_, lane, strings_);
    return found->second;
  }
  // Of many pauses that lie in them, only the first looks for their ends.
  static void FindUnnamed(size_t at, LaneDoing& lane) {
    if (lane.unnamed_begin <= at && at <= lane.unnamed_end) return;
    lane.unnamed_begin = lane.unnamed_end = at;
    const HostActivity& doing = lane.activity;
    const auto is_unnamed = [&doing](size_t i) { return IsUnnamed(doing[i].doing); };
    while (lane.unnamed_begin > 0 && is_unnamed(lane.unnamed_begin - 1)) --lane.unnamed_begin;
    while (lane.unnamed_end < doing.size() && is_unnamed(lane.unnamed_end)) ++lane.unnamed_end;
  }
  static bool IsUnnamed(HostActivityKind doing) {
    return doing == HostActivityKind::kNothing || doing == HostActivityKind::kBetween;
  }
  SubStage StageOf(HostActivityKind doing) const {
    switch (doing) {
      case HostActivityKind::kOperator:
        return operator_stage_;
      case HostActivityKind::kLaunch:
        return call_stage_;
      case HostActivityKind::kSynchronise:
        return SubStage::kSynchronisation;
      case HostActivityKind::kCollective:
        return SubStage::kExposed;
      case HostActivityKind::kData:
        return SubStage::kGetitem;
      case HostActivityKind::kCollection:
        return SubStage::kGarbageCollection;
      case HostActivityKind::kCompilation:
        return SubStage::kRecompilation;
      case HostActivityKind::kCheckpoint:
        return SubStage::kCheckpoint;
      case HostActivityKind::kEvaluation:
        return SubStage::kEvaluation;
      case HostActivityKind::kLogging:
        return SubStage::kLogging;
      case HostActivityKind::kNothing:
      case HostActivityKind::kBetween:
        break;
    }
    return SubStage::kUnknown;
  }
  void AddNamed(SubStage stage, const TimeRange& time, TraceStepTimes& step) const {
    int64_t left_ns = time.length_ns();
    if (stage == SubStage::kForward) {
      for (const PhaseRange& phase : phases_) {
        const int64_t ns = LengthWithin(phase.time, time);
        At(step.stages, phase.stage) += ns;
        left_ns -= ns;
      }
    }
    At(step.stages, stage) += left_ns;
  }
  void AddDoing(HostActivityKind doing, const TimeRange& time, TraceStepTimes& step) const {
    if (doing != HostActivityKind::kSynchronise) {
      AddNamed(StageOf(doing), time, step);
      return;
    }
    for (const TimeRange& rest : WithoutOperations(time, step)) {
      AddNamed(SubStage::kSynchronisation, rest, step);
    }
  }
  // What of it is left but for what other threads computed meanwhile, which is the model's.
  Intervals WithoutOperations(const TimeRange& time, TraceStepTimes& step) const {
    const Intervals operations = Within(operations_, time);
    for (const TimeRange& one : operations) AddNamed(SubStage::kForward, one, step);
    return Difference({time}, operations);
  }
  // Adds the named parts of a lane's time, and hands on each range that has no name.
  template <class Unnamed>
  void Walk(int32_t lane, const TimeRange& time, TraceStepTimes& step, Unnamed unnamed) {
    const HostActivity& doing = Lane(lane);
    int64_t open = time.begin_ns;  // from here on nothing was named
    for (size_t i = doing.FirstAfter(open); i < doing.size(); ++i) {
      const HostTimeRange one = doing[i];
      if (one.time.begin_ns >= time.end_ns) break;
      if (IsUnnamed(one.doing)) continue;
      const TimeRange named = Clip(one.time, time);
      if (named.begin_ns > open) unnamed(TimeRange{open, named.begin_ns});
      AddDoing(one.doing, named, step);
      if (lane == training_ && one.doing == HostActivityKind::kData && reported_ > 0 && python_) {
        StageTimes moved{};
        python_->Share(named, SubStage::kGetitem, reported_, moved);
        AddTo(step.by_functions, moved);
        AddTo(step.of_dataset, moved);
      }
      open = named.end_ns;
    }
    if (open < time.end_ns) unnamed(TimeRange{open, time.end_ns});
  }
  // Time between named time ranges: how far apart they are decides, not what of it the device was
  // idle. From one thread to the other, as at the begin of backward, counts as well.
  void AddUnnamed(int32_t launching_lane, const TimeRange& time, TraceStepTimes& step) {
    int64_t before = std::numeric_limits<int64_t>::min();
    int64_t after = std::numeric_limits<int64_t>::max();
    for (int32_t lane : {training_, launching_lane}) {
      LaneDoing& of_lane = DoingOn(lane);
      const HostActivity& doing = of_lane.activity;
      FindUnnamed(doing.FirstAfter(time.begin_ns), of_lane);
      const size_t last = of_lane.unnamed_begin;
      const size_t next = of_lane.unnamed_end;
      if (last > 0) before = std::max(before, doing[last - 1].time.end_ns);
      if (next < doing.size()) after = std::min(after, doing[next].time.begin_ns);
    }
    const bool bounded = before <= time.begin_ns && after != std::numeric_limits<int64_t>::max() &&
                         before != std::numeric_limits<int64_t>::min();
    if (holds_operators_ && bounded && after - before <= kBetweenOperatorsNs) {
      At(step.stages, SubStage::kDispatch) += time.length_ns();
      return;
    }
    for (const TimeRange& left : Difference({time}, Awaiting(time, step))) {
      for (const TimeRange& rest : WithoutOperations(left, step)) AddUnknown(rest, step);
    }
  }
  void AddUnknown(const TimeRange& time, TraceStepTimes& step) {
    At(step.stages, SubStage::kUnknown) += time.length_ns();
    if (reported_ > 0 && python_) {
      python_->Share(time, SubStage::kUnknown, reported_, step.by_functions);
    }
  }
  // What of time without a name the thread awaits the collectives of others.
  Intervals Awaiting(const TimeRange& time, TraceStepTimes& step) const {
    Intervals awaiting = Within(collectives_, time);
    if (python_ && !awaiting.empty())
      awaiting = Intersection(awaiting, python_->MayAwaitRanks(time));
    for (const TimeRange& one : awaiting) step.awaiting_ns += one.length_ns();
    At(step.stages, SubStage::kExposed) += LengthWithin(awaiting, time);
    return awaiting;
  }

  const RankTrace& trace_;
  const store::StringTable& strings_;
  int32_t training_;
  Intervals collectives_;
  Intervals operations_;
  std::span<const PhaseRange> phases_;
  SubStage operator_stage_;
  SubStage call_stage_;
  bool holds_operators_;  // else the host's way between its calls may be anything
  std::unordered_map<int32_t, LaneDoing> lanes_;
  std::optional<PythonWork> python_;  // of the training thread
  int64_t reported_ = 1;
};

// Puts the part of the device's idle time that lies in the window down to its cause. `unrecorded`:
// when nobody knows whether it was idle.
void AddPause(const RankTrace& trace, const DevicePiece& pause, const TimeRange& window,
              const TimeRange& unrecorded, HostStages& host, TraceStepTimes& step) {
  if (pause.ended_by == nullptr || pause.ended_by->launch == kNone) {
    host.Add(Clip(pause.time, window), kNone, step);
    return;
  }
  // Until the call that launched what comes next has returned the host was not ready; from then on
  // the device had work and did not begin it.
  const TraceEvent& launch = trace.host[static_cast<size_t>(pause.ended_by->launch)];
  const int64_t launched = LaunchedNs(trace, pause);
  host.Add(Clip({pause.time.begin_ns, launched}, window), launch.lane, step);
  const bool short_wait = pause.time.end_ns - launched < kKernelWaitNs;
  const bool is_unrecorded = unrecorded.length_ns() > 0 && pause.time.end_ns == unrecorded.end_ns;
  const SubStage long_wait = is_unrecorded ? SubStage::kUnknown : SubStage::kSynchronisation;
  At(step.stages, short_wait ? SubStage::kLaunch : long_wait) +=
      std::max<int64_t>(0, Clip({launched, pause.time.end_ns}, window).length_ns());
}

void AddPiece(const RankTrace& trace, const DevicePiece& piece, const TimeRange& window,
              const TimeRange& unrecorded, HostStages& host, TraceStepTimes& step) {
  StageTimes& stages = step.stages;
  const int64_t ns = Clip(piece.time, window).length_ns();
  if (ns <= 0) return;
  switch (piece.doing) {
    case DeviceActivityKind::kCompute:
      At(stages, SubStage::kCompute) += ns;
      return;
    case DeviceActivityKind::kCommunication:
      At(stages, SubStage::kExposed) += ns;
      return;
    case DeviceActivityKind::kToDevice:
      At(stages, SubStage::kHostToDevice) += ns;
      return;
    case DeviceActivityKind::kCopy:
      At(stages, SubStage::kDeviceCopy) += ns;
      return;
    case DeviceActivityKind::kIdle:
      AddPause(trace, piece, window, unrecorded, host, step);
      return;
  }
}

void SetCauses(const StageTimes& stages, store::StepRow& row) {
  const SuspectTimes causes = BySuspect(stages);
  row.data_pipeline_ns = At(causes, SuspectId::kDataPipeline);
  row.model_ns = At(causes, SuspectId::kModel);
  row.communication_ns = At(causes, SuspectId::kCommunication);
  row.framework_overhead_ns = At(causes, SuspectId::kFrameworkOverhead);
  row.other_ns = At(causes, SuspectId::kOtherWork) + At(causes, SuspectId::kUnattributed);
  row.getitem_ns = At(stages, SubStage::kGetitem);
  row.receive_ns = At(stages, SubStage::kHostToDevice);  // the last of the batch's way
}

// Goes over the device's work once, in the order of the time ranges that are asked for.
class DevicePieces {
 public:
  explicit DevicePieces(const DeviceSweep& sweep)
      : sweep_(sweep), piece_{{sweep.at_ns(), sweep.at_ns()}} {}

  template <class Add>
  void EachWithin(const TimeRange& time, Add add) {
    for (;;) {
      if (piece_.time.end_ns > time.begin_ns) add(piece_);
      if (piece_.time.end_ns >= time.end_ns || sweep_.done()) return;
      piece_ = sweep_.Next();
    }
  }

 private:
  DeviceSweep sweep_;
  DevicePiece piece_;  // the last one
};

void AddTimes(const TraceStepTimes& sums, int64_t times, TraceStepTimes& step) {
  for (auto of :
       {&TraceStepTimes::stages, &TraceStepTimes::by_functions, &TraceStepTimes::of_dataset}) {
    for (size_t i = 0; i < kSubStageCount; ++i) (step.*of)[i] += times * (sums.*of)[i];
  }
  step.awaiting_ns += times * sums.awaiting_ns;
}

// Where marks of hostile profiles overlap, time counts in each of them. Functions are told of steps
// from `first_reported` on.
std::vector<TraceStepTimes> Attribute(const RankTrace& trace, const store::StringTable& strings,
                                      const std::vector<DeviceStep>& steps, HostStages& host,
                                      size_t first_reported = 0) {
  std::vector<TraceStepTimes> result;
  std::vector<TimeRange> windows;
  TimeRange all = {steps.front().ts_ns, steps.front().end_ns()};
  for (const DeviceStep& step : steps) {
    windows.push_back({step.ts_ns, step.end_ns()});
    all.end_ns = std::max(all.end_ns, step.end_ns());
    result.push_back({step, {}, 0, {}});
  }
  DevicePieces pieces(DeviceSweep(trace, strings, all));
  const TimeRange unrecorded = UnrecordedWork(trace, strings);
  TraceStepTimes sums;   // up to a moment
  int64_t reported = 0;  // of the steps that it is in
  GoOverWindows(
      windows,
      [&](size_t i) {
        AddTimes(sums, -1, result[i]);
        reported += i >= first_reported;
      },
      [&](const TimeRange& time) {
        host.SetFunctionSteps(reported);
        pieces.EachWithin(time, [&](const DevicePiece& piece) {
          AddPiece(trace, piece, time, unrecorded, host, sums);
        });
      },
      [&](size_t i) {
        AddTimes(sums, 1, result[i]);
        reported -= i >= first_reported;
      });
  for (size_t i = 0; i < std::min(first_reported, result.size()); ++i) {
    result[i].by_functions = result[i].of_dataset = {};
  }
  return result;
}

bool HasDeviceWork(const RankTrace& trace) {
  return std::any_of(trace.device.begin(), trace.device.end(), [](const TraceEvent& event) {
    return IsDeviceWork(event) && event.end_ns() > event.ts_ns;
  });
}

void SetAwaiting(int64_t awaiting_ns, store::StepRow& row) {
  // In phases that show nothing, then in a range alone
  for (auto phase : {&store::StepRow::other_phase_ns, &store::StepRow::forward_ns}) {
    const int64_t ns = std::clamp<int64_t>(awaiting_ns, 0, row.*phase);
    row.*phase -= ns;
    row.communication_phase_ns += ns;
    awaiting_ns -= ns;
  }
}

std::vector<store::StepRow> RowsOf(const RankTrace& trace, const std::vector<TraceStepTimes>& steps,
                                   const HostActivity& lane,
                                   const std::vector<PhaseRange>& ranges) {
  std::vector<store::StepRow> rows;
  for (const TraceStepTimes& one : steps) {
    if (one.step.dur_ns <= 0) continue;
    store::StepRow& row = rows.emplace_back();
    row.node = trace.node;
    row.rank = trace.rank;
    row.step = one.step.number;
    row.ts_ns = one.step.ts_ns;
    row.dur_ns = one.step.dur_ns;
    SetCauses(one.stages, row);
  }
  AddHostPhases(lane, ranges, rows);
  auto of = steps.begin();
  for (store::StepRow& row : rows) {
    while (of->step.dur_ns <= 0) ++of;
    SetAwaiting(of++->awaiting_ns, row);
    row.batches = row.data_ns > 0 ? 1 : 0;
    row.backwards = row.backward_ns > 0 ? 1 : 0;
    row.optimizer_steps = row.optimizer_ns > 0 ? 1 : 0;
  }
  return rows;
}

}  // namespace

std::vector<TraceStepTimes> AttributeTraceSteps(const RankTrace& trace,
                                                const store::StringTable& strings) {
  return FindRankSteps(trace, strings).attributed;
}

std::vector<TraceStepTimes> AttributeHostSteps(const RankTrace& trace,
                                               const store::StringTable& strings) {
  std::vector<DeviceStep> steps;
  for (size_t i = 0; i < trace.steps.size(); ++i) {
    const TraceStep& step = trace.steps[i];
    steps.push_back({step.number, step.ts_ns, step.dur_ns, static_cast<int32_t>(i), 0});
  }
  if (steps.empty()) return {};
  const auto phases = PhasesOf(trace, strings);
  HostStages host(trace, strings, HasDeviceWork(trace), phases);
  return Attribute(trace, strings, steps, host);
}

namespace {

// Which of the steps is the first of the last so many that last.
size_t FirstOfLast(const std::vector<DeviceStep>& steps, std::optional<int64_t> last) {
  if (!last || *last <= 0) return 0;
  size_t first = steps.size();
  for (int64_t left = *last; first > 0 && left > 0; --first) left -= steps[first - 1].dur_ns > 0;
  return first;
}

}  // namespace

TraceRankSteps FindRankSteps(const RankTrace& trace, const store::StringTable& strings,
                             const StageTable* table, std::optional<int64_t> last_steps) {
  TraceRankSteps found;
  const std::vector<DeviceStep> steps = FindDeviceSteps(trace).steps;
  if (steps.empty()) return found;
  const auto ranges = PhasesOf(trace, strings);
  HostStages host(trace, strings, HasDeviceWork(trace), ranges, table);
  found.attributed = Attribute(trace, strings, steps, host, FirstOfLast(steps, last_steps));
  found.functions = host.TakeFunctions();
  found.rows = RowsOf(trace, found.attributed, host.Lane(host.training_lane()), ranges);
  return found;
}

std::vector<store::StepRow> DeriveTraceSteps(const RankTrace& trace, store::StringTable& strings) {
  std::vector<store::StepRow> rows = FindRankSteps(trace, strings).rows;
  for (store::StepRow& row : rows)
    row.kind = strings.Intern(store::NameOf(store::StepKind::kTrain));
  return rows;
}

ProfiledSteps AttributeProfile(const Trace& trace) {
  ProfiledSteps steps;
  for (const RankTrace& rank : trace.ranks) {
    for (const TraceStepTimes& one : AttributeTraceSteps(rank, *trace.strings)) {
      steps[{rank.rank, one.step.ts_ns}] = one.stages;
    }
  }
  return steps;
}

}  // namespace steptrace::analyze
