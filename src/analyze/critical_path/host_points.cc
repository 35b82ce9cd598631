// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/host_points.h"

#include <algorithm>
#include <tuple>

#include "analyze/distributed/activity.h"

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
    HandOvers();
    LaneEnds();
    Sort();
    Causes();
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

  bool IsOutermost(const TraceEvent& event) const {
    for (int32_t i = event.parent; i != kNone; i = rank_.host[static_cast<size_t>(i)].parent) {
      const EventKind kind = rank_.host[static_cast<size_t>(i)].kind;
      if (kind == EventKind::kOperator || kind == EventKind::kRuntime) return false;
    }
    return true;
  }

  // The script's lane, autograd's lanes, and when each lane was in operators or calls.
  void FindLanes() {
    busy_.resize(rank_.lanes.size());
    autograd_.assign(rank_.lanes.size(), false);
    for (const HostNumber& flow : rank_.flows_in) {
      autograd_[static_cast<size_t>(rank_.host[static_cast<size_t>(flow.event)].lane)] = true;
    }
    std::vector<Answer> is_autograd;
    for (const TraceEvent& event : rank_.host) {
      const auto lane = static_cast<size_t>(event.lane);
      if (event.kind != EventKind::kOperator && event.kind != EventKind::kRuntime) continue;
      if (IsOf(event.name, is_autograd, IsAutograd)) {
        autograd_[lane] = true;
      }
      if (!IsOutermost(event)) continue;
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

  void Add(int64_t ns, int32_t lane, PointKind kind, int32_t event) {
    result_.points.push_back({.ns = ns, .lane = lane, .event = event, .kind = kind});
  }

  void Calls() {
    std::vector<Answer> synchronising;
    std::vector<Answer> data_waits;
    std::vector<int64_t> data_end(rank_.lanes.size(), INT64_MIN);
    for (size_t i = 0; i < rank_.host.size(); ++i) {
      const TraceEvent& event = rank_.host[i];
      const auto index = static_cast<int32_t>(i);
      if (event.kind == EventKind::kRuntime &&
          (launches_[i] || IsOf(event.name, synchronising, IsSynchronisingCall))) {
        Add(event.ts_ns, event.lane, PointKind::kCallBegin, index);
        Add(event.end_ns(), event.lane, PointKind::kCallEnd, index);
      } else if (event.kind != EventKind::kRuntime && event.kind != EventKind::kPython &&
                 IsOf(event.name, data_waits, IsDataWait)) {
        auto& end = data_end[static_cast<size_t>(event.lane)];
        if (event.ts_ns < end) continue;  // nested in another wait
        end = event.end_ns();
        Add(event.ts_ns, event.lane, PointKind::kDataBegin, index);
        Add(event.end_ns(), event.lane, PointKind::kDataEnd, index);
      }
    }
  }

  // Bursts of autograd's threads inside the gaps of the script's.
  void HandOvers() {
    if (result_.script_lane == kNone) return;
    const auto& script = busy_[static_cast<size_t>(result_.script_lane)];
    for (size_t lane = 0; lane < busy_.size(); ++lane) {
      if (!autograd_[lane] || static_cast<int32_t>(lane) == result_.script_lane) continue;
      size_t gap = 0;  // the script's stretch after it
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

  // Points are numbered anew when they are sorted: until then by their place in the list.
  void AddHandOver(int32_t lane, const Span& burst, const Span* before, const Span* after) {
    HandOver hand_over;
    auto add = [&](int64_t ns, int32_t at_lane) {
      Add(ns, at_lane, PointKind::kEdge, kNone);
      return static_cast<int32_t>(result_.points.size()) - 1;
    };
    if (before) hand_over.script_before = add(before->end_ns, result_.script_lane);
    hand_over.first = add(burst.begin_ns, lane);
    hand_over.last = add(burst.end_ns, lane);
    if (after) hand_over.script_after = add(after->begin_ns, result_.script_lane);
    result_.hand_overs.push_back(hand_over);
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
      Add(spans[lane].begin_ns, static_cast<int32_t>(lane), PointKind::kEdge, kNone);
      Add(spans[lane].end_ns, static_cast<int32_t>(lane), PointKind::kEdge, kNone);
    }
  }

  void Sort() {
    std::vector<int32_t> order(result_.points.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int32_t>(i);
    const auto& points = result_.points;
    std::stable_sort(order.begin(), order.end(), [&points](int32_t a, int32_t b) {
      const HostPoint& x = points[static_cast<size_t>(a)];
      const HostPoint& y = points[static_cast<size_t>(b)];
      return std::tie(x.lane, x.ns) < std::tie(y.lane, y.ns);
    });
    std::vector<HostPoint> sorted;
    sorted.reserve(points.size());
    std::vector<int32_t> place(points.size());
    for (int32_t from : order) {
      place[static_cast<size_t>(from)] = static_cast<int32_t>(sorted.size());
      sorted.push_back(points[static_cast<size_t>(from)]);
    }
    result_.points = std::move(sorted);
    for (HandOver& hand_over : result_.hand_overs) {
      for (int32_t* point :
           {&hand_over.script_before, &hand_over.first, &hand_over.last, &hand_over.script_after}) {
        if (*point != kNone) *point = place[static_cast<size_t>(*point)];
      }
      result_.points[static_cast<size_t>(hand_over.first)].idle_before = true;
      if (hand_over.script_after != kNone) {
        result_.points[static_cast<size_t>(hand_over.script_after)].idle_before = true;
      }
    }
  }

  void Causes() {
    result_.call_begin.assign(rank_.host.size(), kNone);
    bool in_data = false;
    for (size_t i = 0; i < result_.points.size(); ++i) {
      HostPoint& point = result_.points[i];
      const HostPoint* before =
          i > 0 && result_.points[i - 1].lane == point.lane ? &result_.points[i - 1] : nullptr;
      if (before == nullptr) in_data = false;
      if (in_data) {
        point.cause = PathCause::kData;
      } else if (before && point.kind == PointKind::kCallEnd &&
                 before->kind == PointKind::kCallBegin && before->event == point.event) {
        point.cause = launches_[static_cast<size_t>(point.event)] ? PathCause::kLaunch
                                                                  : PathCause::kSynchronisation;
      }
      if (point.kind == PointKind::kDataBegin) in_data = true;
      if (point.kind == PointKind::kDataEnd) in_data = false;
      const auto number = static_cast<int32_t>(i);
      if (point.kind == PointKind::kCallBegin) {
        result_.call_begin[static_cast<size_t>(point.event)] = number;
      }
    }
  }

  const RankTrace& rank_;
  const store::StringTable& strings_;
  std::vector<bool> launches_;
  std::vector<bool> autograd_;
  std::vector<std::vector<Span>> busy_;  // by lane
  HostPoints result_;
};

}  // namespace

HostPoints FindHostPoints(const RankTrace& rank, const store::StringTable& strings) {
  return PointFinder(rank, strings).Find();
}

}  // namespace steptrace::analyze
