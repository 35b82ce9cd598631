// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyze/critical_path/path_cause.h"

// What the report says of the critical path. Values.
namespace steptrace::analyze {

// A time range of the path: on a rank, under one cause.
template <class Text>
struct PathSegmentOf {
  int64_t begin_ns = 0;
  int64_t dur_ns = 0;
  int32_t rank = 0;
  PathCause cause = PathCause::kHost;
  Text name{};  // of the kernel, call or loader; empty on a thread between them
  Text op{};    // operator that launched it, or that the thread was in
};
using PathSegment = PathSegmentOf<std::string>;

struct PathShare {
  PathCause cause = PathCause::kHost;
  int64_t ns = 0;
  double share = 0;
};

// Most first, without those of no time.
std::vector<PathShare> SharesOf(const PathSums& sums, int64_t whole_ns);

struct PathRow {
  PathCause cause = PathCause::kHost;
  std::string name;
  std::string op;
  int64_t ns = 0;
  double share = 0;
  int64_t segments = 0;
};

struct PathOf {
  std::optional<int64_t> step;  // empty: the whole window
  int32_t rank = 0;             // on which it ends
  int64_t begin_ns = 0;
  int64_t dur_ns = 0;
  std::vector<PathShare> causes;  // most first; sum to dur_ns
};

// The window and the mean step if a stage took no time, or half of it (what_if.h).
struct WhatIf {
  std::string stage;
  std::string change;     // removed, halved
  int64_t window_ns = 0;  // by replay
  // Simply: the window without that part of the path. Empty where no such bound holds.
  std::optional<int64_t> at_most_ns;
  std::vector<PathShare> causes;  // what then fills the window, most first; sum to window_ns
  std::optional<int64_t> step_ns, step_at_most_ns;  // of the mean step
  std::optional<double> speedup;  // of the window, by replay; empty: nothing is left of it
};

struct CriticalPathSection {
  bool applicable = false;  // false: there is no device work in the profile
  PathOf window;
  std::vector<PathOf> steps;
  std::vector<PathRow> rows;          // of the whole window; most first; sum to its length
  std::vector<PathSegment> segments;  // the longest, at most `top`
  int64_t segment_count = 0;
  int64_t rank_changes = 0;  // how often the path goes over to another rank
  std::optional<int64_t> mean_step_ns;
  std::vector<WhatIf> what_if;  // most gain first
};

}  // namespace steptrace::analyze
