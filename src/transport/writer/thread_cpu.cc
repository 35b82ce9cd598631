// SPDX-License-Identifier: Apache-2.0
#include "transport/writer/thread_cpu.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "transport/writer/fixed_text.h"

namespace steptrace::transport {
namespace {

constexpr int kNotOpen = 0;  // so that untouched rings are all zeros; 0 is never taken
constexpr int kNotToBeHad = -1;
// Above what programs number by hand, below the usual limit of 1024.
constexpr int kFirstFd = 700;

// Which file a descriptor is of; 0: of none.
uint64_t FileOf(int fd) {
  struct stat info;
  if (syscall(SYS_fstat, fd, &info) != 0) return 0;
  return info.st_ino ^ static_cast<uint64_t>(info.st_dev) << 40;
}

void OpenSchedstat(ThreadRing* ring) {
  int fd = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
  const int high = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, kFirstFd);
  if (high >= 0) {
    close(fd);
    fd = high;
  }
  ring->schedstat_fd = fd <= 0 ? kNotToBeHad : fd;
  ring->schedstat_file = fd <= 0 ? 0 : FileOf(fd);
}

// "<ns on a core> <ns runnable> <slices>\n"; pread, which leaves the offset of whatever it is
// alone.
bool ReadWait(int fd, uint64_t* wait_ns) {
  char text[80];
  const ssize_t got = pread(fd, text, sizeof text - 1, 0);
  if (got <= 0) return false;
  text[got] = 0;
  const char* at = text;
  uint64_t run_ns, wait, slices;
  if (!ParseNumber(at, &run_ns) || *at++ != ' ') return false;
  if (!ParseNumber(at, &wait) || *at++ != ' ') return false;
  if (!ParseNumber(at, &slices) || *at != '\n') return false;
  *wait_ns = wait;
  return true;
}

uint64_t ReadClock(clockid_t clock) {
  timespec now;
  if (clock_gettime(clock, &now) != 0) return 0;
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// Whether the thread has been off its core for long enough to matter since that reading. In the
// child of a fork its CPU time begins anew: the difference is then a long time too.
bool MayHaveWaited(const WaitReading& last, uint64_t now_ns, uint64_t cpu_ns) {
  constexpr int64_t kMattersNs = 10'000;  // of steps of 100 us and more
  // The two clocks are read one after the other: a little below 0 is no time at all.
  const auto off_core_ns =
      static_cast<int64_t>((now_ns - last.monotonic_ns) - (cpu_ns - last.cpu_ns));
  return last.monotonic_ns == 0 || off_core_ns > kMattersNs || off_core_ns < -kMattersNs;
}

}  // namespace

CpuMark ReadCpu(ThreadRing* ring) {
  CpuMark mark{};
  if (ring->schedstat_fd == kNotOpen) OpenSchedstat(ring);
  const uint64_t now_ns = ReadClock(CLOCK_MONOTONIC);
  const uint64_t cpu_ns = ReadClock(CLOCK_THREAD_CPUTIME_ID);
  if (cpu_ns == 0) return mark;
  mark.cpu_ns = cpu_ns;
  if (ring->schedstat_fd > 0 && MayHaveWaited(ring->last_wait, now_ns, cpu_ns)) {
    // First the clocks, then the wait: what it grows by in between is seen as off the core later.
    ring->last_wait = {now_ns, cpu_ns, 0};
    if (!ReadWait(ring->schedstat_fd, &ring->last_wait.run_queue_ns)) {
      // The host closed it, and may have given the number to something else: not ours to close.
      ring->schedstat_fd = kNotToBeHad;
      ring->last_wait = {};
    }
  }
  mark.run_queue_ns = ring->last_wait.run_queue_ns;
  mark.known = ring->schedstat_fd > 0;
  return mark;
}

void CloseCpu(ThreadRing* ring) {
  if (ring->schedstat_fd > 0 && FileOf(ring->schedstat_fd) == ring->schedstat_file) {
    close(ring->schedstat_fd);
  }
  ring->schedstat_fd = kNotOpen;
  ring->last_wait = {};
}

}  // namespace steptrace::transport
