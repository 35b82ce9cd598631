// SPDX-License-Identifier: Apache-2.0
#include "analyze/ranks/rank_activity.h"

#include <algorithm>

#include "analyze/trace/host_ancestors.h"
#include "analyze/trace/waiting_calls.h"

namespace steptrace::analyze {
namespace {

// As the hooks name it (wire/vocabulary.h), or PyTorch.
bool IsDataPhase(std::string_view name) {
  return name == "data" || IsDataWait(name);
}

using Line = std::vector<Activity>;  // disjoint, by begin

// Of events by begin: where several run, the one that began first counts.
class LineBuilder {
 public:
  void Add(int64_t begin_ns, int64_t end_ns, int32_t label) {
    begin_ns = std::max(begin_ns, covered_ns_);
    if (begin_ns >= end_ns) return;
    line_.push_back({begin_ns, end_ns, label});
    covered_ns_ = end_ns;
  }
  Line Take() { return std::move(line_); }

 private:
  Line line_;
  int64_t covered_ns_ = INT64_MIN;
};

// `upper`, and what of `lower` lies outside it.
Line Under(const Line& upper, const Line& lower) {
  Line result;
  result.reserve(upper.size() + lower.size());
  size_t u = 0;
  for (const Activity& low : lower) {
    int64_t from = low.begin_ns;
    while (u < upper.size() && upper[u].end_ns <= from) result.push_back(upper[u++]);
    for (size_t v = u; from < low.end_ns; ++v) {
      const int64_t to = v < upper.size() ? std::min(low.end_ns, upper[v].begin_ns) : low.end_ns;
      if (from < to) result.push_back({from, to, low.label});
      if (v == upper.size() || upper[v].begin_ns >= low.end_ns) break;
      from = upper[v].end_ns;
      if (from > low.end_ns) break;
      result.push_back(upper[v]);
      u = v + 1;
    }
  }
  result.insert(result.end(), upper.begin() + static_cast<std::ptrdiff_t>(u), upper.end());
  return result;
}

class ActivityBuilder {
 public:
  ActivityBuilder(const RankTrace& rank, const store::StringTable& strings, Labels& labels,
                  HostView host_view)
      : rank_(rank), strings_(strings), labels_(labels), host_view_(host_view) {}

  Line Build() {
    FindWindow();
    if (from_ns_ >= to_ns_) return {};
    Line device = Under(DeviceLine(DeviceRole::kCompute, Doing::kComputing),
                        Under(DeviceLine(DeviceRole::kMemory, Doing::kCopying),
                              DeviceLine(DeviceRole::kCommunication, Doing::kCommunicating)));
    if (host_view_ == HostView::kPhases) return Under(device, PhaseLine());
    Line waits = Under(HostLine(Doing::kWaitingForData), HostLine(Doing::kSynchronising));
    Line host = Under(waits, HostLine(Doing::kLaunching));
    LineBuilder rest;
    rest.Add(from_ns_, to_ns_, labels_.Of({Doing::kLaunching, {}, {}}));
    Line idle = Under(Launched(device), Under(host, rest.Take()));
    return Under(device, idle);
  }

 private:
  void FindWindow() {
    from_ns_ = INT64_MAX;
    to_ns_ = INT64_MIN;
    for (const auto* events : {&rank_.host, &rank_.device}) {
      for (const TraceEvent& event : *events) {
        from_ns_ = std::min(from_ns_, event.ts_ns);
        to_ns_ = std::max(to_ns_, event.end_ns());
      }
    }
  }

  // The innermost range of each moment; of several threads the first that has one.
  Line PhaseLine() {
    Line line;
    for (size_t i = 0; i < rank_.host.size();) {
      size_t end = i;
      while (end < rank_.host.size() && rank_.host[end].lane == rank_.host[i].lane) ++end;
      line = Under(line, Innermost({rank_.host.data() + i, end - i}));
      i = end;
    }
    LineBuilder rest;
    rest.Add(from_ns_, to_ns_, labels_.Of({Doing::kOnHost, {}, {}}));
    return Under(line, rest.Take());
  }

