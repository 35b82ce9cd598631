// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/watch/tensor_rule.h"
#include "store/string_table.h"

namespace steptrace::agent {

// Says when units are dead, by the zeros of gradients: a unit that nothing passes through gives its
// bias and its row of weights a gradient of exactly 0. A module has dead units where nine tenths of
// both are 0 at each of eight readings in a row. By one of them alone it is not reported: a bias in
// front of a normalisation has a gradient of 0 too, and an embedding one for all that a batch
// lacks.
//
// What lies in front of dead units has no gradient either: of all modules the last is named.
class DeadWatch : public TensorRule {
 public:
  static constexpr double kLeastShare = 0.9;
  static constexpr int64_t kLeastReadings = 8;
  static constexpr int64_t kLeastUnits = 8;  // of a bias

  explicit DeadWatch(const store::StringTable& strings) : strings_(strings) {}

  void OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors) override;
  std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) override;
  std::vector<Unjudged> WhyUnjudged() const override;

 private:
  struct Module {
    int64_t step = -1;  // of the reading that goes on
    double bias = -1;   // shares of zeros; below 0: not seen
    double weight = -1;
    int64_t readings = 0;  // in a row
    double share = 0;      // the least in them
    int64_t since = 0;
    int64_t order = 0;  // in which modules were seen first
    int64_t seen = 0;   // readings at which both were
    bool reported = false;
  };
  using Key = std::pair<int32_t, std::string>;  // rank, name of the module
  struct Dead {
    Key key;
    int64_t order;
    double share;
    int64_t since;
  };
  void Judge(const Key& key, Module& module);
  Alert Tell();

  const store::StringTable& strings_;
  std::map<Key, Module> modules_;
  std::vector<Dead> dead_;  // since the last reading
  std::set<std::string> reported_;
  bool gradients_ = false;
};

}  // namespace steptrace::agent
