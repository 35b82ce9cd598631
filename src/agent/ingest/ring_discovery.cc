// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/ring_discovery.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "agent/system/process.h"
#include "base/time.h"
#include "base/utf8.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {
namespace {

// A writer makes its file in microseconds; after this it is not being made but damaged, or its
// process is stopped.
constexpr int64_t kOpenPatienceNs = 2 * kNsPerSecond;
// A stopped process's file is looked at again: what it records once it goes on stays in its ring
// for longer.
constexpr int64_t kFirstWaitNs = 50 * kNsPerMs;
constexpr int64_t kLongestWaitNs = kNsPerSecond;

}  // namespace

void RingDiscovery::Scan(const SessionContext& context, int64_t now_ns, bool forced,
                         const Found& found) {
  for (const RingFileSeen& seen : watch_.TakeNew(forced)) NoteSeen(seen, now_ns);
  std::vector<Pending> waiting;
  for (Pending& pending : pending_) {
    const bool due = now_ns >= pending.next_ns;
    if (!due || !TryOpen(context, pending, now_ns, found)) waiting.push_back(pending);
  }
  pending_ = std::move(waiting);
}

void RingDiscovery::NoteSeen(const RingFileSeen& seen, int64_t now_ns) {
  saw_ring_ = true;
  if (!seen.parts.no_space) {
    pending_.push_back({seen, now_ns, INT64_MIN, 0});
    return;
  }
  without_room_.Add(HooksMark::kNoRing, seen.parts.pid);
  pids_without_room_.insert(seen.parts.pid);
  losses_.Once({-1, seen.parts.pid}, LossCause::kSharedMemoryFull, -1, now_ns,
               Make(model::finding::LossNoRoomForRing{.pid = seen.parts.pid}));
  watch_.Remove(seen);
}

// True: settled, as a session or as a loss.
bool RingDiscovery::TryOpen(const SessionContext& context, Pending& pending, int64_t now_ns,
                            const Found& found) {
  auto session = ProcessSession::Open(pending.seen, watch_.folder_fd(), context);
  if (session.ok()) {
    found(*std::move(session));
    return true;
  }
  if (now_ns - pending.since_ns < kOpenPatienceNs) return false;
  if (WaitForWriter(pending, now_ns)) return false;
  GiveUp(pending, session.error().text(), now_ns);
  return true;
}

// Of a process that lives and is not done with its file, as one that was stopped at it.
bool RingDiscovery::WaitForWriter(Pending& pending, int64_t now_ns) const {
  const RingFileName& process = pending.seen.parts;
  const bool made = transport::UntrustedRingFile::IsBeingMade(watch_.folder_fd(),
                                                              pending.seen.name.c_str(), geteuid());
  if (made && IsAlive(process.pid, process.start_time_ticks)) {
    pending.wait_ns = std::clamp(2 * pending.wait_ns, kFirstWaitNs, kLongestWaitNs);
    pending.next_ns = now_ns + pending.wait_ns;
    return true;
  }
  // It went on, or was killed: as one that has just been seen.
  if (std::exchange(pending.wait_ns, 0) == 0) return false;
  pending.since_ns = now_ns;
  return true;
}

void RingDiscovery::GiveUp(const Pending& pending, const std::string& why, int64_t now_ns) {
  const int32_t pid = pending.seen.parts.pid;
  // It took the file back that found no room, and says so in another.
  if (pids_without_room_.contains(pid)) return;
  losses_.Once({-1, pid}, LossCause::kRingDamaged, -1, now_ns,
               Make(model::finding::LossRingUnreadable{.pid = pid, .reason = CleanUtf8(why)}));
}

void RingDiscovery::Finish(const SessionContext& context, int64_t now_ns, const Found& found) {
  for (const Pending& pending : std::exchange(pending_, {})) {
    auto session = ProcessSession::Open(pending.seen, watch_.folder_fd(), context);
    if (session.ok()) {
      found(*std::move(session));
    } else {
      GiveUp(pending, session.error().text(), now_ns);
    }
  }
}

void RingDiscovery::ReportLosses(int64_t now_ns) {
  losses_.Set({}, LossCause::kStrangeFiles, watch_.strange_files(), now_ns);
  losses_.Set({}, LossCause::kTooManyProcesses, watch_.files_beyond_limit(), now_ns);
}

}  // namespace steptrace::agent
