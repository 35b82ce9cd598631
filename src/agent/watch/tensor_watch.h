// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "agent/watch/observer.h"
#include "agent/watch/tensor_rule.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Shows the rules about tensors what comes, gathers what they find, and says at the end which of
// them had nothing to judge, and why. Of a run in which no tensor was seen it says nothing.
class TensorWatch : public Observer {
 public:
  explicit TensorWatch(std::vector<std::unique_ptr<TensorRule>> rules) : rules_(std::move(rules)) {}

  void OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) override;
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;

 private:
  std::vector<std::unique_ptr<TensorRule>> rules_;
  bool seen_ = false;
};

// All there are. `strings` are those of the tensors.
std::vector<std::unique_ptr<TensorRule>> AllTensorRules(const store::StringTable& strings);

}  // namespace steptrace::agent
