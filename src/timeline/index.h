// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "timeline/counter_values.h"
#include "timeline/format.h"
#include "timeline/lane.h"

namespace steptrace::timeline {

// Numbers all slices of an index from 0: by track, lane and begin. The same run gives the same
// numbers; a run that grew may give others.
using SliceId = uint64_t;

struct SlicePlace {
  uint32_t track = 0;  // its place among tracks(), not its number
  uint32_t lane = 0;   // in its track
  uint64_t at = 0;     // in its lane
};

struct LabelText {
  std::string_view name;
  std::string_view category;
};

// A mapped index. Immutable, shared by threads. Nothing in the file is trusted: Open checks every
// place in it, and what is found later is bounded by its caller.
class Index {
 public:
  // Fails when the file is absent, of another format or fingerprint, cut off or damaged. `name` is
  // for the error.
  static Result<Index> FromFd(UniqueFd fd, const std::string& name, uint64_t fingerprint);
  // The same of two files, the second behind the first as if they were one: `blocks`, of which
  // the first bytes count and do not change, and `rest`, which begins at PlaceBehind of their
  // number with the header. The descriptor `blocks` stays the caller's.
  static Result<Index> FromParts(int blocks, uint64_t blocks_bytes, UniqueFd rest,
                                 const std::string& name, uint64_t fingerprint);
  static uint64_t PlaceBehind(uint64_t bytes);  // the next page
  Index(Index&& other) noexcept { *this = std::move(other); }
  Index& operator=(Index&& other) noexcept;
  ~Index();

  std::span<const FileTrack> tracks() const { return tracks_; }  // by number
  std::optional<uint32_t> FindTrack(int32_t track) const;        // its place
  // Needs lane < tracks()[track].lanes.
  Lane LaneAt(uint32_t track, uint32_t lane) const;
  Values ValuesAt(uint32_t track) const;  // needs tracks()[track].values > 0

  SliceId IdOf(uint32_t track, uint32_t lane, uint64_t at) const {
    return first_ids_[tracks_[track].first_lane + lane] + at;
  }
  std::optional<SlicePlace> Find(SliceId slice) const;

  uint32_t labels() const { return static_cast<uint32_t>(labels_.size()); }
  LabelText TextOf(uint32_t label) const;  // of one that is not there: empty
  // What a search looks at: the name, of a cut one its first kMaxSearchBytes.
  std::string_view SearchTextOf(uint32_t label) const;
  uint64_t bytes() const { return bytes_; }
  // The lane's slices that a time range touches: those that begin in it, and one that reaches into
  // it.
  static std::pair<uint64_t, uint64_t> Touched(const Lane& lane, int64_t from_ns, int64_t to_ns);
  // Lets go of the pages that reads have gathered; they come again when they are read.
  void DropPages() const;

 private:
  Index() = default;
  Status Check(const std::string& name, uint64_t fingerprint);
  bool CheckDirectory(const IndexFileHeader& header);
  bool CheckLanes();
  bool CheckBlocks(const FileLane& lane) const;
  bool CheckValues(const FileLane& lane) const;

  const std::byte* file_ = nullptr;
  uint64_t bytes_ = 0;
  uint64_t header_at_ = 0;
  std::span<const FileTrack> tracks_;
  std::span<const FileLane> lanes_;
  std::span<const FileLabel> labels_;
  std::string_view text_;
  std::unique_ptr<MappedPages> pages_;
  std::vector<SliceId> first_ids_;  // by lane; of a counter's values: that of the next lane
};

}  // namespace steptrace::timeline
