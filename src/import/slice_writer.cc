// SPDX-License-Identifier: Apache-2.0
#include "import/slice_writer.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <tuple>
#include <utility>

namespace steptrace::import {
namespace {

constexpr size_t kSegmentRows = 1 << 17;
constexpr int kThreads = 2;

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

std::optional<int64_t> Optional(int64_t value) {
  return value == kNull ? std::nullopt : std::optional<int64_t>(value);
}

void Convert(const Slice& slice, int32_t rank, int64_t shift_ns, store::SliceRow* row) {
  row->ts_ns = slice.ts_ns + shift_ns;
  row->dur_ns = slice.dur_ns;
  row->track = slice.track;
  row->rank = rank;
  row->name = slice.name;
  row->category = slice.category;
  row->depth = slice.depth;
  row->step = Optional(slice.step);
  row->correlation = Optional(slice.correlation);
  row->flow_out = Optional(slice.flow_out);
  row->flow_in = Optional(slice.flow_in);
  row->bytes = Optional(slice.bytes);
  row->group = Optional(slice.group);
  row->sequence = Optional(slice.sequence);
  row->external_id = Optional(slice.external_id);
  row->details = slice.details;
}

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

struct Key {
  int64_t ts_ns;
  int64_t minus_dur_ns;
  uint32_t index;

  bool operator<(const Key& other) const {
    return std::tie(ts_ns, minus_dur_ns, index) <
           std::tie(other.ts_ns, other.minus_dur_ns, other.index);
  }
};

}  // namespace

struct SliceWriter::Impl {
  Impl(store::ClosedRun& run_to_write, const store::StringTable& texts)
      : run(run_to_write), strings(texts), workers(kThreads) {}

  using Blocks = std::vector<PartRows::Block>;

  // By begin, then the longer first: what encloses precedes.
  static std::vector<Key> Sorted(const Blocks& blocks) {
    std::vector<Key> keys;
    keys.reserve(blocks.size() * PartRows::kBlockRows);
    uint32_t index = 0;
    for (const auto& block : blocks) {
      for (const Slice& slice : block) keys.push_back({slice.ts_ns, -slice.dur_ns, index++});
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  static Slice& At(Blocks& rows, uint32_t index) {
    return rows[index / PartRows::kBlockRows][index % PartRows::kBlockRows];
  }

  Status WriteSegment(Blocks& blocks, std::span<const Key> keys, int32_t node, int32_t rank,
                      int64_t shift_ns, int64_t number) {
    std::vector<store::SliceRow> rows(keys.size());
    for (size_t i = 0; i < keys.size(); ++i) {
      const Slice& slice = At(blocks, keys[i].index);
      Convert(slice, rank, shift_ns, &rows[i]);
      if (slice.args != store::StringId::kEmpty) rows[i].args = strings.Text(slice.args);
    }
    return run.Write<store::SliceRow>(rows, strings, node, rank, number);
  }

  void WriteGroup(std::shared_ptr<Blocks> blocks, std::vector<Flow>& flows, int32_t node,
                  int32_t rank, int64_t shift_ns) {
    auto keys = std::make_shared<std::vector<Key>>(Sorted(*blocks));
    Nesting nesting(flows);
    for (const Key& key : *keys) nesting.Enter(At(*blocks, key.index));
    nesting.BindFlows(std::numeric_limits<int64_t>::max());
    for (size_t begin = 0; begin < keys->size(); begin += kSegmentRows) {
      size_t count = std::min(kSegmentRows, keys->size() - begin);
      workers.Add([this, blocks, keys, begin, count, node, rank, shift_ns, number = next++] {
        auto part = std::span<const Key>(*keys).subspan(begin, count);
        return WriteSegment(*blocks, part, node, rank, shift_ns, number);
      });
    }
  }

  store::ClosedRun& run;
  const store::StringTable& strings;
  int64_t next = 0;
  Workers workers;
};

SliceWriter::SliceWriter(store::ClosedRun& run, const store::StringTable& strings)
    : impl_(std::make_unique<Impl>(run, strings)) {}
SliceWriter::~SliceWriter() = default;

Status SliceWriter::Write(PartRows& rows, std::vector<Flow>& flows, int32_t node, int32_t rank,
                          int64_t shift_ns) {
  while (true) {
    STEPTRACE_ASSIGN_OR_RETURN(auto blocks, rows.TakeGroup());
    if (blocks.empty()) return {};
    impl_->WriteGroup(std::make_shared<Impl::Blocks>(std::move(blocks)), flows, node, rank,
                      shift_ns);
  }
}

Status SliceWriter::Finish() {
  return impl_->workers.Finish();
}

}  // namespace steptrace::import