  // Of one thread's events, by begin, parents first.
  Line Innermost(std::span<const TraceEvent> events) {
    LineBuilder line;
    std::vector<const TraceEvent*> open;
    int64_t at = INT64_MIN;
    const auto run_to = [&](int64_t to) {
      while (!open.empty() && open.back()->end_ns() <= to) {
        line.Add(at, open.back()->end_ns(), LabelOf(*open.back()));
        at = std::max(at, open.back()->end_ns());
        open.pop_back();
      }
      if (!open.empty()) line.Add(at, to, LabelOf(*open.back()));
      at = std::max(at, to);
    };
    for (const TraceEvent& event : events) {
      run_to(event.ts_ns);
      open.push_back(&event);
    }
    run_to(INT64_MAX);
    return line.Take();
  }

  int32_t LabelOf(const TraceEvent& event) {
    const bool data = IsOf(event.name, data_waits_, IsDataPhase);
    return labels_.Of({data ? Doing::kWaitingForData : Doing::kOnHost, event.name, {}});
  }

  store::StringId OperatorName(const TraceEvent& event) const {
    return event.op == kNone ? store::StringId::kEmpty
                             : rank_.host[static_cast<size_t>(event.op)].name;
  }

  Line DeviceLine(DeviceRole role, Doing doing) {
    LineBuilder line;
    for (const TraceEvent& event : rank_.device) {
      if (event.role != role) continue;
      // An operator in the place of a kernel: the host is the device (host_collectives.h).
      const bool on_host = event.kind == EventKind::kOperator;
      line.Add(event.ts_ns, event.end_ns(),
               labels_.Of({on_host ? Doing::kOnHost : doing, event.name, OperatorName(event)}));
    }
    return line.Take();
  }

  // Outermost host events of a kind on all threads.
  Line HostLine(Doing doing) {
    std::vector<const TraceEvent*> events;
    std::vector<bool> nested;
    if (doing == Doing::kLaunching) {
      nested = HasAncestor(
          rank_.host, [](const TraceEvent& around) { return around.kind == EventKind::kOperator; });
    }
    for (size_t i = 0; i < rank_.host.size(); ++i) {
      const bool outermost = nested.empty() || !nested[i];
      if (outermost && Counts(rank_.host[i], doing)) events.push_back(&rank_.host[i]);
    }
    std::stable_sort(events.begin(), events.end(),
                     [](const auto* a, const auto* b) { return a->ts_ns < b->ts_ns; });
    LineBuilder line;
    for (const TraceEvent* event : events) {
      Label label{doing, event->name, OperatorName(*event)};
      if (doing == Doing::kLaunching) label = {doing, {}, event->name};
      line.Add(event->ts_ns, event->end_ns(), labels_.Of(label));
    }
    return line.Take();
  }

  bool Counts(const TraceEvent& event, Doing doing) {
    switch (doing) {
      case Doing::kWaitingForData:
        return event.kind != EventKind::kRuntime && event.kind != EventKind::kPython &&
               IsOf(event.name, data_waits_, IsDataWait);
      case Doing::kSynchronising:
        return event.kind == EventKind::kRuntime && IsOf(event.name, synchronising_, IsWaitingCall);
      default:
        return event.kind == EventKind::kOperator;
    }
  }

  using Answers = std::unordered_map<int32_t, bool>;
  bool IsOf(store::StringId name, Answers& answers, bool (*question)(std::string_view)) {
    auto [found, added] = answers.try_emplace(static_cast<int32_t>(name), false);
    if (added) found->second = question(strings_.Text(name));
    return found->second;
  }

