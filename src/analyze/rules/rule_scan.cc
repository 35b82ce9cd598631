// SPDX-License-Identifier: Apache-2.0
#include "analyze/rules/rule_scan.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>

#include "analyze/input/step_selection.h"
#include "analyze/rules/compat_rules.h"
#include "base/time.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

// The first scan begins at the first file's minute.
int64_t FirstScan(const RulesInput& input, int64_t first_ns) {
  const int64_t since = (input.run.epoch_utc_ns % kScanNs + first_ns % kScanNs) % kScanNs;
  return first_ns - (since < 0 ? since + kScanNs : since);
}

// Times that a run can hold: sums of two of them are numbers yet.
constexpr int64_t kFar = int64_t{1} << 61;

template <class Event>
bool MayBe(const Event& event) {
  return event.ts_ns > -kFar && event.ts_ns < kFar && event.dur_ns >= 0 && event.dur_ns < kFar;
}

struct Extent {
  int64_t first_ns = std::numeric_limits<int64_t>::max();
  int64_t last_ns = std::numeric_limits<int64_t>::min();

  bool empty() const { return last_ns < first_ns; }
  void Add(int64_t begin, int64_t end) {
    first_ns = std::min(first_ns, begin);
    last_ns = std::max(last_ns, end);
  }
};

// Collects what each scan sees; the windows come in order of time.
class Scanner {
 public:
  Scanner(const SystemSignals& signals, std::vector<FrameworkStep> steps,
          std::vector<LoaderEvent> loaders)
      : signals_(signals), steps_(std::move(steps)), loaders_(std::move(loaders)) {
    next_.resize(signals.series().size());
    const auto by_time = [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; };
    std::stable_sort(loaders_.begin(), loaders_.end(), by_time);
  }

  void Fill(ScanWindow& window) {
    window.system.clear();
    for (size_t i = 0; i < next_.size(); ++i) {
      const SignalSeries& one = signals_.series()[i];
      size_t& at = next_[i];
      while (at < one.times_ns.size() && one.times_ns[at] < window.begin_ns) ++at;
      for (size_t k = at; k < one.times_ns.size() && one.times_ns[k] <= window.end_ns; ++k) {
        window.system.push_back({one.times_ns[k], one.values[k], static_cast<uint32_t>(i)});
      }
    }
    std::stable_sort(window.system.begin(), window.system.end(),
                     [](const auto& a, const auto& b) { return a.ts_ns < b.ts_ns; });
    Touching(steps_, window, window.steps);
    Touching(loaders_, window, window.loaders);
  }

 private:
  template <class Event>
  static void Touching(std::vector<Event>& events, const ScanWindow& window,
                       std::vector<Event>& found) {
    found.clear();
    const auto end =
        std::upper_bound(events.begin(), events.end(), window.end_ns,
                         [](int64_t time, const Event& event) { return time < event.ts_ns; });
    for (auto event = events.begin(); event != end; ++event) {
      if (event->ts_ns + event->dur_ns >= window.begin_ns) found.push_back(*event);
    }
    // What ended before this window is in none that follows.
    events.erase(std::remove_if(events.begin(), end,
                                [&](const Event& event) {
                                  return event.ts_ns + event.dur_ns < window.begin_ns;
                                }),
                 end);
  }

  const SystemSignals& signals_;
  std::vector<FrameworkStep> steps_;
  std::vector<LoaderEvent> loaders_;
  std::vector<size_t> next_;
};

}  // namespace

std::vector<FrameworkStep> StepEvents(const RulesInput& input) {
  std::vector<FrameworkStep> events;
  std::copy_if(input.step_marks.begin(), input.step_marks.end(), std::back_inserter(events),
               MayBe<FrameworkStep>);
  const StepKinds kinds(*input.strings);
  if (events.empty()) {
    events.reserve(input.steps.size());
    for (const store::StepRow& row : input.steps) {
      if (!IsPlausible(row)) continue;
      events.push_back({.ts_ns = row.ts_ns,
                        .dur_ns = row.dur_ns,
                        .step = row.step,
                        .node = row.node,
                        .rank = row.rank,
                        .eval = kinds.IsEval(row)});
    }
  }
  const auto by_time = [](const FrameworkStep& a, const FrameworkStep& b) {
    return a.ts_ns < b.ts_ns;
  };
  if (!std::is_sorted(events.begin(), events.end(), by_time)) {
    std::stable_sort(events.begin(), events.end(), by_time);
  }
  return events;
}

