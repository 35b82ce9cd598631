// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/host_points.h"

#include <algorithm>
#include <tuple>

#include "analyze/ranks/rank_activity.h"
#include "analyze/trace/host_ancestors.h"
#include "analyze/trace/waiting_calls.h"
#include "base/large_memory.h"

namespace steptrace::analyze {
namespace {

// Operators of autograd's threads: "autograd::engine::evaluate_function: MmBackward0", and in
// profiles of 2021 "MmBackward".
bool IsAutograd(std::string_view name) {
  return name.starts_with("autograd::") || name.ends_with("Backward") ||
         name.ends_with("Backward0") || name.find("AccumulateGrad") != std::string_view::npos;
}

struct Span {
  int64_t begin_ns = 0;
  int64_t end_ns = 0;
};

class PointFinder {
 public:
  PointFinder(const RankTrace& rank, const store::StringTable& strings)
      : rank_(rank), strings_(strings) {}

  HostPoints Find() {
    launches_.assign(rank_.host.size(), false);
    for (const TraceEvent& event : rank_.device) {
      if (event.launch != kNone) launches_[static_cast<size_t>(event.launch)] = true;
    }
    FindLanes();
    Calls();
    calls_ = static_cast<std::ptrdiff_t>(result_.points.size());
    AddStepsToScript();
    HandOvers();
    StepEdges();
    LaneEnds();
    Sort();
    PlaceHandOvers();
    Marks();
    return std::move(result_);
  }

 private:
  enum class Answer : uint8_t { kUnknown, kNo, kYes };

  bool IsOf(store::StringId name, std::vector<Answer>& answers,
            bool (*question)(std::string_view)) {
    const auto index = static_cast<size_t>(name);
    if (answers.size() <= index) answers.resize(index + 1, Answer::kUnknown);
    if (answers[index] == Answer::kUnknown) {
      answers[index] = question(strings_.Text(name)) ? Answer::kYes : Answer::kNo;
    }
    return answers[index] == Answer::kYes;
  }

  // The script's lane, autograd's lanes, and when each lane was in operators or calls.
  void FindLanes() {
    busy_.resize(rank_.lanes.size());
    autograd_.assign(rank_.lanes.size(), false);
    for (const HostNumber& flow : rank_.flows_in) {
      autograd_[static_cast<size_t>(rank_.host[static_cast<size_t>(flow.event)].lane)] = true;
    }
    std::vector<Answer> is_autograd;
    const auto is_call = [](const TraceEvent& event) {
      return event.kind == EventKind::kOperator || event.kind == EventKind::kRuntime;
    };
    const std::vector<bool> nested = HasAncestor(rank_.host, is_call);
    for (size_t i = 0; i < rank_.host.size(); ++i) {
      const TraceEvent& event = rank_.host[i];
      const auto lane = static_cast<size_t>(event.lane);
      if (!is_call(event)) continue;
      if (IsOf(event.name, is_autograd, IsAutograd)) {
        autograd_[lane] = true;
      }
      if (nested[i]) continue;
      auto& busy = busy_[lane];
      if (!busy.empty() && busy.back().end_ns >= event.end_ns()) continue;
      busy.push_back({event.ts_ns, event.end_ns()});
    }
    if (!rank_.steps.empty()) {
      result_.script_lane = rank_.steps.front().lane;
      return;
    }
    size_t most = 0;
    for (size_t lane = 0; lane < busy_.size(); ++lane) {
      if (autograd_[lane] || busy_[lane].size() <= most) continue;
      most = busy_[lane].size();
      result_.script_lane = static_cast<int32_t>(lane);
    }
  }

  void Add(int64_t ns, int32_t lane, int32_t event) { result_.points.push_back({ns, lane, event}); }

  // As a rule: what is not used takes no memory, and nothing is copied as they grow.
  size_t MostPoints() const {
    size_t most = 2 * rank_.lanes.size() + 2 * rank_.steps.size();
    for (const TraceEvent& event : rank_.host) most += event.kind == EventKind::kRuntime ? 2 : 0;
    for (size_t lane = 0; lane < busy_.size(); ++lane) {
      if (autograd_[lane]) most += 4 * busy_[lane].size();
    }
    constexpr size_t kWaitsForData = 16;  // a step has one, and this many calls at least
    return most + most / kWaitsForData;
  }

