// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "store/tables.h"

namespace steptrace::agent {

// Numbers the tracks of a run and makes their rows, each once. One thread.
class TrackRegistry {
 public:
  TrackRegistry(int32_t node, store::StringTable& strings);

  int32_t node_track() const { return node_track_; }
  // A process or thread that lives now; the caller keeps the number. `kind`: process, worker,
  // thread.
  int32_t AddProcess(const char* kind, int32_t rank, int32_t pid, const std::string& name);
  int32_t AddThread(int32_t parent, int32_t rank, int32_t pid, int32_t tid,
                    const std::string& name);
  // A device as one rank sees it, and what runs on it in order; stream -1: all others.
  int32_t AddDevice(int32_t rank, int32_t device);
  int32_t AddStream(int32_t parent, int32_t rank, int32_t device, int64_t stream);
  // A new counter of that name on that device or in that process (-1 and 0: on the node).
  int32_t AddCounter(const std::string& name, int32_t rank, int32_t device, int32_t pid);
  // The counter that these were given at the first call, until its process is forgotten.
  int32_t Counter(const std::string& name, int32_t rank, int32_t device, int32_t pid);
  // The process is gone and its number free for another.
  void Forget(int32_t pid);

  size_t kept_counters() const { return counters_.size(); }

  // The rows made since the last call.
  std::vector<store::TrackRow> TakeRows();

 private:
  store::TrackRow& Add(const char* kind, int32_t rank, const std::string& name);

  int32_t node_;
  store::StringTable& strings_;
  int32_t next_ = 0;
  int32_t node_track_;
  std::map<std::tuple<int32_t, std::string, int32_t>, int32_t> counters_;  // by pid first
  std::vector<store::TrackRow> rows_;
};

}  // namespace steptrace::agent
