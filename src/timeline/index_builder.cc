// SPDX-License-Identifier: Apache-2.0
#include "timeline/index_builder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <queue>
#include <utility>

#include "base/unnamed_file.h"

namespace steptrace::timeline {
namespace {

namespace fs = std::filesystem;

// Rows that a merge reads from one extent at a time.
constexpr uint64_t kMergeRows = 4096;
// A track with fewer rows waits: of one that is written in part the writer holds so many itself
// before any leave memory.
constexpr size_t kWorthWriting = IndexWriter::kBlocksTogether * kFanout;

// Reads an extent of the spill file a block at a time.
template <class Row>
class ExtentReader {
 public:
  ExtentReader(int fd, uint64_t at, uint64_t rows) : fd_(fd), at_(at), left_(rows) {}

  const Row* Peek() {
    if (next_ == rows_.size() && !Fill()) return nullptr;
    return &rows_[next_];
  }
  void Pop() { ++next_; }
  bool failed() const { return failed_; }

 private:
  bool Fill() {
    rows_.resize(std::min(left_, kMergeRows));
    next_ = 0;
    size_t bytes = rows_.size() * sizeof(Row);
    char* to = reinterpret_cast<char*>(rows_.data());
    while (bytes > 0) {
      const ssize_t got = ::pread(fd_, to, bytes, static_cast<off_t>(at_));
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) {
        failed_ = true;
        rows_.clear();
        return false;
      }
      to += got;
      at_ += static_cast<uint64_t>(got);
      bytes -= static_cast<size_t>(got);
    }
    left_ -= rows_.size();
    return !rows_.empty();
  }

  int fd_;
  uint64_t at_;
  uint64_t left_;
  std::vector<Row> rows_;
  size_t next_ = 0;
  bool failed_ = false;
};

}  // namespace

IndexBuilder::IndexBuilder(Options options) : options_(std::move(options)) {}

Status IndexBuilder::AddSlice(int32_t track, int64_t ts_ns, int64_t dur_ns, uint32_t label) {
  if (last_slices_ == nullptr || last_track_ != track) {
    last_slices_ = &slices_[track];
    last_track_ = track;
  }
  Waiting<LaneSlice>& waiting = *last_slices_;
  const LaneSlice slice = {ts_ns, UsableDuration(ts_ns, dur_ns), label};
  if (waiting.out && ts_ns < settled_ns_) {
    return Error{"a slice before what was settled", "make the index without settling"};
  }
  waiting.rows.Add(slice);
  return MakeRoom(sizeof(LaneSlice));
}

Status IndexBuilder::AddValue(int32_t track, int64_t ts_ns, double value) {
  values_[track].rows.Add({ts_ns, value});
  return MakeRoom(sizeof(CounterValue));
}

template <class Row>
void IndexBuilder::SpillOne(Waiting<Row>& waiting) {
  if (waiting.rows.empty()) return;
  waiting.extents.push_back({spill_->at(), waiting.rows.size()});
  spill_->AppendAll(waiting.rows.Sorted());
  waiting.rows.Clear();
}

Status IndexBuilder::Spill() {
  if (!spill_) {
    STEPTRACE_ASSIGN_OR_RETURN(spill_fd_, UnnamedFile(options_.spill_folder));
    spill_ = std::make_unique<FileOut>(spill_fd_.get(), options_.spill_folder.string());
  }
  for (auto& [track, waiting] : slices_) SpillOne(waiting);
  for (auto& [track, waiting] : values_) SpillOne(waiting);
  spill_->Flush();
  waiting_bytes_ = 0;
  return spill_->status();
}

template <class Row, class Take>
Status IndexBuilder::Merge(Waiting<Row>& waiting, Take take) {
  if (waiting.extents.empty()) {
    for (const Row& row : waiting.rows.Sorted()) take(row);
    waiting.rows.Clear();
    return {};
  }
  std::vector<ExtentReader<Row>> readers;
  for (const Extent& extent : waiting.extents) {
    readers.emplace_back(spill_fd_.get(), extent.at, extent.rows);
  }
  // Of rows that are alike the one that came first.
  const auto later = [&readers](size_t a, size_t b) {
    const Row& one = *readers[a].Peek();
    const Row& other = *readers[b].Peek();
    return Precedes(other, one) || (!Precedes(one, other) && a > b);
  };
  std::priority_queue<size_t, std::vector<size_t>, decltype(later)> queue(later);
  for (size_t i = 0; i < readers.size(); ++i) {
    if (readers[i].Peek() != nullptr) queue.push(i);
  }
  while (!queue.empty()) {
    const size_t first = queue.top();
    queue.pop();
    take(*readers[first].Peek());
    readers[first].Pop();
    if (readers[first].Peek() != nullptr) queue.push(first);
  }
  for (const auto& reader : readers) {
    if (reader.failed()) return Error{options_.spill_folder.string() + ": cannot be read back"};
  }
  return {};
}

void IndexBuilder::Begin(int fd, const std::string& name, uint64_t fingerprint) {
  writer_ = std::make_unique<IndexWriter>(fd, name, fingerprint);
}

Status IndexBuilder::Settle(int64_t ts_ns) {
  if (waiting_bytes_ < options_.settle_bytes || ts_ns <= settled_ns_) return {};
  settled_ns_ = ts_ns;
  for (auto& [track, waiting] : slices_) WriteSettled(track, waiting);
  return writer_->status();
}

void IndexBuilder::WriteSettled(int32_t track, Waiting<LaneSlice>& waiting) {
  // Those that were spilled come before those that wait: both are merged at the end.
  if (waiting.rows.size() < kWorthWriting || !waiting.extents.empty()) return;
  const size_t taken = waiting.rows.TakeBefore(settled_ns_, [&](const LaneSlice& slice) {
    if (!waiting.out) waiting.out = std::make_unique<IndexWriter::Track>(*writer_, track);
    waiting.out->Add(slice);
  });
  waiting_bytes_ -= static_cast<int64_t>(taken * sizeof(LaneSlice));
}

Status IndexBuilder::Finish() {
  if (spill_) STEPTRACE_RETURN_IF_ERROR(Spill());
  for (const auto& [track, waiting] : values_) slices_.try_emplace(track);
  last_slices_ = nullptr;
  // Let go of one after the other: of a million tracks they are most of what is held.
  for (auto it = slices_.begin(); it != slices_.end(); it = slices_.erase(it)) {
    const int32_t track = it->first;
    Waiting<LaneSlice>& waiting = it->second;
    auto out = std::move(waiting.out);
    if (!out) out = std::make_unique<IndexWriter::Track>(*writer_, track);
    if (out->slices() > 0 || !waiting.rows.empty() || !waiting.extents.empty()) {
      STEPTRACE_RETURN_IF_ERROR(
          Merge(waiting, [&out](const LaneSlice& slice) { AddTo(*out, slice); }));
    } else {
      STEPTRACE_RETURN_IF_ERROR(
          Merge(values_[track], [&out](const CounterValue& value) { AddTo(*out, value); }));
    }
    writer_->End(*out);
  }
  return writer_->Finish(labels_);
}

}  // namespace steptrace::timeline
