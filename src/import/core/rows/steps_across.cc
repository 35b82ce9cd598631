// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/steps_across.h"

namespace steptrace::import {

StepsAcross::StepsAcross(SpillFile& file, std::span<const store::TrackRow> tracks,
                         const store::StringTable& strings, size_t rows_in_memory)
    : file_(file),
      strings_(strings),
      rows_in_memory_(rows_in_memory),
      on_device_(TracksOnDevice(tracks, strings)) {}

template <class Row, class Before>
void StepsAcross::Keep(SortedRows<Row, Before>& rows, const Row& row) {
  rows.Append(row);
  if (rows.in_memory().size() < rows_in_memory_ || !failed_.ok()) return;
  failed_ = rows.Spill(file_);
}

Status StepsAcross::AddMarks(const SliceGroup& slices) {
  for (const StepMark& mark : StepMarksAmong(slices, strings_)) Keep(marks_, mark);
  return failed_;
}

bool StepsAcross::Begin() {
  if (marks_.size() == 0) return false;
  reader_.emplace(marks_);
  return true;
}

int64_t StepsAcross::Enter(const Entered& slice, const GroupPlace& place) {
  for (; reader_->Front() != nullptr && reader_->Front()->begin_ns <= slice.ts_ns; reader_->Pop()) {
    begun_ = *reader_->Front();
  }
  int64_t step = slice.step;
  if (on_device_[static_cast<size_t>(slice.track)] != 0) {
    if (step == kNull && slice.correlation != kNull) {
      Keep(launched_, {slice.correlation, place});
    }
    return step;
  }
  if (step == kNull) step = StepBetween(begun_ ? &*begun_ : nullptr, reader_->Front(), slice.ts_ns);
  if (slice.correlation != kNull && step != kNull) Keep(launches_, {slice.correlation, step});
  return step;
}

Status StepsAcross::End(const Assign& assign) {
  STEPTRACE_RETURN_IF_ERROR(failed_);
  STEPTRACE_RETURN_IF_ERROR(reader_->status());
  SortedRows<Launch, ByCorrelation>::Reader launches(launches_);
  SortedRows<Launched, ByCorrelation>::Reader launched(launched_);
  for (; launched.Front() != nullptr; launched.Pop()) {
    const auto [correlation, place] = *launched.Front();
    while (launches.Front() != nullptr && launches.Front()->correlation < correlation) {
      launches.Pop();
    }
    // Of several launches of a number the first one in time.
    if (launches.Front() == nullptr || launches.Front()->correlation != correlation) continue;
    STEPTRACE_RETURN_IF_ERROR(assign(place, launches.Front()->step));
  }
  STEPTRACE_RETURN_IF_ERROR(launches.status());
  return launched.status();
}

}  // namespace steptrace::import
