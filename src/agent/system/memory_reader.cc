// SPDX-License-Identifier: Apache-2.0
#include "agent/system/memory_reader.h"

#include "agent/system/kernel_text.h"
#include "agent/system/rates.h"

namespace steptrace::agent {

using store::Metric;

std::optional<MemoryInfo> ParseMeminfo(std::string_view text) {
  std::optional<uint64_t> total, free, available, buffers, cached, swap_total, swap_free;
  const struct {
    std::string_view key;
    std::optional<uint64_t>& kib;
  } wanted[] = {{"MemTotal:", total},    {"MemFree:", free},  {"MemAvailable:", available},
                {"Buffers:", buffers},   {"Cached:", cached}, {"SwapTotal:", swap_total},
                {"SwapFree:", swap_free}};
  constexpr uint64_t kMaxKib = uint64_t{1} << 50;  // an exbibyte: what is more is damage
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    for (const auto& [key, kib] : wanted) {
      const std::optional<uint64_t> value = NumberAfter(line, key);
      if (value && *value < kMaxKib) kib = value;
    }
  }
  if (!total) return std::nullopt;
  if (!available) available = free.value_or(0) + buffers.value_or(0) + cached.value_or(0);
  constexpr uint64_t kBytes = 1024;  // of a kB of the kernel's
  return MemoryInfo{.total_bytes = *total * kBytes,
                    .available_bytes = std::min(*available, *total) * kBytes,
                    .swap_total_bytes = swap_total.value_or(0) * kBytes,
                    .swap_free_bytes = swap_free.value_or(0) * kBytes};
}

void MemoryReader::Sample(SampleContext& context) {
  const std::optional<std::string_view> text = file_.Read(buffer_);
  const std::optional<MemoryInfo> info = text ? ParseMeminfo(*text) : std::nullopt;
  if (!info) {
    context.ReportOnce(
        "memory",
        text ? file_.path() + " names no MemTotal" : DescribeReadError(file_.path(), file_.error()),
        "mount /proc where the agent runs");
    return;
  }
  const auto emit = [&](Metric metric, uint64_t bytes) {
    context.Emit(metric, static_cast<double>(bytes));
  };
  emit(Metric::kMemoryTotal, info->total_bytes);
  emit(Metric::kMemoryAvailable, info->available_bytes);
  emit(Metric::kMemoryUsed, info->total_bytes - info->available_bytes);
  emit(Metric::kSwapUsed, GrowthOrZero(info->swap_free_bytes, info->swap_total_bytes));
}

}  // namespace steptrace::agent
