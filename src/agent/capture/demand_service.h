// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "agent/capture/capture_port.h"
#include "agent/capture/kineto_run.h"
#include "agent/capture/profile_feed.h"
#include "agent/capture/run_captures.h"

namespace steptrace::agent {

// Carries out what the port is asked for: by the hooks where there are any, by Kineto in the
// processes without (`kineto`; nullptr: not asked for). What is given must outlive the service.
CaptureService ServiceOf(RunCaptures& hooks, KinetoRun* kineto, ProfileFeed& profiles,
                         std::function<int64_t()> now_ns);

}  // namespace steptrace::agent
