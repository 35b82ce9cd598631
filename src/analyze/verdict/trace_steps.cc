// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/trace_steps.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyze/device/device_section.h"
#include "analyze/trace/intervals.h"
#include "analyze/verdict/device_sweep.h"
#include "analyze/verdict/host_activity.h"
#include "analyze/verdict/python_work.h"
#include "analyze/verdict/rank_steps.h"

namespace steptrace::analyze {
namespace {

Stretch Clip(const Stretch& time, const Stretch& window) {
  return {std::max(time.begin_ns, window.begin_ns), std::min(time.end_ns, window.end_ns)};
}

struct PhaseRange {
  int64_t store::StepRow::*phase;
  SubStage stage;
  Intervals time;
};

// The training thread's phases, each without those before it. Of backward the thread itself may
// show nothing: autograd's threads do.
std::vector<PhaseRange> PhasesOf(const RankTrace& trace, const store::StringTable& strings) {
  std::unordered_map<store::StringId, int64_t store::StepRow::*> by_name;
  std::vector<Stretch> optimizer, backward;
  for (const TraceEvent& event : trace.host) {
    if (event.kind != EventKind::kOperator && event.kind != EventKind::kAnnotation) continue;
    auto [found, added] = by_name.try_emplace(event.name, nullptr);
    if (added) {
      const std::string_view name = strings.Text(event.name);
      if (name.starts_with("Optimizer.")) found->second = &store::StepRow::optimizer_ns;
      if (name.starts_with("autograd::engine::evaluate_function")) {
        found->second = &store::StepRow::backward_ns;
      }
    }
    if (found->second == &store::StepRow::optimizer_ns) {
      optimizer.push_back({event.ts_ns, event.end_ns()});
    } else if (found->second == &store::StepRow::backward_ns) {
      backward.push_back({event.ts_ns, event.end_ns()});
    }
  }
  const Intervals optimizers = Union(std::move(optimizer));
  const Intervals backwards = Difference(Union(std::move(backward)), optimizers);
  return {{&store::StepRow::optimizer_ns, SubStage::kOptimizer, optimizers},
          {&store::StepRow::backward_ns, SubStage::kBackward, backwards}};
}

// When threads beside the one that trains were in a collective: gloo has threads of its own for
// them, and the training thread awaits these without an event.
Intervals CollectivesBeside(const RankTrace& trace, int32_t training,
                            const store::StringTable& strings) {
  std::unordered_map<store::StringId, bool> by_name;
  std::vector<Stretch> found;
  for (const TraceEvent& event : trace.host) {
    if (event.lane == training || event.kind != EventKind::kAnnotation) continue;
    const auto [known, is_new] = by_name.try_emplace(event.name, false);
    if (is_new) {
      known->second = DoingOf(event.kind, strings.Text(event.name)) == HostDoing::kCollective;
    }
    if (known->second) found.push_back({event.ts_ns, event.end_ns()});
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
        collectives_(CollectivesBeside(trace, training_, strings)),
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
  void Add(const Stretch& time, int32_t launching_lane, TraceStepTimes& step) {
    if (time.length_ns() <= 0) return;
    Walk(training_, time, step, [&](const Stretch& unnamed) {
      if (launching_lane == kNone || launching_lane == training_) {
        AddUnnamed(kNone, unnamed, step);
        return;
      }
      Walk(launching_lane, unnamed, step,
           [&](const Stretch& neither) { AddUnnamed(launching_lane, neither, step); });
    });
  }
  // Whether functions are told of what is added from now on.
  void TellFunctions(bool on) { tells_ = on; }
  // Of all that was added while they were told.
  FunctionTimes TakeFunctions() const { return python_ ? python_->Take() : FunctionTimes(); }
  int32_t training_lane() const { return training_; }
  const HostActivity& Lane(int32_t lane) {
    auto [found, added] = lanes_.try_emplace(lane);
    if (added && lane != kNone) found->second = ActivityOf(trace_, lane, strings_);
    return found->second;
  }

 private:
  static bool IsUnnamed(HostDoing doing) {
    return doing == HostDoing::kNothing || doing == HostDoing::kBetween;
  }
  SubStage StageOf(HostDoing doing) const {
    switch (doing) {
      case HostDoing::kOperator:
        return operator_stage_;
      case HostDoing::kLaunch:
        return call_stage_;
      case HostDoing::kSynchronise:
        return SubStage::kSynchronisation;
      case HostDoing::kCollective:
        return SubStage::kExposed;
      case HostDoing::kData:
        return SubStage::kGetitem;
      case HostDoing::kCollection:
        return SubStage::kGarbageCollection;
      case HostDoing::kCompilation:
        return SubStage::kRecompilation;
      case HostDoing::kCheckpoint:
        return SubStage::kCheckpoint;
      case HostDoing::kEvaluation:
        return SubStage::kEvaluation;
      case HostDoing::kLogging:
        return SubStage::kLogging;
      case HostDoing::kNothing:
      case HostDoing::kBetween:
        break;
    }
    return SubStage::kUnknown;
  }
  void AddNamed(SubStage stage, const Stretch& time, TraceStepTimes& step) const {
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
  // Adds the named parts of a lane's time, and hands the rest on in whole stretches.
  template <class Unnamed>
  void Walk(int32_t lane, const Stretch& time, TraceStepTimes& step, Unnamed unnamed) {
    const HostActivity& doing = Lane(lane);
    int64_t open = time.begin_ns;  // from here on nothing was named
    for (size_t i = doing.FirstAfter(open); i < doing.size(); ++i) {
      const HostStretch one = doing[i];
      if (one.time.begin_ns >= time.end_ns) break;
      if (IsUnnamed(one.doing)) continue;
      const Stretch named = Clip(one.time, time);
      if (named.begin_ns > open) unnamed(Stretch{open, named.begin_ns});
      AddNamed(StageOf(one.doing), named, step);
      if (lane == training_ && one.doing == HostDoing::kData && tells_ && python_) {
        StageTimes moved{};
        python_->Share(named, SubStage::kGetitem, moved);
        AddTo(step.by_functions, moved);
        AddTo(step.of_dataset, moved);
      }
      open = named.end_ns;
    }
    if (open < time.end_ns) unnamed(Stretch{open, time.end_ns});
  }
  // Time between named stretches: how far apart they are decides, not what of it the device was
  // idle. From one thread to the other, as at the begin of backward, counts as well.
  void AddUnnamed(int32_t launching_lane, const Stretch& time, TraceStepTimes& step) {
    int64_t before = std::numeric_limits<int64_t>::min();
    int64_t after = std::numeric_limits<int64_t>::max();
    for (int32_t lane : {training_, launching_lane}) {
      const HostActivity& doing = Lane(lane);
      size_t next = doing.FirstAfter(time.begin_ns);
      size_t last = next;
      while (last > 0 && IsUnnamed(doing[last - 1].doing)) --last;
      while (next < doing.size() && IsUnnamed(doing[next].doing)) ++next;
      if (last > 0) before = std::max(before, doing[last - 1].time.end_ns);
      if (next < doing.size()) after = std::min(after, doing[next].time.begin_ns);
    }
    const bool bounded = before <= time.begin_ns && after != std::numeric_limits<int64_t>::max() &&
                         before != std::numeric_limits<int64_t>::min();
    if (holds_operators_ && bounded && after - before <= kBetweenOperatorsNs) {
      At(step.stages, SubStage::kDispatch) += time.length_ns();
      return;
    }
    for (const Stretch& rest : Difference({time}, Awaiting(time, step))) {
      At(step.stages, SubStage::kUnknown) += rest.length_ns();
      if (tells_ && python_) python_->Share(rest, SubStage::kUnknown, step.by_functions);
    }
  }
  // What of time without a name the thread awaits the collectives of others.
  Intervals Awaiting(const Stretch& time, TraceStepTimes& step) const {
    Intervals awaiting = Within(collectives_, time);
    if (python_ && !awaiting.empty())
      awaiting = Intersection(awaiting, python_->MayAwaitRanks(time));
    for (const Stretch& one : awaiting) step.awaiting_ns += one.length_ns();
    At(step.stages, SubStage::kExposed) += LengthWithin(awaiting, time);
    return awaiting;
  }

  const RankTrace& trace_;
  const store::StringTable& strings_;
  int32_t training_;
  Intervals collectives_;
  std::span<const PhaseRange> phases_;
  SubStage operator_stage_;
  SubStage call_stage_;
  bool holds_operators_;  // else the host's way between its calls may be anything
  std::unordered_map<int32_t, HostActivity> lanes_;
  std::optional<PythonWork> python_;  // of the training thread
  bool tells_ = true;
};

// Puts the part of the device's idle time that lies in the window down to its cause.
void AddPause(const RankTrace& trace, const DevicePiece& pause, const Stretch& window,
              HostStages& host, TraceStepTimes& step) {
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
  At(step.stages, short_wait ? SubStage::kLaunch : SubStage::kSynchronisation) +=
      std::max<int64_t>(0, Clip({launched, pause.time.end_ns}, window).length_ns());
}

void AddPiece(const RankTrace& trace, const DevicePiece& piece, const Stretch& window,
              HostStages& host, TraceStepTimes& step) {
  StageTimes& stages = step.stages;
  const int64_t ns = Clip(piece.time, window).length_ns();
  if (ns <= 0) return;
  switch (piece.doing) {
    case DeviceDoing::kCompute:
      At(stages, SubStage::kCompute) += ns;
      return;
    case DeviceDoing::kCommunication:
      At(stages, SubStage::kExposed) += ns;
      return;
    case DeviceDoing::kToDevice:
      At(stages, SubStage::kHostToDevice) += ns;
      return;
    case DeviceDoing::kCopy:
      At(stages, SubStage::kDeviceCopy) += ns;
      return;
    case DeviceDoing::kIdle:
      AddPause(trace, piece, window, host, step);
      return;
  }
}

int64_t store::StepRow::*PhaseOf(HostDoing doing) {
  switch (doing) {
    case HostDoing::kData:
      return &store::StepRow::data_ns;
    case HostDoing::kCollective:
      return &store::StepRow::communication_phase_ns;
    case HostDoing::kCollection:
      return &store::StepRow::gc_ns;
    case HostDoing::kCompilation:
      return &store::StepRow::compile_ns;
    case HostDoing::kCheckpoint:
      return &store::StepRow::checkpoint_ns;
    case HostDoing::kEvaluation:
      return &store::StepRow::evaluation_ns;
    case HostDoing::kLogging:
      return &store::StepRow::logging_ns;
    default:
      return nullptr;
  }
}

// How much of a set lies in stretches that come in order.
class LengthIn {
 public:
  LengthIn(const Intervals& set, int64_t from_ns)
      : at_(std::partition_point(set.begin(), set.end(),
                                 [=](const Stretch& one) { return one.end_ns <= from_ns; })),
        end_(set.end()) {}

  int64_t operator()(const Stretch& time) {
    while (at_ != end_ && at_->end_ns <= time.begin_ns) ++at_;
    int64_t ns = 0;
    for (auto one = at_; one != end_ && one->begin_ns < time.end_ns; ++one) {
      ns += Clip(*one, time).length_ns();
    }
    return ns;
  }

 private:
  Intervals::const_iterator at_;
  Intervals::const_iterator end_;
};

// What the thread does by name comes first, then the ranges of phases; what else it shows is
// forward, and where it shows nothing, other.
void SetPhases(const HostActivity& lane, const std::vector<PhaseRange>& ranges,
               store::StepRow& row) {
  const Stretch window = {row.ts_ns, row.ts_ns + row.dur_ns};
  std::vector<LengthIn> of_ranges;
  for (const PhaseRange& range : ranges) {
    of_ranges.emplace_back(range.time, window.begin_ns);
    row.*range.phase += LengthWithin(range.time, window);
  }
  row.other_phase_ns = window.length_ns();
  for (const PhaseRange& range : ranges) row.other_phase_ns -= row.*range.phase;
  for (size_t i = lane.FirstAfter(window.begin_ns); i < lane.size(); ++i) {
    const HostStretch one = lane[i];
    if (one.time.begin_ns >= window.end_ns) break;
    const auto phase = PhaseOf(one.doing);
    if (phase == nullptr && one.doing == HostDoing::kNothing) continue;
    const Stretch time = Clip(one.time, window);
    int64_t left_ns = time.length_ns();
    for (size_t r = 0; r < ranges.size(); ++r) {
      const int64_t ns = of_ranges[r](time);
      left_ns -= ns;
      if (phase != nullptr) row.*ranges[r].phase -= ns;
    }
    row.*(phase != nullptr ? phase : &store::StepRow::forward_ns) +=
        phase != nullptr ? time.length_ns() : left_ns;
    row.other_phase_ns -= left_ns;
  }
}

void SetCauses(const StageTimes& stages, store::StepRow& row) {
  const SuspectTimes causes = BySuspect(stages);
  row.data_pipeline_ns = At(causes, SuspectId::kDataPipeline);
  row.model_ns = At(causes, SuspectId::kModel);
  row.communication_ns = At(causes, SuspectId::kCommunication);
  row.framework_overhead_ns = At(causes, SuspectId::kFrameworkOverhead);
  row.other_ns = At(causes, SuspectId::kOther);
  row.getitem_ns = At(stages, SubStage::kGetitem);
  row.receive_ns = At(stages, SubStage::kHostToDevice);  // the batch's last stretch of way
}

// Steps by begin; where marks of hostile profiles overlap, time counts in each of them.
std::vector<TraceStepTimes> Attribute(const RankTrace& trace, const store::StringTable& strings,
                                      const std::vector<DeviceStep>& steps, HostStages& host,
                                      size_t first_told = 0) {
  std::vector<TraceStepTimes> result;
  Stretch all = {steps.front().ts_ns, steps.front().end_ns()};
  for (const DeviceStep& step : steps) all.end_ns = std::max(all.end_ns, step.end_ns());
  DeviceSweep from(trace, strings, all);  // the piece in which the step begins, or one before
  for (size_t i = 0; i < steps.size(); ++i) {
    const Stretch window = {steps[i].ts_ns, steps[i].end_ns()};
    const int64_t next_ns = i + 1 < steps.size() ? steps[i + 1].ts_ns : all.end_ns;
    TraceStepTimes& one = result.emplace_back(TraceStepTimes{steps[i], {}, 0, {}});
    host.TellFunctions(i >= first_told);
    DeviceSweep sweep = from;
    while (!sweep.done() && sweep.at_ns() < window.end_ns) {
      if (sweep.at_ns() <= next_ns) from = sweep;
      AddPiece(trace, sweep.Next(), window, host, one);
    }
    if (sweep.at_ns() <= next_ns) from = sweep;
  }
  return result;
}

bool HasDeviceWork(const RankTrace& trace) {
  return std::any_of(trace.device.begin(), trace.device.end(), [](const TraceEvent& event) {
    return IsDeviceWork(event) && event.end_ns() > event.ts_ns;
  });
}

store::StepRow RowOf(const RankTrace& trace, const TraceStepTimes& one, const HostActivity& lane,
                     const std::vector<PhaseRange>& ranges) {
  store::StepRow row;
  row.node = trace.node;
  row.rank = trace.rank;
  row.step = one.step.number;
  row.ts_ns = one.step.ts_ns;
  row.dur_ns = one.step.dur_ns;
  SetPhases(lane, ranges, row);
  SetCauses(one.stages, row);
  int64_t awaiting_ns = one.awaiting_ns;  // in phases that show nothing, then in a range alone
  for (auto phase : {&store::StepRow::other_phase_ns, &store::StepRow::forward_ns}) {
    const int64_t ns = std::clamp<int64_t>(awaiting_ns, 0, row.*phase);
    row.*phase -= ns;
    row.communication_phase_ns += ns;
    awaiting_ns -= ns;
  }
  row.batches = row.data_ns > 0 ? 1 : 0;
  row.backwards = row.backward_ns > 0 ? 1 : 0;
  row.optimizer_steps = row.optimizer_ns > 0 ? 1 : 0;
  return row;
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

RankSteps FindRankSteps(const RankTrace& trace, const store::StringTable& strings,
                        const StageTable* table, std::optional<int64_t> last_steps) {
  RankSteps found;
  const std::vector<DeviceStep> steps = FindDeviceSteps(trace).steps;
  if (steps.empty()) return found;
  const auto ranges = PhasesOf(trace, strings);
  HostStages host(trace, strings, HasDeviceWork(trace), ranges, table);
  found.attributed = Attribute(trace, strings, steps, host, FirstOfLast(steps, last_steps));
  found.functions = host.TakeFunctions();
  const auto& lane = host.Lane(host.training_lane());
  for (const TraceStepTimes& one : found.attributed) {
    if (one.step.dur_ns > 0) found.rows.push_back(RowOf(trace, one, lane, ranges));
  }
  return found;
}

std::vector<store::StepRow> DeriveTraceSteps(const RankTrace& trace, store::StringTable& strings) {
  std::vector<store::StepRow> rows = FindRankSteps(trace, strings).rows;
  for (store::StepRow& row : rows) row.kind = strings.Intern("train");
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
