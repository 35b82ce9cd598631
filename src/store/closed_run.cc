// SPDX-License-Identifier: Apache-2.0
#include "store/closed_run.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "store/all_tables.h"
#include "store/redacted_rows.h"
#include "store/run_files.h"
#include "store/segment.h"
#include "store/written_manifests.h"

namespace steptrace::store {
namespace {

// How much to read back of a segment of this number. To read all of all would take an eighth of an
// import's time.
ReadsBack ReadsOf(int64_t number) {
  constexpr int64_t kWhole = 2;
  return number < kWhole ? ReadsBack::kAll : ReadsBack::kTexts;
}

}  // namespace

ClosedRun::ClosedRun(std::filesystem::path run, Redactor redactor)
    : run_(std::move(run)), writer_(OwnWriterName()), redactor_(std::move(redactor)) {}

template <class Row>
Status ClosedRun::Write(std::span<const Row> rows, const StringTable& strings, int32_t node,
                        int32_t rank, int64_t number) {
  if (rows.empty()) return {};
  SegmentInfo segment;
  segment.node = node;
  if constexpr (kHasRank<Row>) segment.rank = rank;
  segment.file = SegmentFile(TableOf<Row>::kName, writer_, node, segment.rank, number);
  std::vector<Row> redacted;
  if constexpr (kHasTexts<Row>) {
    redacted.assign(rows.begin(), rows.end());
    for (Row& row : redacted) RedactTexts(redactor_, row);
    rows = redacted;
  }
  STEPTRACE_ASSIGN_OR_RETURN(
      segment, WriteSegment(run_, std::move(segment), RowsView<Row>{rows, {}}, strings,
                            Sync::kLater, ReadsOf(number)));
  std::lock_guard lock(mutex_);
  tables_[TableOf<Row>::kName].segments.push_back(std::move(segment));
  return {};
}

Status ClosedRun::Write(const SliceColumns& slices, const StringTable& strings, int32_t node,
                        int32_t rank, int64_t number) {
  if (slices.size() == 0) return {};
  SegmentInfo segment;
  segment.node = node;
  segment.rank = rank;
  segment.file = SegmentFile(TableOf<SliceRow>::kName, writer_, node, rank, number);
  STEPTRACE_ASSIGN_OR_RETURN(segment, WriteSegment(run_, std::move(segment), slices, strings,
                                                   Sync::kLater, ReadsOf(number)));
  std::lock_guard lock(mutex_);
  tables_[TableOf<SliceRow>::kName].segments.push_back(std::move(segment));
  return {};
}

Status ClosedRun::Close(Manifest manifest) {
  for (auto& [table, parts] : tables_) {
    for (const SegmentInfo& segment : parts.segments) {
      STEPTRACE_RETURN_IF_ERROR(SyncFile(run_ / segment.file));
    }
    // Numbers have no leading zeros: the shorter name is the lower number.
    std::sort(parts.segments.begin(), parts.segments.end(),
              [](const SegmentInfo& a, const SegmentInfo& b) {
                return std::tuple(a.node, a.rank, a.file.size(), std::string_view(a.file)) <
                       std::tuple(b.node, b.rank, b.file.size(), std::string_view(b.file));
              });
  }
  manifest.command = redactor_.Words(manifest.command);
  manifest.format = kFormatNumber;
  manifest.writer = writer_;
  manifest.journal_nodes.clear();
  manifest.damaged.clear();
  manifest.tables = std::move(tables_);
  return WriteManifest(run_, manifest);
}

#define STEPTRACE_INSTANTIATE(Row)                                                             \
  template Status ClosedRun::Write(std::span<const Row>, const StringTable&, int32_t, int32_t, \
                                   int64_t);
STEPTRACE_FOR_EACH_ROW(STEPTRACE_INSTANTIATE)
#undef STEPTRACE_INSTANTIATE

}  // namespace steptrace::store
