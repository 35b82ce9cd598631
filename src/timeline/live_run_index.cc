// SPDX-License-Identifier: Apache-2.0
#include "timeline/live_run_index.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "store/journal_tail.h"
#include "store/run_parts.h"
#include "timeline/growing_index.h"
#include "timeline/run_labels.h"

namespace steptrace::timeline {
namespace {

// A range is written when it ends: all that began in it, and many steps, came before. One that
// lasted longer than this is found once, and everything is read again with a longer one.
constexpr int64_t kFirstHorizonNs = 20 * kNsPerSecond;
constexpr int64_t kMostHorizonNs = 24 * 3600 * kNsPerSecond;
constexpr int kMostBeginnings = 4;  // in one look at the run
constexpr size_t kRowsASettling = size_t{1} << 16;

}  // namespace

struct LiveRunIndex::Rows {
  store::StringTable strings;
  std::unique_ptr<GrowingIndex> index;
  std::unique_ptr<RunLabels> labels;
  std::map<std::string, store::JournalTail<store::SliceRow>> slices;  // by path
  std::map<std::string, store::JournalTail<store::CounterRow>> counters;
  bool late = false;

  Status Add(const store::SliceRow& row) {
    late = !index->AddSlice(row.track, row.ts_ns, row.dur_ns, labels->Of(row));
    return late ? Status(Error{"a slice before what is settled"}) : Status();
  }
  Status Add(const store::CounterRow& row) {
    late = !index->AddValue(row.track, row.ts_ns, row.value);
    return late ? Status(Error{"a value before what is settled"}) : Status();
  }

  template <class Row>
  Status Read(const std::vector<store::JournalFile>& files, std::vector<std::string> columns,
              std::map<std::string, store::JournalTail<Row>>& tails) {
    for (const store::JournalFile& file : files) {
      auto tail = tails.find(file.path.string());
      if (tail == tails.end()) {
        STEPTRACE_ASSIGN_OR_RETURN(auto opened,
                                   store::JournalTail<Row>::Open(file.path, strings, columns));
        tail = tails.emplace(file.path.string(), std::move(opened)).first;
      }
      const Status read = tail->second.Read([this](std::vector<Row>&& rows) -> Status {
        for (const Row& row : rows) STEPTRACE_RETURN_IF_ERROR(Add(row));
        return index->waiting() < kRowsASettling ? Status() : index->Settle();
      });
      if (!read.ok()) return read;
    }
    return {};
  }
};

LiveRunIndex::LiveRunIndex() : horizon_ns_(kFirstHorizonNs) {}
LiveRunIndex::~LiveRunIndex() = default;

void LiveRunIndex::Forget() {
  rows_.reset();
  run_.clear();
  horizon_ns_ = kFirstHorizonNs;
  gave_up_ = false;
}

Status LiveRunIndex::ReadNew(const store::RunReader& run) {
  const auto slices = store::FindParts(run.run(), run.manifest(), "slices");
  const auto counters = store::FindParts(run.run(), run.manifest(), "counters");
  if (!slices.segments.empty() || !counters.segments.empty()) {
    return Error{"rows lie in segments"};
  }
  if (!rows_) {
    rows_ = std::make_unique<Rows>();
    STEPTRACE_ASSIGN_OR_RETURN(
        rows_->index, GrowingIndex::Make({.horizon_ns = horizon_ns_, .folder = run.run()}));
    rows_->labels = std::make_unique<RunLabels>(rows_->index->labels(), rows_->strings);
  }
  STEPTRACE_RETURN_IF_ERROR(rows_->Read(slices.journals, IndexedColumns(), rows_->slices));
  STEPTRACE_RETURN_IF_ERROR(rows_->Read(counters.journals, {}, rows_->counters));
  return rows_->index->Settle();
}

Result<Index> LiveRunIndex::Open(const store::RunReader& run, uint64_t fingerprint) {
  if (run_ != run.manifest().id) {
    Forget();
    run_ = run.manifest().id;
  }
  for (int tries = 0; !gave_up_ && tries < kMostBeginnings; ++tries) {
    const Status read = ReadNew(run);
    if (read.ok()) return rows_->index->Take(run.run().string() + ": timeline", fingerprint);
    const bool late = rows_ && rows_->late;
    const int64_t late_ns = late ? rows_->index->late_ns() : 0;
    const bool crowded = rows_ && rows_->index && rows_->index->crowded();
    rows_.reset();
    if (!late) {
      gave_up_ = crowded;  // anything else may pass: a full disk, a journal that was cut off
      return read.error();
    }
    // Twice as long, so that there are few beginnings however ranges grow.
    horizon_ns_ = std::max(2 * horizon_ns_, 2 * std::min(late_ns, kMostHorizonNs));
    gave_up_ = horizon_ns_ > kMostHorizonNs;
  }
  return Error{run.run().string() + ": its slices come too late", "the index is made as a whole"};
}

}  // namespace steptrace::timeline
