// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "wire/vocabulary.h"

namespace steptrace::agent {

// From a begin to the end that follows it, as the process says.
struct CapturedRange {
  int64_t from_ns = 0;  // by the run's clock
  int64_t to_ns = 0;
  uint32_t kinds = 0;      // of wire::CaptureKind: what was on
  int64_t first_step = 0;  // by the hooks' count; 0: not reported
  int64_t steps = 0;       // whole ones

  friend bool operator==(const CapturedRange&, const CapturedRange&) = default;
};

// A window that has ended, or could not be.
struct CaptureOutcome {
  enum class Source : uint8_t { kPlan, kAutomatic, kDemand };
  Source source = Source::kPlan;
  uint64_t demand = 0;      // of kDemand
  std::string window{};     // of kPlan, as ParseWindow reads it
  int64_t first_step = -1;  // of that, where it is of steps
  std::string why{};        // of kAutomatic: steady, shift, rule
  bool only = false;        // of kAutomatic: none before it captured anything
  uint32_t kinds = 0;       // what was on in any time range; of none what was asked for
  uint32_t asked = 0;       // the kinds that were asked for
  int64_t asked_steps = 0;  // 0: a time range was
  wire::WindowEnd end = wire::WindowEnd::kDone;
  int64_t steps = 0;    // whole ones in all time ranges
  int64_t from_ns = 0;  // first begin to last end, by the run's clock; of none both are 0
  int64_t to_ns = 0;
  // In order. Of a window those too in which another capture took what it asks for.
  std::vector<CapturedRange> captured_ranges{};
  bool counted = true;        // false: the process has not reported the steps of all time ranges
  bool aside = false;         // the script's own profiler ran in between
  bool interrupted = false;   // another capture ran in between, or in its place
  bool short_of_end = false;  // its last steps are missing
  bool unwanted = false;      // nobody wants it any more: that it lacks something is no loss
};

}  // namespace steptrace::agent
