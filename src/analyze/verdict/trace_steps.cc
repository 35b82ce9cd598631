// SPDX-License-Identifier: Apache-2.0
#include "analyze/verdict/trace_steps.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analyze/device/device_work.h"
#include "analyze/trace/copy_kind.h"
#include "analyze/trace/intervals.h"
#include "analyze/verdict/host_activity.h"
#include "analyze/verdict/rank_steps.h"

namespace steptrace::analyze {
namespace {

// What a pause of the device is put down to.
struct Pause {
  Stretch time;
  enum Kind { kHost, kKernelWait, kDeviceWait } kind = kHost;
  int32_t launching_lane = kNone;  // the thread whose call ended it
};

bool CopiesToDevice(const TraceEvent& event, const store::StringTable& strings) {
  return event.kind == EventKind::kMemcpy && CopyKind(event, strings) == "HtoD";
}

// The device's time by what it does; each set without those before it.
struct DeviceSets {
  Intervals compute;
  Intervals communication;
  Intervals to_device;
  Intervals copies;
  Intervals busy;
};

DeviceSets MakeDeviceSets(const RankTrace& trace, const store::StringTable& strings) {
  std::vector<Stretch> compute, communication, to_device, copies;
  for (const TraceEvent& event : trace.device) {
    if (!IsDeviceWork(event)) continue;
    auto& of_kind = event.role == DeviceRole::kCommunication ? communication
                    : event.role == DeviceRole::kCompute     ? compute
                    : CopiesToDevice(event, strings)         ? to_device
                                                             : copies;
    of_kind.push_back({event.ts_ns, event.end_ns()});
  }
  DeviceSets sets;
  sets.compute = Union(std::move(compute));
  sets.busy = sets.compute;
  for (auto [from, to] :
       {std::pair(&communication, &sets.communication), std::pair(&to_device, &sets.to_device),
        std::pair(&copies, &sets.copies)}) {
    const Intervals all = Union(std::move(*from));
    *to = Difference(all, sets.busy);
    sets.busy = Union(sets.busy, all);
  }
  return sets;
}

void SplitPause(const RankTrace& trace, const Stretch& time, const TraceEvent* ended_by,
                std::vector<Pause>& pauses) {
  if (time.length_ns() <= 0) return;
  if (ended_by == nullptr || ended_by->launch == kNone) {
    pauses.push_back({time, Pause::kHost, kNone});
    return;
  }
  // Until the call that launched what comes next has returned the host was not ready; from then on
  // the device had work and did not begin it.
  const TraceEvent& launch = trace.host[static_cast<size_t>(ended_by->launch)];
  const int64_t launched = std::clamp(launch.end_ns(), time.begin_ns, time.end_ns);
  if (launched > time.begin_ns) {
    pauses.push_back({{time.begin_ns, launched}, Pause::kHost, launch.lane});
  }
  if (launched < time.end_ns) {
    const bool short_wait = time.end_ns - launched < kKernelWaitNs;
    pauses.push_back({{launched, time.end_ns},
                      short_wait ? Pause::kKernelWait : Pause::kDeviceWait,
                      launch.lane});
  }
}

// All of the window in which the device does nothing, by cause, in order.
std::vector<Pause> FindPauses(const RankTrace& trace, const Intervals& busy,
                              const Stretch& window) {
  std::vector<Pause> pauses;
  const Intervals idle = Difference({window}, busy);
  auto next = trace.device.begin();
  for (const Stretch& time : idle) {
    while (next != trace.device.end() && (next->ts_ns < time.end_ns || !IsDeviceWork(*next))) {
      ++next;
    }
    const bool ends = next != trace.device.end() && next->ts_ns == time.end_ns;
    SplitPause(trace, time, ends ? &*next : nullptr, pauses);
  }
  return pauses;
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

// Puts the host's time into stages; without a device the model's into the phase that it lies in.
class HostStages {
 public:
  HostStages(const RankTrace& trace, const store::StringTable& strings, bool has_device,
             std::span<const PhaseRange> phases)
      : trace_(trace),
        strings_(strings),
        training_(TrainingLane(trace)),
        phases_(phases),
        operator_stage_(has_device ? SubStage::kDispatch : SubStage::kForward),
        call_stage_(has_device ? SubStage::kLaunch : SubStage::kForward) {}

  // By the training thread; where it does nothing of its own, by the thread that launched what came
  // next: autograd's, while the training thread waits in backward().
  void Add(const Stretch& time, int32_t launching_lane, StageTimes& stages) {
    Walk(training_, time, stages, [&](const Stretch& unnamed) {
      if (launching_lane == kNone || launching_lane == training_) {
        AddUnnamed(kNone, unnamed, stages);
        return;
      }
      Walk(launching_lane, unnamed, stages,
           [&](const Stretch& neither) { AddUnnamed(launching_lane, neither, stages); });
    });
  }
  int32_t training_lane() const { return training_; }
  const std::vector<HostStretch>& Lane(int32_t lane) {
    auto [found, added] = lanes_.try_emplace(lane);
    if (added && lane != kNone) found->second = ActivityOf(trace_, lane, strings_);
    return found->second;
  }

 private:
  static bool IsUnnamed(HostDoing doing) {
    return doing == HostDoing::kNothing || doing == HostDoing::kBetween;
  }
  static std::vector<HostStretch>::const_iterator FirstAfter(const std::vector<HostStretch>& lane,
                                                             int64_t ns) {
    return std::upper_bound(lane.begin(), lane.end(), ns, [](int64_t at, const HostStretch& one) {
      return at < one.time.end_ns;
    });
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
  void AddNamed(SubStage stage, const Stretch& time, StageTimes& stages) const {
    int64_t left_ns = time.length_ns();
    if (stage == SubStage::kForward) {
      for (const PhaseRange& phase : phases_) {
        const int64_t ns = LengthWithin(phase.time, time);
        At(stages, phase.stage) += ns;
        left_ns -= ns;
      }
    }
    At(stages, stage) += left_ns;
  }
  // Adds the named parts of a lane's time, and hands the rest on in whole stretches.
  template <class Unnamed>
  void Walk(int32_t lane, const Stretch& time, StageTimes& stages, Unnamed unnamed) {
    const std::vector<HostStretch>& doing = Lane(lane);
    int64_t at = time.begin_ns;    // up to here all is put down
    int64_t open = time.begin_ns;  // from here on nothing was named
    for (auto one = FirstAfter(doing, at); one != doing.end() && one->time.begin_ns < time.end_ns;
         ++one) {
      at = std::min(one->time.end_ns, time.end_ns);
      if (IsUnnamed(one->doing)) continue;
      const int64_t begin = std::max(one->time.begin_ns, time.begin_ns);
      if (begin > open) unnamed(Stretch{open, begin});
      AddNamed(StageOf(one->doing), {begin, at}, stages);
      open = at;
    }
    if (open < time.end_ns) unnamed(Stretch{open, time.end_ns});
  }
  // Time between named stretches: how far apart they are decides, not what of it the device was
  // idle. From one thread to the other, as at the begin of backward, counts as well.
  void AddUnnamed(int32_t launching_lane, const Stretch& time, StageTimes& stages) {
    int64_t before = std::numeric_limits<int64_t>::min();
    int64_t after = std::numeric_limits<int64_t>::max();
    for (int32_t lane : {training_, launching_lane}) {
      const std::vector<HostStretch>& doing = Lane(lane);
      auto next = FirstAfter(doing, time.begin_ns);
      auto last = next;
      while (last != doing.begin() && IsUnnamed(std::prev(last)->doing)) --last;
      while (next != doing.end() && IsUnnamed(next->doing)) ++next;
      if (last != doing.begin()) before = std::max(before, std::prev(last)->time.end_ns);
      if (next != doing.end()) after = std::min(after, next->time.begin_ns);
    }
    const bool bounded = before <= time.begin_ns && after != std::numeric_limits<int64_t>::max() &&
                         before != std::numeric_limits<int64_t>::min();
    const bool near = bounded && after - before <= kBetweenOperatorsNs;
    At(stages, near ? SubStage::kDispatch : SubStage::kUnknown) += time.length_ns();
  }

  const RankTrace& trace_;
  const store::StringTable& strings_;
  int32_t training_;
  std::span<const PhaseRange> phases_;
  SubStage operator_stage_;
  SubStage call_stage_;
  std::unordered_map<int32_t, std::vector<HostStretch>> lanes_;
};

void AddPause(const Pause& pause, const Stretch& window, HostStages& host, StageTimes& stages) {
  const Stretch time = {std::max(pause.time.begin_ns, window.begin_ns),
                        std::min(pause.time.end_ns, window.end_ns)};
  if (time.length_ns() <= 0) return;
  switch (pause.kind) {
    case Pause::kHost:
      host.Add(time, pause.launching_lane, stages);
      return;
    case Pause::kKernelWait:
      At(stages, SubStage::kLaunch) += time.length_ns();
      return;
    case Pause::kDeviceWait:
      At(stages, SubStage::kSynchronisation) += time.length_ns();
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

void SetPhases(const std::vector<HostStretch>& lane, const std::vector<PhaseRange>& ranges,
               store::StepRow& row) {
  const Stretch window = {row.ts_ns, row.ts_ns + row.dur_ns};
  std::vector<Stretch> named, active;
  const auto first = std::partition_point(lane.begin(), lane.end(), [&](const HostStretch& one) {
    return one.time.end_ns <= window.begin_ns;
  });
  for (auto at = first; at != lane.end() && at->time.begin_ns < window.end_ns; ++at) {
    const HostStretch& one = *at;
    const Stretch time = {std::max(one.time.begin_ns, window.begin_ns),
                          std::min(one.time.end_ns, window.end_ns)};
    if (time.length_ns() <= 0) continue;
    if (const auto phase = PhaseOf(one.doing)) {
      row.*phase += time.length_ns();
      named.push_back(time);
    } else if (one.doing != HostDoing::kNothing) {
      active.push_back(time);
    }
  }
  Intervals left = Difference({window}, Union(std::move(named)));
  for (const PhaseRange& range : ranges) {
    const Intervals time = Within(range.time, window);
    row.*range.phase += Overlap(left, time);
    left = Difference(left, time);
  }
  // What else the thread shows is forward; where it shows nothing, other.
  row.forward_ns = Overlap(left, Union(std::move(active)));
  row.other_phase_ns = Length(left) - row.forward_ns;
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

std::vector<TraceStepTimes> Attribute(const RankTrace& trace, const DeviceSets& sets,
                                      const std::vector<DeviceStep>& steps, HostStages& host) {
  std::vector<TraceStepTimes> result;
  const std::vector<Pause> pauses =
      FindPauses(trace, sets.busy, {steps.front().ts_ns, steps.back().end_ns()});
  auto first = pauses.begin();
  for (const DeviceStep& step : steps) {
    const Stretch window = {step.ts_ns, step.end_ns()};
    TraceStepTimes one{step, {}};
    At(one.stages, SubStage::kCompute) = LengthWithin(sets.compute, window);
    At(one.stages, SubStage::kExposed) = LengthWithin(sets.communication, window);
    At(one.stages, SubStage::kHostToDevice) = LengthWithin(sets.to_device, window);
    At(one.stages, SubStage::kDeviceCopy) = LengthWithin(sets.copies, window);
    while (first != pauses.end() && first->time.end_ns <= window.begin_ns) ++first;
    for (auto pause = first; pause != pauses.end() && pause->time.begin_ns < window.end_ns;
         ++pause) {
      AddPause(*pause, window, host, one.stages);
    }
    result.push_back(one);
  }
  return result;
}

store::StepRow RowOf(const RankTrace& trace, const TraceStepTimes& one,
                     const std::vector<HostStretch>& lane, const std::vector<PhaseRange>& ranges) {
  store::StepRow row;
  row.node = trace.node;
  row.rank = trace.rank;
  row.step = one.step.number;
  row.ts_ns = one.step.ts_ns;
  row.dur_ns = one.step.dur_ns;
  SetPhases(lane, ranges, row);
  SetCauses(one.stages, row);
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
  const DeviceSets sets = MakeDeviceSets(trace, strings);
  const auto phases = PhasesOf(trace, strings);
  HostStages host(trace, strings, !sets.busy.empty(), phases);
  return Attribute(trace, sets, steps, host);
}

RankSteps FindRankSteps(const RankTrace& trace, const store::StringTable& strings) {
  RankSteps found;
  const std::vector<DeviceStep> steps = FindDeviceSteps(trace).steps;
  if (steps.empty()) return found;
  const DeviceSets sets = MakeDeviceSets(trace, strings);
  const auto ranges = PhasesOf(trace, strings);
  HostStages host(trace, strings, !sets.busy.empty(), ranges);
  found.attributed = Attribute(trace, sets, steps, host);
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
      steps[{rank.rank, one.step.number}] = one.stages;
    }
  }
  return steps;
}

}  // namespace steptrace::analyze
