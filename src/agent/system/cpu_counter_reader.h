// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "agent/system/cpu_counters.h"
#include "agent/system/job_reader.h"
#include "agent/system/metric_sink.h"

namespace steptrace::agent {

// Cycles, instructions and misses of the instruction TLB of the job's processes, in user code, by
// the processor's counters: a counter for each thread that there is when the process is first seen,
// which passes on to the threads that it starts; where the kernel cannot pass it on to threads
// alone (before 5.13), for each thread that is found.
//
// Counting costs the training a little at each switch of a thread: a process that switches often is
// left alone. Processes, threads and descriptors are bounded; of a process whose threads are too
// many nothing is told, since a part would mislead. Passive, one thread.
class CpuCounterReader {
 public:
  static constexpr size_t kMostProcesses = 16;
  static constexpr size_t kMostCounters = 192;  // descriptors, for all processes together
  // At a microsecond a switch a thousandth of a core.
  static constexpr double kMostSwitchesPerS = 1000;

  explicit CpuCounterReader(std::string proc_root,
                            std::unique_ptr<CpuCounterSource> source = KernelCpuCounters(),
                            size_t most_counters = kMostCounters);
  ~CpuCounterReader();

  // `processes`: those of the job, the oldest first.
  void Sample(SampleContext& context, std::span<const JobProcess> processes);

 private:
  struct Thread {
    int32_t tid = 0;
    std::array<int, kCpuCounterCount> fds{};  // -1: none
  };
  struct Process {
    std::vector<Thread> threads{};
    uint64_t listed_threads = 0;
    bool left_alone = false;
    std::array<std::optional<CpuReading>, kCpuCounterCount> before{};
    std::optional<int64_t> before_ns{};
  };
  using Key = std::pair<int32_t, uint64_t>;  // pid, begin: a later process of the pid is another

  bool Try(SampleContext& context);
  std::string WhyNot(int error) const;
  void Follow(SampleContext& context, const JobProcess& now, Process& process);
  // False: they are too many, or the process may not be counted.
  bool OpenThreads(int32_t pid, Process& process);
  bool OpenThread(int32_t tid, Process& process);
  void LeaveAlone(SampleContext& context, Process& process, const std::string& why);
  void Close(Process& process);
  std::array<std::optional<CpuReading>, kCpuCounterCount> ReadAll(const Process& process) const;
  void Emit(SampleContext& context, int32_t pid, Process& process) const;

  std::string proc_root_;
  std::unique_ptr<CpuCounterSource> source_;
  size_t most_counters_;
  bool tried_ = false;
  bool on_ = false;
  bool inherits_ = true;
  std::array<bool, kCpuCounterCount> has_{};
  std::map<Key, Process> processes_;
  size_t open_ = 0;
  std::optional<int64_t> sampled_ns_;
};

}  // namespace steptrace::agent
