// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/result.h"
#include "import/core/rows/huge_pages.h"
#include "import/core/rows/part_rows.h"
#include "import/core/rows/slice_block.h"
#include "import/core/rows/sorted_rows.h"
#include "import/core/rows/spilled_list.h"
#include "store/string_table.h"
#include "store/tables.h"

namespace steptrace::import {

// Depths, flows and steps of a part whose rows came in several groups: what encloses a slice may be
// in another group than it is, as the Python functions of a file whose operators come first, and so
// may the mark of its step, and what launched it. The groups are sorted one by one, and what nests
// of them is merged through their file: memory holds one group, or a range of each.
class GroupNesting {
 public:
  // All groups are on the file; they are read, and may be read again. `tracks` are the part's.
  static Result<GroupNesting> Find(PartRows& rows, SortedRows<Flow>& flows,
                                   std::span<const store::TrackRow> tracks,
                                   const store::StringTable& strings,
                                   const std::function<bool()>& stopped);

  // Of the next group, whose rows by begin are `order`: depths and steps in that order, the latter
  // empty where StepsOf's would be; flows go to it.
  Status TakeNext(SliceGroup& slices, std::span<const uint64_t> order, HugeVector<int32_t>* depths,
                  HugeVector<int64_t>* steps);

 private:
  struct Bound {
    size_t place;  // in the order of the group
    int64_t id;
    bool out;
  };
  struct Launched {
    size_t place;
    int64_t step;
  };
  struct Group {
    int64_t at = 0;  // on the file
    size_t rows = 0;
    SpilledList<Bound> flows;
    SpilledList<Launched> launched;
  };
  class Merge;

  explicit GroupNesting(SpillFile& file) : file_(&file) {}
  Status AddGroup(const SliceGroup& slices);
  size_t Listed() const;

  SpillFile* file_;
  bool any_steps_ = false;
  std::vector<Group> groups_;
  size_t next_ = 0;
};

}  // namespace steptrace::import
