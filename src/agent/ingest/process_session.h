// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "agent/capture/captured_process.h"
#include "agent/capture/run_captures.h"
#include "agent/ingest/rank_assigner.h"
#include "agent/ingest/record_converter.h"
#include "agent/ingest/ring_watch.h"
#include "agent/rows/loss_book.h"
#include "agent/system/process_handle.h"
#include "transport/reader.h"

namespace steptrace::agent {

// What all sessions share while the agent runs. Owned by the Recorder.
struct SessionContext {
  int32_t node = 0;
  int64_t epoch_monotonic_ns = 0;
  store::StringTable* strings = nullptr;
  TrackRegistry* tracks = nullptr;
  RankAssigner* ranks = nullptr;
  ClockCalibration* calibration = nullptr;
  std::span<wire::Record> buffer;
  RunCaptures* captures = nullptr;
};

// One ring file and the process behind it, from the first sight of the file to its removal:
//
//   Open ─► draining ─ process gone ─► Drain until empty ─► End ─► removed by the Recorder
//
// One thread. Believes nothing that the file says but what its reader has checked.
class ProcessSession final : public CapturedProcess {
 public:
  static Result<std::unique_ptr<ProcessSession>> Open(const RingFileSeen& seen, int folder_fd,
                                                      const SessionContext& context);

  struct Pass {
    int64_t records = 0;
    int64_t most_of_a_ring = 0;
    int64_t of_small_rings = 0;  // records of all threads but the main one, see DrainPace::Talk
    bool drained = true;         // false: stopped by the bound on one pass
  };
  Pass Drain(RowBatch& out);
  // The process is gone and drained: what is open ends.
  void End(int64_t end_ns, RowBatch& out);
  // The events that may go to the deriver of rank(): held back until it is settled whether this
  // process trains at all, for a launcher or a tool must not found a rank.
  // Valid until the next call.
  std::span<const analyze::Event> SettledEvents(const RowBatch& batch);
  void ReportLosses(LossBook& book, int64_t now_ns) const;

  // What this process is asked to capture; its word is sent by SendCapture().
  CaptureSchedule& captures() override { return captures_; }
  void SendCapture(int64_t now_ns) override;

  // Asks it to sample its own stacks, or (0) not to any more.
  void RequestStacks(int64_t period_ns) {
    // A file that cannot be written is the next drain's to find.
    (void)ring_.WriteStackPeriod(static_cast<uint64_t>(period_ns));
  }
  // A text that it told of a stack.
  std::optional<std::string> StackText(uint32_t id);

  // Whether more may come. Of a process that cannot be seen, because its pid namespace does not lie
  // within ours, the file tells whether anybody still has it mapped; while somebody has, it counts
  // as alive for as long as it says something now and then.
  bool MayWrite(int64_t now_ns);
  // It was not seen to end: only silent, or the run ends before it.
  bool EndsUnseen() const { return !can_be_seen_ && ring_.IsHeldByOthers() != false; }
  // When it was last known to live, if it has ended by now.
  int64_t LastSeenNs(int64_t now_ns) const { return EndsUnseen() ? last_record_ns_ : now_ns; }
  // Its pid as we see it, whatever its pid namespace; 0: it cannot be seen.
  int32_t outer_pid() const { return can_be_seen_ ? outer_pid_ : 0; }

  // The track of one of its threads, which may have sent no record.
  int32_t TrackOf(int32_t tid) { return converter_->TrackOf(tid); }

  const RingFileSeen& file() const { return seen_; }
  const transport::RingIdentity& identity() const { return ring_.identity(); }
  int32_t pid() const override { return seen_.parts.pid; }
  int32_t rank() const override { return converter_->rank(); }
  int32_t world_size() const { return converter_->world_size(); }
  bool settled() const { return converter_->settled(); }
  bool trains() const override { return converter_->trains(); }
  bool is_worker() const { return converter_->is_worker(); }

 private:
  ProcessSession(transport::UntrustedRingFile ring, const RingFileSeen& seen,
                 const SessionContext& context);
  int64_t DrainRing(int ring, RowBatch& out);
  ThreadState& StateOf(int ring, RowBatch& out);
  void FindProcess();
  std::string ThreadName(int32_t tid) const;

  struct Ring {
    uint32_t generation = 0;
    ThreadState thread;
  };

  transport::UntrustedRingFile ring_;
  RingFileSeen seen_;
  const SessionContext& context_;
  std::unique_ptr<RecordConverter> converter_;
  std::map<int, Ring> rings_;
  CaptureSchedule captures_;
  std::vector<analyze::Event> held_;
  std::vector<analyze::Event> released_;
  int32_t outer_pid_ = 0;
  ProcessHandle process_;
  bool can_be_seen_ = false;
  int64_t last_record_ns_ = 0;  // when a drain last brought one, by the run's clock
};

}  // namespace steptrace::agent
