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

inline ToldTensor ToldOf(const TensorByHand& made, store::StringTable& strings) {
  ToldTensor told;
  told.step = made.step;
  told.role = made.role;
  told.type = made.type;
  told.name = strings.Intern(made.name);
  told.numel = made.numel;
  told.zeros = made.zeros;
  told.nan = made.nan;
  const auto count = static_cast<double>(told.finite() - told.zeros);
  const double zero_or = told.zeros > 0 ? 0 : made.value;
  told.min = std::fmin(zero_or, made.value);
  told.max = std::fmax(zero_or, made.value);
  told.sum = made.value * count;
  told.abs_sum = std::fabs(told.sum);
  told.square_sum = made.value * made.value * count;
  if (count > 0 && made.value != 0) {
    const int bin = std::ilogb(made.value) - wire::kTensorLowestExponent;
    const int last = static_cast<int>(wire::kTensorBins) - 1;
    told.bins[static_cast<size_t>(bin < 0      ? 0
                                  : bin > last ? last
                                               : bin)] = told.finite() - told.zeros;
  }
  return told;
}

// Shows an observer tensors, and says in sentences what it finds.
class TensorsByHand {
 public:
  TensorsByHand(Observer& observer, store::StringTable& strings)
      : observer_(observer), strings_(strings) {}

  void Tell(const TensorByHand& made, int32_t rank = 2) {
    const ToldTensor told = ToldOf(made, strings_);
    observer_.OnTensors({rank, 1, true}, std::span(&told, 1));
  }
  std::vector<std::string> Said(Moment moment = Moment::kSettled) {
    std::vector<std::string> said;
    for (const Alert& alert : observer_.Look(moment, 0, JobByHand{})) {
      said.push_back(RowOf(alert, 0, strings_).text);
    }
    return said;
  }

 private:
  Observer& observer_;
  store::StringTable& strings_;
};

}  // namespace steptrace::agent
