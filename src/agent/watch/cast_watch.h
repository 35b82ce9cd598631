// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "agent/watch/tensor_rule.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Says at the end what a narrower type would have lost of gradients and weights: the elements that
// it would have made 0 or infinite, by their exponents. At least so many: of elements with one
// exponent it counts none where some would have been kept.
//
// float16 as it is, float8 scaled so that the largest element of a tensor is the type's largest, as
// is done in training. bfloat16 has the range of float32: of it there is nothing to say.
class CastWatch : public TensorRule {
 public:
  static constexpr double kLeastShare = 0.01;  // of the elements other than 0, that is worth a word

  explicit CastWatch(const store::StringTable& strings) : strings_(strings) {}

  void OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) override;
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;
  std::vector<Unjudged> WhyUnjudged() const override;

 private:
  static constexpr size_t kTypes = 3;
  struct Lost {
    int64_t zero = 0;
    int64_t over = 0;
    int64_t worst = 0;  // of one tensor at one reading, 0 by the cast
    store::StringId worst_name{};
  };
  struct Role {
    int64_t elements = 0;  // other than 0
    std::array<Lost, kTypes> lost{};
  };
  std::optional<Alert> Tell(const Role& role, bool weights) const;

  const store::StringTable& strings_;
  Role gradients_;
  Role weights_;
};

}  // namespace steptrace::agent
