// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <utility>
#include <vector>

#include "analyze/report/profile_analysis.h"
#include "analyze/trace/trace.h"
#include "base/result.h"
#include "store/run_reader.h"

namespace steptrace::rpc {

// The steps of a run made of profiles, derived from the marks in its slices: the ranks that mark
// steps have theirs, and where no rank does each is one step as a whole.
struct ProfileSteps {
  std::vector<store::StepRow> rows;  // by node, rank and time
  bool marked = false;
};
ProfileSteps StepsOf(const analyze::Trace& profile, const analyze::ProfileAnalysis& analysis,
                     store::StringTable& strings);

// The marked steps alone, one rank in memory at a time; none of a run that holds no profile.
Result<std::vector<store::StepRow>> MarkedSteps(store::RunReader& run);

// Leaves them as the run's table `steps`, once: whoever reads the table has them. A run that is not
// closed, has the table already, holds no profile or cannot be written is left as it is; so is one
// with more slices than `most_slices`. Of damaged files none are stored, and an error says so: who
// restores them would have steps of a part.
Status StoreMarkedSteps(const std::filesystem::path& run,
                        int64_t most_slices = std::numeric_limits<int64_t>::max());

// Where the table `steps` of a run can be read: in the run itself, with its marked steps stored,
// or, where they are and cannot be stored there (a full disk, a folder of somebody else), in a run
// of that table alone that goes with this value.
class StepsTable {
 public:
  static Result<StepsTable> Of(const std::filesystem::path& run);
  StepsTable(StepsTable&& other) noexcept;
  StepsTable& operator=(StepsTable&&) = delete;
  ~StepsTable();

  const std::filesystem::path& run() const { return run_; }
  // Files that hold what the steps are derived from, as far as they were derived here.
  const std::vector<store::DamagedSegment>& damaged() const { return damaged_; }

 private:
  explicit StepsTable(std::filesystem::path run) : run_(std::move(run)) {}
  std::filesystem::path run_;
  std::filesystem::path own_;  // empty: none
  std::vector<store::DamagedSegment> damaged_;
};

}  // namespace steptrace::rpc
