// SPDX-License-Identifier: Apache-2.0
#include "import/slice_writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <utility>

#include "import/huge_pages.h"
#include "import/slice_steps.h"

namespace steptrace::import {
namespace {

// Rows of a segment: memory that is touched for the first time costs more than filling it, and what
// encodes a segment takes a hundred bytes a row.
constexpr size_t kSegmentRows = 1 << 16;

// Runs jobs on a few threads; at most one waits besides those that run.
class Workers {
 public:
  explicit Workers(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this] { Run(); });
  }
  ~Workers() { (void)Finish().ok(); }

  void Add(std::function<Status()> job) {
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
      Status status = job();
      job = nullptr;
      lock.lock();
      if (!status.ok() && failed_.ok()) failed_ = status;
    }
  }

  std::mutex mutex_;
  std::condition_variable added_;
  std::condition_variable taken_;
  std::deque<std::function<Status()>> jobs_;  // under mutex_, as what follows
  bool end_ = false;
  Status failed_;
  std::vector<std::thread> threads_;
};

// The slices of each track that are still open, over those of a group in their order.
class Nesting {
 public:
  explicit Nesting(std::vector<Flow>& flows) : flows_(flows) {
    std::stable_sort(flows.begin(), flows.end(),
                     [](const Flow& a, const Flow& b) { return a.ts_ns < b.ts_ns; });
  }

  // Sets the depth; gives flows that were due before to their slices.
  void Enter(Slice& slice) {
    BindFlows(slice.ts_ns);
    std::vector<Slice*>& open = OpenOn(slice.track);
    int64_t end_ns = slice.ts_ns + slice.dur_ns;
    // One that ends later than what it begins in is enclosed only by what encloses both.
    while (!open.empty() && (EndOf(*open.back()) <= slice.ts_ns || EndOf(*open.back()) < end_ns)) {
      open.pop_back();
    }
    slice.depth = static_cast<int32_t>(open.size());
    open.push_back(&slice);
  }

  // Gives flows that begin or end before a moment to the innermost slice there.
  void BindFlows(int64_t before_ns) {
    for (; next_ < flows_.size() && flows_[next_].ts_ns < before_ns; ++next_) {
      Flow& flow = flows_[next_];
      if (flow.track < 0) continue;  // bound in a group before
      std::vector<Slice*>& open = OpenOn(flow.track);
      while (!open.empty() && EndOf(*open.back()) < flow.ts_ns) open.pop_back();
      if (open.empty()) continue;
      (flow.out ? open.back()->flow_out : open.back()->flow_in) = flow.id;
      flow.track = -1;
    }
  }

 private:
  static int64_t EndOf(const Slice& slice) { return slice.ts_ns + slice.dur_ns; }
  std::vector<Slice*>& OpenOn(int32_t number) {
    auto track = static_cast<size_t>(number);
    if (track >= open_.size()) open_.resize(track + 1);
    return open_[track];
  }

  std::vector<Flow>& flows_;
  size_t next_ = 0;
  std::vector<std::vector<Slice*>> open_;
};

using Blocks = std::vector<PartRows::Block>;
using Pointers = std::vector<Slice*, HugePages<Slice*>>;

// Orders the slices of a group by begin, stable. A key is a number of 64 bits: the time since the
// group's first begin, below it the slice's block and row. So nothing else is moved, and where the
// keys were the addresses can stand: the first touch of memory is what sorting costs most.
class BeginOrder {
 public:
  explicit BeginOrder(Blocks& blocks) : blocks_(blocks) {
    size_t most_rows = 1;
    int64_t last_ns = std::numeric_limits<int64_t>::min();
    for (const PartRows::Block& block : blocks) {
      count_ += block.size();
      most_rows = std::max(most_rows, block.size());
      for (const Slice& slice : block) {
        first_ns_ = std::min(first_ns_, slice.ts_ns);
        last_ns = std::max(last_ns, slice.ts_ns);
      }
    }
    if (count_ == 0) return;
    row_bits_ = Width(most_rows - 1);
    place_bits_ = row_bits_ + Width(blocks.size() - 1);
    span_bits_ = Width(static_cast<uint64_t>(last_ns) - static_cast<uint64_t>(first_ns_));
  }