  // Gaps of the device from when on the work that ends them was launched.
  Line Launched(const Line& device) {
    LineBuilder line;
    size_t next = 0;
    for (size_t i = 0; i < device.size(); ++i) {
      const int64_t begin_ns = i == 0 ? from_ns_ : device[i - 1].end_ns;
      const int64_t end_ns = device[i].begin_ns;
      if (begin_ns >= end_ns) continue;
      while (next < rank_.device.size() &&
             (rank_.device[next].ts_ns < end_ns || rank_.device[next].role == DeviceRole::kNone)) {
        ++next;
      }
      if (next == rank_.device.size()) break;
      const TraceEvent& ender = rank_.device[next];
      if (ender.launch == kNone) continue;
      const int64_t launched_ns = rank_.host[static_cast<size_t>(ender.launch)].end_ns();
      line.Add(std::max(begin_ns, launched_ns), end_ns,
               labels_.Of({Doing::kWaitingOnDevice, ender.name, OperatorName(ender)}));
    }
    return line.Take();
  }

  const RankTrace& rank_;
  const store::StringTable& strings_;
  Labels& labels_;
  const HostView host_view_;
  Answers data_waits_;
  Answers synchronising_;
  int64_t from_ns_ = 0;
  int64_t to_ns_ = 0;
};

}  // namespace

int32_t Labels::Of(const Label& label) {
  const uint64_t key = static_cast<uint64_t>(label.name) << 32 ^
                       static_cast<uint64_t>(label.operator_) << 4 ^
                       static_cast<uint64_t>(static_cast<uint32_t>(label.collective + 1)) << 16 ^
                       static_cast<uint64_t>(label.doing);
  std::vector<int32_t>& numbers = numbers_[key];
  for (int32_t number : numbers) {
    const Label& known = labels_[static_cast<size_t>(number)];
    if (known.doing == label.doing && known.name == label.name &&
        known.operator_ == label.operator_ && known.collective == label.collective) {
      return number;
    }
  }
  numbers.push_back(static_cast<int32_t>(labels_.size()));
  labels_.push_back(label);
  return numbers.back();
}

std::vector<Activity> ActivitiesOf(const RankTrace& rank, const store::StringTable& strings,
                                   Labels& labels, HostView host) {
  return ActivityBuilder(rank, strings, labels, host).Build();
}

std::vector<Activity> CutWaits(const std::vector<Activity>& line, std::vector<RankWait> waits,
                               Labels& labels) {
  std::sort(waits.begin(), waits.end(),
            [](const RankWait& a, const RankWait& b) { return a.begin_ns < b.begin_ns; });
  LineBuilder in_order;  // the place in `waits` in place of a label
  for (size_t i = 0; i < waits.size(); ++i) {
    in_order.Add(waits[i].begin_ns, waits[i].end_ns, static_cast<int32_t>(i));
  }
  const Line waiting = in_order.Take();
  Line result;
  result.reserve(line.size() + waiting.size());
  auto wait = waiting.begin();
  for (const Activity& one : line) {
    const Label label = labels.all()[static_cast<size_t>(one.label)];
    if (label.doing != Doing::kCommunicating) {
      result.push_back(one);
      continue;
    }
    while (wait != waiting.end() && wait->end_ns <= one.begin_ns) ++wait;
    int64_t at = one.begin_ns;
    for (auto in = wait; in != waiting.end() && in->begin_ns < one.end_ns; ++in) {
      const int64_t begin = std::max(at, in->begin_ns);
      const int64_t end = std::min(one.end_ns, in->end_ns);
      if (at < begin) result.push_back({at, begin, one.label});
      const int32_t collective = waits[static_cast<size_t>(in->label)].collective;
      result.push_back(
          {begin, end,
           labels.Of({Doing::kWaitingForRanks, label.name, label.operator_, collective})});
      at = end;
    }
    if (at < one.end_ns) result.push_back({at, one.end_ns, one.label});
  }
  return result;
}

bool IsDataWait(std::string_view name) {
  return name.starts_with("enumerate(DataLoader)") || name.starts_with("enumerate(DataPipe)") ||
         (name.find("DataLoader") != std::string_view::npos &&
          name.find("__next__") != std::string_view::npos);
}

}  // namespace steptrace::analyze
