// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "store/damaged_segments.h"
#include "store/run_reader.h"
#include "store/stored_words.h"
#include "timeline/index.h"
#include "timeline/live_run_index.h"

namespace steptrace::rpc {

// A run's index with what its small tables tell of its tracks. Immutable, shared by threads.
class RunTimeline {
 public:
  struct Track {
    store::TrackRow row;
    store::TrackKind kind = store::TrackKind::kThread;
    std::optional<uint32_t> place;  // in the index
  };

  // `live`: see timeline::OpenRunIndex.
  static Result<std::shared_ptr<const RunTimeline>> Open(const std::filesystem::path& run,
                                                         timeline::LiveRunIndex* live = nullptr);

  const std::filesystem::path& run() const { return run_; }
  const timeline::Index& index() const { return index_; }
  const std::vector<Track>& tracks() const { return tracks_; }  // by number
  const Track* Find(int32_t track) const;
  uint64_t fingerprint() const { return fingerprint_; }
  // Files of the run that are damaged: what they held is not shown.
  const std::vector<store::DamagedSegment>& left_out() const { return left_out_; }
  int64_t from_ns() const { return from_ns_; }
  int64_t to_ns() const { return to_ns_; }
  // TreeJson, made once: of many tracks it takes a second and megabytes, and all clients ask.
  std::shared_ptr<const std::string> Tree() const;

 private:
  explicit RunTimeline(timeline::Index index) : index_(std::move(index)) {}
  Status ReadTracks(store::RunReader& reader);
  void AddUndeclared(store::RunReader& reader);

  std::filesystem::path run_;
  timeline::Index index_;
  std::vector<Track> tracks_;
  std::vector<store::DamagedSegment> left_out_;
  uint64_t fingerprint_ = 0;
  int64_t from_ns_ = 0;
  int64_t to_ns_ = 0;
  mutable std::once_flag tree_once_;
  mutable std::shared_ptr<const std::string> tree_;
};

// The lines of a timeline, in the order of their numbers: the first kMaxTreeTracks.
inline constexpr size_t kMaxTreeTracks = 100'000;
std::string TreeJson(const RunTimeline& timeline);

// The fingerprint that a timeline opened now would have.
uint64_t TimelineStamp(const std::filesystem::path& run);

// Which part of a timeline: of absent bounds the run's own.
struct TimelineRange {
  std::optional<int64_t> from_ns;
  std::optional<int64_t> to_ns;
  std::optional<std::vector<int32_t>> tracks;  // by number; unknown ones are left out; absent: all
};

}  // namespace steptrace::rpc
