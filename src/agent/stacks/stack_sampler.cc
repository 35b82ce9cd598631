// SPDX-License-Identifier: Apache-2.0
#include "agent/stacks/stack_sampler.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "agent/system/kept_file.h"
#include "agent/system/process_text.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

constexpr int64_t kTryAgainNs = 5 * kNsPerSecond;
// Reads that failed one after the other: it executes another program, or is about to end.
constexpr int kFailuresUntilReopened = 10;
constexpr size_t kMaxThreadsRemembered = 1024;
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Whether that very process has the pid where we look.
bool IsThatProcess(const JobRoot& root, const std::string& proc_root) {
  KeptFile file(proc_root + "/" + std::to_string(root.pid) + "/stat");
  std::string buffer;
  const auto text = file.ReadOnce(buffer);
  const auto stat = text ? ParseProcessStat(*text) : std::nullopt;
  return stat && (root.start_ticks == 0 || stat->start_ticks == root.start_ticks);
}

StackLosses Sum(const StackLosses& a, const StackLosses& b) {
  return {a.torn + b.torn, a.cut + b.cut, a.too_many_threads + b.too_many_threads};
}

}  // namespace

StackSampler::StackSampler(StackSamplerOptions options)
    : options_(std::move(options)),
      stacks_(texts_, options_.numbers, options_.max_stacks),
      finder_(options_.proc_root) {}

void StackSampler::SetProcesses(const std::vector<JobRoot>& processes) {
  std::map<int32_t, Process> before = std::exchange(processes_, {});
  for (const JobRoot& root : processes) {
    if (processes_.size() >= kMaxProcesses) break;
    const auto known = before.find(root.pid);
    if (known != before.end() && known->second.root.start_ticks == root.start_ticks) {
      processes_.insert(before.extract(known));
    } else {
      processes_[root.pid].root = root;
    }
  }
  for (const auto& [pid, process] : before) {
    ended_losses_.push_back({process.root, LossesOf(process)});
  }
}

StackLosses StackSampler::LossesOf(const Process& process) {
  return process.stacks ? Sum(process.losses, process.stacks->losses()) : process.losses;
}

int64_t StackSampler::read_processes() const {
  return std::count_if(processes_.begin(), processes_.end(),
                       [](const auto& entry) { return entry.second.stacks != nullptr; });
}

int64_t StackSampler::IdleUntilNs() const {
  int64_t until_ns = kNever;
  for (const auto& [pid, process] : processes_) {
    until_ns = std::min(until_ns, process.stacks ? 0 : process.next_try_ns);
  }
  return until_ns;
}

void StackSampler::Fail(Process& process, const NoPython& why, int64_t now_ns,
                        StackReadings& readings) {
  process.losses = LossesOf(process);
  process.stacks.reset();
  process.next_try_ns = why.may_change ? now_ns + kTryAgainNs : kNever;
  if (why.gone) return;
  if (!std::exchange(process.unread, true)) readings.changes.push_back({process.root, false});
  if (std::exchange(process.reported, true)) return;
  readings.unread.push_back({process.root, why.reason, why.remedy});
}

bool StackSampler::Open(Process& process, int64_t now_ns, StackReadings& readings) {
  if (process.stacks) return true;
  if (now_ns < process.next_try_ns) return false;
  if (!IsThatProcess(process.root, options_.proc_root)) {
    process.next_try_ns = kNever;  // it has ended, or lives in another pid namespace
    readings.changes.push_back({process.root, false});
    return false;
  }
  auto memory = options_.memory_of(process.root.pid);
  NoPython why;
  const auto runtime = finder_.Find(process.root.pid, *memory, why);
  if (!runtime) {
    Fail(process, why, now_ns, readings);
    return false;
  }
  if (!sources_) sources_.emplace(options_.names_calls ? UtcNowNs() : SourceCalls::kNone);
  process.stacks = std::make_unique<ProcessStacks>(process.root.pid, std::move(memory), *runtime,
                                                   texts_, *sources_, options_.proc_root);
  process.failures = 0;
  if (std::exchange(process.unread, false)) readings.changes.push_back({process.root, true});
  return true;
}

void StackSampler::SampleProcess(Process& process, int64_t now_ns, int64_t period_ns,
                                 StackReadings& readings) {
  if (!Open(process, now_ns, readings)) return;
  samples_.clear();
  const ReadOutcome outcome = process.stacks->Sample(samples_);
  if (outcome != ReadOutcome::kOk) {
    const bool final = outcome != ReadOutcome::kFault;
    if (final || ++process.failures >= kFailuresUntilReopened) {
      Fail(process, DescribeOutcome(outcome), now_ns, readings);
    }
    return;
  }
  process.failures = 0;
  if (process.last_ns.size() > kMaxThreadsRemembered) process.last_ns.clear();
  for (const ThreadSample& sample : samples_) {
    StackSample& row = readings.samples.emplace_back();
    row.process = process.root;
    row.tid = sample.tid;
    row.monotonic_ns = sample.monotonic_ns;
    row.stack = stacks_.Intern(*sample.stack);
    row.running = sample.running;
    const auto [last, first] = process.last_ns.try_emplace(sample.tid, 0);
    row.interval_ns =
        first ? period_ns
              : std::clamp<int64_t>(sample.monotonic_ns - last->second, 0, 2 * period_ns);
    last->second = sample.monotonic_ns;
  }
}

void StackSampler::Sample(int64_t now_ns, int64_t period_ns, StackReadings& readings) {
  for (auto& [pid, process] : processes_) SampleProcess(process, now_ns, period_ns, readings);
  std::vector<NewStack> added = stacks_.TakeNew();
  std::move(added.begin(), added.end(), std::back_inserter(readings.stacks));
  readings.too_many_stacks = stacks_.too_many();
}

void StackSampler::RecordLosses(StackReadings& readings) {
  readings.losses = std::exchange(ended_losses_, {});
  for (const auto& [pid, process] : processes_) {
    readings.losses.push_back({process.root, LossesOf(process)});
  }
}

}  // namespace steptrace::agent
