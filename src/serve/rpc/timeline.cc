// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "serve/rpc/arrow_out.h"
#include "serve/rpc/json_out.h"
#include "serve/rpc/timeline_parts.h"
#include "timeline/view.h"

namespace steptrace::rpc {
namespace {

using Json = nlohmann::ordered_json;

// More rows than any screen shows: a request for them is refused, not served slowly. With its bytes
// an answer of so many takes 60 MB.
constexpr size_t kMaxViewRows = 500'000;

}  // namespace

Result<std::string> ViewArrow(const RunTimeline& timeline, const TimelineRange& range,
                              int64_t width) {
  const timeline::ViewRange time_range = TimeRangeOf(timeline, range);
  if (time_range.from_ns >= time_range.to_ns) {
    return Error{"from_ns, to_ns: an empty time range", "give from_ns < to_ns"};
  }
  int64_t span_ns = 0;
  if (__builtin_sub_overflow(time_range.to_ns, time_range.from_ns, &span_ns)) {
    return Error{"from_ns, to_ns: over 2^63 - 1 ns", "ask for a shorter time range"};
  }
  const timeline::PixelGrid grid(time_range.from_ns, time_range.to_ns, width);
  const timeline::Index& index = timeline.index();
  const std::vector<uint32_t> places = PlacesOf(timeline, range);
  if (places.size() > kMaxViewTracks) {
    return Error{fmt::format("tracks: over {} of them", kMaxViewTracks),
                 "name those that are on the screen", Error::Kind::kTooLarge};
  }
  std::vector<int32_t> tracks, lanes, labels;
  std::vector<int64_t> ts_ns, dur_ns, count, busy_ns, slice;
  LabelColumn names(index);
  std::vector<timeline::ViewRow> rows;
  for (const uint32_t place : places) {
    const timeline::FileTrack& track = index.tracks()[place];
    for (uint32_t number = 0; number < track.lanes; ++number) {
      const timeline::Lane lane = index.LaneAt(place, number);
      rows.clear();
      timeline::ViewLane(lane, grid, rows);
      if (tracks.size() + rows.size() > kMaxViewRows) {
        return Error{"tracks: too many lanes for one view",
                     "ask for fewer tracks or a smaller width", Error::Kind::kTooLarge};
      }
      tracks.insert(tracks.end(), rows.size(), track.track);
      lanes.insert(lanes.end(), rows.size(), static_cast<int32_t>(number));
      for (const timeline::ViewRow& row : rows) {
        ts_ns.push_back(row.ts_ns);
        dur_ns.push_back(row.dur_ns);
        count.push_back(row.count);
        busy_ns.push_back(row.busy_ns);
        labels.push_back(names.Of(std::min(lane.Label(row.at), index.labels())));
        slice.push_back(static_cast<int64_t>(index.IdOf(place, number, row.at)));
      }
    }
  }
  ArrowOut out;
  out.Add("track", std::move(tracks));
  out.Add("lane", std::move(lanes));
  out.Add("ts_ns", std::move(ts_ns));
  out.Add("dur_ns", std::move(dur_ns));
  out.AddTexts("name", labels, names.names());
  out.AddTexts("category", labels, names.categories());
  out.Add("count", std::move(count));
  out.Add("busy_ns", std::move(busy_ns));
  out.Add("slice", std::move(slice));
  return out.Finish();
}

std::string SearchJson(const RunTimeline& timeline, const TimelineRange& range,
                       const std::string& part, int64_t limit) {
  const timeline::Index& index = timeline.index();
  const timeline::SearchResult found =
      timeline::Search(index, PlacesOf(timeline, range), TimeRangeOf(timeline, range), part,
                       static_cast<size_t>(limit));
  Json matches = Json::array();
  for (const timeline::SliceId id : found.matches) matches.push_back(BriefJson(timeline, id));
  Json json = {{"total", found.total}};
  json["matches"] = std::move(matches);
  return ToText(json);
}

Result<std::string> StatisticsArrow(const RunTimeline& timeline, const TimelineRange& range) {
  const timeline::Index& index = timeline.index();
  std::vector<timeline::LabelSums> sums(index.labels());
  for (const uint32_t place : PlacesOf(timeline, range)) {
    timeline::AddSums(index, place, TimeRangeOf(timeline, range), sums);
  }
  std::vector<uint32_t> order;
  for (uint32_t label = 0; label < sums.size(); ++label) {
    if (sums[label].count > 0) order.push_back(label);
  }
  std::stable_sort(order.begin(), order.end(),
                   [&sums](uint32_t a, uint32_t b) { return sums[a].total_ns > sums[b].total_ns; });
  std::vector<int32_t> labels;
  std::vector<int64_t> count, total_ns, self_ns, min_ns, max_ns;
  LabelColumn names(index);
  for (const uint32_t label : order) {
    const timeline::LabelSums& sum = sums[label];
    labels.push_back(names.Of(label));
    count.push_back(sum.count);
    total_ns.push_back(static_cast<int64_t>(sum.total_ns));
    self_ns.push_back(static_cast<int64_t>(sum.self_ns));
    min_ns.push_back(sum.least_ns);
    max_ns.push_back(sum.most_ns);
  }
  ArrowOut out;
  out.AddTexts("name", labels, names.names());
  out.AddTexts("category", labels, names.categories());
  out.Add("count", count);
  out.Add("total_ns", total_ns);
  out.Add("self_ns", self_ns);
  out.Add("min_ns", min_ns);
  out.Add("max_ns", max_ns);
  return out.Finish();
}

}  // namespace steptrace::rpc
