// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "base/result.h"

// The other end of the capture port (capture_port.h): who asks a run's agent for steps, and waits
// for them.
namespace steptrace::agent {

// Where the agent of a run listens that goes on; why it does not.
Result<std::filesystem::path> RingDirOf(const std::filesystem::path& run);

struct CaptureWords {
  std::string request;  // CaptureRequestText()
  std::string run;      // as the next command finds it
  std::function<void(int64_t asked)> asked = {};
  std::function<void(int64_t begun)> begun = {};
  std::stop_token gone = {};  // nobody waits any more: the capture is ended
};

struct Captured {
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  int64_t steps = 0;
};

// Returns once all is in the journal.
Result<Captured> RequestCapture(const std::filesystem::path& ring_dir, const CaptureWords& words);

}  // namespace steptrace::agent
