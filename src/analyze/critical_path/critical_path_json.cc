// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/critical_path.h"
#include "analyze/json/json_parts.h"

namespace steptrace::analyze {
namespace {

Json ToJson(const PathShare& share) {
  return ObjectOf("cause", NameOf(share.cause), "ns", share.ns, "share", share.share);
}

template <class Row>
Json PathListOf(const std::vector<Row>& rows);

Json ToJson(const PathOf& path) {
  return ObjectOf("step", OrNull(path.step), "rank", path.rank, "ts_ns", path.begin_ns, "dur_ns",
                  path.dur_ns, "causes", PathListOf(path.causes));
}

Json ToJson(const PathRow& row) {
  return {{"cause", NameOf(row.cause)}, {"name", row.name},
          {"operator", row.op},         {"ns", row.ns},
          {"share", row.share},         {"segments", row.segments}};
}

Json ToJson(const PathSegment& segment) {
  return {{"ts_ns", segment.begin_ns},      {"dur_ns", segment.dur_ns}, {"rank", segment.rank},
          {"cause", NameOf(segment.cause)}, {"name", segment.name},     {"operator", segment.op}};
}

Json ToJson(const WhatIf& change) {
  return {{"stage", change.stage},
          {"change", change.change},
          {"window_ns", change.window_ns},
          {"at_most_ns", OrNull(change.at_most_ns)},
          {"causes", PathListOf(change.causes)},
          {"step_ns", OrNull(change.step_ns)},
          {"step_at_most_ns", OrNull(change.step_at_most_ns)},
          {"speedup", OrNull(change.speedup)}};
}

template <class Row>
Json PathListOf(const std::vector<Row>& rows) {
  return Each(rows, [](const Row& row) { return ToJson(row); });
}

}  // namespace

Json CriticalPathToJson(const CriticalPathSection& section) {
  Json json;
  if (!section.applicable) return Json::object();
  json["window"] = ToJson(section.window);
  json["mean_step_ns"] = OrNull(section.mean_step_ns);
  json["steps"] = PathListOf(section.steps);
  json["what_if"] = PathListOf(section.what_if);
  json["rows"] = PathListOf(section.rows);
  json["segment_count"] = section.segment_count;
  json["rank_changes"] = section.rank_changes;
  json["segments"] = PathListOf(section.segments);
  return json;
}

void AddCriticalPathJson(const CriticalPathSection& section, Json& report) {
  report["critical_path"] = CriticalPathToJson(section);
}

}  // namespace steptrace::analyze
