// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/watch/tensor_rule.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Says when a rank's gradients vanish or explode, by what was told of all of them at a step (a
// look).
//
//   vanish    on the way from the last weight to the first: the root mean square of the one is a
//             millionth of the other's or less, in three readings in a row
//   explode   their norm is a thousand times the median of the readings before, of which there are
//             eight at least, in two readings in a row
//
// Ratios alone: what a loss is scaled by makes no difference. Bounded to the last 128 readings.
class GradientWatch : public TensorRule {
 public:
  explicit GradientWatch(const store::StringTable& strings) : strings_(strings) {}

  void OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) override;
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;
  std::vector<Unjudged> WhyUnjudged() const override;

 private:
  struct Rank {
    std::optional<int64_t> step;                         // of the reading that goes on
    std::optional<ReportedTensor> first, last, largest;  // of weights' gradients; of all
    int64_t weights = 0;
    int64_t readings = 0;    // that were finite
    int64_t deep_looks = 0;  // of those with as many weights as it takes
    double square_sum = 0;
    bool finite = true;
    std::deque<double> norms;  // of the readings before
    int vanishing = 0;         // readings in a row
    int exploding = 0;
    int64_t vanishing_since = 0;  // the steps of the first of those
    int64_t exploding_since = 0;
    bool reported_vanishing = false;
    bool reported_exploding = false;
  };
  void Add(Rank& rank, const ReportedTensor& tensor);
  void EndStep(int32_t number, Rank& rank);
  void JudgeDepth(int32_t number, Rank& rank);
  void JudgeNorm(int32_t number, Rank& rank);
  std::string NameOf(const ReportedTensor& tensor) const;

  const store::StringTable& strings_;
  std::map<int32_t, Rank> ranks_;
  std::vector<Alert> alerts_;
};

}  // namespace steptrace::agent