  void Calls() {
    ReserveLarge(result_.points, MostPoints());
    std::vector<Answer> synchronising;
    std::vector<Answer> data_waits;
    std::vector<int64_t> data_end(rank_.lanes.size(), INT64_MIN);
    for (size_t i = 0; i < rank_.host.size(); ++i) {
      const TraceEvent& event = rank_.host[i];
      const auto index = static_cast<int32_t>(i);
      if (event.kind == EventKind::kRuntime &&
          (launches_[i] || IsOf(event.name, synchronising, IsWaitingCall))) {
        Add(event.ts_ns, event.lane, index);
        Add(event.end_ns(), event.lane, index);
      } else if (event.kind != EventKind::kRuntime && event.kind != EventKind::kPython &&
                 IsOf(event.name, data_waits, IsDataWait)) {
        auto& end = data_end[static_cast<size_t>(event.lane)];
        if (event.ts_ns < end) continue;  // nested in another wait
        end = event.end_ns();
        Add(event.ts_ns, event.lane, index);
        Add(event.end_ns(), event.lane, index);
      }
    }
  }

  // Where the script marks a step it is at work, if for no time: what waits for it across a mark
  // waits up to the mark.
  void AddStepsToScript() {
    if (result_.script_lane == kNone) return;
    auto& busy = busy_[static_cast<size_t>(result_.script_lane)];
    std::vector<int64_t> marks;
    for (const TraceStep& step : rank_.steps) {
      if (step.lane == result_.script_lane) marks.insert(marks.end(), {step.ts_ns, step.end_ns()});
    }
    std::sort(marks.begin(), marks.end());
    std::vector<Span> with_marks;
    with_marks.reserve(busy.size() + marks.size());
    auto mark = marks.begin();
    const auto add_until = [&](int64_t ns) {
      for (; mark != marks.end() && *mark < ns; ++mark) {
        if (with_marks.empty() || with_marks.back().end_ns < *mark) {
          with_marks.push_back({*mark, *mark});
        }
      }
    };
    for (const Span& span : busy) {
      add_until(span.begin_ns);
      with_marks.push_back(span);
    }
    add_until(INT64_MAX);
    busy.swap(with_marks);
  }

  // After the hand-overs: of points at one moment those at which the script waits come first.
  void StepEdges() {
    for (const TraceStep& step : rank_.steps) {
      Add(step.ts_ns, step.lane, kNone);
      Add(step.end_ns(), step.lane, kNone);
    }
  }

  // Bursts of autograd's threads inside the gaps of the script's.
  void HandOvers() {
    if (result_.script_lane == kNone) return;
    const auto& script = busy_[static_cast<size_t>(result_.script_lane)];
    for (size_t lane = 0; lane < busy_.size(); ++lane) {
      if (!autograd_[lane] || static_cast<int32_t>(lane) == result_.script_lane) continue;
      size_t gap = 0;  // the script's time range after it
      const auto& busy = busy_[lane];
      for (size_t i = 0; i < busy.size();) {
        while (gap < script.size() && script[gap].end_ns <= busy[i].begin_ns) ++gap;
        const int64_t until = gap < script.size() ? script[gap].begin_ns : INT64_MAX;
        if (busy[i].begin_ns >= until) {  // both work at once: nobody waits
          ++i;
          continue;
        }
        size_t last = i;
        while (last + 1 < busy.size() && busy[last + 1].end_ns <= until) ++last;
        AddHandOver(static_cast<int32_t>(lane), {busy[i].begin_ns, busy[last].end_ns},
                    gap > 0 ? &script[gap - 1] : nullptr,
                    gap < script.size() ? &script[gap] : nullptr);
        i = last + 1;
      }
    }
  }

  // Points are numbered when they are sorted: until then a hand-over's tell which of its they are.
  static constexpr int32_t kFirstOfHandOver = kNone - 1;
  static constexpr int32_t kPointsOfHandOver = 4;
  static int32_t& PointOf(HandOver& hand_over, int32_t which) {
    int32_t* const points[kPointsOfHandOver] = {&hand_over.script_before, &hand_over.first,
                                                &hand_over.last, &hand_over.script_after};
    return *points[which];
  }

  void AddHandOver(int32_t lane, const Span& burst, const Span* before, const Span* after) {
    const auto number = static_cast<int32_t>(result_.hand_overs.size());
    const auto add = [&](int32_t which, int64_t ns, int32_t at_lane) {
      Add(ns, at_lane, kFirstOfHandOver - number * kPointsOfHandOver - which);
    };
    if (before) add(0, before->end_ns, result_.script_lane);
    add(1, burst.begin_ns, lane);
    add(2, burst.end_ns, lane);
    if (after) add(3, after->begin_ns, result_.script_lane);
    result_.hand_overs.emplace_back();
  }

