// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "agent/watch/spike_window.h"
#include "agent/watch/tensor_rule.h"

namespace steptrace::agent {

// Says when the loss of a rank spikes (SpikeWindow), and of ranks that see the same spike the
// first.
class LossSpikeWatch : public TensorRule {
 public:
  // A spike within so many steps of the one told last is reported with it.
  static constexpr int64_t kApart = 128;
  static constexpr int kMostTold = 16;

  void OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) override;
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;
  std::vector<Unjudged> WhyUnjudged() const override;

 private:
  std::map<std::pair<int32_t, store::StringId>, SpikeWindow> windows_;  // by rank and name
  std::optional<int64_t> last_;  // step of the newest spike, told or not
  int reported_ = 0;
  std::vector<Alert> alerts_;
};

}  // namespace steptrace::agent
