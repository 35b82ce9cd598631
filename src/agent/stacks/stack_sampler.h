// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/stacks/process_stacks.h"
#include "agent/stacks/stack_table.h"
#include "agent/system/agent_limiter.h"
#include "agent/system/job_reader.h"

namespace steptrace::agent {

struct StackSample {
  JobRoot process;
  int32_t tid = 0;
  int64_t monotonic_ns = 0;
  int32_t stack = 0;
  bool running = false;
  int64_t interval_ns = 0;  // that it stands for
};

// A process whose stacks cannot be read, and what would make it so where something would.
struct UnreadProcess {
  JobRoot process;
  std::string reason;
  std::string remedy;
};

// A process that cannot be read from outside now, or can again.
struct ReadChange {
  JobRoot process;
  bool read = false;
};

struct ProcessStackLosses {
  JobRoot process;
  StackLosses losses;  // so far
};

// What sampling brought since it was taken last.
struct StackReadings {
  std::vector<NewStack> stacks;
  std::vector<StackSample> samples;
  std::vector<UnreadProcess> unread;  // each process once
  std::vector<ReadChange> changes;
  std::vector<ProcessStackLosses> losses;
  std::vector<LimiterEvent> limits;
  int64_t too_many_stacks = 0;  // samples without a stack of their own, so far
  int64_t not_taken = 0;        // samples left out because nobody took those before, so far
};

struct StackSamplerOptions {
  std::string proc_root = "/proc";
  bool names_calls = true;  // of C code, by the sources as they are when the first Python is seen
  std::shared_ptr<StackNumbers> numbers = std::make_shared<StackNumbers>(0);
  size_t max_stacks = StackTable::kMaxStacks;
  // What reads a process's memory; a test may put something else there.
  std::function<std::unique_ptr<ProcessMemory>(int32_t pid)> memory_of = [](int32_t pid) {
    return std::make_unique<LiveMemory>(pid);
  };
};

// Samples the Python stacks of a job's processes. Passive: whoever owns it says when, and how long
// a period is. One thread.
class StackSampler {
 public:
  static constexpr size_t kMaxProcesses = 1024;

  explicit StackSampler(StackSamplerOptions options = {});

  // The processes to sample from now on.
  void SetProcesses(const std::vector<JobRoot>& processes);
  // One sample of each thread of each. `now_ns`: of the monotonic clock.
  void Sample(int64_t now_ns, int64_t period_ns, StackReadings& readings);
  // The losses of each process so far, and once more of those that were sampled until the last
  // call.
  void RecordLosses(StackReadings& readings);
  // Processes whose stacks are read.
  int64_t read_processes() const;
  // Until then a Sample() would do nothing: 0 while a process is read, INT64_MAX without any.
  int64_t IdleUntilNs() const;

 private:
  struct Process {
    JobRoot root;
    std::unique_ptr<ProcessStacks> stacks;  // nullptr: not read (yet)
    int64_t next_try_ns = 0;
    bool reported = false;  // why it is not read
    bool unread = false;    // as `changes` had it last
    int failures = 0;
    StackLosses losses;                  // of readers before this one
    std::map<int32_t, int64_t> last_ns;  // of each thread's sample
  };
  static StackLosses LossesOf(const Process& process);
  bool Open(Process& process, int64_t now_ns, StackReadings& readings);
  void Fail(Process& process, const NoPython& why, int64_t now_ns, StackReadings& readings);
  void SampleProcess(Process& process, int64_t now_ns, int64_t period_ns, StackReadings& readings);

  StackSamplerOptions options_;
  CodeTexts texts_;
  std::optional<SourceCalls> sources_;  // from the first Python on
  StackTable stacks_;
  PythonFinder finder_;
  std::map<int32_t, Process> processes_;
  std::vector<ThreadSample> samples_;
  std::vector<ProcessStackLosses> ended_losses_;
};

}  // namespace steptrace::agent
