// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "timeline/file_out.h"
#include "timeline/index_writer.h"
#include "timeline/waiting_rows.h"

namespace steptrace::timeline {

// Makes an index from slices and values in any order, in bounded memory: what does not fit is
// spilled, sorted, to a file without a name, and merged track by track. Rows that come sorted, as
// they do from a run's segments, are never compared twice: time linear in slices.
class IndexBuilder {
 public:
  struct Options {
    int64_t memory_bytes = 192 << 20;  // for slices and values that wait
    int64_t settle_bytes = 16 << 20;   // as many wait before settled ones are written
    std::filesystem::path spill_folder = "/tmp";
  };
  explicit IndexBuilder(Options options);

  LabelTable& labels() { return labels_; }
  uint32_t Label(std::string_view name, std::string_view category) {
    return labels_.Intern(name, category);
  }
  // Durations below 0 count as 0; one that leaves int64 ends with it.
  Status AddSlice(int32_t track, int64_t ts_ns, int64_t dur_ns, uint32_t label);
  Status AddValue(int32_t track, int64_t ts_ns, double value);

  // Where the index goes: before the first Settle. The descriptor stays the caller's.
  void Begin(int fd, const std::string& name, uint64_t fingerprint);
  // Says that no slice to come begins before that: once many wait, those before it are written.
  // Whoever breaks it is told so by AddSlice, and has to make the index without it.
  Status Settle(int64_t ts_ns);
  // Writes what waits. A track with slices and values keeps its slices. Takes what was added.
  Status Finish();
  // All at once, without settling.
  Status Write(int fd, const std::string& name, uint64_t fingerprint) {
    Begin(fd, name, fingerprint);
    return Finish();
  }

 private:
  struct Extent {  // of the spill file, sorted
    uint64_t at = 0;
    uint64_t rows = 0;
  };
  template <class Row>
  struct Waiting {
    WaitingRows<Row> rows;
    std::vector<Extent> extents;
    std::unique_ptr<IndexWriter::Track> out;  // of one that was written in part
  };
  template <class Row, class Take>
  Status Merge(Waiting<Row>& waiting, Take take);
  template <class Row>
  void SpillOne(Waiting<Row>& waiting);
  Status Spill();
  void WriteSettled(int32_t track, Waiting<LaneSlice>& waiting);
  Status MakeRoom(size_t bytes) {
    waiting_bytes_ += static_cast<int64_t>(bytes);
    return waiting_bytes_ < options_.memory_bytes ? Status() : Spill();
  }

  Options options_;
  LabelTable labels_;
  std::map<int32_t, Waiting<LaneSlice>> slices_;  // by track
  std::map<int32_t, Waiting<CounterValue>> values_;
  Waiting<LaneSlice>* last_slices_ = nullptr;  // of the track last added to: rows come in runs
  int32_t last_track_ = 0;
  int64_t waiting_bytes_ = 0;
  int64_t settled_ns_ = std::numeric_limits<int64_t>::min();
  std::unique_ptr<IndexWriter> writer_;
  UniqueFd spill_fd_;
  std::unique_ptr<FileOut> spill_;
};

}  // namespace steptrace::timeline
