// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "agent/system/kept_file.h"
#include "agent/system/metric_sink.h"
#include "agent/system/rates.h"

namespace steptrace::agent {

// What this process has cost so far.
struct SelfUsage {
  int64_t cpu_ns = 0;  // of all threads, since its begin
  int64_t rss_bytes = 0;
};

// The resident memory of this process now; 0: it cannot be read.
int64_t OwnRssBytes();

// The agent's own cost, as metrics and as readings for AgentLimiter. One thread.
class SelfReader {
 public:
  explicit SelfReader(const std::string& proc_root) : statm_(proc_root + "/self/statm") {}

  SelfUsage Read();
  void Sample(SampleContext& context);

 private:
  KeptFile statm_;
  std::string buffer_;
  Elapsed elapsed_;
  RateOf cpu_ns_per_s_;
};

}  // namespace steptrace::agent
