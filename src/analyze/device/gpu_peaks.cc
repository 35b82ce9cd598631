// SPDX-License-Identifier: Apache-2.0
#include "analyze/device/gpu_peaks.h"

#include <algorithm>
#include <string>

#include "analyze/trace/name_pattern.h"

namespace steptrace::analyze {
namespace {

bool IsOfAWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

bool HoldsWord(std::string_view lower, std::string_view word) {
  for (size_t at = lower.find(word); at != lower.npos; at = lower.find(word, at + 1)) {
    const size_t end = at + word.size();
    const bool whole =
        (at == 0 || !IsOfAWord(lower[at - 1])) && (end == lower.size() || !IsOfAWord(lower[end]));
    if (whole) return true;
  }
  return false;
}

}  // namespace

std::optional<double> GpuPeaks::FlopsPerSecond(std::string_view precision) const {
  const auto found = std::ranges::find(peaks, precision, &GpuPeak::precision);
  return found == peaks.end() ? std::nullopt : std::optional(found->flops_per_s);
}

const GpuPeaks* FindGpuPeaks(std::string_view name, int64_t multiprocessors) {
  const std::string lower = LowerCase(name);
  if (HoldsWord(lower, "mig")) return nullptr;
  for (const GpuPeaks& gpu : KnownGpus()) {
    const auto holds = [&lower](std::string_view word) { return HoldsWord(lower, word); };
    if (!std::ranges::all_of(gpu.words, holds)) continue;
    return multiprocessors > 0 && multiprocessors < gpu.multiprocessors ? nullptr : &gpu;
  }
  return nullptr;
}

}  // namespace steptrace::analyze
