// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "base/inert_text.h"
#include "base/time.h"
#include "serve/rpc/arrow_out.h"
#include "serve/rpc/timeline_parts.h"
#include "timeline/run_index.h"

namespace steptrace::rpc {
namespace {

using Json = nlohmann::ordered_json;

// More rows than any screen shows: a request for them is refused, not served slowly. With its bytes
// an answer of so many takes 60 MB.
constexpr size_t kMaxViewRows = 500'000;

template <class T>
Json OrNull(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json TrackJson(const RunTimeline::Track& track, const timeline::Index& index) {
  const timeline::FileTrack none{};
  const timeline::FileTrack& held = track.place ? index.tracks()[*track.place] : none;
  const bool drawn = held.slices > 0 || held.values > 0;
  return {{"track", track.row.track},
          {"parent", OrNull(track.row.parent)},
          {"kind", track.kind},
          {"node", track.row.node},
          {"rank", track.row.rank},
          {"device", OrNull(track.row.device)},
          {"stream", OrNull(track.row.stream)},
          {"pid", OrNull(track.row.pid)},
          {"tid", OrNull(track.row.tid)},
          {"name", track.row.name.substr(0, 4 * timeline::kMaxNameBytes)},
          {"lanes", held.lanes},
          {"slices", held.slices},
          {"first_ns", drawn ? Json(held.first_ns) : Json()},
          {"last_ns", drawn ? Json(held.last_ns) : Json()},
          {"values", held.values}};
}

constexpr std::string_view kTracks = store::TableOf<store::TrackRow>::kName;

// Whether a table's rows are part of what is drawn.
bool IsDrawn(std::string_view table) {
  return table == kTracks || table == store::TableOf<store::SliceRow>::kName ||
         table == store::TableOf<store::CounterRow>::kName;
}

bool ByNumber(const RunTimeline::Track& a, const RunTimeline::Track& b) {
  return a.row.track < b.row.track;
}

}  // namespace

std::string ToText(const Json& json) {
  return InertJson(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

timeline::Stretch StretchOf(const RunTimeline& timeline, const TimelineRange& range) {
  timeline::Stretch stretch = {range.from_ns.value_or(timeline.from_ns()),
                               range.to_ns.value_or(timeline.to_ns())};
  stretch.to_ns = std::max(stretch.to_ns, stretch.from_ns);
  return stretch;
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

Result<std::shared_ptr<const RunTimeline>> RunTimeline::Open(const std::filesystem::path& run,
                                                             timeline::LiveRunIndex* live) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader reader, store::RunReader::Open(run));
  const uint64_t fingerprint = timeline::FingerprintOf(reader);
  STEPTRACE_ASSIGN_OR_RETURN(timeline::Index index, timeline::OpenRunIndex(reader, live));
  std::shared_ptr<RunTimeline> made(new RunTimeline(std::move(index)));
  made->run_ = run;
  made->fingerprint_ = fingerprint;
  STEPTRACE_RETURN_IF_ERROR(made->ReadTracks(reader));
  for (const store::DamagedSegment& part : reader.damaged()) {
    if (IsDrawn(part.table)) made->left_out_.push_back(part);
  }
  made->AddUndeclared(reader);
  for (const timeline::FileTrack& held : made->index_.tracks()) {
    made->from_ns_ = std::min(made->from_ns_, held.first_ns);
    made->to_ns_ = std::max(made->to_ns_, held.last_ns);
  }
  if (reader.manifest().end_ns) made->to_ns_ = std::max(made->to_ns_, *reader.manifest().end_ns);
  return std::shared_ptr<const RunTimeline>(std::move(made));
}

Status RunTimeline::ReadTracks(store::RunReader& reader) {
  const auto take = [this, &reader](std::span<const store::TrackRow> rows) -> Status {
    for (const store::TrackRow& row : rows) {
      tracks_.push_back({row, reader.Text(row.kind), index_.FindTrack(row.track)});
    }
    return {};
  };
  // Batch by batch: a million of them would else be held twice.
  STEPTRACE_RETURN_IF_ERROR(reader.ReadBatches<store::TrackRow>({}, take));
  // As they mostly lie: sorting takes half their memory once more.
  if (!std::is_sorted(tracks_.begin(), tracks_.end(), ByNumber)) {
    std::stable_sort(tracks_.begin(), tracks_.end(), ByNumber);
  }
  const auto same = [](const Track& a, const Track& b) { return a.row.track == b.row.track; };
  tracks_.erase(std::unique(tracks_.begin(), tracks_.end(), same), tracks_.end());
  return {};
}

// Lines that nobody declared are threads: what lies on them is shown.
void RunTimeline::AddUndeclared(store::RunReader& reader) {
  const size_t declared = tracks_.size();
  for (uint32_t i = 0; i < index_.tracks().size(); ++i) {
    const timeline::FileTrack& held = index_.tracks()[i];
    Track track;
    track.row.track = held.track;
    track.kind = held.values > 0 ? "counter" : "thread";
    track.row.name = fmt::format("track {} (unknown)", held.track);
    track.place = i;
    const auto end = tracks_.begin() + static_cast<int64_t>(declared);
    const auto found = std::lower_bound(tracks_.begin(), end, track, ByNumber);
    if (found == end || found->row.track != held.track) tracks_.push_back(std::move(track));
  }
  if (tracks_.size() == declared) return;
  const bool damaged =
      std::any_of(left_out_.begin(), left_out_.end(),
                  [](const store::DamagedSegment& part) { return part.table == kTracks; });
  // Only then: it costs a look at every slice.
  if (damaged) {
    const auto homes = timeline::HomesOf(reader);
    for (size_t i = declared; i < tracks_.size(); ++i) {
      const auto home = homes.find(tracks_[i].row.track);
      if (home == homes.end()) continue;
      tracks_[i].row.node = home->second.node;
      tracks_[i].row.rank = home->second.rank;
    }
  }
  std::stable_sort(tracks_.begin(), tracks_.end(), ByNumber);
}

uint64_t TimelineStamp(const std::filesystem::path& run) {
  const auto reader = store::RunReader::Open(run);
  return reader.ok() ? timeline::FingerprintOf(*reader) : 0;
}

const RunTimeline::Track* RunTimeline::Find(int32_t track) const {
  const auto found =
      std::lower_bound(tracks_.begin(), tracks_.end(), track,
                       [](const Track& a, int32_t number) { return a.row.track < number; });
  return found == tracks_.end() || found->row.track != track ? nullptr : &*found;
}

std::shared_ptr<const std::string> RunTimeline::Tree() const {
  std::call_once(tree_once_,
                 [this] { tree_ = std::make_shared<const std::string>(TreeJson(*this)); });
  return tree_;
}

std::string TreeJson(const RunTimeline& timeline) {
  // Text by text: a document of so many tracks would take ten times its text.
  std::string tracks;
  const size_t shown = std::min(timeline.tracks().size(), kMaxTreeTracks);
  for (size_t i = 0; i < shown; ++i) {
    tracks += (i == 0 ? "" : ",") + ToText(TrackJson(timeline.tracks()[i], timeline.index()));
  }
  Json damaged = Json::array();
  for (const store::DamagedSegment& part : timeline.left_out()) {
    damaged.push_back({{"table", part.table},
                       {"file", part.segment.file},
                       {"rows", part.segment.rows},
                       {"why", part.why}});
  }
  return fmt::format(
      "{{\"from_ns\":{},\"to_ns\":{},\"left_out\":{},\"damaged\":{},\"tracks\":[{}]}}",
      timeline.from_ns(), timeline.to_ns(), timeline.tracks().size() - shown, ToText(damaged),
      tracks);
}

Result<std::string> ViewArrow(const RunTimeline& timeline, const TimelineRange& range,
                              int64_t width) {
  const timeline::Stretch stretch = StretchOf(timeline, range);
  if (stretch.from_ns >= stretch.to_ns) {
    return Error{"from_ns, to_ns: an empty stretch; give from_ns < to_ns"};
  }
  int64_t span_ns = 0;
  if (__builtin_sub_overflow(stretch.to_ns, stretch.from_ns, &span_ns)) {
    return Error{"from_ns, to_ns: over 2^63 - 1 ns; ask for a shorter stretch"};
  }
  const timeline::PixelGrid grid(stretch.from_ns, stretch.to_ns, width);
  const timeline::Index& index = timeline.index();
  const std::vector<uint32_t> places = PlacesOf(timeline, range);
  if (places.size() > kMaxViewTracks) {
    return Error{
        fmt::format("tracks: over {} of them; name those that are on the screen", kMaxViewTracks)};
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
        return Error{
            "tracks: too many lanes for one view; ask for fewer tracks or a smaller width"};
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
      timeline::Search(index, PlacesOf(timeline, range), StretchOf(timeline, range), part,
                       static_cast<size_t>(limit));
  Json matches = Json::array();
  for (const timeline::SliceId id : found.matches) matches.push_back(BriefJson(timeline, id));
  Json json = {{"total", found.total}};
  json["matches"] = std::move(matches);
  return ToText(json);
}

Json BriefJson(const RunTimeline& timeline, timeline::SliceId id) {
  const timeline::Index& index = timeline.index();
  const auto place = index.Find(id);
  if (!place) return {};
  const timeline::Lane lane = index.LaneAt(place->track, place->lane);
  const timeline::Slice slice = lane.At(place->at);
  return {{"slice", id},
          {"track", index.tracks()[place->track].track},
          {"lane", place->lane},
          {"ts_ns", slice.ts_ns},
          {"dur_ns", slice.dur_ns},
          {"name", std::string(index.TextOf(slice.label).name)}};
}

Result<std::string> StatisticsArrow(const RunTimeline& timeline, const TimelineRange& range) {
  const timeline::Index& index = timeline.index();
  std::vector<timeline::LabelSums> sums(index.labels());
  for (const uint32_t place : PlacesOf(timeline, range)) {
    timeline::AddSums(index, place, StretchOf(timeline, range), sums);
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
