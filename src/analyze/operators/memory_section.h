// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "analyze/operators/memory_rows.h"
#include "analyze/operators/operator_tree.h"
#include "analyze/trace/trace.h"

// What operators allocated and released, from the framework's records of its memory
// (docs/reference/operators.md). Bytes; a device of -1 is the host's memory.
namespace steptrace::analyze {

struct MemoryOptions {
  size_t curve_points = 1024;  // at most so many a device
  size_t blocks = 1000;        // the largest so many are listed
  size_t holders = 20;         // operators listed at the peak
};

MemorySection BuildMemory(const Trace& trace, std::span<const OperatorTree> trees,
                          const MemoryOptions& options = {});
MemorySection BuildMemory(const Trace& trace, const MemoryOptions& options = {});

// At most `most` points. Cuts the curve into time ranges of equal number; of each stay the first,
// the last, and the least and the most allocated and reserved.
std::vector<MemoryPoint> ReduceCurve(std::vector<MemoryPoint> curve, size_t most);

// The value of "memory".
nlohmann::ordered_json MemoryJson(const MemorySection& section);

}  // namespace steptrace::analyze
