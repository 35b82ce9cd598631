// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "agent/watch/spike_window.h"
#include "agent/watch/tensor_rule.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Says when the norm of all gradients of a rank spikes (SpikeWindow) at a reading, and which tensor
// has most of it; of ranks that see the same spike the first. Readings that are not finite are not
// judged.
class GradientSpikeWatch : public TensorRule {
 public:
  // Readings of a rank between two that are told.
  static constexpr int64_t kApart = 128;
  static constexpr int kMostTold = 16;

  explicit GradientSpikeWatch(const store::StringTable& strings) : strings_(strings) {}

  void OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) override;
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;
  std::vector<Unjudged> WhyUnjudged() const override;

 private:
  struct Rank {
    SpikeWindow norms;
    int64_t readings = 0;
    std::optional<int64_t> step;  // of the reading that goes on
    double square_sum = 0;
    double largest = 0;
    store::StringId largest_name{};
    bool finite = true;
    std::optional<int64_t> last;  // look of the newest spike, told or not
  };
  void EndLook(int32_t number, Rank& rank);

  const store::StringTable& strings_;
  std::map<int32_t, Rank> ranks_;
  std::optional<int64_t> told_step_;
  int reported_ = 0;
  std::vector<Alert> alerts_;
};

}  // namespace steptrace::agent
