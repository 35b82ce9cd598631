// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <map>

#include "analyze/derive/open_spans.h"

namespace steptrace::analyze {

// When the hooks of processes were aside and recorded nothing. What a step that touches such a time
// is, or how many steps it was, nobody knows.
class PausedIntervals {
 public:
  // From then on they are aside, or back. Marks come in any order.
  void Mark(int32_t pid, int64_t ts_ns, bool aside) {
    std::map<int64_t, bool>& marks = marks_[pid];
    marks[ts_ns] = aside;
    if (marks.size() > kMaxMarks) marks.erase(marks.begin());
  }

  // Of a range before which all marks have come.
  bool Touch(int32_t pid, const TimeSpan& range) const {
    const auto found = marks_.find(pid);
    if (found == marks_.end()) return false;
    const std::map<int64_t, bool>& marks = found->second;
    auto mark = marks.upper_bound(range.begin_ns);
    if (mark != marks.begin() && std::prev(mark)->second) return true;
    for (; mark != marks.end() && mark->first < range.end_ns; ++mark) {
      if (mark->second) return true;
    }
    return false;
  }

 private:
  static constexpr size_t kMaxMarks = 1 << 16;

  std::map<int32_t, std::map<int64_t, bool>> marks_;  // by pid, then time: aside from then on
};

}  // namespace steptrace::analyze
