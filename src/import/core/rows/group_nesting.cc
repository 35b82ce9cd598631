// SPDX-License-Identifier: Apache-2.0
#include "import/core/rows/group_nesting.h"

#include <algorithm>
#include <utility>

#include "import/core/rows/begin_order.h"
#include "import/core/rows/open_slices.h"
#include "import/core/rows/steps_across.h"

namespace steptrace::import {
namespace {

// What nests of a slice, and what its step depends on.
struct Key {
  int64_t ts_ns = 0;
  int64_t dur_ns = 0;
  int64_t correlation = kNull;
  int64_t step = kNull;  // as it was told
  int32_t track = 0;
};

// What was found of it.
struct Found {
  int64_t step = kNull;
  int32_t depth = 0;
};

// What was found takes the place of the key on the file. A key has it beside it while groups are
// merged.
static_assert(sizeof(Found) <= sizeof(Key) && sizeof(Key) == 40);
constexpr size_t kKeysAtOnce = 1 << 14;  // of a group: 640 KiB, a read that is long enough
constexpr size_t kMergedKeys = 1 << 18;  // of all groups together: 14 MiB
constexpr size_t kLeastKeys = 1 << 8;    // of a group, however many there are: reads of 10 KiB

// Flows that were bound, and steps of what was launched, wait for their groups in lists: so many of
// all together, of one, and of one however many groups there are.
constexpr size_t kListed = 1 << 16;
constexpr size_t kMostListed = 1 << 14;
constexpr size_t kLeastListed = 1 << 6;

}  // namespace

Status GroupNesting::AddGroup(const SliceGroup& slices) {
  const HugeVector<uint64_t> order = OrderByBegin(slices);
  const GroupColumn ts_ns(slices, &SliceBlock::Columns::ts_ns);
  const GroupColumn dur_ns(slices, &SliceBlock::Columns::dur_ns);
  const GroupColumn correlation(slices, &SliceBlock::Columns::correlation);
  const GroupColumn track(slices, &SliceBlock::Columns::track);
  const bool any_few = slices.has_few();
  Group group;
  group.rows = order.size();
  std::vector<Key> keys;
  for (size_t begin = 0; begin < order.size(); begin += keys.size()) {
    keys.resize(std::min(kKeysAtOnce, order.size() - begin));
    for (size_t i = 0; i < keys.size(); ++i) {
      const uint64_t row = order[begin + i];
      const SliceFew* few = any_few ? slices.FewAt(row) : nullptr;
      keys[i] = {ts_ns[row], dur_ns[row], correlation[row], few != nullptr ? few->step : kNull,
                 track[row]};
    }
    int64_t at = 0;
    STEPTRACE_RETURN_IF_ERROR(file_->Append(keys.data(), keys.size() * sizeof(Key), &at));
    if (begin == 0) group.at = at;
  }
  groups_.push_back(std::move(group));
  return {};
}

// Of each group in memory.
size_t GroupNesting::Listed() const {
  return std::clamp(kListed / groups_.size(), kLeastListed, kMostListed);
}

// Goes through the keys of all groups in one order.
class GroupNesting::Merge {
 public:
  Merge(SpillFile& file, std::vector<Group>& groups, size_t listed)
      : file_(file),
        groups_(groups),
        readers_(groups.size()),
        at_once_(std::clamp(kMergedKeys / groups.size(), kLeastKeys, kKeysAtOnce)),
        listed_(listed) {}

  // `steps`: nullptr: there are none.
  Status Run(SortedRows<Flow>& flows, StepsAcross* steps, const std::function<bool()>& stopped) {
    OpenSlices<GroupPlace> open(flows, [this](const GroupPlace& at, const Flow& flow) {
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
      const GroupPlace place{group, reader.begin + reader.next};
      Found& found = reader.found.emplace_back();
      found.depth = open.Enter(key.track, key.ts_ns, key.dur_ns, place);
      if (steps != nullptr) {
        found.step = steps->Enter({key.ts_ns, key.correlation, key.step, key.track}, place);
      }
      if (++reader.next == reader.keys.size()) {
        if (stopped && stopped()) return Error{"stopped"};
        STEPTRACE_RETURN_IF_ERROR(failed_);
        if (steps != nullptr) STEPTRACE_RETURN_IF_ERROR(steps->status());
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
  // A range of a group.
  struct Reader {
    const Key& Front() const { return keys[next]; }

    size_t begin = 0;  // of the range, among the group's
    size_t next = 0;   // in it
    std::vector<Key> keys;
    std::vector<Found> found;
  };

  // Writes what was found of a group's range, and reads the next; empty: there is none.
  Status Refill(size_t number) {
    const Group& group = groups_[number];
    Reader& reader = readers_[number];
    STEPTRACE_RETURN_IF_ERROR(
        file_.Write(group.at + static_cast<int64_t>(reader.begin * sizeof(Found)),
                    reader.found.data(), reader.found.size() * sizeof(Found)));
    reader.begin += reader.keys.size();
    reader.next = 0;
    reader.found.clear();
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
                                        std::span<const store::TrackRow> tracks,
                                        const store::StringTable& strings,
                                        const std::function<bool()>& stopped) {
  SpillFile& file = *rows.file();
  GroupNesting nesting(file);
  StepsAcross steps(file, tracks, strings);
  while (true) {
    if (stopped && stopped()) return Error{"stopped"};
    STEPTRACE_ASSIGN_OR_RETURN(const SliceGroup slices, rows.TakeGroup());
    if (slices.size() == 0) break;
    STEPTRACE_RETURN_IF_ERROR(nesting.AddGroup(slices));
    STEPTRACE_RETURN_IF_ERROR(steps.AddMarks(slices));
  }
  rows.Rewind();
  if (nesting.groups_.empty()) return nesting;
  nesting.any_steps_ = steps.Begin();
  const size_t listed = nesting.Listed();
  STEPTRACE_RETURN_IF_ERROR(Merge(file, nesting.groups_, listed)
                                .Run(flows, nesting.any_steps_ ? &steps : nullptr, stopped));
  if (nesting.any_steps_) {
    STEPTRACE_RETURN_IF_ERROR(steps.End([&](const GroupPlace& at, int64_t step) {
      return nesting.groups_[at.group].launched.Append({at.place, step}, listed, file);
    }));
  }
  return nesting;
}

Status GroupNesting::TakeNext(SliceGroup& slices, std::span<const uint64_t> order,
                              HugeVector<int32_t>* depths, HugeVector<int64_t>* steps) {
  Group group = std::move(groups_[next_++]);
  depths->resize(group.rows);
  if (any_steps_) steps->resize(group.rows);
  std::vector<Found> found;
  for (size_t begin = 0; begin < group.rows; begin += found.size()) {
    found.resize(std::min(kKeysAtOnce, group.rows - begin));
    STEPTRACE_RETURN_IF_ERROR(file_->Read(group.at + static_cast<int64_t>(begin * sizeof(Found)),
                                          found.data(), found.size() * sizeof(Found)));
    for (size_t i = 0; i < found.size(); ++i) {
      (*depths)[begin + i] = found[i].depth;
      if (any_steps_) (*steps)[begin + i] = found[i].step;
    }
  }
  STEPTRACE_RETURN_IF_ERROR(group.flows.Take(*file_, [&](const Bound& flow) {
    BindFlow(flow.id, flow.out, slices.FewOf(order[flow.place]));
  }));
  return group.launched.Take(
      *file_, [&](const Launched& launched) { (*steps)[launched.place] = launched.step; });
}

}  // namespace steptrace::import
