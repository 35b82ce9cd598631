// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "analyze/report/uncaught_exception.h"

namespace steptrace::analyze {

struct ReportInput;

// Which uncaught exception ended the ranks of a run. An elastic job starts its ranks anew when one
// of them fails: of its attempts the last one counts.
class RankEnds {
 public:
  // `all`: by time; both must outlive this.
  RankEnds(const ReportInput& input, const std::vector<UncaughtException>& all);

  // The first of the last attempt: the others are what it led to. Null: no rank is known to have
  // ended by one.
  const UncaughtException* First() const;
  // Its rank began anew behind it.
  bool WasStartedAnew(const UncaughtException& one) const;

 private:
  using Process = std::pair<int32_t, int64_t>;  // its node and pid

  struct Place {
    int32_t rank = 0;
    int64_t since_ns = 0;
  };

  const Place* PlaceOf(const UncaughtException& one) const;
  bool EndedARank(const UncaughtException& one) const;

  const ReportInput& input_;
  const std::vector<UncaughtException>& all_;
  std::map<Process, Place> places_;          // in a job, of those that told one: as they began
  std::optional<int64_t> first_failure_ns_;  // of a process that trained
};

// So late that nobody dealt with it.
bool IsNearTheEnd(const ReportInput& input, const UncaughtException& one);

}  // namespace steptrace::analyze