  Pointers Sorted() const {
    static_assert(sizeof(Slice*) == sizeof(uint64_t));
    if (span_bits_ + place_bits_ > 64) return SortedByComparing();
    Pointers keys = Keys();
    if (!std::is_sorted(keys.begin(), keys.end(), Less)) Sort(keys);
    uint64_t row_mask = (uint64_t{1} << row_bits_) - 1;
    uint64_t block_mask = (uint64_t{1} << (place_bits_ - row_bits_)) - 1;
    for (Slice*& key : keys) {
      auto bits = std::bit_cast<uint64_t>(key);
      key = &blocks_[bits >> row_bits_ & block_mask][bits & row_mask];
    }
    return keys;
  }

 private:
  static int Width(uint64_t number) { return static_cast<int>(std::bit_width(number)); }
  static bool Less(Slice* a, Slice* b) {
    return std::bit_cast<uint64_t>(a) < std::bit_cast<uint64_t>(b);
  }

  // In the place of the addresses.
  Pointers Keys() const {
    Pointers keys(count_);
    Slice** next = keys.data();
    for (size_t block = 0; block < blocks_.size(); ++block) {
      uint64_t place = block << row_bits_;
      for (const Slice& slice : blocks_[block]) {
        uint64_t after = static_cast<uint64_t>(slice.ts_ns) - static_cast<uint64_t>(first_ns_);
        *next++ = std::bit_cast<Slice*>(after << place_bits_ | place++);
      }
    }
    return keys;
  }

  // 11 bits a round, as many rounds as the span has bits.
  void Sort(Pointers& keys) const {
    constexpr int kBits = 11;
    constexpr uint64_t kMask = (1 << kBits) - 1;
    Pointers other(keys.size());
    for (int shift = place_bits_; shift < place_bits_ + span_bits_; shift += kBits) {
      auto digit = [shift](Slice* key) { return std::bit_cast<uint64_t>(key) >> shift & kMask; };
      std::array<size_t, kMask + 1> begins{};
      for (Slice* key : keys) ++begins[digit(key)];
      size_t next = 0;
      for (size_t& begin : begins) next += std::exchange(begin, next);
      for (Slice* key : keys) other[begins[digit(key)]++] = key;
      keys.swap(other);
    }
  }

  // Of spans of hours, which leave no room for a place in the key.
  Pointers SortedByComparing() const {
    Pointers all;
    all.reserve(count_);
    for (PartRows::Block& block : blocks_) {
      for (Slice& slice : block) all.push_back(&slice);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Slice* a, const Slice* b) { return a->ts_ns < b->ts_ns; });
    return all;
  }

  Blocks& blocks_;
  size_t count_ = 0;
  int64_t first_ns_ = std::numeric_limits<int64_t>::max();
  int row_bits_ = 0;
  int place_bits_ = 0;  // of block and row
  int span_bits_ = 0;
};

// Slices to columns, a few at a time: they stay in the first-level cache while each column takes
// its member.
class ColumnFiller {
 public:
  ColumnFiller(std::span<Slice* const> slices, store::SliceColumns& columns)
      : all_(slices), columns_(columns) {}

  void Fill(int64_t shift_ns, int32_t first_track) {
    constexpr size_t kAtOnce = 64;
    for (begin_ = 0; begin_ < all_.size(); begin_ += kAtOnce) {
      some_ = all_.subspan(begin_, std::min(kAtOnce, all_.size() - begin_));
      Take(columns_.ts_ns, &Slice::ts_ns, shift_ns);
      Take(columns_.dur_ns, &Slice::dur_ns);
      Take(columns_.track, &Slice::track, first_track);
      Take(columns_.name, &Slice::name);
      Take(columns_.category, &Slice::category);
      Take(columns_.depth, &Slice::depth);
      Take(columns_.details, &Slice::details);
      TakeRare(columns_.step, &Slice::step, kNull);
      TakeRare(columns_.correlation, &Slice::correlation, kNull);
      TakeRare(columns_.flow_out, &Slice::flow_out, kNull);
      TakeRare(columns_.flow_in, &Slice::flow_in, kNull);
      TakeRare(columns_.bytes, &Slice::bytes, kNull);
      TakeRare(columns_.group, &Slice::group, kNull);
      TakeRare(columns_.sequence, &Slice::sequence, kNull);
      TakeRare(columns_.external_id, &Slice::external_id, kNull);
      TakeRare(columns_.args, &Slice::args, store::StringId::kEmpty);
    }
  }

