// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/manifest.h"
#include "store/row_columns.h"
#include "store/slice_columns.h"

// Closed parts of tables: Parquet files.
namespace steptrace::store {

// Writes rows as one Parquet file on a descriptor: zstd 1, dictionaries for names, for numbers the
// encoding that a sample says is smaller.
template <class Row>
Status WriteParquet(const RowsView<Row>& rows, const StringTable& strings, PathColumns path_columns,
                    int fd, const std::string& where);

// When a file is synced to the disk: before the call returns, or by the caller.
enum class Sync { kNow, kLater };

// Rows, sorted by time already, as a segment's file holds them; fills in what `segment` tells of
// them. The only part that needs the texts.
template <class Row>
Result<std::shared_ptr<arrow::RecordBatch>> EncodeSegment(const RowsView<Row>& rows,
                                                          const StringTable& strings,
                                                          SegmentInfo* segment);

// Writes an encoded segment to its file and fills in its size. A file that could not be finished is
// removed; one that is there already is an error. Safe to call from several threads at once, for
// different files.
Status WriteSegmentFile(const std::filesystem::path& run, const arrow::RecordBatch& batch,
                        Sync sync, SegmentInfo* segment);

// How much of a segment is read back: texts are what readers number anew, and take a tenth of the
// time of all.
enum class ReadsBack { kAll, kTexts };

// Whether a segment's file gives every reader what was written to it.
Status ReadBack(const std::filesystem::path& run, const SegmentInfo& segment,
                const arrow::RecordBatch& written, ReadsBack reads);

// All of it at once: encodes, writes and reads back.
template <class Row>
Result<SegmentInfo> WriteSegment(const std::filesystem::path& run, SegmentInfo segment,
                                 const RowsView<Row>& rows, const StringTable& strings,
                                 Sync sync = Sync::kNow, ReadsBack reads = ReadsBack::kAll);

Result<SegmentInfo> WriteSegment(const std::filesystem::path& run, SegmentInfo segment,
                                 const SliceColumns& slices, const StringTable& strings, Sync sync,
                                 ReadsBack reads);

// A column of names, and one of them.
struct ColumnText {
  std::string column;
  std::string text;
};

// Whether some row of a segment may have all of these: asks the columns' dictionaries alone, so
// that rows without the texts need not be read. True where the file does not tell, or cannot be
// read.
bool MayHoldTexts(const std::filesystem::path& run, const SegmentInfo& segment,
                  std::span<const ColumnText> texts);

// Appends a segment's rows. Node and rank come from its place. Nothing in the file is trusted.
template <class Row>
Status ReadSegment(const std::filesystem::path& run, const SegmentInfo& segment,
                   const std::vector<std::string>& columns, StringTable& strings,
                   std::vector<Row>* rows);

// Hands the rows of segments on, batch by batch, in their order. While a batch is with `take`, a
// thread decompresses the next segment. Of one that cannot be read no row is handed on: it goes to
// `failed` with the reason, and an error from that ends it.
using SegmentFailed = std::function<Status(const SegmentInfo&, const Error&)>;
template <class Row>
Status ReadSegments(const std::filesystem::path& run, std::span<const SegmentInfo> segments,
                    const std::vector<std::string>& columns, StringTable& strings,
                    const std::function<Status(std::span<const Row>)>& take,
                    const SegmentFailed& failed);

}  // namespace steptrace::store
