// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "agent/system/kept_file.h"
#include "agent/system/metric_sink.h"

namespace steptrace::agent {

struct MemoryInfo {
  uint64_t total_bytes = 0;
  uint64_t available_bytes = 0;
  uint64_t swap_total_bytes = 0;
  uint64_t swap_free_bytes = 0;
};

// The text of /proc/meminfo; nothing when it does not name the total. Kernels before 3.14 do not
// name what is available: free memory, buffers and cache stand in for it.
std::optional<MemoryInfo> ParseMeminfo(std::string_view text);

// Memory and swap of the node. One thread.
class MemoryReader {
 public:
  explicit MemoryReader(const std::string& proc_root) : file_(proc_root + "/meminfo") {}
  void Sample(SampleContext& context);

 private:
  KeptFile file_;
  std::string buffer_;
};

}  // namespace steptrace::agent
