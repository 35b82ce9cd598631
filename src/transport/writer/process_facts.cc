// SPDX-License-Identifier: Apache-2.0
#include "transport/writer/process_facts.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "transport/writer/fixed_text.h"
#include "wire/ring_layout.h"

namespace steptrace::transport {
namespace {

// The launchers of distributed trainings, in the order in which they are believed.
int32_t FirstNumber(const char* const* names) {
  for (; *names != nullptr; ++names) {
    const char* text = getenv(*names);
    uint64_t value = 0;
    if (text != nullptr && ParseNumber(text, &value) && *text == 0 && value <= INT32_MAX) {
      return static_cast<int32_t>(value);
    }
  }
  return -1;
}

}  // namespace

uint64_t StartTimeTicks() {
  const int fd = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  char text[1024];
  const ssize_t got = read(fd, text, sizeof text - 1);
  close(fd);
  if (got <= 0) return 0;
  text[got] = 0;
  // The name in field 2 may hold anything, parentheses too: count fields from its last one.
  const char* at = strrchr(text, ')');
  for (int field = 2; at != nullptr && field < 22; ++field) {
    at = strchr(at + 1, ' ');
  }
  uint64_t ticks = 0;
  if (at == nullptr || !ParseNumber(++at, &ticks)) return 0;
  return ticks;
}

uint32_t PidNamespace() {
  char link[64];  // "pid:[4026531836]"
  const ssize_t got = readlink("/proc/self/ns/pid", link, sizeof link - 1);
  if (got <= 0) return 0;
  link[got] = 0;
  const char* at = strchr(link, '[');
  uint64_t inode = 0;
  if (at == nullptr || !ParseNumber(++at, &inode) || inode > UINT32_MAX) return 0;
  return static_cast<uint32_t>(inode);
}

void ReadComm(char (&comm)[16]) {
  memset(comm, 0, sizeof comm);
  // Of the process, that is of its main thread, whoever asks.
  const int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  const ssize_t got = read(fd, comm, sizeof comm);
  close(fd);
  for (ssize_t i = 0; i < static_cast<ssize_t>(sizeof comm); ++i) {
    if (i >= got || comm[i] == '\n') comm[i] = 0;
  }
  comm[sizeof comm - 1] = 0;
}

int32_t ThreadId() {
  return static_cast<int32_t>(syscall(SYS_gettid));
}

int32_t RankFromEnvironment() {
  static const char* const kNames[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", nullptr};
  return FirstNumber(kNames);
}

int32_t LocalRankFromEnvironment() {
  static const char* const kNames[] = {"LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_RANK",
                                       "MPI_LOCALRANKID", nullptr};
  return FirstNumber(kNames);
}

int32_t WorldSizeFromEnvironment() {
  static const char* const kNames[] = {"WORLD_SIZE", "OMPI_COMM_WORLD_SIZE", "PMI_SIZE", nullptr};
  return FirstNumber(kNames);
}

uint64_t BudgetFromEnvironment() {
  const char* text = getenv("STEPTRACE_RING_BUDGET_BYTES");
  uint64_t value = 0;
  if (text == nullptr || !ParseNumber(text, &value) || *text != 0) {
    return wire::kDefaultBudgetBytes;
  }
  return value;
}

void LetAgentRead() {
  const char* text = getenv("STEPTRACE_AGENT_PID");
  uint64_t pid = 0;
  if (text == nullptr || !ParseNumber(text, &pid) || *text != 0) return;
  if (pid <= 1 || pid > INT32_MAX) return;  // 0 would be nobody, -1 everybody
  prctl(PR_SET_PTRACER, pid, 0, 0, 0);
}

bool HasInvariantTsc() {
#if defined(__x86_64__)
  constexpr unsigned kAdvancedPower = 0x80000007;
  constexpr unsigned kInvariantBit = 1u << 8;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(kAdvancedPower, &a, &b, &c, &d) != 0 && (d & kInvariantBit) != 0;
#else
  return false;
#endif
}

}  // namespace steptrace::transport
