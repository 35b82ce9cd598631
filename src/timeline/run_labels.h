// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text_hash.h"
#include "store/columns_of.h"
#include "store/string_table.h"
#include "store/tables.h"
#include "timeline/index_writer.h"

namespace steptrace::timeline {

// Of slices, what an index holds.
inline std::vector<std::string> IndexedColumns() {
  using Row = store::SliceRow;
  return store::ColumnsOf<&Row::ts_ns, &Row::dur_ns, &Row::track, &Row::name, &Row::category>();
}

// Labels by the run's own numbers for texts: a text is looked at once.
class RunLabels {
 public:
  RunLabels(LabelTable& labels, const store::StringTable& strings)
      : labels_(labels), strings_(strings) {}

  uint32_t Of(const store::SliceRow& row) {
    const uint64_t key =
        uint64_t{static_cast<uint32_t>(row.name)} << 32 | static_cast<uint32_t>(row.category);
    if (key == last_key_) return last_;
    const auto [found, added] = numbers_.try_emplace(key, 0);
    if (added) found->second = labels_.Intern(strings_.Text(row.name), strings_.Text(row.category));
    last_key_ = key;
    return last_ = found->second;
  }

 private:
  LabelTable& labels_;
  const store::StringTable& strings_;
  SeededMap<uint64_t, uint32_t> numbers_;
  uint64_t last_key_ = ~uint64_t{0};
  uint32_t last_ = 0;
};

}  // namespace steptrace::timeline
