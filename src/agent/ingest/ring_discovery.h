// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "agent/ingest/hooks_marks.h"
#include "agent/ingest/process_session.h"
#include "agent/ingest/ring_watch.h"
#include "agent/rows/loss_book.h"

namespace steptrace::agent {

// Opens the ring files of a run's folder as they come:
//
//   seen ─► opened ─► a session
//     │ its writer is not done with it ─► waiting: tried again, ever less often
//     └ damaged, or there was no room for it ─► a loss
//
// One thread.
class RingDiscovery {
 public:
  // `losses` must outlive it.
  RingDiscovery(RingWatch watch, LossBook& losses) : watch_(std::move(watch)), losses_(losses) {}

  using Found = std::function<void(std::unique_ptr<ProcessSession>)>;
  // Looks for new files (always when `forced`), and shows those that could be opened.
  void Scan(const SessionContext& context, int64_t now_ns, bool forced, const Found& found);
  // Of those that still wait nothing is waited for any more.
  void Finish(const SessionContext& context, int64_t now_ns, const Found& found);
  // The process is gone and its file is read.
  void Remove(const RingFileSeen& file) { watch_.Remove(file); }
  void ReportLosses(int64_t now_ns);

  // Files that wait to be opened.
  size_t waiting() const { return pending_.size(); }
  bool saw_ring() const { return saw_ring_; }
  // kNoRing, of the processes whose ring found no room: that is a loss of its own.
  const HooksMarks& without_room() const { return without_room_; }
  int wake_fd() const { return watch_.fd(); }

 private:
  struct Pending {
    RingFileSeen seen;
    int64_t since_ns = 0;
    int64_t next_ns = INT64_MIN;  // it is tried again
    int64_t wait_ns = 0;          // 0: its writer is not waited for
  };
  void NoteSeen(const RingFileSeen& seen, int64_t now_ns);
  bool TryOpen(const SessionContext& context, Pending& pending, int64_t now_ns, const Found& found);
  bool WaitForWriter(Pending& pending, int64_t now_ns) const;
  void GiveUp(const Pending& pending, const std::string& why, int64_t now_ns);

  RingWatch watch_;
  LossBook& losses_;
  std::vector<Pending> pending_;
  bool saw_ring_ = false;
  HooksMarks without_room_;
  std::set<int32_t> pids_without_room_;
};

}  // namespace steptrace::agent
