// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/text_hash.h"
#include "import/core/rows/run_sink.h"

namespace steptrace::import::perfetto {

// A begin or an end of a slice on a track.
struct Edge {
  int64_t ts_ns = 0;
  uint64_t uuid = 0;
  bool begins = false;
  uint32_t order = 0;  // in which they came on the track; set here
  Slice slice;         // of a begin; of an end what it adds: details
};

// Makes slices of begins and ends. They pair by nesting in time. As long as a track's come in an
// order in which the file's order tells the same, they are paired as they come; at the first that
// does not, the file has to be read again with sorting on.
class Nesting {
 public:
  // Takes a finished slice; of those with one begin the enclosing first.
  using Take = std::function<Status(uint64_t uuid, const Slice& slice)>;
  // Joins what an end adds to its slice.
  using Join = std::function<void(const Slice& end, Slice* slice)>;

  struct Options {
    bool sort = false;
    int64_t most_bytes = 0;  // of edges that wait; beyond them the earlier half is paired
  };

  Nesting(Options options, Take take, Join join)
      : options_(options), take_(std::move(take)), join_(std::move(join)) {}

  Status Add(const Edge& edge);
  // Pairs what waits; what is still open is left out and counted.
  Status Finish();

  bool needs_sorting() const { return needs_sorting_; }
  int64_t ends_without_begin() const { return ends_without_begin_; }
  int64_t begins_without_end() const { return begins_without_end_; }
  int64_t negative() const { return negative_; }  // ends before begins: duration 0
  int64_t late() const { return late_; }          // came when later ones had been paired

 private:
  struct Open {
    Slice slice;
    std::vector<Slice> inner;  // begun at the same moment: they follow their parent
  };
  struct Track {
    std::vector<Open> open;
    int64_t last_ns = 0;
  };

  Status Pair(const Edge& edge);
  Status Close(uint64_t uuid, Track& track, const Edge& end);
  Status Emit(uint64_t uuid, const Open& open);
  Status PairEarlier(size_t count);
  Status PairMoment(size_t begin, size_t end);

  Options options_;
  Take take_;
  Join join_;
  SeededMap<uint64_t, Track> tracks_;  // with something open
  std::vector<Edge> waiting_;
  SeededMap<uint64_t, uint32_t> came_;  // edges of each track, when sorting
  int64_t paired_until_ns_ = 0;
  bool any_paired_ = false;
  bool needs_sorting_ = false;
  int64_t open_ = 0;
  int64_t ends_without_begin_ = 0;
  int64_t begins_without_end_ = 0;
  int64_t negative_ = 0;
  int64_t late_ = 0;
};

}  // namespace steptrace::import::perfetto
