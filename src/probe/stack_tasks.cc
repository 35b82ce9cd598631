// SPDX-License-Identifier: Apache-2.0
#include "probe/stack_tasks.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "transport/writer/fixed_text.h"
#include "transport/writer/libc_floor.h"

namespace steptrace::probe {
namespace {

// The clock of a thread's CPU time holds its tid, inverted, above three bits:
// github:torvalds/linux, include/linux/posix-timers_types.h, CPUCLOCK_PID.
constexpr int kClockKindBits = 3;

// The letter of /proc/self/task/<tid>/stat behind the name, which may hold anything but a longer
// file's end; 0: not to be had.
char StateOfTask(int32_t tid) {
  char path[48];
  transport::FixedText(path, sizeof path)
      .Add("/proc/self/task/")
      .Add(static_cast<uint64_t>(tid))
      .Add("/stat");
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[96];  // number, name of at most 64 bytes, state
  const ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return 0;
  text[got] = 0;
  const char* name_end = strrchr(text, ')');
  return name_end != nullptr && name_end[1] == ' ' ? name_end[2] : 0;
}

}  // namespace

bool ReadCpuClock(clockid_t clock, uint64_t* ns) {
  timespec now;
  if (clock_gettime(clock, &now) != 0) return false;
  *ns = static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  return true;
}

bool StackTasks::Refresh() {
  bool any = count_ == 0;
  for (size_t i = 0; i < count_;) {
    StackTask& task = tasks_[i];
    uint64_t cpu_ns;
    if (!ReadCpuClock(task.clock, &cpu_ns)) {
      task = tasks_[--count_];
      continue;
    }
    // One that was ready for a core and got none may still wait for it.
    task.moved = task.stack == 0 || task.running || cpu_ns != task.cpu_ns;
    if (task.moved) {
      const char state = StateOfTask(task.tid);
      task.running = state != 0 ? state == 'R' : cpu_ns != task.cpu_ns;
    }
    task.cpu_ns = cpu_ns;
    any |= task.moved;
    ++i;
  }
  return any;
}

StackTask* StackTasks::Find(unsigned long ident) {
  for (StackTask& task : *this) {
    if (task.ident == ident) return &task;
  }
  clockid_t clock;
  // It has a frame of Python's, and the interpreter's lock is ours: it lives.
  if (pthread_getcpuclockid(ident, &clock) != 0) return nullptr;
  StackTask found{ident, clock, ~(clock >> kClockKindBits), 0, 0, false, false, false};
  if (found.tid <= 0 || !ReadCpuClock(clock, &found.cpu_ns)) return nullptr;
  if (count_ == kMaxTasks) {
    left_out_ = true;
    if (found.tid != getpid()) return nullptr;
    --count_;
  }
  tasks_[count_] = found;
  return &tasks_[count_++];
}

bool StackTasks::HasMain() {
  const int32_t main = getpid();
  for (const StackTask& task : *this) {
    if (task.tid == main) return true;
  }
  return false;
}

void StackTasks::BeginRound() {
  for (StackTask& task : *this) task.there = false;
}

void StackTasks::EndRound() {
  for (size_t i = 0; i < count_;) {
    if (tasks_[i].there) {
      ++i;
    } else {
      tasks_[i] = tasks_[--count_];
    }
  }
}

}  // namespace steptrace::probe
