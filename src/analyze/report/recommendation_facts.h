// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyze/report/report.h"
#include "analyze/trace/trace.h"

namespace steptrace::analyze {

struct RecommendedDevice {
  std::string name;
  int64_t major = 0;
  double capability = 0;
  int64_t memory_bytes = 0;
};

// What the rules need of the events, in one pass.
struct RecommendationFacts {
  int64_t steps_ns = 0;  // of all ranks
  int64_t steps = 0;
  int64_t loader_ns = 0;
  int64_t communication_ns = 0;
  bool has_roles = false;
  bool data_parallel = false;
  bool distributed_data_parallel = false;
  bool nccl = false;
  bool gloo = false;
  int64_t eligible_ns = 0;  // kernels below operators that tensor cores could compute
  int64_t kernel_ns = 0;
  int64_t sync_calls = 0;
  int64_t sync_ns = 0;
  int64_t allocator_calls = 0;
  int64_t allocator_ns = 0;
  std::optional<RecommendedDevice> device;  // number 0, else the first
  std::optional<int64_t> peak_bytes;
};

// `report` holds the profile's sections.
RecommendationFacts CollectFacts(const Trace& trace, const Report& report);

}  // namespace steptrace::analyze
