// SPDX-License-Identifier: Apache-2.0
#include "transport/writer/thread_cpu.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "transport/writer/text.h"

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

}  // namespace

CpuMark ReadCpu(ThreadRing* ring) {
  CpuMark mark{};
  if (ring->schedstat_fd == kNotOpen) OpenSchedstat(ring);
  if (ring->schedstat_fd > 0 && !ReadWait(ring->schedstat_fd, &mark.run_queue_ns)) {
    // The host closed it, and may have given the number to something else: it is not ours to close.
    ring->schedstat_fd = kNotToBeHad;
  }
  timespec now;
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0) return mark;
  mark.cpu_ns =
      static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
  mark.known = ring->schedstat_fd > 0;
  return mark;
}

void CloseCpu(ThreadRing* ring) {
  if (ring->schedstat_fd > 0 && FileOf(ring->schedstat_fd) == ring->schedstat_file) {
    close(ring->schedstat_fd);
  }
  ring->schedstat_fd = kNotOpen;
}

}  // namespace steptrace::transport
