// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text_hash.h"
#include "timeline/file_out.h"
#include "timeline/format.h"
#include "timeline/lane_assigner.h"
#include "timeline/timeline_slice.h"

namespace steptrace::timeline {

// The labels of an index: pairs of a name and a category, long ones cut (label_name.h), numbered as
// they come.
class LabelTable {
 public:
  uint32_t Intern(std::string_view name, std::string_view category);
  const std::vector<FileLabel>& labels() const { return labels_; }
  const std::string& text() const { return text_; }

 private:
  SeededMap<std::string, uint32_t> numbers_;
  std::vector<FileLabel> labels_;
  std::string text_;
  size_t search_bytes_ = 0;
};

// Writes an index (format.h) to a descriptor that it does not own. The slices of a track come in
// the order of Precedes; tracks may come in turn. Time linear in slices; memory: of each track that
// was begun and not ended up to 64 blocks a lane (40 KB), and its pyramid (0.5 bytes a slice).
class IndexWriter {
 public:
  class Track;
  // Of a lane, so that they lie together: until so many came, blocks wait in memory.
  static constexpr size_t kBlocksTogether = 64;

  // Places count from `base`: what lies before it is another file's.
  IndexWriter(int fd, const std::string& name, uint64_t fingerprint, uint64_t base = 0);

  // Puts the track behind those that were ended before it: by number, each once.
  void End(Track& track);
  // Writes the directory and, last, the header. Nothing may follow.
  Status Finish(const LabelTable& labels);
  const Status& status() const { return out_.status(); }
  // For who reads blocks while tracks are written: how many bytes are in the file.
  Result<uint64_t> Flush();

 private:
  struct LaneOut {
    std::vector<LaneSlice> slices;  // of the block at hand
    std::vector<char> encoded;      // blocks that wait to be written together
    std::vector<uint64_t> places;   // of those that wait: from the begin of `encoded`
    size_t written = 0;             // of the places
    // level 1
    std::vector<int64_t> first_ts_ns;
    std::vector<int64_t> longest_ns;
    std::vector<uint64_t> covered_ns;
    std::vector<uint8_t> longest_at;
    uint64_t covered = 0;
    uint64_t size = 0;
  };
  struct ValuesOut {
    std::vector<int64_t> ts_ns;
    std::vector<double> value;
    std::vector<uint64_t> pages;
    std::vector<int64_t> first_ts_ns;
    std::vector<double> least, most, sum;
    uint64_t size = 0;
  };
  void Add(LaneOut& lane, const LaneSlice& slice);
  static void EncodeBlock(LaneOut& lane);
  void FlushBlocks(LaneOut& lane);
  void FlushPage(ValuesOut& values);
  void WriteLaneIndex(LaneOut& lane);
  void WriteValuesIndex(ValuesOut& values);

  FileOut out_;
  uint64_t base_;
  uint64_t fingerprint_;
  std::vector<FileTrack> tracks_;
  std::vector<FileLane> file_lanes_;
};

// A track that is being written.
class IndexWriter::Track {
 public:
  Track(IndexWriter& writer, int32_t number);
  // Goes on with a track as it stands, for another file, which lies behind that of its blocks.
  Track(IndexWriter& writer, const Track& begun);
  void Add(const LaneSlice& slice);
  void AddValue(int64_t ts_ns, double value);  // of a counter: no slices beside it; by time
  uint64_t slices() const { return track_.slices; }

 private:
  friend class IndexWriter;
  IndexWriter* writer_;
  FileTrack track_{};
  LaneAssigner assigner_;
  std::vector<LaneOut> lanes_;
  ValuesOut values_;
};

}  // namespace steptrace::timeline
