// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "analyze/device/device_work.h"
#include "analyze/stats/distribution.h"
#include "analyze/trace/copy_kind.h"

namespace steptrace::analyze {
namespace {

struct Call {
  int32_t launch = kNone;
  int64_t first_begin_ns = 0;
  int64_t work_ns = 0;
  int64_t events = 0;
};

struct CallSums {
  int64_t device_events = 0;
  int64_t short_work = 0;
  int64_t late_starts = 0;
  int64_t slow_calls = 0;
  std::vector<int64_t> call_ns;
  std::vector<int64_t> delay_ns;
};

// Percentiles by nearest rank, as everywhere in the report.
DurationSummary Summarize(std::vector<int64_t> values) {
  DurationSummary summary;
  if (values.empty()) return summary;
  std::sort(values.begin(), values.end());
  for (int64_t value : values) summary.sum += value;
  const auto at = [&values](size_t percent) {
    const size_t rank = (percent * values.size() + 99) / 100;
    return values[std::max<size_t>(rank, 1) - 1];
  };
  summary.mean = summary.sum / static_cast<int64_t>(values.size());
  summary.min = values.front();
  summary.p50 = at(50);
  summary.p90 = at(90);
  summary.max = values.back();
  return summary;
}

// What calls that launched more than one thing (graphs) launched beside the first; few do.
std::unordered_map<int32_t, Call> MoreOf(const DeviceWork& work) {
  std::unordered_map<int32_t, Call> more;
  std::vector<bool> seen(work.rank->host.size());
  for (const TraceEvent* event : work.events) {
    if (event->launch == kNone) continue;
    if (!seen[static_cast<size_t>(event->launch)]) {
      seen[static_cast<size_t>(event->launch)] = true;
      continue;
    }
    Call& call = more[event->launch];
    call.work_ns += event->dur_ns;
    ++call.events;
  }
  return more;
}

// In the order of their first device event.
template <class Take>
void ForEachCall(const DeviceWork& work, Take take) {
  const auto more = MoreOf(work);
  std::vector<bool> seen(work.rank->host.size());
  for (const TraceEvent* event : work.events) {
    if (event->launch == kNone || seen[static_cast<size_t>(event->launch)]) continue;
    seen[static_cast<size_t>(event->launch)] = true;
    Call call{event->launch, event->ts_ns, event->dur_ns, 1};  // events come by begin
    if (const auto found = more.find(event->launch); found != more.end()) {
      call.work_ns += found->second.work_ns;
      call.events += found->second.events;
    }
    take(call);
  }
}

}  // namespace

bool IsGraphLaunch(std::string_view call) {
  return call.find("GraphLaunch") != call.npos;
}

std::vector<LaunchTimes> MakeLaunches(const DeviceWork& work, const store::StringTable& strings) {
  std::map<store::StringId, CallSums> by_name;
  ForEachCall(work, [&](const Call& call) {
    const TraceEvent& host = work.rank->host[static_cast<size_t>(call.launch)];
    const int64_t delay = std::max<int64_t>(call.first_begin_ns - host.end_ns(), 0);
    CallSums& sums = by_name[host.name];
    sums.device_events += call.events;
    sums.short_work += call.work_ns < host.dur_ns;
    sums.slow_calls += host.dur_ns > kSlowCallNs;
    sums.late_starts += delay > kLateStartNs;
    sums.call_ns.push_back(host.dur_ns);
    sums.delay_ns.push_back(delay);
  });
  std::vector<LaunchTimes> launches;
  for (auto& [name, sums] : by_name) {
    LaunchTimes one;
    one.call = strings.Text(name);
    one.calls = static_cast<int64_t>(sums.call_ns.size());
    one.device_events = sums.device_events;
    one.short_work = sums.short_work;
    one.slow_calls = sums.slow_calls;
    one.late_starts = sums.late_starts;
    one.call_ns = Summarize(std::move(sums.call_ns));
    one.delay_ns = Summarize(std::move(sums.delay_ns));
    launches.push_back(std::move(one));
  }
  std::sort(launches.begin(), launches.end(), [](const LaunchTimes& a, const LaunchTimes& b) {
    return a.calls != b.calls ? a.calls > b.calls : a.call < b.call;
  });
  return launches;
}

std::vector<CopyTimes> MakeCopies(const DeviceWork& work, const store::StringTable& strings) {
  std::map<std::string, std::pair<CopyTimes, std::vector<TimeRange>>> by_kind;
  for (const TraceEvent* event : work.events) {
    if (event->role != DeviceRole::kMemory) continue;
    auto& [copies, time_ranges] = by_kind[CopyKind(*event, strings)];
    ++copies.count;
    copies.sum_ns += event->dur_ns;
    time_ranges.push_back({event->ts_ns, event->end_ns()});
    const int64_t bytes = work.rank->NumbersOf(*event).bytes;
    if (bytes < 0) continue;  // not reported, or damaged
    copies.bytes = SaturatingAdd(copies.bytes.value_or(0), bytes);
    if (bytes >= kSmallCopyBytes) continue;
    ++copies.small;
    copies.small_sum_ns += event->dur_ns;
  }
  std::vector<CopyTimes> all;
  for (auto& [kind, entry] : by_kind) {
    CopyTimes& copies = entry.first;
    copies.kind = kind;
    copies.busy_ns = Length(Union(std::move(entry.second)));
    // Each copy's rate while it runs, summed where they run at once and averaged over the time in
    // which any runs, is this quotient exactly.
    if (copies.busy_ns > 0 && copies.bytes.value_or(0) > 0) {
      copies.bytes_per_s = PerSecond(*copies.bytes, copies.busy_ns);
    }
    all.push_back(std::move(copies));
  }
  return all;
}

}  // namespace steptrace::analyze
