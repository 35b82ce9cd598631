// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text_hash.h"
#include "import/core/rows/run_sink.h"
#include "import/formats/perfetto/snapshot_clocks.h"

namespace steptrace::import::perfetto {

inline constexpr size_t kMostDescriptors = 1 << 21;  // of tracks: PyTorch writes one for each event

// A TrackDescriptor.
struct TrackInfo {
  enum class Kind : uint8_t { kPlain, kProcess, kThread, kCounter };
  // What `steptrace export` says about a track in its description.
  enum class Own : uint8_t { kNone, kProcess, kTrack, kSteps, kView };

  Kind kind = Kind::kPlain;
  Own own = Own::kNone;
  uint8_t merge = 0;  // SiblingMergeBehavior
  bool incremental = false;
  uint64_t parent = 0;
  int64_t pid = 0;
  int64_t tid = 0;
  int64_t multiplier = 1;
  size_t own_index = 0;  // of TraceLayout::own_tracks or own_ranks
  store::StringId name{};
  store::StringId merge_key{};
  // Of the sink, as they come up: for what runs on the host, and on a device.
  int32_t line = kUnset;
  int32_t device_line = kUnset;

  static constexpr int32_t kUnset = -2;
};

// A rank, or what belongs to none, as `steptrace export` describes it on its process.
struct OwnRank {
  PartFacts facts;
  bool described = false;
};
struct OwnTrack {
  store::TrackRow row;
  std::string kind;
  std::optional<int64_t> parent;  // number in the run that was exported
  int64_t number = 0;
  size_t rank = 0;  // of own_ranks
};

// What holds for a whole trace, wherever in it it stands: tracks and clocks. Read before the
// events, so that an event may come before its track.
class TraceLayout {
 public:
  explicit TraceLayout(RunSink& sink) : sink_(sink) {}

  // Throws what protozero throws.
  void Take(std::string_view packet);

  SnapshotClocks clocks;
  SeededMap<uint64_t, TrackInfo> tracks;  // by uuid
  std::vector<OwnTrack> own_tracks;       // none: somebody else wrote the trace
  std::vector<OwnRank> own_ranks;
  int64_t duplicate_uuids = 0;  // a uuid for two tracks: the first counts
  int64_t too_many_tracks = 0;
  int64_t invalid_texts = 0;

  bool is_own() const { return !own_ranks.empty(); }

 private:
  void TakeTrack(std::string_view message);
  void TakeDescription(std::string_view text, TrackInfo* track);
  size_t RankIndex(int64_t rank, int64_t node);

  RunSink& sink_;
  SeededMap<int64_t, size_t> own_numbers_;
  std::map<std::pair<int32_t, int32_t>, size_t> own_rank_of_;  // by rank, without one by node
};

}  // namespace steptrace::import::perfetto
