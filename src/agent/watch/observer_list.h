// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "agent/watch/observer.h"
#include "model/alert_settings.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Shows each of several observers what comes, and gathers what they find, in their order.
class ObserverList {
 public:
  void Add(std::unique_ptr<Observer> observer) { observers_.push_back(std::move(observer)); }

  void OnStep(const store::StepRow& row, std::string_view kind);
  void OnEvents(const EventSource& source, std::span<const analyze::Event> events);
  void OnSample(const Sample& sample);
  void OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors);
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job);

 private:
  std::vector<std::unique_ptr<Observer>> observers_;
};

struct WatchOptions {
  int32_t node = 0;
  int32_t cpus = 0;
  bool hangs = true;  // watched for
  model::AlertSettings alerts{};
};

// All there are. `strings` are those of the events, and must outlive the list.
ObserverList AllObservers(const WatchOptions& options, const store::StringTable& strings);

}  // namespace steptrace::agent
