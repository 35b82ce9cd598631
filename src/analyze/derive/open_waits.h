// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

#include "analyze/derive/chunk_list.h"
#include "analyze/derive/open_spans.h"
#include "analyze/derive/worker_logs.h"

namespace steptrace::analyze {

// The data waits of one thread until it is known what the worker did meanwhile, which is when the
// watermark has passed: only then has their time a stage.
class OpenWaits {
 public:
  OpenWaits(ChunkList& chunks, WorkerLogs& workers) : chunks_(chunks), workers_(workers) {}

  // What a data range has waited since its last piece, up to `end_ns`, is of the current chunk.
  void Add(OpenSpan& span, int64_t end_ns, bool cut_off);
  // Those that ended before the watermark get their stages.
  void Resolve(int64_t watermark_ns);
  // Very many: the first ones are not waited for any longer.
  void Bound();

  bool are_too_many() const { return waits_.size() > kMostWaits; }
  // Whether one lies in this chunk or in one before it.
  bool LieUpTo(uint64_t chunk) const { return !waits_.empty() && waits_.front().chunk <= chunk; }
  // When the first one began; `none_ns` where there is none.
  int64_t OldestNs(int64_t none_ns) const;

 private:
  struct Pending {
    BatchWait wait;
    WaitPieces pieces;
    int32_t worker_pid;
    uint64_t chunk;
  };
  static constexpr size_t kMostWaits = 1 << 17;

  void ResolveFirst();

  ChunkList& chunks_;
  WorkerLogs& workers_;
  std::deque<Pending> waits_;
};

}  // namespace steptrace::analyze
