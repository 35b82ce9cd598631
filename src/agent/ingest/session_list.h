// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "agent/ingest/process_session.h"
#include "agent/system/job_reader.h"

namespace steptrace::agent {

// A living process with a ring.
struct RingProcess {
  int32_t pid = 0;  // as the agent sees it; 0: it cannot be seen
  uint64_t start_ticks = 0;
  bool trains = false;  // or works for one that does
  std::string comm;
};

// The processes whose rings are read, in the order in which they came. One thread.
class SessionList {
 public:
  using Sessions = std::vector<std::unique_ptr<ProcessSession>>;

  void Add(std::unique_ptr<ProcessSession> session);
  // Ends those of which no more comes, one after the other, and takes them out. Who asks for a
  // process meanwhile hears nothing of those that have ended.
  void EndGone(int64_t now_ns, const std::function<void(ProcessSession&)>& end);
  void EndAll(const std::function<void(ProcessSession&)>& end);

  Sessions::const_iterator begin() const { return sessions_.begin(); }
  Sessions::const_iterator end() const { return sessions_.end(); }
  size_t size() const { return sessions_.size(); }
  // Counts up when a process comes or goes.
  int64_t changes() const { return changes_; }
  void NoteChange() { ++changes_; }

  // The session of that process; nullptr: it has none (any more).
  ProcessSession* Of(const JobRoot& process) const;
  bool Has(int32_t pid) const;
  // The processes with rings, for those who follow the job's process tree.
  std::vector<JobRoot> Roots() const;
  // The DataLoader workers, as rank and pid.
  std::vector<std::pair<int32_t, int32_t>> Workers() const;
  std::vector<RingProcess> Living(int64_t now_ns) const;
  // As the training processes tell; 1: none does.
  int32_t world_size() const;
  // The parent of a process, also of one that is gone but has a ring; 0: not known.
  int32_t ParentOf(int32_t pid) const;

 private:
  Sessions sessions_;  // nullptr: has just ended
  int64_t changes_ = 0;
};

}  // namespace steptrace::agent
