// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "analyze/tensors/tensors_section.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::analyze {

// The histories of a run's tensors, made as its rows are read: memory grows with the tensors, not
// with the steps nor, but for losses, the ranks.
class TensorHistories {
 public:
  // `strings`: of the rows, which may grow meanwhile.
  explicit TensorHistories(const store::StringTable& strings) : strings_(&strings) {}

  void Add(std::span<const store::TensorStatRow> rows);

  bool any() const { return !histories_.empty() || !losses_.empty(); }
  void Fill(TensorsSection& section) const;
  // By role: of the rank with most, at how many steps it was looked at; as "": of any role.
  std::map<std::string, int64_t> Readings() const;

 private:
  struct History {
    int64_t readings = 0;
    int64_t first_ns = 0;
    store::TensorStatRow first, last;
    std::optional<double> norm_low, norm_high;
    std::optional<double> largest_norm;
    int64_t largest_step = 0;
    int64_t not_finite = 0;
    std::optional<store::TensorStatRow> not_finite_first;
  };
  struct Loss {
    LossHistory history;
    LossCurve curve;
  };
  // Steps of a role in a rank, as far as they come in order: else some are counted twice.
  struct Steps {
    int64_t count = 0;
    int64_t last = -1;
  };
  using Key = std::pair<store::StringId, store::StringId>;  // tensor, role
  struct HashOfKey {
    size_t operator()(const Key& key) const;
  };

  void AddLoss(const store::TensorStatRow& row);
  void AddHistory(const store::TensorStatRow& row);
  TensorHistory Made(const History& history) const;
  std::vector<const History*> InOrder() const;
  const std::string& Text(store::StringId id) const { return strings_->Text(id); }

  const store::StringTable* strings_;
  std::map<std::tuple<store::StringId, int32_t, int32_t>, Loss> losses_;  // name, rank, node
  std::unordered_map<Key, History, HashOfKey> histories_;
  std::map<std::tuple<store::StringId, int32_t, int32_t>, Steps> steps_;  // role, rank, node
};

}  // namespace steptrace::analyze
