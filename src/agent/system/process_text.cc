// SPDX-License-Identifier: Apache-2.0
#include "agent/system/process_text.h"

#include <array>
#include <limits>

#include "agent/system/kernel_text.h"

namespace steptrace::agent {
namespace {

constexpr uint64_t kKilo = 1024;  // the kernel's kB
constexpr uint64_t kMostKilo = uint64_t{1} << 50;

std::optional<int32_t> ToPid(std::string_view word) {
  const std::optional<uint64_t> value = ToU64(word);
  if (!value || *value > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return static_cast<int32_t>(*value);
}

// The kernel prints some counts as signed numbers; what is below 0 is none.
std::optional<uint64_t> ToCount(std::string_view word) {
  const std::optional<int64_t> value = ToI64(word);
  if (!value) return ToU64(word);
  return *value < 0 ? 0 : static_cast<uint64_t>(*value);
}

}  // namespace

// pid (comm) state ppid …: fields are counted from 1 as in proc(5), the state is the third. The
// name ends at the last closing bracket, whatever brackets it holds.
std::optional<ProcessStat> ParseProcessStat(std::string_view text) {
  const size_t open = text.find('(');
  const size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) {
    return std::nullopt;
  }
  std::string_view head = text.substr(0, open);
  const std::optional<int32_t> pid = ToPid(TakeWord(head));
  ProcessStat stat;
  stat.comm = text.substr(open + 1, close - open - 1);
  std::string_view rest = text.substr(close + 1);
  rest = TakeLine(rest);
  const std::string_view state = TakeWord(rest);
  const std::optional<int32_t> ppid = ToPid(TakeWord(rest));
  if (!pid || state.size() != 1 || !ppid) return std::nullopt;

  constexpr size_t kFirst = 5;  // pgrp
  constexpr size_t kLast = 24;  // rss
  std::array<uint64_t, kLast + 1> field{};
  for (size_t i = kFirst; i <= kLast; ++i) {
    const std::optional<uint64_t> value = ToCount(TakeWord(rest));
    if (!value) return std::nullopt;
    field[i] = *value;
  }
  stat.pid = *pid;
  stat.ppid = *ppid;
  stat.state = state[0];
  stat.minor_faults = field[10];
  stat.major_faults = field[12];
  stat.own_ticks = field[14] + field[15];
  stat.children_ticks = field[16] + field[17];
  stat.threads = field[20];
  stat.start_ticks = field[22];
  stat.rss_pages = field[24];
  return stat;
}

std::optional<ProcessIo> ParseProcessIo(std::string_view text) {
  std::optional<uint64_t> read, written;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    if (const auto value = NumberAfter(line, "read_bytes: ")) read = value;
    if (const auto value = NumberAfter(line, "write_bytes: ")) written = value;
  }
  if (!read || !written) return std::nullopt;
  return ProcessIo{.read_bytes = *read, .write_bytes = *written};
}

std::optional<SchedStat> ParseSchedStat(std::string_view text) {
  std::string_view line = TakeLine(text);
  const std::optional<uint64_t> run = TakeU64(line);
  const std::optional<uint64_t> delay = TakeU64(line);
  const std::optional<uint64_t> turns = TakeU64(line);
  if (!run || !delay || !turns) return std::nullopt;
  return SchedStat{.run_ns = *run, .delay_ns = *delay, .turns = *turns};
}

std::optional<TaskStatus> ParseTaskStatus(std::string_view text) {
  std::optional<uint64_t> process, voluntary, involuntary;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    if (const auto value = NumberAfter(line, "Tgid:")) process = value;
    if (const auto value = NumberAfter(line, "voluntary_ctxt_switches:")) voluntary = value;
    if (const auto value = NumberAfter(line, "nonvoluntary_ctxt_switches:")) involuntary = value;
  }
  if (!process || *process > std::numeric_limits<int32_t>::max()) return std::nullopt;
  return TaskStatus{.process = static_cast<int32_t>(*process),
                    .voluntary_switches = voluntary.value_or(0),
                    .involuntary_switches = involuntary.value_or(0)};
}

std::optional<ProcessMemoryUse> ParseMemoryUse(std::string_view status) {
  std::optional<uint64_t> anon, file, shmem;
  while (!status.empty()) {
    const std::string_view line = TakeLine(status);
    if (const auto value = NumberAfter(line, "RssAnon:")) anon = value;
    if (const auto value = NumberAfter(line, "RssFile:")) file = value;
    if (const auto value = NumberAfter(line, "RssShmem:")) shmem = value;
  }
  if (!anon || !file || !shmem) return std::nullopt;
  if (*anon > kMostKilo || *file > kMostKilo || *shmem > kMostKilo) return std::nullopt;
  return ProcessMemoryUse{*anon * kKilo, *file * kKilo, *shmem * kKilo};
}

std::optional<SmapsRollup> ParseSmapsRollup(std::string_view text) {
  std::optional<uint64_t> pss, dirty;
  while (!text.empty()) {
    const std::string_view line = TakeLine(text);
    if (const auto value = NumberAfter(line, "Pss:")) pss = value;
    if (const auto value = NumberAfter(line, "Private_Dirty:")) dirty = value;
  }
  if (!pss || !dirty || *pss > kMostKilo || *dirty > kMostKilo) return std::nullopt;
  return SmapsRollup{*pss * kKilo, *dirty * kKilo};
}

std::optional<std::string_view> ParseAllowedCores(std::string_view status) {
  constexpr std::string_view kName = "Cpus_allowed_list:";
  constexpr size_t kMostBytes = 1024;  // every second core of 500
  while (!status.empty()) {
    std::string_view line = TakeLine(status);
    if (!line.starts_with(kName)) continue;
    line.remove_prefix(kName.size());
    const std::string_view list = TakeWord(line);
    const bool plain = list.find_first_not_of("0123456789,-") == std::string_view::npos;
    if (list.empty() || list.size() > kMostBytes || !plain) return std::nullopt;
    return list;
  }
  return std::nullopt;
}

std::optional<int32_t> ParseLastPid(std::string_view loadavg) {
  std::string_view line = TakeLine(loadavg);
  constexpr int kWordsBefore = 4;
  for (int skipped = 0; skipped < kWordsBefore; ++skipped) TakeWord(line);
  return ToPid(TakeWord(line));
}

}  // namespace steptrace::agent
