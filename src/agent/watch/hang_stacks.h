// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/stacks/stack_sampler.h"

namespace steptrace::agent {

struct HangFrame {
  std::string function;
  std::string file;
  int32_t line = 0;  // 0: unknown
};

// A thread of a process that may hang.
struct HangThread {
  int32_t tid = 0;
  bool running = false;
  std::vector<HangFrame> frames;  // outermost first
};

// What was seen of one process; no threads: `reason` says why.
struct HangProcess {
  std::vector<HangThread> threads;
  std::string reason;
};
using HangProcesses = std::map<int32_t, HangProcess>;  // by pid

// What one sample of the sampler says, by process.
HangProcesses ProcessesOf(const StackReadings& readings);

// Reads the Python stacks of a job's processes once, in a thread of its own: a process that hangs
// in the kernel may hold up who reads its memory. One thread asks and takes; it never waits.
class HangStacks {
 public:
  void Begin(std::vector<JobRoot> processes, int64_t now_ns);
  bool under_way() const { return shared_ != nullptr; }
  // Nothing: not yet. After kPatienceNs what there is by then: nothing of any process.
  std::optional<HangProcesses> Take(int64_t now_ns);

  static constexpr int64_t kPatienceNs = 5'000'000'000;  // a sample of 100 processes takes 0.1 s

 private:
  struct Shared;
  std::shared_ptr<Shared> shared_;
  int64_t began_ns_ = 0;
};

}  // namespace steptrace::agent
