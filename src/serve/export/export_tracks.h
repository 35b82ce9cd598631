// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "serve/export/trace_format.h"
#include "store/damaged_segments.h"
#include "store/manifest.h"
#include "store/run_reader.h"
#include "store/stored_words.h"

namespace steptrace::exporter {

// A line of the timeline by the ids that viewers sort by.
struct ExportTrack {
  int32_t track = 0;
  int32_t rank = -1;
  int32_t node = 0;
  bool on_device = false;
  bool is_counter = false;
  int64_t pid = 0;  // of a device: its number
  int64_t tid = 0;  // of a device: the stream
  std::string name;
  store::TrackRow row;  // as it is stored
  store::TrackKind kind = store::TrackKind::kThread;
};

struct ExportFact {
  int64_t ts_ns = 0;
  int32_t node = 0;
  int32_t rank = -1;
  int64_t pid = 0;
  std::string kind;
  std::string json;
};

// What of a run is small and known before its rows.
struct RunFrame {
  store::Manifest manifest;
  std::unordered_map<int32_t, ExportTrack> tracks;
  std::vector<int32_t> ranks;                           // that have tracks
  int64_t before_epoch_ns = 0;                          // so much lies the first row before it
  std::map<int32_t, std::vector<std::string>> devices;  // deviceProperties, by rank
  std::map<int32_t, std::string> jobs;                  // distributedInfo, by rank
  std::vector<ExportFact> facts;                        // all but those of an import's sources
  // Files of the tables that the format has something of: what they held is missing.
  std::vector<store::DamagedSegment> damaged;

  // A track that no row declares is on the host, of the rank whose row names it.
  enum class Holds { kSlices, kValues };
  const ExportTrack& Track(int32_t track, int32_t rank = -1, Holds holds = Holds::kSlices);
  bool Knows(int32_t track) const { return tracks.contains(track); }
};

Result<RunFrame> ReadFrame(const std::filesystem::path& run, TraceFormat format);

}  // namespace steptrace::exporter
