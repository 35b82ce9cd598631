// SPDX-License-Identifier: Apache-2.0
#include "agent/watch/observer_list.h"

#include <iterator>

#include "agent/watch/hang_watch.h"
#include "agent/watch/live_rules.h"
#include "agent/watch/memory_watch.h"
#include "agent/watch/step_watch.h"

namespace steptrace::agent {

void ObserverList::OnStep(const store::StepRow& row, std::string_view kind) {
  for (const auto& observer : observers_) observer->OnStep(row, kind);
}

void ObserverList::OnEvents(const EventSource& source, std::span<const analyze::Event> events) {
  for (const auto& observer : observers_) observer->OnEvents(source, events);
}

void ObserverList::OnSample(const Sample& sample) {
  for (const auto& observer : observers_) observer->OnSample(sample);
}

std::vector<Alert> ObserverList::Look(Moment moment, int64_t now_ns, const Job& job) {
  std::vector<Alert> all;
  for (const auto& observer : observers_) {
    std::vector<Alert> found = observer->Look(moment, now_ns, job);
    all.insert(all.end(), std::make_move_iterator(found.begin()),
               std::make_move_iterator(found.end()));
  }
  return all;
}

ObserverList AllObservers(const WatchOptions& options, const store::StringTable& strings) {
  ObserverList list;
  list.Add(std::make_unique<LiveRules>(options.node, options.cpus));
  list.Add(std::make_unique<MemoryWatch>(options.node));
  list.Add(std::make_unique<StepWatch>());
  if (options.hangs) list.Add(std::make_unique<HangWatch>(strings));
  return list;
}

}  // namespace steptrace::agent
