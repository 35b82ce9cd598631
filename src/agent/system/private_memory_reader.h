// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/system/job_reader.h"
#include "agent/system/metric_sink.h"
#include "base/time.h"

namespace steptrace::agent {

// When a text may be read that the kernel makes by walking a process's pages, during which that
// process can map none: a thousandth of the time, and never again after one that took long. What
// is not used is saved up to the length of the longest read, so that over any time all reads take a
// thousandth of it and one such read more at most. It begins with that much: of a training of some
// seconds two reads can be had, as far apart as they tell something.
class RollupPace {
 public:
  static constexpr int64_t kShortestNs = kNsPerSecond;   // between the begins of two
  static constexpr int64_t kLongestReadNs = 20'000'000;  // the last one
  static constexpr int64_t kTimesApart = 1000;           // as long as it took
  // Of a process with more resident memory already the first read takes as long as the last may.
  static constexpr int64_t kMostResidentBytes = int64_t{4} << 30;

  // Whether one that takes as long as the last can be had.
  bool IsDue(int64_t now_ns) const { return !stopped_ && now_ns >= next_ns_; }
  // Whether nothing more is saved by waiting.
  bool IsFull(int64_t now_ns) const { return now_ns >= full_ns_; }
  void Took(int64_t began_ns, int64_t took_ns);
  bool stopped() const { return stopped_; }

 private:
  int64_t next_ns_ = INT64_MIN;
  int64_t full_ns_ = INT64_MIN;  // when the longest read's time is saved again
  bool stopped_ = false;
};

// What of a DataLoader worker's memory is its own: pages that it shares with the process that it
// was forked from become private when either writes to them (copy on write), which resident memory
// by kind does not show. By smaps_rollup, one worker at a time. One thread. What a training of some
// seconds has time for may be two reads: they are of the same worker, for growth is of one. A read
// that takes long waits until the worker has had as many page faults as copies that tell would be,
// for that it can be told without. The next has its turn when this one has grown, or was read often
// enough to tell that it has not.
class PrivateMemoryReader {
 public:
  // `clock`: that by which a read is timed. By default the reading thread's CPU time, which is what
  // the walk takes: on a busy machine a thread that has to wait for a core would take any read for
  // a long one.
  explicit PrivateMemoryReader(
      std::string proc_root,
      std::function<int64_t()> clock = [] { return ClockNowNs(CLOCK_THREAD_CPUTIME_ID); })
      : proc_root_(std::move(proc_root)), clock_(std::move(clock)) {}

  // `job`: of them those are read that are workers.
  void Sample(SampleContext& context, const std::vector<JobRoot>& job);

 private:
  // A worker's turn: its reads in a row.
  struct Pass {
    int32_t pid = 0;
    int reads = 0;
    uint64_t first_bytes = 0;  // private
    uint64_t faults = 0;       // minor, at the last read
    int64_t took_ns = 0;       // that one
    bool over = false;
  };

  // Whose turn it is; nullptr: there are none.
  const JobRoot* Next(const std::vector<JobRoot>& workers);
  // Its minor page faults so far; nothing: it may not be read.
  std::optional<uint64_t> FaultsOf(const JobRoot& worker);
  bool IsWorthReading(uint64_t faults, int64_t now_ns) const;
  void Read(SampleContext& context, const JobRoot& worker, uint64_t faults);
  void Count(uint64_t private_bytes);

  std::string proc_root_;
  std::function<int64_t()> clock_;
  RollupPace pace_;
  Pass pass_{};
  std::string buffer_;
};

}  // namespace steptrace::agent
