// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "store/stored_words.h"
#include "store/tables.h"

namespace steptrace::agent {

// Numbers the tracks of a run and makes their rows, each once. One thread.
class TrackRegistry {
 public:
  TrackRegistry(int32_t node, store::StringTable& strings);

  // A process or thread that lives now; the caller keeps the number. `kind`: process or worker.
  int32_t AddProcess(store::TrackKind kind, int32_t rank, int32_t pid, const std::string& name);
  // A process of which it is not known yet whether it is a worker: until SettleProcess tells its
  // kind its row is held back for kRoleWaitNs, then it is a process.
  int32_t AddUnsettledProcess(int32_t rank, int32_t pid, const std::string& name);
  void SettleProcess(int32_t track, store::TrackKind kind);
  int32_t AddThread(int32_t parent, int32_t rank, int32_t pid, int32_t tid,
                    const std::string& name);
  // A device as one rank sees it, and what runs on it in order; stream -1: all others.
  int32_t AddDevice(int32_t rank, int32_t device);
  int32_t AddStream(int32_t parent, int32_t rank, int32_t device, int64_t stream);
  // A new counter of that name on that device or in that process (-1 and 0: on the node).
  int32_t AddCounter(const std::string& name, int32_t rank, int32_t device, int32_t pid);
  // The counter that these were given at the first call, until its process is forgotten.
  int32_t Counter(const std::string& name, int32_t rank, int32_t device, int32_t pid);
  // A stream of a device, which that process drives.
  int32_t AddStream(int32_t parent, int32_t rank, int32_t pid, int32_t device, int64_t stream,
                    const std::string& name);

  struct Process {
    int32_t track = 0;
    int32_t rank = -1;
  };
  // The newest process of that number, gone or not; its thread. None: it has no track.
  std::optional<Process> ProcessOf(int32_t pid) const;
  std::optional<int32_t> ThreadOf(int32_t pid, int32_t tid) const;

  // The process is gone and its number free for another.
  void Forget(int32_t pid);

  // The rows made since the last call.
  std::vector<store::TrackRow> TakeRows();
  // The same without those that are held back; `now_ns` of one clock.
  std::vector<store::TrackRow> TakeSettledRows(int64_t now_ns);

  // A worker that was spawned imports torch before it says what it is.
  static constexpr int64_t kRoleWaitNs = 30'000'000'000;

 private:
  struct Held {
    store::TrackRow row;
    std::optional<int64_t> since_ns;  // as of the first time that rows were taken
  };
  store::TrackRow& Add(store::TrackKind kind, int32_t rank, const std::string& name);

  int32_t node_;
  store::StringTable& strings_;
  int32_t next_ = 0;
  int32_t node_track_;
  std::map<std::tuple<int32_t, std::string, int32_t>, int32_t> counters_;  // by pid first
  // For those who bring rows of a process later, when it may be gone: bounded, the first ones stay.
  static constexpr size_t kMostKnown = 1 << 16;
  std::map<int32_t, Process> processes_;
  std::map<std::pair<int32_t, int32_t>, int32_t> threads_;
  std::vector<store::TrackRow> rows_;
  std::map<int32_t, Held> held_;  // by track
};

}  // namespace steptrace::agent
