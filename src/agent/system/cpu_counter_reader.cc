// SPDX-License-Identifier: Apache-2.0
#include "agent/system/cpu_counter_reader.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "agent/system/kept_file.h"
#include "agent/system/kernel_text.h"
#include "agent/system/rates.h"
#include "agent/system/thread_counts.h"

namespace steptrace::agent {
namespace {

using store::Metric;

// A reading asks every core on which a thread of the process runs.
constexpr int64_t kReadCountersNs = 2 * kNsPerSecond;
constexpr const char* kCountersSource = "cpu counters";

constexpr Metric kCounterMetrics[kCpuCounterCount] = {
    Metric::kProcessCycles, Metric::kProcessInstructions, Metric::kProcessItlbMisses};

CpuReading& operator+=(CpuReading& sum, const CpuReading& one) {
  sum.value += one.value;
  sum.enabled_ns += one.enabled_ns;
  sum.running_ns += one.running_ns;
  return sum;
}

bool IsNoRight(int error) {
  return error == EACCES || error == EPERM;
}

}  // namespace

CpuCounterReader::CpuCounterReader(std::string proc_root, std::unique_ptr<CpuCounterSource> source,
                                   size_t most_counters)
    : proc_root_(std::move(proc_root)), source_(std::move(source)), most_counters_(most_counters) {}

CpuCounterReader::~CpuCounterReader() {
  for (auto& [key, process] : processes_) Close(process);
}

std::string CpuCounterReader::WhyNot(int error) const {
  if (error == ENOSYS) return "the kernel has no perf_event_open; one with CONFIG_PERF_EVENTS does";
  if (!IsNoRight(error)) {
    return "no PMU: the kernel has no counters of this processor, as in most virtual machines; "
           "the machine itself has them";
  }
  std::string buffer;
  KeptFile file(proc_root_ + "/sys/kernel/perf_event_paranoid");
  std::string_view text = file.ReadOnce(buffer).value_or("");
  const std::string level(TakeLine(text));
  // Up to 2 a user may count what is the user's own.
  if (level == "3" || level == "4") {
    return "perf_event_paranoid is " + level +
           ": root alone may count; `sysctl kernel.perf_event_paranoid=2` lets users";
  }
  return "perf_event_paranoid is " + (level.empty() ? "not known" : level) +
         ": the kernel would allow it, but perf_event_open is refused, as containers do; "
         "--cap-add=PERFMON lets this one";
}

// Whether this machine has any, by one of ourselves.
bool CpuCounterReader::Try(SampleContext& context) {
  tried_ = true;
  int first_error = 0;
  for (size_t i = 0; i < kCpuCounterCount; ++i) {
    const int fd =
        source_->Open({.counter = kCpuCounters[i], .tid = 0, .with_later_threads = false});
    has_[i] = fd >= 0;
    if (fd >= 0) source_->Close(fd);
    if (fd < 0 && first_error == 0) first_error = -fd;
  }
  // Misses without cycles would say nothing of how much they matter.
  if (has_[0]) return true;
  // No remedy: a run without them lacks nothing that its verdict needs.
  context.ReportOnce(kCountersSource, WhyNot(first_error), "");
  return false;
}

bool CpuCounterReader::OpenThread(int32_t tid, Process& process) {
  Thread thread{.tid = tid};
  thread.fds.fill(-1);
  bool opened = true;
  for (size_t i = 0; i < kCpuCounterCount && opened; ++i) {
    if (!has_[i]) continue;
    CpuCounterSource::Request request{
        .counter = kCpuCounters[i], .tid = tid, .with_later_threads = inherits_};
    int fd = open_ < most_counters_ ? source_->Open(request) : -EMFILE;
    if ((fd == -EINVAL || fd == -E2BIG) && inherits_ && open_ == 0) {
      inherits_ = request.with_later_threads = false;
      fd = source_->Open(request);
    }
    if (fd == -ESRCH) break;  // it has ended
    opened = fd >= 0;
    if (!opened) continue;
    thread.fds[i] = fd;
    ++open_;
  }
  process.threads.push_back(thread);
  return opened;
}

bool CpuCounterReader::OpenThreads(int32_t pid, Process& process) {
  for (int32_t tid : TidsOf(proc_root_ + "/" + std::to_string(pid))) {
    const bool known = std::any_of(process.threads.begin(), process.threads.end(),
                                   [tid](const Thread& one) { return one.tid == tid; });
    if (!known && !OpenThread(tid, process)) return false;
  }
  return true;
}

void CpuCounterReader::Close(Process& process) {
  for (const Thread& thread : process.threads) {
    for (int fd : thread.fds) {
      if (fd < 0) continue;
      source_->Close(fd);
      --open_;
    }
  }
  process.threads.clear();
}

void CpuCounterReader::LeaveAlone(SampleContext& context, Process& process,
                                  const std::string& why) {
  Close(process);
  process.left_alone = true;
  context.ReportOnce(kCountersSource, why, "");
}

void CpuCounterReader::Follow(SampleContext& context, const JobProcess& now, Process& process) {
  if (process.left_alone) return;
  const std::string who = "process " + std::to_string(now.pid);
  if (now.switches_per_s && *now.switches_per_s > kMostSwitchesPerS) {
    LeaveAlone(context, process, who + " changes threads too often to be counted at little cost");
    return;
  }
  if (process.listed_threads != 0 && (inherits_ || process.listed_threads == now.threads)) return;
  process.listed_threads = std::max<uint64_t>(1, now.threads);
  if (OpenThreads(now.pid, process)) return;
  LeaveAlone(context, process, who + " has too many threads to be counted, or may not be");
}

std::array<std::optional<CpuReading>, kCpuCounterCount> CpuCounterReader::ReadAll(
    const Process& process) const {
  std::array<std::optional<CpuReading>, kCpuCounterCount> sums{};
  for (const Thread& thread : process.threads) {
    for (size_t i = 0; i < kCpuCounterCount; ++i) {
      if (thread.fds[i] < 0) continue;
      const auto reading = source_->Read(thread.fds[i]);
      if (!reading) continue;
      if (!sums[i]) sums[i].emplace();
      *sums[i] += *reading;
    }
  }
  return sums;
}

// A counter that shared the processor's is scaled by the part of the time that it had
// (perf_event_open(2)); one that had none of it says nothing.
void CpuCounterReader::Emit(SampleContext& context, int32_t pid, Process& process) const {
  const auto now = ReadAll(process);
  const auto before = std::exchange(process.before, now);
  const auto before_ns = std::exchange(process.before_ns, context.now_ns());
  if (!before_ns || context.now_ns() <= *before_ns) return;
  const double seconds = static_cast<double>(context.now_ns() - *before_ns) / kNsPerSecond;
  std::optional<double> least_share;
  for (size_t i = 0; i < kCpuCounterCount; ++i) {
    if (!now[i] || !before[i]) continue;
    const auto value = Growth(before[i]->value, now[i]->value);
    const auto enabled = Growth(before[i]->enabled_ns, now[i]->enabled_ns);
    const auto running = Growth(before[i]->running_ns, now[i]->running_ns);
    if (!value || !enabled || !running || *running > *enabled) continue;
    if (*enabled == 0) {  // it did not run
      context.EmitProcess(kCounterMetrics[i], pid, 0);
      continue;
    }
    const double share = static_cast<double>(*running) / static_cast<double>(*enabled);
    least_share = std::min(share, least_share.value_or(1));
    if (*running == 0) continue;
    context.EmitProcess(kCounterMetrics[i], pid, static_cast<double>(*value) / share / seconds);
  }
  if (least_share) context.EmitProcess(Metric::kProcessCountersRunningShare, pid, *least_share);
}

void CpuCounterReader::Sample(SampleContext& context, std::span<const JobProcess> processes) {
  if (!tried_) on_ = Try(context);
  if (!on_ || processes.empty() || !IsDue(sampled_ns_, context.now_ns(), kReadCountersNs)) return;
  sampled_ns_ = context.now_ns();
  processes = processes.first(std::min(processes.size(), kMostProcesses));
  for (auto at = processes_.begin(); at != processes_.end();) {
    const bool lives = std::any_of(processes.begin(), processes.end(), [&](const auto& one) {
      return Key{one.pid, one.start_ticks} == at->first;
    });
    if (!lives) Close(at->second);
    at = lives ? std::next(at) : processes_.erase(at);
  }
  for (const JobProcess& one : processes) {
    Process& process = processes_[{one.pid, one.start_ticks}];
    Follow(context, one, process);
    if (!process.left_alone) Emit(context, one.pid, process);
  }
}

}  // namespace steptrace::agent
