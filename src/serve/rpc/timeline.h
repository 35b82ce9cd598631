// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "serve/rpc/run_timeline.h"

// The answers about a run's timeline: docs/reference/http.md says what each holds. Arrow comes as
// the bytes of an IPC stream.
namespace steptrace::rpc {

// Limits of docs/reference/http.md.
inline constexpr int64_t kMaxPixels = 8192;
inline constexpr size_t kMaxViewTracks = 512;
inline constexpr int64_t kMaxMatches = 1000;
inline constexpr int64_t kMaxFlows = 10'000;

Result<std::string> ViewArrow(const RunTimeline& timeline, const TimelineRange& range,
                              int64_t width);
std::string SearchJson(const RunTimeline& timeline, const TimelineRange& range,
                       const std::string& part, int64_t limit);
Result<std::string> StatisticsArrow(const RunTimeline& timeline, const TimelineRange& range);
// Nothing: there is no such slice.
Result<std::optional<std::string>> SliceJson(const RunTimeline& timeline, timeline::SliceId slice);
Result<std::string> FlowsArrow(const RunTimeline& timeline, const TimelineRange& range,
                               std::optional<timeline::SliceId> slice, int64_t limit);

// Buckets of counters. A metric that ends in '*' is a prefix; none: all.
struct SeriesQuery {
  std::vector<std::string> metrics;
  std::optional<int32_t> node;
  std::optional<int64_t> from_ns;
  std::optional<int64_t> to_ns;
  int64_t points = 1000;  // of a track, at most
};
inline constexpr int64_t kMaxPoints = 4096;
Result<std::string> SeriesArrow(const RunTimeline& timeline, const SeriesQuery& query);

}  // namespace steptrace::rpc
