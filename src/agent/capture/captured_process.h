// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "agent/capture/capture_schedule.h"

namespace steptrace::agent {

// A process with a ring, as far as captures go.
class CapturedProcess {
 public:
  virtual ~CapturedProcess() = default;

  virtual int32_t rank() const = 0;
  virtual int32_t pid() const = 0;
  virtual bool trains() const = 0;
  // What it is asked to capture.
  virtual CaptureSchedule& captures() = 0;
  // Sends the word that is due.
  virtual void SendCapture(int64_t now_ns) = 0;
};

}  // namespace steptrace::agent
