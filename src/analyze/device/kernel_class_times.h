// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/trace/kernel_class.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// What devices did, by classes of kernels. Times are sums of durations: what runs at once counts
// each.
struct KernelClassTime {
  KernelClass of = KernelClass::kOther;
  int64_t calls = 0;
  int64_t total_ns = 0;
  double share = 0;              // of all classes
  int64_t kernel_ns = 0;         // of total_ns, that of kernels alone
  int64_t kernels = 0;           // names, of kernels alone
  std::string largest;           // the kernel with most of its time; empty: it has copies alone
  std::optional<int64_t> bytes;  // that copies and fills moved; empty: none tells
  int64_t bytes_ns = 0;          // their durations
  // Of operators whose shapes are known, by their formulas; empty: there are none.
  std::optional<double> flops;
  int64_t flops_ns = 0;  // the durations of their kernels

  std::optional<double> bytes_per_s() const;
  std::optional<double> flops_per_s() const;
};

struct KernelClassTimes {
  std::vector<KernelClassTime> classes;  // that have any, the most time first
  int64_t total_ns = 0;

  double Share(KernelClass of) const;
  // Of the time in which kernels compute: without communication, copies and fills by the driver.
  double MemoryBoundShare() const;
  int64_t compute_ns = 0;       // of that time
  int64_t memory_bound_ns = 0;  // ... that of kernels whose class is memory-bound
};

// Of all ranks.
KernelClassTimes SumKernelClasses(const Trace& trace);

}  // namespace steptrace::analyze
