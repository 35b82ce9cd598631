// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "agent/rows/reported_tensor.h"
#include "agent/watch/alert.h"
#include "agent/watch/job.h"
#include "analyze/derive/event.h"
#include "store/metrics.h"
#include "store/tables.h"

namespace steptrace::agent {

// The process that events are of.
struct EventSource {
  int32_t rank = -1;
  int32_t pid = 0;
  bool trains = false;  // false: it works for one that does
};

// A value of the node, of a device or of a process.
struct Sample {
  std::optional<store::Metric> metric{};  // none: what torch counts of a device
  std::string_view name;                  // as its counter is called
  int32_t device = -1;
  int32_t pid = 0;
  int64_t ts_ns = 0;
  double value = 0;
};

// When an observer is asked.
enum class Moment : uint8_t {
  kPoll,       // of the agent's loop, while the command runs: for what cannot wait
  kSettled,    // twice a second: what has been settled until now has been shown
  kEndedWell,  // the command has ended by itself, and well
  kFinished,   // nothing more comes
};

// Is shown what a run brings while it goes on, and says what it finds in it. One thread, which it
// never holds up; what it keeps is bounded.
class Observer {
 public:
  virtual ~Observer() = default;

  // A step that is settled; `kind`: train, eval, warm-up.
  virtual void OnStep(const store::StepRow& row, std::string_view kind);
  // In the order of each thread.
  virtual void OnEvents(const EventSource& source, std::span<const analyze::Event> events);
  virtual void OnSample(const Sample& sample);
  // What a process that trains told of its tensors.
  virtual void OnTensors(const EventSource& source, std::span<const ReportedTensor> tensors);

  // What it has found since it was asked last.
  virtual std::vector<Alert> Check(Moment moment, int64_t now_ns, const Job& job) = 0;
};

inline void Observer::OnStep(const store::StepRow&, std::string_view) {}
inline void Observer::OnEvents(const EventSource&, std::span<const analyze::Event>) {}
inline void Observer::OnSample(const Sample&) {}
inline void Observer::OnTensors(const EventSource&, std::span<const ReportedTensor>) {}

}  // namespace steptrace::agent
