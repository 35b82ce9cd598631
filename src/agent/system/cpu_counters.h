// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>

namespace steptrace::agent {

// The processor's counters, by perf_event_open. In memory only.
enum class CpuCounter : uint8_t { kCycles, kInstructions, kItlbMisses };
inline constexpr CpuCounter kCpuCounters[] = {CpuCounter::kCycles, CpuCounter::kInstructions,
                                              CpuCounter::kItlbMisses};
inline constexpr size_t kCpuCounterCount = std::size(kCpuCounters);

// What a counter says: how much it counted, for how long the thread ran, and for how much of that
// it was counted (the rest of the time the processor counted something else).
struct CpuReading {
  uint64_t value = 0;
  uint64_t enabled_ns = 0;
  uint64_t running_ns = 0;
};

// Opens and reads counters; a test stands in for the kernel. One thread.
class CpuCounterSource {
 public:
  virtual ~CpuCounterSource() = default;

  struct Request {
    CpuCounter counter{};
    int32_t tid = 0;                  // 0: the thread that asks
    bool with_later_threads = false;  // of its process, from their start on
  };
  // The user code of a thread. A descriptor, which the caller closes; below 0: -errno.
  virtual int Open(const Request& request) = 0;
  virtual std::optional<CpuReading> Read(int fd) = 0;
  virtual void Close(int fd) = 0;
};

// The kernel's. kSoftware: what the kernel counts itself stands in, where a machine without
// counters is to be tested on: nanoseconds of CPU for cycles, page faults for instructions and
// major faults for misses.
enum class CpuEvents : uint8_t { kHardware, kSoftware };
std::unique_ptr<CpuCounterSource> KernelCpuCounters(CpuEvents events = CpuEvents::kHardware);

}  // namespace steptrace::agent
