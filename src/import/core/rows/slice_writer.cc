// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/slice_writer.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>

#include "base/in_parallel.h"
#include "import/core/bytes/out_of_memory.h"
#include "import/core/rows/begin_order.h"
#include "import/core/rows/group_nesting.h"
#include "import/core/rows/huge_pages.h"
#include "import/core/rows/open_slices.h"
#include "import/core/rows/slice_steps.h"

namespace steptrace::import {
namespace {

// Rows of a segment: memory that is touched for the first time costs more than filling it, and what
// encodes a segment takes a hundred bytes a row.
constexpr size_t kSliceSegmentRows = 1 << 16;

// The rows of a segment of `all`. Of many the last would be a small one, which the store packs
// harder and longer: its rows go to the others.
std::pair<size_t, size_t> RowsOfSegment(size_t segment, size_t all) {
  constexpr size_t kMany = 4;
  size_t count = all / kSliceSegmentRows;
  if (count < kMany) {
    size_t begin = segment * kSliceSegmentRows;
    return {begin, std::min(begin + kSliceSegmentRows, all)};
  }
  return {all * segment / count, all * (segment + 1) / count};
}

// Runs jobs on a few threads; at most one waits besides those that run.
class Workers {
 public:
  explicit Workers(int count) {
    try {
      for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Run(); });
    } catch (const std::system_error&) {
      // The machine has no more threads: those that are there do, and without any who adds a job.
    }
  }
  ~Workers() { (void)Finish().ok(); }

  void Add(std::function<Status()> job) {
    if (threads_.empty()) return Note(Done(job));
    std::unique_lock lock(mutex_);
    taken_.wait(lock, [this] { return jobs_.empty(); });
    jobs_.push_back(std::move(job));
    added_.notify_one();
  }

