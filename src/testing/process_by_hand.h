// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "agent/capture/captured_process.h"
#include "agent/capture/run_captures.h"

// For tests of captures.
namespace steptrace::agent {

// A process that answers as a test says.
class ProcessByHand : public CapturedProcess {
 public:
  ProcessByHand(RunCaptures& run, int32_t rank) : rank_(rank), captures_(run.NewSchedule()) {}

  int32_t rank() const override { return rank_; }
  int32_t pid() const override { return 100 + rank_; }
  bool trains() const override { return true; }
  CaptureSchedule& captures() override { return captures_; }
  void SendCapture(int64_t now_ns) override {
    if (const auto word = captures_.Next(now_ns)) asked.push_back(*word);
  }

  std::vector<wire::CaptureControl> asked;

 private:
  int32_t rank_;
  CaptureSchedule captures_;
};

}  // namespace steptrace::agent
