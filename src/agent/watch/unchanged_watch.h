// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "agent/watch/tensor_rule.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Says when a parameter never changes, though it has gradients that are not 0: at each of nine
// readings its sums, its least and its largest are to the bit what they were at the first. What has
// no gradient is frozen, or not used: nothing is to be said of it here.
class UnchangedWatch : public TensorRule {
 public:
  static constexpr int64_t kLeastReadings = 8;  // behind the first

  explicit UnchangedWatch(const store::StringTable& strings) : strings_(strings) {}

  void OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) override;
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;
  std::vector<Unjudged> WhyUnjudged() const override;

 private:
  struct Parameter {
    uint64_t first = 0;     // what it was like at the first reading
    int64_t readings = -1;  // behind the first
    int64_t step = 0;
    bool gradient = false;  // at this reading it had one
    bool settled = false;   // it changed, has no gradient, or was told
  };
  void OnWeight(int32_t rank, const ReportedTensor& tensor, Parameter& parameter);
  Alert Tell();

  const store::StringTable& strings_;
  std::map<std::pair<int32_t, store::StringId>, Parameter> parameters_;
  struct Still {
    int32_t rank;
    store::StringId name;
    int64_t step;
  };
  std::vector<Still> still_;  // since the last reading
  std::set<store::StringId> reported_;
  bool any_changed_ = false;
  bool gradients_ = false;
};

}  // namespace steptrace::agent
