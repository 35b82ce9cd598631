// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "analyze/trace/trace.h"

namespace steptrace::analyze {

// What a profile, or the hooks of a run, tell of a device.
struct DeviceFact {
  std::string name;
  std::string uuid;  // of the GPU itself, whoever computes on it; empty: not reported
  int64_t sms = 0;   // streaming multiprocessors, AMD's compute units; 0: not reported
};

// By rank and number; what one rank tells of its node's devices holds for that rank alone.
class DeviceFacts {
 public:
  explicit DeviceFacts(const Trace& trace);

  // One without a name or a count where nothing is told.
  const DeviceFact& Of(int32_t rank, int64_t device) const;

 private:
  std::map<std::pair<int32_t, int64_t>, DeviceFact> facts_;
};

}  // namespace steptrace::analyze
