// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "timeline/index.h"
#include "timeline/index_writer.h"
#include "timeline/waiting_rows.h"

namespace steptrace::timeline {

// An index that grows: rows are added as they come, and from time to time an Index is made of all
// that came so far, at the cost of what came since and half a byte a slice.
//
// Rows of a track that are older than `horizon_ns` behind its newest end are settled: they are
// written to a file that all Indexes map, once. The others wait in memory, and each Index has a
// copy of its own of them, and of the pyramids above the blocks:
//
//   settled blocks (one file, grows) │ blocks of what waits, pyramids, directory (a file an Index)
//   ───────── mapped by every Index ─┴─ one behind the other, as if they were one file ───────────
//
// A row that comes before one that is settled cannot be added: whoever adds it is told so, and has
// to begin anew with a longer horizon. Not for threads; its Indexes are.
class GrowingIndex {
 public:
  struct Options {
    int64_t horizon_ns;
    size_t most_waiting = size_t{1} << 20;  // rows; more are an error
    std::filesystem::path folder = "/tmp";  // of files without names
  };
  static Result<std::unique_ptr<GrowingIndex>> Make(Options options);

  LabelTable& labels() { return labels_; }
  // As IndexBuilder has them. False: it comes before what is settled.
  bool AddSlice(int32_t track, int64_t ts_ns, int64_t dur_ns, uint32_t label);
  bool AddValue(int32_t track, int64_t ts_ns, double value);
  // Of a row that was not taken: how far behind the newest of its track it began.
  int64_t late_ns() const { return late_ns_; }

  // Writes what is old enough. Call it between rows, as often as many of them wait.
  Status Settle();
  size_t waiting() const { return waiting_; }
  // More rows wait than may: it can neither settle nor be taken.
  bool crowded() const { return waiting_ > options_.most_waiting; }

  // All rows that were added, as IndexBuilder would have them.
  Result<Index> Take(const std::string& name, uint64_t fingerprint);

 private:
  template <class Row>
  struct Rows {
    std::unique_ptr<IndexWriter::Track> settled;
    int64_t settled_ns = 0;  // begin of the last that is settled
    int64_t newest_ns = 0;   // end of the one that ends last
    WaitingRows<Row> waiting;
  };

  GrowingIndex(Options options, UniqueFd blocks);
  template <class Row>
  bool Add(Rows<Row>& rows, const Row& row, int64_t end_ns);
  template <class Row>
  void SettleTrack(int32_t track, Rows<Row>& rows);
  template <class Row>
  static IndexWriter::Track Whole(int32_t track, Rows<Row>& rows, IndexWriter& out);

  Options options_;
  UniqueFd blocks_fd_;
  IndexWriter blocks_;
  LabelTable labels_;
  std::map<int32_t, Rows<LaneSlice>> slices_;  // by track
  std::map<int32_t, Rows<CounterValue>> values_;
  size_t waiting_ = 0;
  int64_t late_ns_ = 0;
};

}  // namespace steptrace::timeline
