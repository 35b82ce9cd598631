// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/fact_rows.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "import/core/rows/slice.h"

namespace steptrace::import {

int64_t FactRows::Append(store::RunMetadataRow row) {
  constexpr size_t kAllocatorBytes = 32;  // of a text, what the allocator keeps
  const size_t bytes = sizeof(row) + row.json.size() + kAllocatorBytes;
  rows_.push_back(std::move(row));
  return static_cast<int64_t>(bytes);
}

// Their texts one behind the other, then what is sorted of them.
Status FactRows::Spill(SpillFile& file) {
  if (rows_.empty()) return {};
  file_ = &file;
  size_t bytes = 0;
  for (const store::RunMetadataRow& row : rows_) bytes += row.json.size();
  std::string texts;
  texts.reserve(bytes);
  for (const store::RunMetadataRow& row : rows_) texts += row.json;
  int64_t at = 0;
  STEPTRACE_RETURN_IF_ERROR(file.Append(texts.data(), texts.size(), &at));
  for (const store::RunMetadataRow& row : std::exchange(rows_, {})) {
    SortedRows<Stored>& rows = row.ts_ns == kNull ? timeless_ : timed_;
    rows.Append({row.ts_ns, spilled_++, row.pid, at, row.json.size(), row.kind});
    at += static_cast<int64_t>(row.json.size());
  }
  STEPTRACE_RETURN_IF_ERROR(timed_.Spill(file));
  return timeless_.Spill(file);
}

FactRows::Reader::Reader(FactRows& facts, int64_t shift_ns)
    : file_(facts.file_),
      shift_ns_(shift_ns),
      rows_(std::exchange(facts.rows_, {})),
      timed_(facts.timed_),
      timeless_(facts.timeless_) {
  for (store::RunMetadataRow& row : rows_)
    row.ts_ns = row.ts_ns == kNull ? 0 : row.ts_ns + shift_ns;
  std::stable_sort(rows_.begin(), rows_.end(), ByTime());
}

Result<bool> FactRows::Reader::Next(store::RunMetadataRow* row) {
  const auto time_of = [this](const Stored& fact) { return fact.ts_ns + shift_ns_; };
  const bool any_stored = timed_.Front() != nullptr || timeless_.Front() != nullptr;
  STEPTRACE_RETURN_IF_ERROR(timed_.status());
  STEPTRACE_RETURN_IF_ERROR(timeless_.status());
  // Those in memory came last.
  int64_t stored_ns = 0;
  if (timeless_.Front() == nullptr && any_stored) stored_ns = time_of(*timed_.Front());
  if (timeless_.Front() != nullptr && timed_.Front() != nullptr) {
    stored_ns = std::min<int64_t>(0, time_of(*timed_.Front()));
  }
  if (any_stored && (next_ == rows_.size() || stored_ns <= rows_[next_].ts_ns)) {
    return NextStored(row);
  }
  if (next_ == rows_.size()) return false;
  *row = std::move(rows_[next_++]);
  return true;
}

Result<bool> FactRows::Reader::NextStored(store::RunMetadataRow* row) {
  const Stored* timed = timed_.Front();
  const Stored* timeless = timeless_.Front();
  const bool takes_timed =
      timed != nullptr &&
      (timeless == nullptr || std::tuple(timed->ts_ns + shift_ns_, timed->number) <
                                  std::tuple(int64_t{0}, timeless->number));
  const Stored& stored = takes_timed ? *timed : *timeless;
  *row = {};
  row->ts_ns = takes_timed ? stored.ts_ns + shift_ns_ : 0;
  row->pid = stored.pid;
  row->kind = stored.kind;
  row->json.resize(stored.json_bytes);
  STEPTRACE_RETURN_IF_ERROR(file_->Read(stored.at, row->json.data(), row->json.size()));
  takes_timed ? timed_.Pop() : timeless_.Pop();
  return true;
}

}  // namespace steptrace::import
