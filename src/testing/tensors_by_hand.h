// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/watch/observer.h"
#include "store/string_table.h"
#include "testing/job_by_hand.h"

// For tests of observers of tensors.
namespace steptrace::agent {

struct TensorByHand {
  int64_t step = 0;
  wire::TensorRole role = wire::TensorRole::kGradient;
  std::string name = "fc.weight";
  int64_t numel = 100;
  int64_t zeros = 0;
  int64_t nan = 0;
  double value = 1;  // of each that is neither 0 nor NaN
  wire::ElementType type = wire::ElementType::kFloat32;
};

inline ReportedTensor ToldOf(const TensorByHand& made, store::StringTable& strings) {
  ReportedTensor reported;
  reported.step = made.step;
  reported.role = made.role;
  reported.type = made.type;
  reported.name = strings.Intern(made.name);
  reported.numel = made.numel;
  reported.zeros = made.zeros;
  reported.nan = made.nan;
  const auto count = static_cast<double>(reported.finite() - reported.zeros);
  const double zero_or = reported.zeros > 0 ? 0 : made.value;
  reported.min = std::fmin(zero_or, made.value);
  reported.max = std::fmax(zero_or, made.value);
  reported.sum = made.value * count;
  reported.abs_sum = std::fabs(reported.sum);
  reported.square_sum = made.value * made.value * count;
  if (count > 0 && made.value != 0) {
    const int bin = std::ilogb(made.value) - wire::kTensorLowestExponent;
    const int last = static_cast<int>(wire::kTensorBins) - 1;
    reported.bins[static_cast<size_t>(bin < 0      ? 0
                                      : bin > last ? last
                                                   : bin)] = reported.finite() - reported.zeros;
  }
  return reported;
}

// Shows an observer tensors, and says in sentences what it finds.
class TensorsByHand {
 public:
  TensorsByHand(Observer& observer, store::StringTable& strings)
      : observer_(observer), strings_(strings) {}

  void Tell(const TensorByHand& made, int32_t rank = 2) {
    const ReportedTensor reported = ToldOf(made, strings_);
    observer_.OnTensors({rank, 1, true}, std::span(&reported, 1));
  }
  std::vector<std::string> Said(Moment moment = Moment::kSettled) {
    std::vector<std::string> said;
    for (const Alert& alert : observer_.Check(moment, 0, JobByHand{})) {
      said.push_back(RowOf(alert, 0, strings_).text);
    }
    return said;
  }

 private:
  Observer& observer_;
  store::StringTable& strings_;
};

}  // namespace steptrace::agent