StepsOfRanks StepsByRank(const RulesInput& input,
                         const std::function<bool(std::string_view)>& kind) {
  StepsOfRanks ranks;
  std::optional<store::StringId> before;  // mostly the same again
  bool wanted = false;
  for (uint32_t i = 0; i < input.steps.size(); ++i) {
    const store::StepRow& row = input.steps[i];
    if (!IsPlausible(row)) continue;
    const store::StringId of_row = row.kind;
    if (before != of_row) wanted = kind(input.strings->Text(of_row));
    before = of_row;
    const int32_t rank = row.rank;
    if (wanted) ranks[rank].push_back(i);
  }
  const auto by_time = [&input](uint32_t a, uint32_t b) {
    return input.steps[a].ts_ns < input.steps[b].ts_ns;
  };
  for (auto& [rank, steps] : ranks) {
    if (!std::is_sorted(steps.begin(), steps.end(), by_time)) {
      std::stable_sort(steps.begin(), steps.end(), by_time);
    }
  }
  return ranks;
}

int64_t SecondOf(int64_t epoch_utc_ns, int64_t ts_ns) {
  // In parts: the sum of a damaged run's times may be no number.
  const int64_t part = epoch_utc_ns % kNsPerSecond + ts_ns % kNsPerSecond;
  const int64_t below = part < 0 ? part - (kNsPerSecond - 1) : part;
  return epoch_utc_ns / kNsPerSecond + ts_ns / kNsPerSecond + below / kNsPerSecond;
}

RuleResult EmptyResult(RuleId rule, const RuleSettings& settings) {
  RuleResult result;
  result.rule = rule;
  result.mode = settings.mode();
  result.parameters = settings.Parameters(rule);
  return result;
}

std::vector<RuleResult> RunCompatRules(const RulesInput& input, const RuleSettings& settings) {
  const SystemSignals signals(input.counters);
  std::vector<FrameworkStep> steps = StepEvents(input);
  Extent extent;
  if (!signals.empty()) extent.Add(signals.first_ns(), signals.last_ns());
  for (const FrameworkStep& step : steps) extent.Add(step.ts_ns, step.end_ns());
  std::vector<LoaderEvent> loaders;
  for (const LoaderEvent& one : input.loader_events) {
    if (!MayBe(one)) continue;
    loaders.push_back(one);
    extent.Add(one.ts_ns, one.ts_ns + one.dur_ns);
  }
  std::vector<std::unique_ptr<CompatRule>> rules;
  for (const CompatRuleMaker make : kCompatRules) rules.push_back(make(settings));
  // Unsigned: the times of a damaged run may lie anywhere.
  const uint64_t span_ns = extent.empty() ? 0
                                          : static_cast<uint64_t>(extent.last_ns) -
                                                static_cast<uint64_t>(extent.first_ns);
  std::vector<RuleResult> results;
  if (span_ns / kScanNs > static_cast<uint64_t>(kMostScans)) {
    for (const auto& rule : rules) {
      results.push_back(rule->Result());
      results.back().status = RuleStatus::kError;
      results.back().reason = Make(model::finding::ReasonImpossibleTimes{
          .time = static_cast<int64_t>(std::min<uint64_t>(span_ns, INT64_MAX))});
    }
    return results;
  }
  const int64_t first = extent.empty() ? 0 : FirstScan(input, extent.first_ns);
  const int64_t scans = extent.empty() ? 0 : (extent.last_ns - first) / kScanNs + 1;
  Scanner scanner(signals, std::move(steps), std::move(loaders));
  ScanWindow window;
  window.signals = &signals;
  window.epoch_utc_ns = input.run.epoch_utc_ns;
  for (int64_t i = 0; i < scans; ++i) {
    window.begin_ns = first + i * kScanNs;
    window.end_ns = window.begin_ns + kScanNs;
    scanner.Fill(window);
    for (const auto& rule : rules) rule->Scan(window);
  }
  for (const auto& rule : rules) results.push_back(rule->Result());
  return results;
}

}  // namespace steptrace::analyze
