// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/observer_list.h"

#include <iterator>

#include "agent/watch/hang_watch.h"
#include "agent/watch/live_rules.h"
#include "agent/watch/memory_watch.h"
#include "agent/watch/step_watch.h"
#include "agent/watch/tensor_watch.h"

namespace steptrace::agent {
namespace {

constexpr double kBytesPerMb = 1e6;
constexpr double kSecondsPerHour = 3600;

// The launcher has checked them: what is no threshold of a rule does not get here.
analyze::RuleSettings SettingsOf(const std::vector<std::string>& rules) {
  analyze::RuleSettings settings(analyze::RuleMode::kModern);
  for (const std::string& one : rules) (void)settings.Set(one);
  return settings;
}

}  // namespace

void ObserverList::OnStep(const store::StepRow& row, std::string_view kind) {
  for (const auto& observer : observers_) observer->OnStep(row, kind);
}

void ObserverList::OnEvents(const EventSource& source, std::span<const analyze::Event> events) {
  for (const auto& observer : observers_) observer->OnEvents(source, events);
}

void ObserverList::OnSample(const Sample& sample) {
  for (const auto& observer : observers_) observer->OnSample(sample);
}

void ObserverList::OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) {
  for (const auto& observer : observers_) observer->OnTensors(source, tensors);
}

std::vector<Alert> ObserverList::Check(Moment moment, int64_t now_ns, const Job& job) {
  std::vector<Alert> all;
  for (const auto& observer : observers_) {
    std::vector<Alert> found = observer->Check(moment, now_ns, job);
    all.insert(all.end(), std::make_move_iterator(found.begin()),
               std::make_move_iterator(found.end()));
  }
  return all;
}

ObserverList AllObservers(const WatchOptions& options, const store::StringTable& strings) {
  const model::AlertThresholds& from = options.alerts.thresholds;
  ObserverList list;
  list.Add(
      std::make_unique<LiveRules>(options.node, options.cpus, SettingsOf(options.alerts.rules)));
  list.Add(std::make_unique<MemoryWatch>(
      options.node, from.memory_growth_mb_per_hour * kBytesPerMb / kSecondsPerHour));
  list.Add(std::make_unique<StepWatch>(from.step_rise_percent / 100));
  list.Add(std::make_unique<TensorWatch>(AllTensorRules(strings)));
  if (options.hangs) list.Add(std::make_unique<HangWatch>(strings, HangOptions(from)));
  return list;
}

}  // namespace steptrace::agent
