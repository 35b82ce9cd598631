// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/session_list.h"

#include <algorithm>

#include "agent/system/process.h"

namespace steptrace::agent {

void SessionList::Add(std::unique_ptr<ProcessSession> session) {
  sessions_.push_back(std::move(session));
  ++changes_;
}

void SessionList::EndGone(int64_t now_ns, const std::function<void(ProcessSession&)>& end) {
  for (auto& session : sessions_) {
    if (session->MayWrite(now_ns)) continue;
    end(*session);
    session.reset();
  }
  std::erase(sessions_, nullptr);
}

void SessionList::EndAll(const std::function<void(ProcessSession&)>& end) {
  for (const auto& session : sessions_) end(*session);
  sessions_.clear();
}

ProcessSession* SessionList::Of(const JobRoot& process) const {
  for (const auto& session : sessions_) {
    if (session && session->pid() == process.pid &&
        session->file().parts.start_time_ticks == process.start_ticks) {
      return session.get();
    }
  }
  return nullptr;
}

bool SessionList::Has(int32_t pid) const {
  return std::ranges::any_of(
      sessions_, [pid](const auto& session) { return session && session->pid() == pid; });
}

std::vector<JobRoot> SessionList::Roots() const {
  std::vector<JobRoot> roots;
  for (const auto& session : sessions_) {
    roots.push_back({session->pid(), session->file().parts.start_time_ticks, session->is_worker()});
  }
  return roots;
}

std::vector<std::pair<int32_t, int32_t>> SessionList::Workers() const {
  std::vector<std::pair<int32_t, int32_t>> workers;
  for (const auto& session : sessions_) {
    if (session && session->is_worker()) workers.emplace_back(session->rank(), session->pid());
  }
  return workers;
}

std::vector<RingProcess> SessionList::Living(int64_t now_ns) const {
  std::vector<RingProcess> living;
  for (const auto& session : sessions_) {
    if (!session->MayWrite(now_ns)) continue;
    living.push_back({session->outer_pid(), session->file().parts.start_time_ticks,
                      session->trains() || session->is_worker(), session->identity().comm});
  }
  return living;
}

int32_t SessionList::world_size() const {
  int32_t most = 1;
  for (const auto& session : sessions_) {
    if (session && session->trains()) most = std::max(most, session->world_size());
  }
  return most;
}

int32_t SessionList::ParentOf(int32_t pid) const {
  for (const auto& session : sessions_) {
    if (!session || session->pid() != pid) continue;
    if (session->identity().ppid > 0) return session->identity().ppid;
  }
  const auto stat = ReadProcessIdentity(pid);
  return stat ? stat->ppid : 0;
}

}  // namespace steptrace::agent
