// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace steptrace::analyze {

struct GpuPeak {
  std::string_view precision;  // BF16, as PrecisionName has it
  double flops_per_s;          // dense
};

// As its maker gives it (schema/gpu_peaks.toml).
struct GpuPeaks {
  std::span<const std::string_view> words;  // that stand in the device's name
  std::span<const GpuPeak> peaks;
  int64_t multiprocessors;  // of the whole GPU; 0: not reported
  std::string_view source;
  std::string_view
      read;  // the day on which its figures were compared with a published table; empty: never

  std::optional<double> FlopsPerSecond(std::string_view precision) const;
};

std::span<const GpuPeaks> KnownGpus();

// Null: the GPU is not known, or the device is a part of one. `multiprocessors`: that the device
// tells; 0: none.
const GpuPeaks* FindGpuPeaks(std::string_view name, int64_t multiprocessors);

}  // namespace steptrace::analyze
