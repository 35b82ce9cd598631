// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

// The threads of this process that run Python code, as the system sees them.
namespace steptrace::probe {

// A thread whose stack is sampled.
struct StackTask {
  unsigned long ident;  // as Python numbers it: its pthread_t
  clockid_t clock;      // of its CPU time
  int32_t tid;
  uint64_t cpu_ns;  // when it was looked at last
  uint32_t stack;   // that it had then, as an id of the arena; 0: not known
  bool running;     // on a core then, or ready for one
  bool moved;       // since the look before
  bool there;       // has Python frames
};

// Of at most kMaxTasks threads. One thread: the one that samples.
class StackTasks {
 public:
  static constexpr size_t kMaxTasks = 64;

  // Looks at all, without Python. True: one may have another stack than before.
  bool Refresh();
  // The thread; null: there are too many, the main thread always has room. One that is new is
  // sampled from the next look on.
  StackTask* Find(unsigned long ident);
  bool HasMain();
  bool left_out() const { return left_out_; }  // there have been too many
  void BeginRound();
  // Forgets those that were not found since BeginRound().
  void EndRound();

  StackTask* begin() { return tasks_; }
  StackTask* end() { return tasks_ + count_; }

 private:
  StackTask tasks_[kMaxTasks];
  size_t count_ = 0;
  bool left_out_ = false;
};

// CPU time by a clock, in ns. False: its thread has ended.
bool ReadCpuClock(clockid_t clock, uint64_t* ns);

}  // namespace steptrace::probe