  // Where each thread that has points begins and ends.
  void LaneEnds() {
    std::vector<Span> spans(rank_.lanes.size(), {INT64_MAX, INT64_MIN});
    for (const TraceEvent& event : rank_.host) {
      if (event.kind == EventKind::kOverhead) continue;
      Span& span = spans[static_cast<size_t>(event.lane)];
      span = {std::min(span.begin_ns, event.ts_ns), std::max(span.end_ns, event.end_ns())};
    }
    std::vector<bool> has_points(rank_.lanes.size(), false);
    for (const HostPoint& point : result_.points)
      has_points[static_cast<size_t>(point.lane)] = true;
    if (result_.script_lane != kNone) has_points[static_cast<size_t>(result_.script_lane)] = true;
    for (size_t lane = 0; lane < spans.size(); ++lane) {
      if (!has_points[lane] || spans[lane].begin_ns > spans[lane].end_ns) continue;
      Add(spans[lane].begin_ns, static_cast<int32_t>(lane), kNone);
      Add(spans[lane].end_ns, static_cast<int32_t>(lane), kNone);
    }
  }

  // Equal ones in the order in which they were added. Calls mostly come in order, and they are
  // nearly all: no copy of them is made.
  void Sort() {
    auto& points = result_.points;
    const auto before = [](const HostPoint& a, const HostPoint& b) {
      return std::tie(a.lane, a.ns) < std::tie(b.lane, b.ns);
    };
    const auto others = points.begin() + calls_;
    if (!std::is_sorted(points.begin(), others, before)) {
      std::stable_sort(points.begin(), others, before);
    }
    std::stable_sort(others, points.end(), before);
    std::inplace_merge(points.begin(), others, points.end(), before);
  }

  void PlaceHandOvers() {
    result_.marks.resize(result_.points.size());
    for (size_t i = 0; i < result_.points.size(); ++i) {
      int32_t& event = result_.points[i].event;
      if (event > kFirstOfHandOver) continue;
      const int32_t reported = kFirstOfHandOver - event;
      HandOver& hand_over = result_.hand_overs[static_cast<size_t>(reported / kPointsOfHandOver)];
      PointOf(hand_over, reported % kPointsOfHandOver) = static_cast<int32_t>(i);
      event = kNone;
    }
    for (const HandOver& hand_over : result_.hand_overs) {
      result_.marks[static_cast<size_t>(hand_over.first)].idle_before = true;
      if (hand_over.script_after != kNone) {
        result_.marks[static_cast<size_t>(hand_over.script_after)].idle_before = true;
      }
    }
  }

  // Of two points of one event the first is its begin; waits for data do not nest.
  PointKind KindOf(const HostPoint& point, bool in_data) const {
    if (point.event == kNone) return PointKind::kEdge;
    const auto event = static_cast<size_t>(point.event);
    if (rank_.host[event].kind != EventKind::kRuntime) {
      return in_data ? PointKind::kDataEnd : PointKind::kDataBegin;
    }
    return result_.call_begin[event] == kNone ? PointKind::kCallBegin : PointKind::kCallEnd;
  }

  void Marks() {
    result_.call_begin.assign(rank_.host.size(), kNone);
    bool in_data = false;
    for (size_t i = 0; i < result_.points.size(); ++i) {
      const HostPoint& point = result_.points[i];
      PointMark& mark = result_.marks[i];
      const bool follows = i > 0 && result_.points[i - 1].lane == point.lane;
      if (!follows) in_data = false;
      mark.kind = KindOf(point, in_data);
      if (in_data) {
        mark.cause = PathCause::kData;
      } else if (follows && mark.kind == PointKind::kCallEnd &&
                 result_.marks[i - 1].kind == PointKind::kCallBegin &&
                 result_.points[i - 1].event == point.event) {
        mark.cause = launches_[static_cast<size_t>(point.event)] ? PathCause::kLaunch
                                                                 : PathCause::kSynchronisation;
      }
      if (mark.kind == PointKind::kDataBegin) in_data = true;
      if (mark.kind == PointKind::kDataEnd) in_data = false;
      if (mark.kind == PointKind::kCallBegin) {
        result_.call_begin[static_cast<size_t>(point.event)] = static_cast<int32_t>(i);
      }
    }
  }

  const RankTrace& rank_;
  const store::StringTable& strings_;
  std::vector<bool> launches_;
  std::vector<bool> autograd_;
  std::vector<std::vector<Span>> busy_;  // by lane
  std::ptrdiff_t calls_ = 0;             // points of calls and waits for data, which come first
  HostPoints result_;
};

}  // namespace

HostPoints FindHostPoints(const RankTrace& rank, const store::StringTable& strings) {
  return PointFinder(rank, strings).Find();
}

}  // namespace steptrace::analyze
