// SPDX-License-Identifier: Apache-2.0
#include "agent/rows/track_registry.h"

#include <algorithm>
#include <utility>

namespace steptrace::agent {

TrackRegistry::TrackRegistry(int32_t node, store::StringTable& strings)
    : node_(node), strings_(strings) {
  node_track_ = Add(store::TrackKind::kNode, -1, "node " + std::to_string(node)).track;
}

store::TrackRow& TrackRegistry::Add(store::TrackKind kind, int32_t rank, const std::string& name) {
  store::TrackRow row;
  row.track = next_++;
  row.kind = strings_.Intern(store::NameOf(kind));
  row.node = node_;
  row.rank = rank;
  row.name = name;
  rows_.push_back(std::move(row));
  return rows_.back();
}

int32_t TrackRegistry::AddProcess(store::TrackKind kind, int32_t rank, int32_t pid,
                                  const std::string& name) {
  store::TrackRow& row = Add(kind, rank, name);
  row.parent = node_track_;
  row.pid = pid;
  threads_.erase(threads_.lower_bound({pid, INT32_MIN}),
                 threads_.lower_bound({pid + 1, INT32_MIN}));
  if (processes_.size() < kMostKnown || processes_.contains(pid)) {
    processes_[pid] = {row.track, rank};
  }
  return row.track;
}

int32_t TrackRegistry::AddUnsettledProcess(int32_t rank, int32_t pid, const std::string& name) {
  const int32_t track = AddProcess(store::TrackKind::kProcess, rank, pid, name);
  held_[track] = {std::move(rows_.back()), std::nullopt};
  rows_.pop_back();
  return track;
}

void TrackRegistry::SettleProcess(int32_t track, store::TrackKind kind) {
  const auto found = held_.find(track);
  if (found == held_.end()) return;
  found->second.row.kind = strings_.Intern(store::NameOf(kind));
  rows_.push_back(std::move(found->second.row));
  held_.erase(found);
}

int32_t TrackRegistry::AddStream(int32_t parent, int32_t rank, int32_t pid, int32_t device,
                                 int64_t stream, const std::string& name) {
  store::TrackRow& row = Add(store::TrackKind::kStream, rank, name);
  row.parent = parent;
  row.pid = pid;
  row.device = device;
  row.stream = stream;
  return row.track;
}

std::optional<TrackRegistry::Process> TrackRegistry::ProcessOf(int32_t pid) const {
  const auto found = processes_.find(pid);
  return found == processes_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<int32_t> TrackRegistry::ThreadOf(int32_t pid, int32_t tid) const {
  const auto found = threads_.find({pid, tid});
  return found == threads_.end() ? std::nullopt : std::optional(found->second);
}

int32_t TrackRegistry::AddThread(int32_t parent, int32_t rank, int32_t pid, int32_t tid,
                                 const std::string& name) {
  store::TrackRow& row = Add(store::TrackKind::kThread, rank, name);
  row.parent = parent;
  row.pid = pid;
  row.tid = tid;
  if (threads_.size() < kMostKnown) threads_[{pid, tid}] = row.track;
  return row.track;
}

int32_t TrackRegistry::AddDevice(int32_t rank, int32_t device) {
  store::TrackRow& row = Add(store::TrackKind::kDevice, rank, "GPU " + std::to_string(device));
  row.parent = node_track_;
  row.device = device;
  return row.track;
}

int32_t TrackRegistry::AddStream(int32_t parent, int32_t rank, int32_t device, int64_t stream) {
  store::TrackRow& row = Add(store::TrackKind::kStream, rank,
                             stream < 0 ? "more streams" : "stream " + std::to_string(stream));
  row.parent = parent;
  row.device = device;
  row.stream = stream;
  return row.track;
}

int32_t TrackRegistry::AddCounter(const std::string& name, int32_t rank, int32_t device,
                                  int32_t pid) {
  store::TrackRow& row = Add(store::TrackKind::kCounter, rank, name);
  row.parent = node_track_;
  if (device >= 0) row.device = device;
  if (pid > 0) row.pid = pid;
  return row.track;
}

int32_t TrackRegistry::Counter(const std::string& name, int32_t rank, int32_t device, int32_t pid) {
  auto [found, added] = counters_.try_emplace({pid, name, device}, 0);
  if (added) found->second = AddCounter(name, rank, device, pid);
  return found->second;
}

void TrackRegistry::Forget(int32_t pid) {
  constexpr int32_t kBelowAllDevices = INT32_MIN;
  counters_.erase(counters_.lower_bound({pid, "", kBelowAllDevices}),
                  counters_.lower_bound({pid + 1, "", kBelowAllDevices}));
}

std::vector<store::TrackRow> TrackRegistry::TakeSettledRows(int64_t now_ns) {
  for (auto it = held_.begin(); it != held_.end();) {
    Held& held = it->second;
    if (!held.since_ns) held.since_ns = now_ns;
    if (now_ns - *held.since_ns < kRoleWaitNs) {
      ++it;
      continue;
    }
    rows_.push_back(std::move(held.row));
    it = held_.erase(it);
  }
  return std::exchange(rows_, {});
}

std::vector<store::TrackRow> TrackRegistry::TakeRows() {
  for (auto& [track, held] : held_) rows_.push_back(std::move(held.row));
  held_.clear();
  std::stable_sort(rows_.begin(), rows_.end(),
                   [](const auto& a, const auto& b) { return a.track < b.track; });
  return std::exchange(rows_, {});
}

}  // namespace steptrace::agent
