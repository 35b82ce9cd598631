// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analyze/rules/compat_base.h"
#include "analyze/rules/compat_rules.h"
#include "analyze/stats/quantile.h"
#include "base/time.h"
#include "model/finding_kinds.h"

// The rules on framework metrics as they were published (sagemaker.md 2.1).
namespace steptrace::analyze {

namespace finding = model::finding;
using model::Compare;
namespace {

// Loader processes per second against cores: it never asks whether anybody waits.
class Dataloader final : public CompatBase {
 public:
  static constexpr RuleId kRule = RuleId::kDataloader;

  explicit Dataloader(const RuleSettings& settings) : CompatBase(kRule, settings) {}

  void Scan(const ScanWindow& window) override {
    if (cores_.empty()) {
      for (const SystemEvent& event : window.system) {
        const SignalSeries& one = window.signals->series()[event.series];
        if (one.signal == Signal::kCpu) cores_.insert(one.device);  // by name, over all nodes
      }
    }
    std::map<int64_t, std::set<int64_t>> pids;  // by second
    for (const LoaderEvent& event : window.loaders) {
      constexpr size_t kMostSeconds = 1000;
      if (parallel_.size() > kMostSeconds) parallel_.clear();
      ++result_.datapoints;
      pids[SecondOf(window.epoch_utc_ns, event.ts_ns)].insert(event.pid);
    }
    for (const auto& [second, of_second] : pids) {
      parallel_.push_back(static_cast<double>(of_second.size()));
    }
    if (!pids.empty()) Judge();
  }

 private:
  void Judge() {
    const auto median = static_cast<int64_t>(Quantile(parallel_, 0.5));
    const auto cores = static_cast<double>(cores_.size());
    if (static_cast<double>(parallel_.size()) <= Get({kRule, "patience"})) return;
    const bool few = static_cast<double>(median) < cores * (Get({kRule, "min_threshold"}) / 100);
    const bool many = static_cast<double>(median) > cores * (Get({kRule, "max_threshold"}) / 100);
    result_.violations += few + many;
    if (result_.violations == 0) return;
    result_.triggered = 1;  // never more
    if (!few && !many) return;
    result_.evidence = {Make(finding::RuleLoadersOnCores{
        .loaders = median, .cores = cores_.size(), .rows = model::Rows()})};
  }

  std::set<int32_t> cores_;
  std::vector<double> parallel_;
};

// Against the mean of all steps so far, the slow first one included; the limit of outliers does not
// grow with the run, and all are counted again at each scan.
class StepOutlier final : public CompatBase {
 public:
  static constexpr RuleId kRule = RuleId::kStepOutlier;

  explicit StepOutlier(const RuleSettings& settings) : CompatBase(kRule, settings) {}

  void Scan(const ScanWindow& window) override {
    for (const FrameworkStep& step : window.steps) {
      ++result_.datapoints;
      History& history = histories_[{step.node, step.rank, step.eval}];
      history.seconds.push_back(static_cast<double>(step.dur_ns / kNsPerUs) / 1e6);
    }
    for (auto& [key, history] : histories_) Judge(key, history);
  }

 private:
  using Key = std::tuple<int32_t, int32_t, bool>;  // node, rank, evaluation
  struct History {
    std::vector<double> seconds;
  };

  void Judge(const Key& key, const History& history) {
    constexpr size_t kLeast = 100;
    if (history.seconds.size() <= kLeast) return;
    const double limit =
        Mean(history.seconds) + Deviation(history.seconds) * Get({kRule, "stddev"});
    const int64_t outliers = std::count_if(history.seconds.begin(), history.seconds.end(),
                                           [&](double seconds) { return seconds > limit; });
    if (!(static_cast<double>(outliers) > Get({kRule, "n_outliers"}))) return;
    ++result_.triggered;
    result_.violations += outliers;
    const auto& [node, rank, eval] = key;
    const auto limit_ns = static_cast<int64_t>(limit * 1e9);
    evidence_[key] = Make(finding::RuleLongSteps{
        .rank = rank,
        .found = outliers,
        .steps = history.seconds.size(),
        .evaluations = eval,
        .limit = limit_ns,
        .rows = model::Rows{
            "steps", {{"rank", Compare::kEqual, rank}, {"dur_ns", Compare::kMore, limit_ns}}}});
    result_.evidence.clear();
    for (const auto& [of_key, one] : evidence_) result_.evidence.push_back(one);
  }

  std::map<Key, History> histories_;
  std::map<Key, model::Finding> evidence_;
};

class MaxInitialization final : public CompatBase {
 public:
  static constexpr RuleId kRule = RuleId::kMaxInitializationTime;

  explicit MaxInitialization(const RuleSettings& settings) : CompatBase(kRule, settings) {}

  void Scan(const ScanWindow& window) override {
    if (!begin_ns_) begin_ns_ = window.begin_ns;
    result_.datapoints += static_cast<int64_t>(window.steps.size());
    // From the begin of the first scan to that of this one.
    const int64_t waited_ns = window.begin_ns - *begin_ns_;
    if (static_cast<double>(waited_ns) <= Get({kRule, "threshold"}) * 60e9 ||
        result_.datapoints > 0)
      return;
    ++result_.triggered;
    ++result_.violations;
    result_.evidence = {Make(finding::RuleNoFirstStep{
        .time = waited_ns,
        .rows = model::Rows{"steps", {{"ts_ns", Compare::kLess, window.begin_ns}}}})};
  }

 private:
  std::optional<int64_t> begin_ns_;
};

class FrameworkMetrics final : public CompatBase {
 public:
  explicit FrameworkMetrics(const RuleSettings& settings)
      : CompatBase(RuleId::kOverallFrameworkMetrics, settings) {}

  void Scan(const ScanWindow& window) override {
    result_.datapoints += static_cast<int64_t>(window.steps.size() + window.loaders.size());
  }
};

}  // namespace

std::unique_ptr<CompatRule> MakeCompatDataloader(const RuleSettings& settings) {
  return std::make_unique<Dataloader>(settings);
}
std::unique_ptr<CompatRule> MakeCompatStepOutlier(const RuleSettings& settings) {
  return std::make_unique<StepOutlier>(settings);
}
std::unique_ptr<CompatRule> MakeCompatMaxInitializationTime(const RuleSettings& settings) {
  return std::make_unique<MaxInitialization>(settings);
}
std::unique_ptr<CompatRule> MakeCompatOverallFrameworkMetrics(const RuleSettings& settings) {
  return std::make_unique<FrameworkMetrics>(settings);
}

}  // namespace steptrace::analyze
