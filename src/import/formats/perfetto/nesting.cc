// SPDX-License-Identifier: Apache-2.0
#include "import/formats/perfetto/nesting.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace steptrace::import::perfetto {
namespace {

constexpr size_t kMostInner = 1 << 10;
constexpr int64_t kMostOpen = 1 << 20;  // slices that are open at once

}  // namespace

Status Nesting::Add(const Edge& edge) {
  if (!options_.sort) {
    auto found = tracks_.find(edge.uuid);
    // What the file's order cannot be trusted with: an end before what came last on the track or
    // of nothing, a begin before the one that it would lie in.
    bool disordered = found == tracks_.end()
                          ? !edge.begins
                          : edge.ts_ns < (edge.begins ? found->second.open.back().slice.ts_ns
                                                      : found->second.last_ns);
    needs_sorting_ = needs_sorting_ || disordered;
    return Pair(edge);
  }
  if (any_paired_ && edge.ts_ns < paired_until_ns_) {
    ++late_;
    return Pair(edge);
  }
  waiting_.push_back(edge);
  waiting_.back().order = ++came_[edge.uuid];
  const auto bytes = static_cast<int64_t>(waiting_.size() * sizeof(Edge));
  if (bytes < std::max<int64_t>(options_.most_bytes, sizeof(Edge))) return {};
  return PairEarlier((waiting_.size() + 1) / 2);
}

Status Nesting::PairEarlier(size_t count) {
  std::stable_sort(waiting_.begin(), waiting_.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.ts_ns, a.uuid) < std::tie(b.ts_ns, b.uuid);
  });
  // Edges of one moment stay together.
  while (count < waiting_.size() && waiting_[count].ts_ns == waiting_[count - 1].ts_ns) ++count;
  for (size_t begin = 0; begin < count;) {
    size_t end = begin;
    while (end < count && waiting_[end].ts_ns == waiting_[begin].ts_ns &&
           waiting_[end].uuid == waiting_[begin].uuid) {
      ++end;
    }
    STEPTRACE_RETURN_IF_ERROR(PairMoment(begin, end));
    begin = end;
  }
  if (count > 0) {
    any_paired_ = true;
    paired_until_ns_ = waiting_[count - 1].ts_ns;
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
  return {};
}

// Of one track at one moment: first the ends of what is open, for one slice may follow another
// without a gap and a writer may tell all begins first. Then begins, a slice without duration whose
// begin and end came together with its end; then the ends that are left.
Status Nesting::PairMoment(size_t begin, size_t end) {
  auto found = tracks_.find(waiting_[begin].uuid);
  size_t open = found == tracks_.end() ? 0 : found->second.open.size();
  auto whole = [&](size_t i) {
    return i + 1 < end && waiting_[i].begins && !waiting_[i + 1].begins &&
           waiting_[i].order + 1 == waiting_[i + 1].order;
  };
  std::vector<size_t> later;
  for (size_t i = begin; i < end; ++i) {
    if (whole(i)) {
      later.push_back(i);
      later.push_back(++i);
    } else if (waiting_[i].begins || open == 0) {
      later.push_back(i);
    } else {
      --open;
      STEPTRACE_RETURN_IF_ERROR(Pair(waiting_[i]));
    }
  }
  // Ends that are left belong to begins of this moment: behind all of these.
  auto is_first = [&](size_t i) { return waiting_[i].begins || (i > begin && whole(i - 1)); };
  for (size_t i : later) {
    if (is_first(i)) STEPTRACE_RETURN_IF_ERROR(Pair(waiting_[i]));
  }
  for (size_t i : later) {
    if (!is_first(i)) STEPTRACE_RETURN_IF_ERROR(Pair(waiting_[i]));
  }
  return {};
}

Status Nesting::Pair(const Edge& edge) {
  if (edge.begins) {
    if (open_ >= kMostOpen) {
      ++begins_without_end_;
      return {};
    }
    ++open_;
    Track& track = tracks_[edge.uuid];
    track.open.push_back({edge.slice, {}});
    track.last_ns = edge.ts_ns;
    return {};
  }
  auto found = tracks_.find(edge.uuid);
  if (found == tracks_.end()) {
    ++ends_without_begin_;
    return {};
  }
  STEPTRACE_RETURN_IF_ERROR(Close(edge.uuid, found->second, edge));
  if (found->second.open.empty()) tracks_.erase(found);
  return {};
}

Status Nesting::Close(uint64_t uuid, Track& track, const Edge& end) {
  Open open = std::move(track.open.back());
  track.open.pop_back();
  track.last_ns = end.ts_ns;
  --open_;
  join_(end.slice, &open.slice);
  open.slice.dur_ns = end.ts_ns - open.slice.ts_ns;
  if (open.slice.dur_ns < 0) {
    ++negative_;
    open.slice.dur_ns = 0;
  }
  if (track.open.empty() || track.open.back().slice.ts_ns != open.slice.ts_ns) {
    return Emit(uuid, open);
  }
  std::vector<Slice>& inner = track.open.back().inner;
  if (inner.size() + open.inner.size() >= kMostInner) return Emit(uuid, open);
  inner.push_back(open.slice);
  inner.insert(inner.end(), open.inner.begin(), open.inner.end());
  return {};
}

Status Nesting::Emit(uint64_t uuid, const Open& open) {
  STEPTRACE_RETURN_IF_ERROR(take_(uuid, open.slice));
  for (const Slice& slice : open.inner) STEPTRACE_RETURN_IF_ERROR(take_(uuid, slice));
  return {};
}

Status Nesting::Finish() {
  STEPTRACE_RETURN_IF_ERROR(PairEarlier(waiting_.size()));
  begins_without_end_ += open_;
  // What ended inside of what did not.
  std::vector<uint64_t> uuids;  // a table has no order
  for (const auto& [uuid, track] : tracks_) uuids.push_back(uuid);
  std::sort(uuids.begin(), uuids.end());
  for (const uint64_t uuid : uuids) {
    for (const Open& open : tracks_.find(uuid)->second.open) {
      for (const Slice& slice : open.inner) STEPTRACE_RETURN_IF_ERROR(take_(uuid, slice));
    }
  }
  return {};
}

}  // namespace steptrace::import::perfetto
