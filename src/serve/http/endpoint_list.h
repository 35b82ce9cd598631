// SPDX-License-Identifier: Apache-2.0
// Made by tools/generate.py of schema/requests.toml.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steptrace::http {

// clang-format off
enum class Endpoint : uint8_t {
  kServer,
  kRuns,
  kReport,
  kSection,
  kText,
  kRules,
  kCompare,
  kTable,
  kSeries,
  kSamples,
  kTimelineTree,
  kTimelineView,
  kTimelineSlice,
  kTimelineFlows,
  kTimelineSearch,
  kTimelineStatistics,
  kEvents,
  kRunEvents,
};

enum class AnswerKind : uint8_t { kJson, kArrow, kEvents };

struct EndpointInfo {
  Endpoint endpoint;
  std::string_view path;  // {name}: any one part
  AnswerKind answer;
  bool heavy;  // the run's size may make it take long and much memory
};
inline constexpr EndpointInfo kEndpoints[] = {
    {Endpoint::kServer, "/api/server", AnswerKind::kJson, false},
    {Endpoint::kRuns, "/api/runs", AnswerKind::kJson, false},
    {Endpoint::kReport, "/api/runs/{run}/report", AnswerKind::kJson, true},
    {Endpoint::kSection, "/api/runs/{run}/section/{name}", AnswerKind::kJson, true},
    {Endpoint::kText, "/api/runs/{run}/text/{number}", AnswerKind::kJson, true},
    {Endpoint::kRules, "/api/runs/{run}/rules", AnswerKind::kJson, true},
    {Endpoint::kCompare, "/api/runs/{run}/compare/{other}", AnswerKind::kJson, true},
    {Endpoint::kTable, "/api/runs/{run}/table/{table}", AnswerKind::kArrow, true},
    {Endpoint::kSeries, "/api/runs/{run}/series", AnswerKind::kArrow, false},
    {Endpoint::kSamples, "/api/runs/{run}/samples", AnswerKind::kJson, true},
    {Endpoint::kTimelineTree, "/api/runs/{run}/timeline/tree", AnswerKind::kJson, false},
    {Endpoint::kTimelineView, "/api/runs/{run}/timeline/view", AnswerKind::kArrow, false},
    {Endpoint::kTimelineSlice, "/api/runs/{run}/timeline/slice/{slice}", AnswerKind::kJson, false},
    {Endpoint::kTimelineFlows, "/api/runs/{run}/timeline/flows", AnswerKind::kArrow, false},
    {Endpoint::kTimelineSearch, "/api/runs/{run}/timeline/search", AnswerKind::kJson, false},
    {Endpoint::kTimelineStatistics, "/api/runs/{run}/timeline/statistics", AnswerKind::kArrow, false},
    {Endpoint::kEvents, "/api/events", AnswerKind::kEvents, false},
    {Endpoint::kRunEvents, "/api/runs/{run}/events", AnswerKind::kEvents, false},
};
// clang-format on

constexpr const EndpointInfo& InfoOf(Endpoint endpoint) {
  return kEndpoints[static_cast<size_t>(endpoint)];
}

}  // namespace steptrace::http
