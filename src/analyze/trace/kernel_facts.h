// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "store/string_table.h"

namespace steptrace::analyze {

// What the profiler tells of a kernel's launch, as far as occupancy needs it. Fixed point, so that
// sums over kernels are exact.
struct KernelFacts {
  std::optional<int64_t> blocks_per_sm_billionths;
  std::optional<int64_t> occupancy_billionths;  // of 1
  std::optional<int64_t> blocks;                // of the grid
};

// Reads a details text once, however many kernels carry it.
class KernelFactsReader {
 public:
  explicit KernelFactsReader(const store::StringTable& strings) : strings_(strings) {}
  const KernelFacts& Of(store::StringId details);

 private:
  const store::StringTable& strings_;
  std::unordered_map<store::StringId, KernelFacts> facts_;
};

}  // namespace steptrace::analyze
