// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/result.h"
#include "import/core/rows/slice_block.h"
#include "import/core/rows/slice_steps.h"
#include "import/core/rows/sorted_rows.h"
#include "import/core/rows/spill_file.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::import {

// A slice of a part by its group, and by its place in the order of that.
struct GroupPlace {
  size_t group;
  size_t place;
};

// What StepsOf finds, of a part in several groups: a launch may be in another than what it
// launched. First the marks of all groups are told, then all slices in the order of their begins.
// Marks and launches wait on the file, too, if they are many.
class StepsAcross {
 public:
  // What a slice's step depends on.
  struct Entered {
    int64_t ts_ns;
    int64_t correlation;
    int64_t step;  // as it was told
    int32_t track;
  };
  using Assign = std::function<Status(const GroupPlace&, int64_t step)>;

  // Of marks, of launches and of what they launched each: at most 24 MiB, while no slices are
  // there.
  static constexpr size_t kRowsInMemory = 1 << 20;

  StepsAcross(SpillFile& file, std::span<const store::TrackRow> tracks,
              const store::StringTable& strings, size_t rows_in_memory = kRowsInMemory);

  Status AddMarks(const SliceGroup& slices);
  // All marks are there. Without any, nothing needs to be entered: what was told is all.
  bool Begin();
  // An error: the disk refused what waits there.
  const Status& status() const { return failed_; }
  // The step, as far as it does not depend on a launch.
  int64_t Enter(const Entered& slice, const GroupPlace& place);
  // Gives their steps to slices that were launched. An error of all that came before, too.
  Status End(const Assign& assign);

 private:
  struct ByCorrelation {
    template <class Row>
    bool operator()(const Row& a, const Row& b) const {
      return a.correlation < b.correlation;
    }
  };
  struct Launch {
    int64_t correlation;
    int64_t step;
  };
  struct Launched {
    int64_t correlation;
    GroupPlace place;
  };

  template <class Row, class Before>
  void Keep(SortedRows<Row, Before>& rows, const Row& row);

  SpillFile& file_;
  const store::StringTable& strings_;
  const size_t rows_in_memory_;
  const std::vector<char> on_device_;  // by track
  SortedRows<StepMark, MarkOrder> marks_;
  std::optional<SortedRows<StepMark, MarkOrder>::Reader> reader_;
  std::optional<StepMark> begun_;  // the last one
  SortedRows<Launch, ByCorrelation> launches_;
  SortedRows<Launched, ByCorrelation> launched_;
  Status failed_;  // what the disk refused
};

}  // namespace steptrace::import
