// SPDX-License-Identifier: Apache-2.0
#include "analyze/derive/chunk_list.h"

#include <algorithm>

namespace steptrace::analyze {

void ChunkList::Start(int64_t ts_ns, bool in_evaluation) {
  if (!chunks_.empty()) {
    Chunk& last = chunks_.back();
    last.end_ns = ts_ns;
    if (last.begin_ns == ts_ns && !last.has_loop_event) {  // nothing is in it
      last.in_evaluation = in_evaluation;
      return;
    }
  }
  Chunk next;
  next.number = ++started_;
  next.begin_ns = ts_ns;
  next.end_ns = ts_ns;
  next.in_evaluation = in_evaluation;
  chunks_.push_back(std::move(next));
}

Chunk* ChunkList::Find(uint64_t number) {
  if (number <= popped_) return nullptr;
  if (!chunks_.empty() && chunks_.back().number == number) return &chunks_.back();
  // Numbers ascend; after joining some are missing, and the next higher one holds their time.
  const auto found = std::partition_point(chunks_.begin(), chunks_.end(),
                                          [&](const Chunk& c) { return c.number < number; });
  return found == chunks_.end() ? nullptr : &*found;
}

void ChunkList::MarkEvaluations(const std::vector<TimeSpan>& time_ranges) {
  for (const TimeSpan& time_range : time_ranges) {
    for (auto chunk = chunks_.rbegin(); chunk != chunks_.rend(); ++chunk) {
      if (chunk->begin_ns < time_range.begin_ns) break;
      if (chunk->begin_ns < time_range.end_ns) chunk->in_evaluation = true;
    }
  }
}

bool ChunkList::HasWorkAfter(uint64_t number) const {
  return std::any_of(chunks_.begin(), chunks_.end(),
                     [&](const Chunk& c) { return c.number > number && c.has_work; });
}

void ChunkList::Append(const Chunk& chunk, Chunk& to) {
  to.number = chunk.number;  // who names the earlier number finds the next higher one
  to.end_ns = chunk.end_ns;
  to.has_loop_event |= chunk.has_loop_event;
  to.has_work |= chunk.has_work;
  to.sums.Add(chunk.sums);
}

}  // namespace steptrace::analyze
