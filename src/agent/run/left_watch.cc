// SPDX-License-Identifier: Apache-2.0
#include "agent/run/left_watch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "base/utf8.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {
namespace {

// Workers are told to end when their parent ends, and take a moment; a program that has just been
// started may be about to execute another.
constexpr int64_t kPatienceNs = kNsPerSecond;
// Programs that never record keep no run open: helpers of the training end a moment after it.
constexpr int64_t kOthersPatienceNs = 2 * kNsPerSecond;
// PyTorch's helper for shared memory, as the kernel has its name: it outlives its last client by
// 2 s, removes what that has left, and ends. Nobody can wait for it, and nothing is lost of it.
constexpr std::string_view kSharedMemoryManager = "torch_shm_manag";
// A process that is about to execute its program has no environment for a moment, and so no mark.
constexpr int64_t kExecutesNs = 50 * kNsPerMs;
constexpr int64_t kShortestPauseNs = 500 * kNsPerMs;
constexpr int64_t kScanCostShare = 200;
// A descriptor each; more are found again at the next look.
constexpr size_t kMostFollowed = 256;

std::string Named(const std::string& comm, int32_t pid) {
  return pid > 0 ? fmt::format("{} (pid {})", comm, pid)
                 : fmt::format("{} (in another pid namespace)", comm);
}

bool IsYoung(uint64_t start_ticks, int64_t boottime_ns) {
  static const auto ticks_per_s = static_cast<double>(sysconf(_SC_CLK_TCK));
  const double began_ns = static_cast<double>(start_ticks) / ticks_per_s * 1e9;
  return static_cast<double>(boottime_ns) - began_ns < static_cast<double>(kBecomesTrainingNs);
}

std::string ListText(const std::vector<std::string>& names) {
  constexpr size_t kMost = 3;
  if (names.size() <= kMost) return fmt::format("{}", fmt::join(names, ", "));
  return fmt::format("{} and {} more", fmt::join(names.begin(), names.begin() + kMost, ", "),
                     names.size() - kMost);
}

}  // namespace

AfterCommand NextOf(const Survivors& survivors, int64_t ended_for_ns) {
  if (survivors.empty()) {
    return ended_for_ns < kExecutesNs ? AfterCommand::kWait : AfterCommand::kClose;
  }
  if (ended_for_ns <= kPatienceNs) return AfterCommand::kWait;
  if (!survivors.training.empty() || !survivors.may_train.empty()) return AfterCommand::kGoOn;
  const bool may_end = !survivors.others.empty() && ended_for_ns <= kOthersPatienceNs;
  return may_end ? AfterCommand::kWait : AfterCommand::kClose;
}

std::string GoesOnText(const Survivors& survivors) {
  if (const size_t count = survivors.training.size(); count > 0) {
    const bool one = count == 1;
    return fmt::format("{} of the command's processes still {}; recording goes on until {}", count,
                       one ? "trains" : "train", one ? "it ends" : "they end");
  }
  const bool one = survivors.may_train.size() == 1;
  return fmt::format(
      "{} still {} and may come to train; recording goes on until {}, or {} {} min old without "
      "having trained",
      ListText(survivors.may_train), one ? "runs" : "run", one ? "it ends" : "they end",
      one ? "is" : "are", kBecomesTrainingNs / (60 * kNsPerSecond));
}

model::Finding OutlivesFinding(const std::vector<std::string>& names) {
  return Make(model::finding::LossStillRan{.count = static_cast<int64_t>(names.size()),
                                           .processes = ListText(names)});
}

Survivors LeftWatch::Check(const CheckTime& moment, const CommandTree& command,
                           std::span<const RingProcess> rings) {
  const bool due = moment.now_ns >= next_scan_ns_;
  if (due) Scan(moment.now_ns, command);
  Survivors survivors = Count(moment.boottime_ns, rings);
  if (!survivors.empty() || due) return survivors;
  // The last one may have started another since the last look.
  Scan(moment.now_ns, command);
  return Count(moment.boottime_ns, rings);
}

void LeftWatch::Scan(int64_t now_ns, const CommandTree& command) {
  const int64_t began_ns = ClockNowNs(CLOCK_THREAD_CPUTIME_ID);
  left_.clear();
  for (LeftProcess& process : processes_.Find(command.start_ticks, command.known)) {
    if (left_.size() >= kMostFollowed) break;
    found_.push_back(process.pid);
    ProcessHandle handle(process.pid, process.start_ticks);
    left_.push_back({std::move(process), std::move(handle)});
  }
  marks_ = HooksMarks::Read(ring_dir_);
  const int64_t cost_ns = ClockNowNs(CLOCK_THREAD_CPUTIME_ID) - began_ns;
  next_scan_ns_ = now_ns + std::max(kShortestPauseNs, cost_ns * kScanCostShare);
}

bool LeftWatch::MayRecord(const LeftProcess& process) const {
  if (process.kind != LeftProcess::Kind::kPython) {
    return process.kind == LeftProcess::Kind::kStarter;
  }
  for (const HooksMark refused :
       {HooksMark::kOff, HooksMark::kNoProbe, HooksMark::kOtherBuild, HooksMark::kNoRing}) {
    if (marks_.Has(refused, process.own_pid)) return false;
  }
  return true;
}

Survivors LeftWatch::Count(int64_t boottime_ns, std::span<const RingProcess> rings) {
  Survivors survivors;
  const auto by_age = [&](uint64_t start_ticks) -> std::vector<std::string>& {
    return IsYoung(start_ticks, boottime_ns) ? survivors.may_train : survivors.late;
  };
  std::set<int32_t> with_ring;
  for (const RingProcess& ring : rings) {
    with_ring.insert(ring.pid);
    (ring.trains ? survivors.training : by_age(ring.start_ticks))
        .push_back(Named(CleanUtf8(ring.comm), ring.pid));
  }
  for (Followed& one : left_) {
    const LeftProcess& process = one.process;
    if (with_ring.contains(process.pid) || process.comm == kSharedMemoryManager) continue;
    if (!one.handle.Alive()) continue;
    (MayRecord(process) ? by_age(process.start_ticks) : survivors.others)
        .push_back(Named(process.comm, process.pid));
  }
  return survivors;
}

}  // namespace steptrace::agent
