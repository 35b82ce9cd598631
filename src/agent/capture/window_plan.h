// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// The windows of a run, as its user chooses them: time ranges in which more is captured than
// always. The words are those of `steptrace run --window` and of steptrace.toml; the meaning of
// what is left out is SageMaker's (start_step, num_steps; start time, duration), whose truth table
// is a test.
//
//   1000:500     500 steps from step 1000 on            1000:   that step
//   :500         500 steps from the first that can be
//   90s:10s      10 s from 90 s after the run's start   90s:    the step that follows
//   :10s         10 s from now: from the first that can be had, of a run that trains as of one that
//                is to begin                            (units: ms, s, m, h)
//   @1790000000:10s   the same from a moment of the wall clock, in seconds since 1970
//   5:1=operators     what this one captures; 9:3=stacks+shapes; without: what all do
//
// Windows that say what they capture may overlap, those of steps with such, those of times with
// theirs: where they do, a window of its own captures what any of them does.
//
//   5:10=operators  ├───────────────┤
//   8:3=stacks           ├────┤           becomes 5:3=operators, 8:3=operators+stacks,
//   11:4=operators
namespace steptrace::agent {

struct CaptureWindow {
  enum class From : uint8_t { kStep, kRunTime, kUnixTime, kNow };
  From from = From::kStep;
  int64_t first_step = 0;          // kStep; 0: the first that can be captured
  int64_t start_ns = 0;            // kRunTime, kUnixTime
  std::optional<int64_t> steps{};  // exactly one of these is given
  std::optional<int64_t> dur_ns{};
  uint32_t kinds = 0;  // of wire::CaptureKind; 0: those of its plan

  friend bool operator==(const CaptureWindow&, const CaptureWindow&) = default;
};

Result<CaptureWindow> ParseWindow(std::string_view text);

// What SageMaker calls the fields of a window; what is not given, is not there.
struct WindowFields {
  std::optional<int64_t> start_step{};
  std::optional<int64_t> num_steps{};
  std::optional<int64_t> start_unix_time{};  // s
  std::optional<double> duration{};          // s
};
// No window where no field is given; an error where they contradict one another.
Result<std::optional<CaptureWindow>> WindowOf(const WindowFields& fields);

// What all windows that a run takes by itself may cost together.
struct WindowBudget {
  int64_t ns = 60'000'000'000;  // of each training process's time
  int64_t bytes = 64'000'000;   // of rows in the journal, all processes together

  friend bool operator==(const WindowBudget&, const WindowBudget&) = default;
};

struct WindowPlan {
  bool automatic = false;  // one short window of operators, once the run is steady
  std::vector<CaptureWindow>
      windows{};          // what begins now, those of steps by their first, those of times
  uint32_t kinds = 1;     // of wire::CaptureKind, where a window has none of its own
  WindowBudget budget{};  // of the automatic ones

  friend bool operator==(const WindowPlan&, const WindowPlan&) = default;
};

// Of `--window` given any number of times, each a window or several with commas; `none` alone, or
// `auto` alone (also for no text at all). Of the plan no two windows of steps overlap, nor two of
// times: a step belongs to one. That windows overlap which do not say what they capture is an
// error.
Result<WindowPlan> ParsePlan(const std::vector<std::string>& windows, const WindowFields& fields);

// The text that ParsePlan makes the same plan of.
std::string ToText(const WindowPlan& plan);

// Words with commas: operators, kernels, profile, and stacks, shapes, memory, each of which means a
// profile that holds it. An error names what there is.
Result<uint32_t> ParseKinds(std::string_view text);
std::string KindsText(uint32_t kinds);

}  // namespace steptrace::agent
