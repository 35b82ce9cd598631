// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analyze/memory/host_memory.h"
#include "model/finding.h"

// Pages that DataLoader workers share with the process they were forked from, and copy as they
// write to them: counting a reference to a Python object is a write.
namespace steptrace::analyze {

// What a worker held for itself when it had made so many steps, with what of it the worker
// allocated or mapped: a page that is copied is in its private memory and no new one in its
// resident memory.
struct PrivatePoint {
  double steps = 0;
  double private_bytes = 0;
  double anon_bytes = 0;
  double shmem_bytes = 0;
  double file_bytes = 0;  // of files: its own pages of a private mapping are private as well
};

struct CopiedPages {
  double from_bytes = 0;  // private
  double to_bytes = 0;
  std::optional<double> bytes_per_step;  // nothing: it does not go on, or is not known to
  // Where few points tell that it grew, and not how: from the first to the last of them.
  std::optional<double> over_steps;
};

// `points` in order of steps. Nothing: too little is copied, or too little known.
std::optional<CopiedPages> JudgeCopies(std::span<const PrivatePoint> points);

// One for each node whose workers copy.
std::vector<model::Finding> FindCopiedPages(std::span<const CounterSeries> counters,
                                            const StepAxes& axes,
                                            std::span<const RankProcess> ranks);

}  // namespace steptrace::analyze
