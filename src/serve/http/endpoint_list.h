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
  kTensors,
  kTensorsHistogram,
  kHtml,
  kExport,
  kCapture,
  kTimelineTree,
  kTimelineView,
  kTimelineSlice,
  kTimelineFlows,
  kTimelineSearch,
  kTimelineStatistics,
  kEvents,
  kRunEvents,
};

enum class AnswerKind : uint8_t { kJson, kArrow, kFile, kEvents };

struct EndpointInfo {
  Endpoint endpoint;
  std::string_view path;  // {name}: any one part
  AnswerKind answer;
  bool heavy;    // it may take long: by the run's size, or because it waits
  bool changes;  // something: asked for by POST, and by the run's owner alone
};
inline constexpr EndpointInfo kEndpoints[] = {
    {Endpoint::kServer, "/api/server", AnswerKind::kJson, false, false},
    {Endpoint::kRuns, "/api/runs", AnswerKind::kJson, false, false},
    {Endpoint::kReport, "/api/runs/{run}/report", AnswerKind::kJson, true, false},
    {Endpoint::kSection, "/api/runs/{run}/section/{name}", AnswerKind::kJson, true, false},
    {Endpoint::kText, "/api/runs/{run}/text/{number}", AnswerKind::kJson, true, false},
    {Endpoint::kRules, "/api/runs/{run}/rules", AnswerKind::kJson, true, false},
    {Endpoint::kCompare, "/api/runs/{run}/compare/{other}", AnswerKind::kJson, true, false},
    {Endpoint::kTable, "/api/runs/{run}/table/{table}", AnswerKind::kArrow, true, false},
    {Endpoint::kSeries, "/api/runs/{run}/series", AnswerKind::kArrow, false, false},
    {Endpoint::kSamples, "/api/runs/{run}/samples", AnswerKind::kJson, true, false},
    {Endpoint::kTensors, "/api/runs/{run}/tensors", AnswerKind::kJson, true, false},
    {Endpoint::kTensorsHistogram, "/api/runs/{run}/tensors/histogram", AnswerKind::kJson, true, false},
    {Endpoint::kHtml, "/api/runs/{run}/html", AnswerKind::kFile, true, false},
    {Endpoint::kExport, "/api/runs/{run}/export/{format}", AnswerKind::kFile, true, false},
    {Endpoint::kCapture, "/api/runs/{run}/capture", AnswerKind::kJson, true, true},
    {Endpoint::kTimelineTree, "/api/runs/{run}/timeline/tree", AnswerKind::kJson, false, false},
    {Endpoint::kTimelineView, "/api/runs/{run}/timeline/view", AnswerKind::kArrow, false, false},
    {Endpoint::kTimelineSlice, "/api/runs/{run}/timeline/slice/{slice}", AnswerKind::kJson, false, false},
    {Endpoint::kTimelineFlows, "/api/runs/{run}/timeline/flows", AnswerKind::kArrow, false, false},
    {Endpoint::kTimelineSearch, "/api/runs/{run}/timeline/search", AnswerKind::kJson, false, false},
    {Endpoint::kTimelineStatistics, "/api/runs/{run}/timeline/statistics", AnswerKind::kArrow, false, false},
    {Endpoint::kEvents, "/api/events", AnswerKind::kEvents, false, false},
    {Endpoint::kRunEvents, "/api/runs/{run}/events", AnswerKind::kEvents, false, false},
};
// clang-format on

constexpr const EndpointInfo& InfoOf(Endpoint endpoint) {
  return kEndpoints[static_cast<size_t>(endpoint)];
}

}  // namespace steptrace::http
