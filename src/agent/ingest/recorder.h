// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "agent/capture/run_captures.h"
#include "agent/ingest/drain_pace.h"
#include "agent/ingest/live_rank_steps.h"
#include "agent/ingest/ring_discovery.h"
#include "agent/ingest/ring_listener.h"
#include "agent/ingest/run_facts.h"
#include "agent/ingest/session_list.h"
#include "store/run_writer.h"

namespace steptrace::agent {

// Takes what the rings of a run bring and hands rows to the run's writer. It owns who finds the
// rings, their sessions, who derives steps and who asks for captures, but no loop and no clock: the
// Agent calls it, with the time of the run. One thread.
class Recorder {
 public:
  Recorder(store::RunWriter& writer, RingWatch watch, int32_t node, int64_t epoch_monotonic_ns);
  ~Recorder();

  // Who is shown what comes from now on; must outlive it.
  void AddListener(RingListener& listener) { listeners_.push_back(&listener); }

  struct Pass {
    int64_t records = 0;
    DrainPace::Load load;
  };
  // Looks for new files (always when `forced`) and drains everything once.
  Pass DrainAll(int64_t now_ns, bool forced_scan);
  // Ends the sessions of processes that are gone.
  void EndGoneProcesses(int64_t now_ns);
  // Settles steps and losses up to now into the writer's buffers.
  void Settle(int64_t now_ns);
  // No more will come: ends everything.
  void Finish(int64_t end_ns);
  // Frugal: the script's own ranges are counted as lost, for this cause.
  void SetDropUserRanges(bool frugal, LossCause cause);

  // Whether the last pass left nothing in the rings.
  bool all_drained() const { return all_drained_; }
  int64_t records() const { return records_; }
  // Until when a process that trains, or works for one, was last known to live; 0: none has ended.
  int64_t trained_until_ns() const { return trained_until_ns_; }
  const RingDiscovery& rings() const { return rings_; }
  const SessionList& sessions() const { return sessions_; }
  RunCaptures& captures() { return captures_; }
  RunFacts& facts() { return facts_; }
  const RunFacts& facts() const { return facts_; }
  LossBook& losses() { return losses_; }
  TrackRegistry& tracks() { return tracks_; }
  const ClockCalibration& calibration() const { return calibration_; }

 private:
  void Join(std::unique_ptr<ProcessSession> session);
  void EndSession(ProcessSession& session, int64_t now_ns);
  void ReportEnd(const ProcessSession& session, int64_t now_ns, int64_t end_ns);
  void Write(ProcessSession& session, RowBatch& batch, int64_t now_ns);
  void WriteTracks(int64_t now_ns);
  void WriteSlices(const ProcessSession& session, const RowBatch& batch, int64_t now_ns);
  void WriteTensors(const ProcessSession& session, std::span<const ReportedTensor> tensors);
  void WriteSteps();
  void WriteNumbering(int64_t end_ns);

  store::RunWriter& writer_;
  TrackRegistry tracks_;
  LossBook losses_;
  RingDiscovery rings_;
  RankAssigner ranks_;
  ClockCalibration calibration_;
  std::vector<wire::Record> buffer_;
  RunCaptures captures_;
  SessionContext context_;
  SessionList sessions_;
  LiveRankSteps steps_;
  RunFacts facts_;
  RowBatch batch_;
  std::vector<RingListener*> listeners_;
  store::StringId user_category_;
  bool frugal_ = false;
  LossCause frugal_cause_ = LossCause::kAgentMemoryLimit;
  bool all_drained_ = false;
  int64_t records_ = 0;
  int64_t pass_began_ns_ = 0;
  int64_t trained_until_ns_ = 0;
};

}  // namespace steptrace::agent
