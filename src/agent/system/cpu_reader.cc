// SPDX-License-Identifier: Apache-2.0
#include "agent/system/cpu_reader.h"

#include <algorithm>
#include <array>

#include "agent/system/kernel_text.h"
#include "agent/system/rates.h"

namespace steptrace::agent {
namespace {

using store::Metric;

constexpr int32_t kMaxCores = 1 << 16;

// "cpu" or "cpu7": the core, -1 for all; nothing for another word.
std::optional<int32_t> CoreOf(std::string_view word) {
  if (!word.starts_with("cpu")) return std::nullopt;
  word.remove_prefix(3);
  if (word.empty()) return -1;
  const std::optional<uint64_t> core = ToU64(word);
  if (!core || *core >= kMaxCores) return std::nullopt;
  return static_cast<int32_t>(*core);
}

// user nice system idle iowait irq softirq steal guest guest_nice. Guests are counted in user and
// nice already. Old kernels end after idle, iowait or softirq.
std::optional<CpuTimes> TimesOf(std::string_view rest) {
  constexpr size_t kColumns = 8;
  constexpr size_t kFewest = 4;
  std::array<uint64_t, kColumns> ticks{};
  size_t count = 0;
  for (; count < kColumns; ++count) {
    const std::string_view word = TakeWord(rest);
    if (word.empty()) break;
    const std::optional<uint64_t> value = ToU64(word);
    // No core has counted 2^56 ticks; with the bound no sum below can wrap.
    if (!value || *value >> 56) return std::nullopt;
    ticks[count] = *value;
  }
  if (count < kFewest) return std::nullopt;
  return CpuTimes{.user = ticks[0] + ticks[1],
                  .system = ticks[2] + ticks[5] + ticks[6],
                  .idle = ticks[3],
                  .iowait = ticks[4],
                  .steal = ticks[7]};
}

struct ShareMetrics {
  Metric busy, user, system, iowait, steal;
};

constexpr ShareMetrics kOfNode{Metric::kCpuBusyShare, Metric::kCpuUserShare,
                               Metric::kCpuSystemShare, Metric::kCpuIowaitShare,
                               Metric::kCpuStealShare};
constexpr ShareMetrics kOfCore{Metric::kCoreBusyShare, Metric::kCoreUserShare,
                               Metric::kCoreSystemShare, Metric::kCoreIowaitShare,
                               Metric::kCoreStealShare};

// iowait and idle are estimates of a tickless kernel and do go backwards a little.
CpuTimes GrowthOf(const CpuTimes& before, const CpuTimes& now) {
  return {.user = GrowthOrZero(before.user, now.user),
          .system = GrowthOrZero(before.system, now.system),
          .idle = GrowthOrZero(before.idle, now.idle),
          .iowait = GrowthOrZero(before.iowait, now.iowait),
          .steal = GrowthOrZero(before.steal, now.steal)};
}

}  // namespace

void ParseProcStat(std::string_view text, ProcStat& out) {
  out.lines.clear();
  out.running.reset();
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (line.starts_with("procs_running ")) {
      out.running = NumberAfter(line, "procs_running ");
      continue;
    }
    const std::optional<int32_t> core = CoreOf(TakeWord(line));
    if (!core || out.lines.size() > kMaxCores) continue;
    if (const auto times = TimesOf(line)) out.lines.push_back({*core, *times});
  }
  const auto by_core = [](const CpuLine& a, const CpuLine& b) { return a.core < b.core; };
  if (!std::is_sorted(out.lines.begin(), out.lines.end(), by_core)) {
    std::stable_sort(out.lines.begin(), out.lines.end(), by_core);
  }
  const auto same_core = [](const CpuLine& a, const CpuLine& b) { return a.core == b.core; };
  out.lines.erase(std::unique(out.lines.begin(), out.lines.end(), same_core), out.lines.end());
}

void CpuReader::EmitLine(SampleContext& context, const CpuLine& line) const {
  const auto before =
      std::lower_bound(before_.begin(), before_.end(), line.core,
                       [](const CpuLine& entry, int32_t core) { return entry.core < core; });
  if (before == before_.end() || before->core != line.core) return;
  const CpuTimes grown = GrowthOf(before->times, line.times);
  const uint64_t total = grown.user + grown.system + grown.idle + grown.iowait + grown.steal;
  if (total == 0) return;  // less than a tick has passed
  const ShareMetrics& metrics = line.core < 0 ? kOfNode : kOfCore;
  const auto emit = [&](Metric metric, uint64_t ticks) {
    context.EmitDevice(metric, line.core, static_cast<double>(ticks) / static_cast<double>(total));
  };
  emit(metrics.busy, grown.user + grown.system + grown.steal);
  emit(metrics.user, grown.user);
  emit(metrics.system, grown.system);
  emit(metrics.iowait, grown.iowait);
  emit(metrics.steal, grown.steal);
}

void CpuReader::Sample(SampleContext& context) {
  const std::optional<std::string_view> text = file_.Read(buffer_);
  if (!text) {
    context.ReportOnce("cpu", DescribeReadError(file_.path(), file_.error()),
                       "mount /proc where the agent runs");
    return;
  }
  ParseProcStat(*text, now_);
  for (const CpuLine& line : now_.lines) EmitLine(context, line);
  // The thread that reads is running: without it a lone training would look like a queue.
  if (now_.running) {
    context.Emit(Metric::kCpuRunnable, static_cast<double>(GrowthOrZero(1, *now_.running)));
  }
  std::swap(before_, now_.lines);
}

}  // namespace steptrace::agent
