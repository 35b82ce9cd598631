// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/run_timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <utility>

#include "serve/rpc/json_out.h"
#include "timeline/run_index.h"

namespace steptrace::rpc {
namespace {

using Json = nlohmann::ordered_json;

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
          {"kind", store::NameOf(track.kind)},
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
      // Of a kind that nobody knows it is a line like any other.
      const auto kind = store::TrackKindOf(reader.Text(row.kind));
      tracks_.push_back(
          {row, kind.value_or(store::TrackKind::kThread), index_.FindTrack(row.track)});
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
    track.kind = held.values > 0 ? store::TrackKind::kCounter : store::TrackKind::kThread;
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
                       {"why", part.why.text()}});
  }
  return fmt::format(
      "{{\"from_ns\":{},\"to_ns\":{},\"left_out\":{},\"damaged\":{},\"tracks\":[{}]}}",
      timeline.from_ns(), timeline.to_ns(), timeline.tracks().size() - shown, ToText(damaged),
      tracks);
}

}  // namespace steptrace::rpc
