// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace steptrace::agent {

// Says to which rank a process belongs.
//
//   the launcher of the job told it (RANK)       ─► that rank
//   an ancestor has one (a DataLoader worker)    ─► the ancestor's
//   it trains                                    ─► the next free number, from 0
//   anything else                                ─► the number that it would get if it trained
//
// Passive, one thread.
class RankAssigner {
 public:
  // The parent of a process, 0: not known. Asked at most kMaxAncestors times for one decision.
  using ParentOf = std::function<int32_t(int32_t pid)>;
  static constexpr int kMaxAncestors = 64;

  explicit RankAssigner(ParentOf parent_of) : parent_of_(std::move(parent_of)) {}

  // `reported_rank` is -1 where nothing was told. `trains`: it has shown a training step's phase.
  int32_t Assign(int32_t pid, int32_t reported_rank, bool trains);
  // The pid is free for another process.
  void Forget(int32_t pid);

  // Trainings that had to be numbered because nobody told their rank.
  int numbered() const { return numbered_; }

 private:
  std::optional<int32_t> OfAncestor(int32_t pid) const;
  int32_t NextFree() const;

  ParentOf parent_of_;
  std::map<int32_t, int32_t> rank_of_pid_;
  std::map<int32_t, int> uses_of_rank_;
  int numbered_ = 0;
};

}  // namespace steptrace::agent
