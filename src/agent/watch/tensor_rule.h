// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "agent/watch/observer.h"

namespace steptrace::agent {

// What a rule lacked, so that it could judge nothing.
enum class MissingInput : uint8_t {
  kLoss,
  kGradient,
  kWeight,
  kModule,   // one with a weight and a bias of some size
  kWide,     // elements other than 0 of a type wider than float16
  kWeights,  // as many as it needs
  kReads,    // as many as it needs
  kReplica,  // a second rank with the same parameters
};

struct Unjudged {
  model::FindingKind rule{};  // of what it would find
  MissingInput lack{};
  int64_t seen = 0;  // readings
  int64_t needed = 0;
};

// A rule about the numbers in the model. What it keeps is bounded; of what is beyond that it says
// nothing.
class TensorRule : public Observer {
 public:
  static constexpr size_t kMostTensors = 100'000;  // of a job
  static constexpr size_t kMostRanks = 1024;

  // Of each of its rules that has judged nothing.
  virtual std::vector<Unjudged> WhyUnjudged() const = 0;
};

// Of an order of its own; some values at least.
inline double MedianOf(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace steptrace::agent
