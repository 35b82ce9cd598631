// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "agent/capture/capture_outcome.h"
#include "model/finding.h"
#include "store/loss_causes.h"

namespace steptrace::agent {

// What a capture lacks of what was asked for.
struct CaptureLack {
  store::LossCause cause{};
  int64_t count = -1;  // steps; -1: not known how many
  model::Finding what;
};

// What a window that the user asked for lacks is told: a report of less looks like the whole.
// Nothing: it has all.
std::vector<CaptureLack> LacksOf(const CaptureOutcome& outcome);

}  // namespace steptrace::agent
