// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/memory_watch.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/rows/finding_row.h"
#include "base/time.h"
#include "store/stored_words.h"

namespace steptrace::agent {
namespace {

constexpr int64_t kMemoryCheckPeriodNs = 10 * kNsPerSecond;
constexpr size_t kMostPoints = 512;
constexpr size_t kMostKnots = 512;
constexpr size_t kMostRanks = 64;
constexpr size_t kMostLines = 512;  // some five of a process
// Without a sample for so long, and for so many intervals, a process is gone.
constexpr int64_t kGoneNs = 30 * kNsPerSecond;
constexpr int64_t kGoneIntervals = 3;

bool IsWanted(store::Metric metric) {
  using enum store::Metric;
  return metric == kProcessRssAnon || metric == kProcessRssShmem || metric == kMemoryAvailable ||
         metric == kMemoryTotal || metric == kCgroupMemoryLimit || metric == kCgroupMemory ||
         metric == kGpuMemoryTotal;
}

Alert GrowthAlert(const analyze::ProcessMemoryRow& process,
                  const analyze::HostMemorySection& section) {
  const bool leaks = process.growth.verdict == analyze::GrowthVerdict::kLeak;
  model::Finding found = analyze::GrowthOf(process, section);
  analyze::HostMemorySection one;
  one.processes.push_back(process);
  one.outlooks = section.outlooks;
  std::string evidence = EvidenceText(found, analyze::HostMemoryJson(one));
  return {.found = std::move(found),
          .severity = leaks ? store::Severity::kWarning : store::Severity::kInfo,
          .subject = analyze::SubjectOf(process),
          .evidence = std::move(evidence)};
}

}  // namespace

void MemoryWatch::OnSample(const Sample& sample) {
  if (sample.metric && !IsWanted(*sample.metric)) return;
  Add(std::string(sample.name), sample.device, sample.pid, sample.ts_ns, sample.value);
}

void MemoryWatch::Add(const std::string& metric, int32_t device, int32_t pid, int64_t ts_ns,
                      double value) {
  auto found = lines_.find({pid, device, metric});
  if (found == lines_.end()) {
    if (lines_.size() >= kMostLines) return;
    found = lines_.emplace(std::tuple(pid, device, metric), Line{}).first;
    analyze::CounterSeries& series = found->second.series;
    series.metric = metric;
    series.node = node_;
    if (device >= 0) series.device = device;
    if (pid > 0) series.pid = pid;
  }
  Line& line = found->second;
  std::vector<int64_t>& times = line.series.times_ns;
  std::vector<double>& values = line.series.values;
  if (!times.empty()) line.interval_ns = ts_ns - times.back();
  // The newest stands in for those that were left out since the last one kept.
  if (!times.empty() && line.seen++ % line.apart != 0) {
    times.back() = ts_ns;
    values.back() = value;
    return;
  }
  times.push_back(ts_ns);
  values.push_back(value);
  if (times.size() <= kMostPoints) return;
  line.apart *= 2;
  size_t kept = 0;
  for (size_t i = 0; i < times.size(); i += 2, ++kept) {
    times[kept] = times[i];
    values[kept] = values[i];
  }
  times.resize(kept);
  values.resize(kept);
}

void MemoryWatch::OnStep(const store::StepRow& row, std::string_view kind) {
  if (store::StepKindOf(kind) != store::StepKind::kTrain) return;
  if (axes_.size() >= kMostRanks && axes_.count(row.rank) == 0) return;
  analyze::StepAxis& axis = axes_[row.rank];
  if (axis.empty()) axis.Add(row.ts_ns, 0);
  axis.Add(std::max(axis.to_ns(), row.ts_ns + row.dur_ns), axis.steps() + 1,
           axis.compiled() + (row.compile_ns > 0));
  if (axis.size() > kMostKnots) axis.Thin();
}

void MemoryWatch::ForgetGone(int64_t now_ns) {
  int64_t gone_ns = kGoneNs;
  for (const auto& [key, line] : lines_) {
    gone_ns = std::max(gone_ns, kGoneIntervals * line.interval_ns);
  }
  std::erase_if(lines_, [now_ns, gone_ns](const auto& entry) {
    const analyze::CounterSeries& series = entry.second.series;
    return series.pid && series.times_ns.back() < now_ns - gone_ns;
  });
}

std::vector<Alert> MemoryWatch::Changes(int64_t now_ns,
                                        const std::vector<analyze::RankProcess>& ranks) {
  std::vector<Alert> alerts;
  ForgetGone(now_ns);
  std::vector<analyze::CounterSeries> counters;
  for (const auto& [key, line] : lines_) counters.push_back(line.series);
  const analyze::HostMemorySection section = analyze::MakeHostMemory(counters, axes_, ranks);
  for (const analyze::ProcessMemoryRow& process : section.processes) {
    const std::string subject = analyze::SubjectOf(process);
    const analyze::GrowthVerdict verdict = process.growth.verdict;
    const bool leaks = verdict == analyze::GrowthVerdict::kLeak;
    if (leaks == reported_.contains(subject)) continue;
    // What cannot be judged any more stands.
    if (!leaks && verdict != analyze::GrowthVerdict::kPlateau) continue;
    if (leaks && process.bytes_per_s < least_bytes_per_s_) continue;
    alerts.push_back(GrowthAlert(process, section));
    if (leaks) {
      reported_.insert(subject);
    } else {
      reported_.erase(subject);
    }
  }
  return alerts;
}

std::vector<Alert> MemoryWatch::Check(Moment moment, int64_t now_ns, const Job& job) {
  if (moment == Moment::kFinished) return Changes(now_ns, job.RankProcesses());
  if (moment != Moment::kSettled || now_ns < next_ns_) return {};
  next_ns_ = now_ns + kMemoryCheckPeriodNs;
  return Changes(now_ns, job.RankProcesses());
}

}  // namespace steptrace::agent
