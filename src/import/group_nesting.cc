// SPDX-License-Identifier: Apache-2.0
#include "import/group_nesting.h"

#include <algorithm>
#include <utility>

#include "import/begin_order.h"
#include "import/open_slices.h"

namespace steptrace::import {
namespace {

// What nests of a slice.
struct Key {
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  int32_t track = 0;
  int32_t depth = 0;
};

// A key has its depth, 4 bytes, beside it while groups are merged.
static_assert(sizeof(Key) == 24);
constexpr size_t kKeysAtOnce = 1 << 14;  // of a group: 384 KiB, a read that is long enough
constexpr size_t kMergedKeys = 1 << 18;  // of all groups together: 7 MiB
constexpr size_t kLeastKeys = 1 << 8;    // of a group, however many there are: reads of 6 KiB

// Flows that were bound wait for their groups in lists: so many of all together, of one, and of one
// however many groups there are.
constexpr size_t kListed = 1 << 16;
constexpr size_t kMostListed = 1 << 14;
constexpr size_t kLeastListed = 1 << 6;

}  // namespace

Status GroupNesting::AddGroup(const SliceGroup& slices) {
  const HugeVector<uint64_t> order = OrderByBegin(slices);
  const GroupColumn ts_ns(slices, &SliceBlock::Columns::ts_ns);
  const GroupColumn dur_ns(slices, &SliceBlock::Columns::dur_ns);
  const GroupColumn track(slices, &SliceBlock::Columns::track);
  Group group;
  group.rows = order.size();
  std::vector<Key> keys;
  for (size_t begin = 0; begin < order.size(); begin += keys.size()) {
    keys.resize(std::min(kKeysAtOnce, order.size() - begin));
    for (size_t i = 0; i < keys.size(); ++i) {
      const uint64_t row = order[begin + i];
      keys[i] = {ts_ns[row], dur_ns[row], track[row], 0};
    }
    int64_t at = 0;
    STEPTRACE_RETURN_IF_ERROR(file_->Append(keys.data(), keys.size() * sizeof(Key), &at));
    if (begin == 0) group.at = at;
  }
  groups_.push_back(std::move(group));
  return {};
}

// Goes through the keys of all groups in one order. The depths take the place of the keys that were
// dealt with, which are longer.
class GroupNesting::Merge {
 public:
  Merge(SpillFile& file, std::vector<Group>& groups)
      : file_(file),
        groups_(groups),
        readers_(groups.size()),
        at_once_(std::clamp(kMergedKeys / groups.size(), kLeastKeys, kKeysAtOnce)),
        listed_(std::clamp(kListed / groups.size(), kLeastListed, kMostListed)) {}

  Status Run(SortedRows<Flow>& flows, const std::function<bool()>& stopped) {
    struct Place {
      size_t group;
      size_t place;
    };
    OpenSlices<Place> open(flows, [this](const Place& at, const Flow& flow) {
      Status kept = groups_[at.group].flows.Append({at.place, flow.id, flow.out}, listed_, file_);
      if (!kept.ok() && failed_.ok()) failed_ = kept;
    });
    // The top of the heap comes first: of two alike that of the earlier group, as the rows came.
    const auto later = [this](size_t a, size_t b) {
      const Key& x = readers_[a].Front();
      const Key& y = readers_[b].Front();
      if (x.ts_ns != y.ts_ns) return x.ts_ns > y.ts_ns;
      return x.dur_ns != y.dur_ns ? x.dur_ns < y.dur_ns : a > b;
    };
    std::vector<size_t> heap;
    for (size_t group = 0; group < groups_.size(); ++group) {
      STEPTRACE_RETURN_IF_ERROR(Refill(group));
      if (!readers_[group].keys.empty()) heap.push_back(group);
    }
    std::make_heap(heap.begin(), heap.end(), later);
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), later);
      const size_t group = heap.back();
      Reader& reader = readers_[group];
      const Key& key = reader.Front();
      reader.depths.push_back(
          open.Enter(key.track, key.ts_ns, key.dur_ns, {group, reader.begin + reader.next}));
      if (++reader.next == reader.keys.size()) {
        if (stopped && stopped()) return Error{"stopped"};
        STEPTRACE_RETURN_IF_ERROR(failed_);
        STEPTRACE_RETURN_IF_ERROR(Refill(group));
      }
      if (reader.keys.empty()) {
        heap.pop_back();
      } else {
        std::push_heap(heap.begin(), heap.end(), later);
      }
    }
    STEPTRACE_RETURN_IF_ERROR(open.End());
    return failed_;
  }

 private:
  // A stretch of a group.
  struct Reader {
    const Key& Front() const { return keys[next]; }

    size_t begin = 0;  // of the stretch, among the group's
    size_t next = 0;   // in it
    std::vector<Key> keys;
    std::vector<int32_t> depths;
  };

  // Writes the depths of a group's stretch, and reads the next; empty: there is none.
  Status Refill(size_t number) {
    const Group& group = groups_[number];
    Reader& reader = readers_[number];
    STEPTRACE_RETURN_IF_ERROR(
        file_.Write(group.at + static_cast<int64_t>(reader.begin * sizeof(int32_t)),
                    reader.depths.data(), reader.depths.size() * sizeof(int32_t)));
    reader.begin += reader.keys.size();
    reader.next = 0;
    reader.depths.clear();
    reader.keys.resize(std::min(at_once_, group.rows - reader.begin));
    return file_.Read(group.at + static_cast<int64_t>(reader.begin * sizeof(Key)),
                      reader.keys.data(), reader.keys.size() * sizeof(Key));
  }

  SpillFile& file_;
  std::vector<Group>& groups_;
  std::vector<Reader> readers_;
  const size_t at_once_;
  const size_t listed_;  // of a group in memory
  Status failed_;        // the first flows that the disk refused
};

Result<GroupNesting> GroupNesting::Find(PartRows& rows, SortedRows<Flow>& flows,
                                        const std::function<bool()>& stopped) {
  GroupNesting nesting(*rows.file());
  while (true) {
    if (stopped && stopped()) return Error{"stopped"};
    STEPTRACE_ASSIGN_OR_RETURN(const SliceGroup slices, rows.TakeGroup());
    if (slices.size() == 0) break;
    STEPTRACE_RETURN_IF_ERROR(nesting.AddGroup(slices));
  }
  rows.Rewind();
  if (!nesting.groups_.empty()) {
    STEPTRACE_RETURN_IF_ERROR(Merge(*nesting.file_, nesting.groups_).Run(flows, stopped));
  }
  return nesting;
}

Result<HugeVector<int32_t>> GroupNesting::TakeNext(SliceGroup& slices,
                                                   std::span<const uint64_t> order) {
  Group group = std::move(groups_[next_++]);
  HugeVector<int32_t> depths(group.rows);
  STEPTRACE_RETURN_IF_ERROR(file_->Read(group.at, depths.data(), group.rows * sizeof(int32_t)));
  STEPTRACE_RETURN_IF_ERROR(group.flows.Take(*file_, [&](const Bound& flow) {
    GiveFlow(flow.id, flow.out, slices.FewOf(order[flow.place]));
  }));
  return depths;
}

}  // namespace steptrace::import
