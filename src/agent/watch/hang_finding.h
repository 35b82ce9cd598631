// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "agent/watch/hang_detector.h"
#include "agent/watch/hang_stacks.h"
#include "model/finding.h"
#include "store/string_table.h"

namespace steptrace::agent {

// A job that hangs, as it was seen at one moment.
struct HangScene {
  int64_t now_ns = 0;
  std::vector<int32_t> stuck;                        // ranks
  std::vector<std::pair<int32_t, int32_t>> workers;  // rank, pid; of this node
  HangProcesses stacks;
  int32_t world_size = 1;
};

struct HangFinding {
  model::Finding found;
  std::string evidence;  // a JSON object: each rank and worker with its stack, innermost first
};

// What to say of it: where the ranks wait, who is not there, and in which line each is. Names are
// bounded and without control characters. `strings`: those of the detector's events.
HangFinding DescribeHang(const HangScene& scene, const HangDetector& detector,
                         const store::StringTable& strings);

}  // namespace steptrace::agent
