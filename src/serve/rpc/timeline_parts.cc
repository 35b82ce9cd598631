// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/timeline_parts.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace steptrace::rpc {

timeline::ViewRange TimeRangeOf(const RunTimeline& timeline, const TimelineRange& range) {
  timeline::ViewRange time_range = {range.from_ns.value_or(timeline.from_ns()),
                                    range.to_ns.value_or(timeline.to_ns())};
  time_range.to_ns = std::max(time_range.to_ns, time_range.from_ns);
  return time_range;
}

std::vector<uint32_t> PlacesOf(const RunTimeline& timeline, const TimelineRange& range) {
  std::vector<uint32_t> places;
  if (!range.tracks) {
    for (uint32_t i = 0; i < timeline.index().tracks().size(); ++i) places.push_back(i);
    return places;
  }
  for (const int32_t track : *range.tracks) {
    if (const auto place = timeline.index().FindTrack(track)) places.push_back(*place);
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

int32_t LabelColumn::Of(uint32_t label) {
  numbers_.resize(std::max<size_t>(numbers_.size(), label + size_t{1}), -1);
  int32_t& number = numbers_[label];
  if (number < 0) {
    number = static_cast<int32_t>(names_.size());
    const timeline::LabelText text = index_.TextOf(label);
    names_.emplace_back(text.name);
    categories_.emplace_back(text.category);
  }
  return number;
}

nlohmann::ordered_json BriefJson(const RunTimeline& timeline, timeline::SliceId id) {
  const timeline::Index& index = timeline.index();
  const auto place = index.Find(id);
  if (!place) return {};
  const timeline::Lane lane = index.LaneAt(place->track, place->lane);
  const timeline::LaneSlice slice = lane.At(place->at);
  return {{"slice", id},
          {"track", index.tracks()[place->track].track},
          {"lane", place->lane},
          {"ts_ns", slice.ts_ns},
          {"dur_ns", slice.dur_ns},
          {"name", std::string(index.TextOf(slice.label).name)}};
}

}  // namespace steptrace::rpc
