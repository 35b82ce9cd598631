// SPDX-License-Identifier: Apache-2.0
#include "serve/export/export_tracks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "store/metadata_keys.h"

namespace steptrace::exporter {
namespace {

ExportTrack TrackOf(const store::TrackRow& row, store::TrackKind kind) {
  ExportTrack track;
  track.track = row.track;
  track.rank = row.rank;
  track.node = row.node;
  track.is_counter = kind == store::TrackKind::kCounter;
  track.on_device = kind == store::TrackKind::kStream ||
                    (kind == store::TrackKind::kDevice && row.device.has_value());
  if (track.on_device) {
    track.pid = row.device.value_or(0);
    track.tid = row.stream.value_or(row.track);
  } else {
    // Without ids of their own lines still must not share one.
    track.pid = row.pid.value_or(row.rank < 0 ? 0 : row.rank);
    track.tid = row.tid.value_or(row.track);
  }
  track.name = row.name;
  track.row = row;
  track.kind = kind;
  return track;
}

template <class... Rows>
bool IsOneOf(std::string_view table) {
  return ((table == store::TableOf<Rows>::kName) || ...);
}

// A profiler's own mark may begin before the run does; viewers take no negative times.
int64_t BeforeEpoch(const store::Manifest& manifest) {
  int64_t first = 0;
  for (const auto& [name, parts] : manifest.tables) {
    if (IsOneOf<store::DataLossRow, store::RunMetadataRow>(name)) continue;
    for (const auto& segment : parts.segments)
      first = std::min(first, segment.ts_min_ns.value_or(0));
  }
  return -first;
}

// Whether the format has something of the table.
bool IsExported(std::string_view table, TraceFormat format) {
  using namespace store;
  switch (format) {
    case TraceFormat::kChrome:
      return IsOneOf<TrackRow, SliceRow, CounterRow, MemoryRow, RunMetadataRow>(table);
    case TraceFormat::kPerfetto:
      return IsOneOf<TrackRow, SliceRow, CounterRow, MemoryRow, RunMetadataRow, StepRow>(table);
    case TraceFormat::kSpeedscope:
    case TraceFormat::kFolded:
      return IsOneOf<TrackRow, StackRow, SampleRow>(table);
  }
  return false;
}

bool LacksTracks(const RunFrame& frame) {
  return std::any_of(frame.damaged.begin(), frame.damaged.end(),
                     [](const store::DamagedSegment& part) {
                       return part.table == store::TableOf<store::TrackRow>::kName;
                     });
}

// What the tracks do not tell, the files of the slices do.
void AddRanksOfSlices(const store::Manifest& manifest, std::set<int32_t>& ranks) {
  const auto slices = manifest.tables.find(store::TableOf<store::SliceRow>::kName);
  if (slices == manifest.tables.end()) return;
  for (const store::SegmentInfo& segment : slices->second.segments) {
    if (segment.rank.value_or(-1) >= 0) ranks.insert(*segment.rank);
  }
}

bool IsJsonObject(const std::string& text) {
  return !text.empty() && text.front() == '{' && nlohmann::json::accept(text);
}

}  // namespace

const ExportTrack& RunFrame::Track(int32_t track, int32_t rank, Holds holds) {
  auto [found, added] = tracks.try_emplace(track);
  if (added) {
    store::TrackRow row;
    row.track = track;
    row.rank = rank;
    row.name = fmt::format("track {} (unknown)", track);
    found->second = TrackOf(
        row, holds == Holds::kValues ? store::TrackKind::kCounter : store::TrackKind::kThread);
  }
  return found->second;
}

Result<RunFrame> ReadFrame(const std::filesystem::path& run, TraceFormat format) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader reader, store::RunReader::Open(run));
  RunFrame frame;
  frame.manifest = reader.manifest();
  frame.before_epoch_ns = BeforeEpoch(frame.manifest);
  STEPTRACE_ASSIGN_OR_RETURN(auto tracks, reader.Read<store::TrackRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto facts, reader.Read<store::RunMetadataRow>());
  std::copy_if(reader.damaged().begin(), reader.damaged().end(), std::back_inserter(frame.damaged),
               [format](const auto& part) { return IsExported(part.table, format); });
  std::set<int32_t> ranks;
  for (const auto& row : tracks) {
    // Of a kind that nobody knows it is a line like any other.
    const store::TrackKind kind =
        store::TrackKindOf(reader.Text(row.kind)).value_or(store::TrackKind::kThread);
    frame.tracks.emplace(row.track, TrackOf(row, kind));
    if (row.rank >= 0 && kind != store::TrackKind::kCounter) ranks.insert(row.rank);
  }
  if (LacksTracks(frame)) AddRanksOfSlices(frame.manifest, ranks);
  frame.ranks.assign(ranks.begin(), ranks.end());
  for (const auto& fact : facts) {
    const std::string& kind = reader.Text(fact.kind);
    if (kind != "source") {
      frame.facts.push_back({fact.ts_ns, fact.node, fact.rank, fact.pid, kind, fact.json});
    }
    if (!IsJsonObject(fact.json)) continue;
    if (kind == store::MetadataKind::kDevice) frame.devices[fact.rank].push_back(fact.json);
    if (kind == store::MetadataKind::kJob) frame.jobs.emplace(fact.rank, fact.json);
  }
  return frame;
}

}  // namespace steptrace::exporter
