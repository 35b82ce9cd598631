// SPDX-License-Identifier: Apache-2.0
#include "timeline/growing_index.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/unnamed_file.h"
#include "timeline/index_builder.h"

namespace steptrace::timeline {
namespace {

// A track with fewer rows waits: the last block of each lane stays in memory whether it is settled
// or not, so that of less than a few blocks settling would let go of little.
constexpr size_t kWorthSettling = 4 * kFanout;

// No moment is before the first that there is.
int64_t Before(int64_t ns, int64_t by_ns) {
  int64_t result = 0;
  return __builtin_sub_overflow(ns, by_ns, &result) ? std::numeric_limits<int64_t>::min() : result;
}

}  // namespace

GrowingIndex::GrowingIndex(Options options, UniqueFd blocks)
    : options_(std::move(options)),
      blocks_fd_(std::move(blocks)),
      blocks_(blocks_fd_.get(), options_.folder.string(), 0) {}

Result<std::unique_ptr<GrowingIndex>> GrowingIndex::Make(Options options) {
  STEPTRACE_ASSIGN_OR_RETURN(UniqueFd blocks, UnnamedFile(options.folder));
  return std::unique_ptr<GrowingIndex>(new GrowingIndex(std::move(options), std::move(blocks)));
}

template <class Row>
bool GrowingIndex::Add(Rows<Row>& rows, const Row& row, int64_t end_ns) {
  if (rows.settled && row.ts_ns <= rows.settled_ns) {
    const auto behind = static_cast<uint64_t>(rows.newest_ns) - static_cast<uint64_t>(row.ts_ns);
    late_ns_ = static_cast<int64_t>(std::min<uint64_t>(behind, INT64_MAX));
    return false;
  }
  const bool first = rows.waiting.empty() && !rows.settled;
  rows.newest_ns = first ? end_ns : std::max(rows.newest_ns, end_ns);
  rows.waiting.Add(row);
  ++waiting_;
  return true;
}

bool GrowingIndex::AddSlice(int32_t track, int64_t ts_ns, int64_t dur_ns, uint32_t label) {
  const LaneSlice slice = {ts_ns, UsableDuration(ts_ns, dur_ns), label};
  return Add(slices_[track], slice, slice.end_ns());
}

bool GrowingIndex::AddValue(int32_t track, int64_t ts_ns, double value) {
  return Add(values_[track], CounterValue{ts_ns, value}, ts_ns);
}

template <class Row>
void GrowingIndex::SettleTrack(int32_t track, Rows<Row>& rows) {
  if (rows.waiting.size() < kWorthSettling) return;
  const int64_t until_ns = Before(rows.newest_ns, options_.horizon_ns);
  waiting_ -= rows.waiting.TakeBefore(until_ns, [&](const Row& row) {
    if (!rows.settled) rows.settled = std::make_unique<IndexWriter::Track>(blocks_, track);
    AddTo(*rows.settled, row);
    rows.settled_ns = row.ts_ns;
  });
}

Status GrowingIndex::Settle() {
  for (auto& [track, rows] : slices_) SettleTrack(track, rows);
  for (auto& [track, rows] : values_) SettleTrack(track, rows);
  STEPTRACE_RETURN_IF_ERROR(blocks_.status());
  if (crowded()) return Error{"too many rows wait for those before them"};
  return {};
}

// What is settled and what waits, for a file that lies behind that of the settled blocks.
template <class Row>
IndexWriter::Track GrowingIndex::Whole(int32_t track, Rows<Row>& rows, IndexWriter& out) {
  IndexWriter::Track whole =
      rows.settled ? IndexWriter::Track(out, *rows.settled) : IndexWriter::Track(out, track);
  for (const Row& row : rows.waiting.Sorted()) AddTo(whole, row);
  return whole;
}

Result<Index> GrowingIndex::Take(const std::string& name, uint64_t fingerprint) {
  STEPTRACE_RETURN_IF_ERROR(Settle());
  STEPTRACE_ASSIGN_OR_RETURN(const uint64_t blocks_bytes, blocks_.Flush());
  STEPTRACE_ASSIGN_OR_RETURN(UniqueFd fd, UnnamedFile(options_.folder));
  IndexWriter out(fd.get(), name, fingerprint, Index::PlaceBehind(blocks_bytes));
  auto value = values_.begin();
  const auto end_values_before = [&](auto next) {
    for (; value != values_.end() && (next == slices_.end() || value->first < next->first);
         ++value) {
      IndexWriter::Track whole = Whole(value->first, value->second, out);
      out.End(whole);
    }
  };
  // By number; a track with slices and values keeps its slices.
  for (auto slice = slices_.begin(); slice != slices_.end(); ++slice) {
    end_values_before(slice);
    if (value != values_.end() && value->first == slice->first) ++value;
    IndexWriter::Track whole = Whole(slice->first, slice->second, out);
    out.End(whole);
  }
  end_values_before(slices_.end());
  STEPTRACE_RETURN_IF_ERROR(out.Finish(labels_));
  return Index::FromParts(blocks_fd_.get(), blocks_bytes, std::move(fd), name, fingerprint);
}

}  // namespace steptrace::timeline
