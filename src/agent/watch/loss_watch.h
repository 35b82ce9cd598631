// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "agent/watch/tensor_rule.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Says when a rank's loss does not fall: its blocks of 64 losses are compared by their medians,
// which single batches do not move. Eight blocks behind the first, of which none was lower by more
// than a thousandth, are a loss that does not fall, until one is.
class LossWatch : public TensorRule {
 public:
  static constexpr size_t kBlock = 64;
  static constexpr int64_t kBlocks = 8;

  void OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) override;
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;
  std::vector<Unjudged> WhyUnjudged() const override;

 private:
  struct Rank {
    std::vector<double> block;
    std::optional<double> first;  // median of the first block
    int64_t first_step = 0;
    int64_t losses = 0;
    int64_t blocks = 0;    // behind it
    bool settled = false;  // it fell, or it was told
  };
  void EndBlock(int32_t rank, Rank& state, int64_t step);

  std::map<std::pair<int32_t, store::StringId>, Rank> ranks_;  // and by the name of the loss
  std::vector<Alert> alerts_;
};

}  // namespace steptrace::agent