  Status Finish() {
    {
      std::lock_guard lock(mutex_);
      end_ = true;
      added_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    return failed_;
  }

 private:
  void Run() {
    std::unique_lock lock(mutex_);
    while (true) {
      added_.wait(lock, [this] { return end_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      std::function<Status()> job = std::move(jobs_.front());
      jobs_.pop_front();
      taken_.notify_one();
      lock.unlock();
      Note(Done(job));
      job = nullptr;
      lock.lock();
    }
  }

  static Status Done(const std::function<Status()>& job) {
    try {
      return job();
    } catch (const std::bad_alloc&) {
      return OutOfMemory();
    }
  }

  void Note(const Status& status) {
    if (status.ok()) return;
    std::lock_guard lock(mutex_);
    if (failed_.ok()) failed_ = status;
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::condition_variable taken_;
  std::deque<std::function<Status()>> jobs_;  // under mutex_, as what follows
  bool end_ = false;
  Status failed_;
  std::vector<std::thread> threads_;
};

// The slices of a group, and by their order what became known of them.
struct SortedSlices {
  SliceGroup slices;
  HugeVector<uint64_t> order;
  HugeVector<int64_t> steps;  // empty: what was told is all
  HugeVector<int32_t> depths;
};

// A range of sorted slices to columns.
class ColumnFiller {
 public:
  ColumnFiller(const SortedSlices& sorted, size_t begin, size_t count, store::SliceColumns& columns)
      : sorted_(sorted),
        begin_(begin),
        rows_(std::span<const uint64_t>(sorted.order).subspan(begin, count)),
        columns_(columns) {}

  void Fill(int64_t shift_ns, int32_t first_track) {
    ForEachPlainColumn([this](const auto& column) {
      auto& to = columns_.*column.stored;
      Take(column.in_block, to);
      if constexpr (std::is_same_v<decltype(to), std::vector<int64_t>&>) {
        if (column.nullable) ClearIfNull(to);
      }
    });
    for (int64_t& ts_ns : columns_.ts_ns) ts_ns += shift_ns;
    Take(&SliceBlock::Columns::track, columns_.track);
    for (int32_t& track : columns_.track) track += first_track;
    auto depths = std::span(sorted_.depths).subspan(begin_, rows_.size());
    columns_.depth.assign(depths.begin(), depths.end());
    TakeFew();
    if (sorted_.steps.empty()) return;
    auto steps = std::span(sorted_.steps).subspan(begin_, rows_.size());
    columns_.step.assign(steps.begin(), steps.end());
    ClearIfNull(columns_.step);
  }

 private:
  template <class T>
  void Take(T* SliceBlock::Columns::*column, std::vector<T>& to) {
    const GroupColumn<T> from(sorted_.slices, column);
    to.resize(rows_.size());
    for (size_t i = 0; i < rows_.size(); ++i) to[i] = from[rows_[i]];
  }
  // A column of nulls alone is empty.
  static void ClearIfNull(std::vector<int64_t>& column) {
    for (int64_t value : column) {
      if (value != kNull) return;
    }
    column.clear();
  }

  void TakeFew() {
    ForEachFewColumn([this](auto, auto stored) { (columns_.*stored).clear(); });
    if (!sorted_.slices.has_few()) return;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const SliceFew* few = sorted_.slices.FewAt(rows_[i]);
      if (few == nullptr) continue;
      ForEachFewColumn([&](auto member, auto stored) {
        Put(i, few->*member, SliceFew().*member, columns_.*stored);
      });
    }
  }
  template <class F>
  static void ForEachFewColumn(F&& f) {
    std::apply([&](const auto&... column) { (f(column.first, column.second), ...); }, kFewColumns);
  }
  template <class T>
  void Put(size_t at, T value, T null, std::vector<T>& column) {
    if (value == null) return;
    if (column.empty()) column.assign(rows_.size(), null);
    column[at] = value;
  }

  const SortedSlices& sorted_;
  const size_t begin_;
  const std::span<const uint64_t> rows_;
  store::SliceColumns& columns_;
};

}  // namespace

struct SliceWriter::Impl {
  Impl(store::ClosedRun& run_to_write, const store::StringTable& texts,
       const std::function<bool()>& ask)
      : run(run_to_write), strings(texts), stopped(ask), workers(Threads()) {}

  static int Threads() {
    constexpr size_t kMostThreads = 4;
    return static_cast<int>(std::clamp(CoresOfProcess(), size_t{2}, kMostThreads));
  }

  Status WriteSegment(const SortedSlices& sorted, size_t begin, size_t end, const Place& place,
                      int64_t number) {
    if (stopped && stopped()) return Error{"stopped"};
    std::unique_ptr<store::SliceColumns> columns = TakeColumns();
    ColumnFiller(sorted, begin, end - begin, *columns).Fill(place.shift_ns, place.first_track);
    Status written = run.Write(*columns, strings, place.node, place.rank, number);
    std::lock_guard lock(mutex);
    spare_columns.push_back(std::move(columns));
    return written;
  }

  // Memory of a segment's size is used again: the first touch of a page costs more than filling it.
  std::unique_ptr<store::SliceColumns> TakeColumns() {
    std::lock_guard lock(mutex);
    if (spare_columns.empty()) return std::make_unique<store::SliceColumns>();
    auto columns = std::move(spare_columns.back());
    spare_columns.pop_back();
    return columns;
  }

  // `across`: the group holds not all of a rank.
  Status WriteGroup(SliceGroup slices, GroupNesting* across, SortedRows<Flow>& flows,
                    const Place& place) {
    auto sorted = std::make_shared<SortedSlices>(SortedSlices{std::move(slices), {}, {}, {}});
    sorted->order = OrderByBegin(sorted->slices);
    if (across != nullptr) {
      STEPTRACE_RETURN_IF_ERROR(
          across->TakeNext(sorted->slices, sorted->order, &sorted->depths, &sorted->steps));
    } else {
      sorted->steps = StepsOf(sorted->slices, sorted->order, place.tracks, strings);
      STEPTRACE_RETURN_IF_ERROR(Nest(*sorted, flows));
    }
    for (size_t segment = 0, written = 0; written < sorted->order.size(); ++segment) {
      auto [begin, end] = RowsOfSegment(segment, sorted->order.size());
      workers.Add([this, sorted, begin = begin, end = end, place,
                   number = next++] {  // reads no tracks
        return WriteSegment(*sorted, begin, end, place, number);
      });
      written = end;
    }
    return {};
  }

  static Status Nest(SortedSlices& sorted, SortedRows<Flow>& flows) {
    const GroupColumn ts_ns(sorted.slices, &SliceBlock::Columns::ts_ns);
    const GroupColumn dur_ns(sorted.slices, &SliceBlock::Columns::dur_ns);
    const GroupColumn track(sorted.slices, &SliceBlock::Columns::track);
    OpenSlices<size_t> open(flows, [&sorted](size_t row, const Flow& flow) {
      BindFlow(flow.id, flow.out, sorted.slices.FewOf(row));
    });
    sorted.depths.resize(sorted.order.size());
    for (size_t i = 0; i < sorted.order.size(); ++i) {
      const size_t row = sorted.order[i];
      sorted.depths[i] = open.Enter(track[row], ts_ns[row], dur_ns[row], row);
    }
    return open.End();
  }

  store::ClosedRun& run;
  const store::StringTable& strings;
  const std::function<bool()>& stopped;
  int64_t next = 0;
  std::mutex mutex;
  std::vector<std::unique_ptr<store::SliceColumns>> spare_columns;  // under mutex
  Workers workers;
};

SliceWriter::SliceWriter(store::ClosedRun& run, const store::StringTable& strings,
                         const std::function<bool()>& stopped)
    : impl_(std::make_unique<Impl>(run, strings, stopped)) {}
SliceWriter::~SliceWriter() = default;

Status SliceWriter::Write(PartRows& rows, SortedRows<Flow>& flows, const Place& place) {
  std::optional<GroupNesting> across;
  if (!rows.is_whole()) {
    STEPTRACE_RETURN_IF_ERROR(rows.SpillRest());
    STEPTRACE_ASSIGN_OR_RETURN(
        across, GroupNesting::Find(rows, flows, place.tracks, impl_->strings, impl_->stopped));
  }
  while (true) {
    STEPTRACE_ASSIGN_OR_RETURN(SliceGroup slices, rows.TakeGroup());
    if (slices.size() == 0) return {};
    STEPTRACE_RETURN_IF_ERROR(
        impl_->WriteGroup(std::move(slices), across ? &*across : nullptr, flows, place));
  }
}

Status SliceWriter::Finish() {
  return impl_->workers.Finish();
}

}  // namespace steptrace::import
