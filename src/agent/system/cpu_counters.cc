// SPDX-License-Identifier: Apache-2.0
#include "agent/system/cpu_counters.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace steptrace::agent {
namespace {

struct PerfEvent {
  uint32_t type;
  uint64_t config;
};

// perf_event_open(2): of a cache event the operation and its result stand next to the cache.
PerfEvent EventOf(CpuCounter counter) {
  constexpr int kOperationShift = 8, kResultShift = 16;
  switch (counter) {
    case CpuCounter::kInstructions:
      return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};
    case CpuCounter::kItlbMisses:
      return {PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_ITLB |
                                      PERF_COUNT_HW_CACHE_OP_READ << kOperationShift |
                                      PERF_COUNT_HW_CACHE_RESULT_MISS << kResultShift};
    case CpuCounter::kCycles:
      break;
  }
  return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};
}

PerfEvent SoftwareEventOf(CpuCounter counter) {
  switch (counter) {
    case CpuCounter::kInstructions:
      return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS};
    case CpuCounter::kItlbMisses:
      return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ};
    case CpuCounter::kCycles:
      break;
  }
  return {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK};
}

class PerfEvents : public CpuCounterSource {
 public:
  explicit PerfEvents(CpuEvents events) : events_(events) {}

  int Open(const Request& request) override {
    const PerfEvent event = events_ == CpuEvents::kHardware ? EventOf(request.counter)
                                                            : SoftwareEventOf(request.counter);
    perf_event_attr attributes{};
    attributes.size = sizeof attributes;
    attributes.type = event.type;
    attributes.config = event.config;
    // The kernel's own cycles need rights (perf_event_paranoid) and are no work of the training's.
    attributes.exclude_kernel = 1;
    attributes.exclude_hv = 1;
    attributes.inherit = request.with_later_threads ? 1 : 0;
    // Without it what the process forks would count as its own.
    attributes.inherit_thread = request.with_later_threads ? 1 : 0;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    constexpr int kAnyCpu = -1, kNoGroup = -1;
    const long fd = ::syscall(SYS_perf_event_open, &attributes, request.tid, kAnyCpu, kNoGroup,
                              PERF_FLAG_FD_CLOEXEC);
    return fd >= 0 ? static_cast<int>(fd) : -errno;
  }
  std::optional<CpuReading> Read(int fd) override {
    CpuReading reading;
    static_assert(sizeof reading == 3 * sizeof(uint64_t), "as read_format asks for it");
    if (::read(fd, &reading, sizeof reading) != static_cast<ssize_t>(sizeof reading)) {
      return std::nullopt;
    }
    return reading;
  }
  void Close(int fd) override { ::close(fd); }

 private:
  CpuEvents events_;
};

}  // namespace

std::unique_ptr<CpuCounterSource> KernelCpuCounters(CpuEvents events) {
  return std::make_unique<PerfEvents>(events);
}

}  // namespace steptrace::agent
