// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/rank_assigner.h"

namespace steptrace::agent {

int32_t RankAssigner::Assign(int32_t pid, int32_t reported_rank, bool trains) {
  if (auto known = rank_of_pid_.find(pid); known != rank_of_pid_.end()) return known->second;
  int32_t rank = reported_rank;
  if (rank < 0) {
    if (auto inherited = OfAncestor(pid)) {
      rank = *inherited;
    } else if (trains) {
      rank = NextFree();
      ++numbered_;
    } else {
      return NextFree();
    }
  }
  rank_of_pid_[pid] = rank;
  ++uses_of_rank_[rank];
  return rank;
}

void RankAssigner::Forget(int32_t pid) {
  rank_of_pid_.erase(pid);
}

std::optional<int32_t> RankAssigner::OfAncestor(int32_t pid) const {
  int32_t ancestor = pid;
  for (int i = 0; i < kMaxAncestors; ++i) {
    ancestor = parent_of_(ancestor);
    if (ancestor <= 1) return std::nullopt;
    if (auto found = rank_of_pid_.find(ancestor); found != rank_of_pid_.end()) return found->second;
  }
  return std::nullopt;
}

int32_t RankAssigner::NextFree() const {
  int32_t rank = 0;
  while (uses_of_rank_.count(rank) != 0) ++rank;
  return rank;
}

}  // namespace steptrace::agent