 private:
  template <class T>
  void Take(std::vector<T>& column, T Slice::*member) {
    if (begin_ == 0) column.resize(all_.size());
    T* to = column.data() + begin_;
    for (const Slice* slice : some_) *to++ = slice->*member;
  }
  // Of a column that may be of nulls alone, which then stays empty.
  template <class T>
  void TakeRare(std::vector<T>& column, T Slice::*member, T null) {
    if (begin_ == 0) column.clear();
    if (column.empty()) {
      bool any = false;
      for (const Slice* slice : some_) any |= slice->*member != null;
      if (!any) return;
      column.resize(all_.size());
      std::fill(column.begin(), column.begin() + static_cast<ptrdiff_t>(begin_), null);
    }
    T* to = column.data() + begin_;
    for (const Slice* slice : some_) *to++ = slice->*member;
  }
  template <class T>
  void Take(std::vector<T>& column, T Slice::*member, T more) {
    Take(column, member);
    T* to = column.data() + begin_;
    for (size_t i = 0; i < some_.size(); ++i) to[i] += more;
  }

  std::span<Slice* const> all_;
  store::SliceColumns& columns_;
  size_t begin_ = 0;
  std::span<Slice* const> some_;
};

}  // namespace

struct SliceWriter::Impl {
  Impl(store::ClosedRun& run_to_write, const store::StringTable& texts,
       const std::function<bool()>& ask)
      : run(run_to_write), strings(texts), stopped(ask), workers(Threads()) {}

  static int Threads() {
    constexpr unsigned kMostThreads = 4;
    return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 2u, kMostThreads));
  }

  // The slices of a group in their order, and what holds them.
  struct Group {
    Blocks blocks;
    Pointers slices;
  };

  // By begin, then the longer first: what encloses precedes.
  static Pointers Sorted(Blocks& blocks) {
    Pointers sorted = BeginOrder(blocks).Sorted();
    for (size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
      while (end < sorted.size() && sorted[end]->ts_ns == sorted[begin]->ts_ns) ++end;
      if (end - begin == 1) continue;
      std::stable_sort(sorted.begin() + static_cast<ptrdiff_t>(begin),
                       sorted.begin() + static_cast<ptrdiff_t>(end),
                       [](const Slice* a, const Slice* b) { return a->dur_ns > b->dur_ns; });
    }
    return sorted;
  }

  Status WriteSegment(std::span<Slice* const> slices, const Place& place, int64_t number) {
    if (stopped && stopped()) return Error{"stopped"};
    std::unique_ptr<store::SliceColumns> columns = TakeColumns();
    ColumnFiller(slices, *columns).Fill(place.shift_ns, place.first_track);
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

  // A group that is not whole holds not all of a rank: marks and launches may be in another.
  void WriteGroup(Blocks blocks, bool whole, std::vector<Flow>& flows, const Place& place) {
    auto group = std::make_shared<Group>();
    group->blocks = std::move(blocks);
    group->slices = Sorted(group->blocks);
    if (whole) SetSteps(group->slices, place.tracks, strings);
    Nesting nesting(flows);
    for (Slice* slice : group->slices) nesting.Enter(*slice);
    nesting.BindFlows(std::numeric_limits<int64_t>::max());
    for (size_t begin = 0; begin < group->slices.size(); begin += kSegmentRows) {
      workers.Add([this, group, begin, place, number = next++] {  // reads no tracks
        auto slices = std::span<Slice* const>(group->slices);
        size_t count = std::min(kSegmentRows, slices.size() - begin);
        return WriteSegment(slices.subspan(begin, count), place, number);
      });
    }
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

Status SliceWriter::Write(PartRows& rows, std::vector<Flow>& flows, const Place& place) {
  bool whole = rows.is_whole();
  while (true) {
    STEPTRACE_ASSIGN_OR_RETURN(auto blocks, rows.TakeGroup());
    if (blocks.empty()) return {};
    impl_->WriteGroup(std::move(blocks), whole, flows, place);
  }
}

Status SliceWriter::Finish() {
  return impl_->workers.Finish();
}

}  // namespace steptrace::import
