// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "serve/rpc/arrow_out.h"
#include "serve/rpc/timeline.h"
#include "timeline/pixel_grid.h"
#include "timeline/view.h"

namespace steptrace::rpc {
namespace {

bool IsRequested(std::string_view metric, const std::vector<std::string>& asked) {
  if (asked.empty()) return true;
  return std::any_of(asked.begin(), asked.end(), [metric](std::string_view one) {
    return one.ends_with('*') ? metric.starts_with(one.substr(0, one.size() - 1)) : metric == one;
  });
}

// With its bytes an answer of so many takes 150 MB.
constexpr size_t kMaxSeriesRows = 1'000'000;

struct Columns {
  TextNumbers metrics;
  std::vector<int32_t> metric, node, track, device;
  std::vector<int64_t> bucket_ns, first_ns, last_ns, count;
  std::vector<double> min, mean, max, last;

  // The bucket at `ts_ns` holds the values from `first` on and before `end`.
  void Add(const RunTimeline::Track& of, int64_t ts_ns, const timeline::Values& values,
           uint64_t first, uint64_t end) {
    const timeline::ValueStats stats = values.Stats(first, end);
    metric.push_back(metrics.Of(of.row.name));
    node.push_back(of.row.node);
    track.push_back(of.row.track);
    device.push_back(of.row.device.value_or(-1));
    bucket_ns.push_back(ts_ns);
    first_ns.push_back(values.Ts(first));
    last_ns.push_back(values.Ts(end - 1));
    min.push_back(stats.least);
    mean.push_back(stats.sum / static_cast<double>(stats.count));
    max.push_back(stats.most);
    last.push_back(stats.last);
    count.push_back(stats.count);
  }
};

void AddTrack(const RunTimeline::Track& track, const timeline::Values& values,
              timeline::ViewRange time_range, int64_t points, Columns& columns) {
  uint64_t at = values.LowerBound(time_range.from_ns);
  const uint64_t end = values.LowerBound(time_range.to_ns);
  if (end - at <= static_cast<uint64_t>(points)) {  // each value a bucket of its own
    for (; at < end; ++at) columns.Add(track, values.Ts(at), values, at, at + 1);
    return;
  }
  const timeline::PixelGrid grid(time_range.from_ns, time_range.to_ns, points);
  while (at < end) {
    const int64_t bucket = grid.PixelOf(values.Ts(at));
    const uint64_t next = std::min(end, values.LowerBound(grid.Edge(bucket + 1)));
    if (next <= at) return;  // a damaged file: its values are in no order
    columns.Add(track, grid.Edge(bucket), values, at, next);
    at = next;
  }
}

}  // namespace

Result<std::string> SeriesArrow(const RunTimeline& timeline, const SeriesQuery& query) {
  timeline::ViewRange time_range = {query.from_ns.value_or(timeline.from_ns()),
                                    query.to_ns.value_or(timeline.to_ns() + 1)};
  Columns columns;
  for (const RunTimeline::Track& track : timeline.tracks()) {
    if (track.kind != store::TrackKind::kCounter || !track.place ||
        time_range.from_ns >= time_range.to_ns)
      continue;
    if (timeline.index().tracks()[*track.place].values == 0) continue;
    if (query.node && track.row.node != *query.node) continue;
    if (!IsRequested(track.row.name, query.metrics)) continue;
    AddTrack(track, timeline.index().ValuesAt(*track.place), time_range, query.points, columns);
    if (columns.count.size() > kMaxSeriesRows) {
      return Error{fmt::format("series: over {} values", kMaxSeriesRows),
                   "ask for fewer metrics, one node, or fewer points", Error::Kind::kTooLarge};
    }
  }
  ArrowOut out;
  out.AddTexts("metric", columns.metric, columns.metrics.texts());
  out.Add("node", std::move(columns.node));
  out.Add("track", std::move(columns.track));
  out.Add("device", std::move(columns.device));
  out.Add("bucket_ns", std::move(columns.bucket_ns));
  out.Add("first_ns", std::move(columns.first_ns));
  out.Add("last_ns", std::move(columns.last_ns));
  out.Add("min", std::move(columns.min));
  out.Add("mean", std::move(columns.mean));
  out.Add("max", std::move(columns.max));
  out.Add("last", std::move(columns.last));
  out.Add("count", std::move(columns.count));
  return out.Finish();
}

}  // namespace steptrace::rpc
