// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "store/tables.h"

// When in a step its training thread waits for the batch.
namespace steptrace::analyze {

inline int64_t ModelPhases(const store::StepRow& row) {
  const auto part = [&row](int64_t ns) { return std::clamp<int64_t>(ns, 0, row.dur_ns); };
  return std::min(row.dur_ns,
                  part(row.forward_ns) + part(row.backward_ns) + part(row.optimizer_ns));
}

// The wait for a batch has ended by then; the step's begin: there was none for the dataset.
inline int64_t WaitEnd(const store::StepRow& row) {
  const bool starved = row.getitem_ns > 0 || row.storage_read_ns > 0 || row.collate_ns > 0;
  if (!starved) return row.ts_ns;
  const bool one_wait = row.waits <= 1 && row.batches <= 1;
  return row.ts_ns + row.dur_ns - (one_wait ? ModelPhases(row) : 0);
}

// Whether nearly all of it until then is waiting for the dataset: workers with something to do are
// at work all that time.
inline bool AwaitsDataset(const store::StepRow& row) {
  constexpr double kNearlyAll = 0.8;
  const double wait_ns = static_cast<double>(WaitEnd(row) - row.ts_ns);
  const double starved_ns =
      static_cast<double>(row.getitem_ns) + static_cast<double>(row.storage_read_ns) +
      static_cast<double>(row.collate_ns) + static_cast<double>(row.cpu_shortage_ns);
  return wait_ns > 0 && starved_ns >= kNearlyAll * wait_ns;
}

}  // namespace steptrace::analyze
