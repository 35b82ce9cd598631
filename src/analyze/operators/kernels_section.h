// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyze/operators/operator_tree.h"
#include "analyze/operators/step_time.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// Sums over kernels (docs/reference/operators.md).
struct KernelSums {
  int64_t calls = 0;
  int64_t total_ns = 0;
  int64_t in_steps_ns = 0;  // of total_ns that of kernels that were launched in a step
  int64_t max_ns = 0;
  int64_t min_ns = 0;
  // Means weighted by duration over the kernels that carry the figure, as in torch-tb-profiler but
  // for those that do not: it takes them for 0, here they are left out and counted.
  double blocks_per_sm_x_ns = 0;
  int64_t blocks_per_sm_ns = 0;  // the time of the kernels that carry it
  int64_t without_blocks_per_sm = 0;
  double occupancy_x_ns = 0;  // percent
  int64_t occupancy_ns = 0;
  int64_t without_occupancy = 0;

  KernelSums& operator+=(const KernelSums& other);
  int64_t mean_ns() const;  // to the nearest ns
  std::optional<double> blocks_per_sm() const;
  std::optional<double> occupancy_percent() const;
};

// A way in which a kernel was launched.
struct KernelLaunch {
  std::string operator_name;  // empty: by none, as far as the profile tells
  bool operator_tensor_core_eligible = false;
  std::string grid;  // JSON list; empty: not reported. So the others
  std::string block;
  std::optional<int64_t> registers_per_thread;
  std::optional<int64_t> shared_memory_bytes;
  KernelSums sums;
};

struct KernelStream {
  int32_t device = kNone;
  int64_t stream = kNone;
  int64_t calls = 0;
  int64_t total_ns = 0;
};

struct KernelRow {
  int32_t rank = kNone;  // kNone: all ranks together
  std::string name;
  bool tensor_cores = false;
  DeviceRole role = DeviceRole::kCompute;
  KernelSums sums;
  double share = 0;                    // of the time of all kernels of the rank
  StepTime steps;                      // of the rank, or of all: what its time in steps is of
  std::vector<KernelStream> streams;   // by device, then stream
  std::vector<KernelLaunch> launches;  // the most time first
};

struct KernelsSection {
  std::vector<KernelRow> rows;       // by rank, then the most time first
  std::vector<KernelRow> all_ranks;  // of all ranks together, without streams and launches;
                                     // one rank: empty
};

KernelsSection BuildKernels(const Trace& trace, std::span<const OperatorTree> trees,
                            const TensorCorePatterns& patterns = {});
KernelsSection BuildKernels(const Trace& trace);

// The value of "kernels".
nlohmann::ordered_json KernelsJson(const KernelsSection& section);

}  // namespace steptrace::analyze
