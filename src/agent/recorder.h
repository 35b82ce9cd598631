// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/capture_progress.h"
#include "agent/capture_rows.h"
#include "agent/drain_pace.h"
#include "agent/hooks_marks.h"
#include "agent/process_session.h"
#include "agent/system/job_reader.h"
#include "analyze/derive/rank_deriver.h"
#include "analyze/report/report_input.h"
#include "store/manifest.h"
#include "store/run_writer.h"

namespace steptrace::agent {

// A living process with a ring.
struct RingProcess {
  int32_t pid = 0;  // as the agent sees it; 0: it cannot be seen
  uint64_t start_ticks = 0;
  bool trains = false;  // or works for one that does
  std::string comm;
};

// Takes what the rings of a run bring and hands rows to the run's writer: sessions, ranks, steps,
// losses. It owns no loop and no clock: the Agent calls it, with the time of the run. One thread.
class Recorder {
 public:
  Recorder(store::RunWriter& writer, RingWatch watch, int32_t node, int64_t epoch_monotonic_ns);
  ~Recorder();

  struct Pass {
    int64_t records = 0;
    DrainPace::Load load;
  };
  // Looks for new files (always when `forced`) and drains everything once.
  Pass DrainAll(int64_t now_ns, bool forced_look);
  // Ends the sessions of processes that are gone.
  void EndGoneProcesses(int64_t now_ns);
  // Settles steps and losses up to now into the writer's buffers.
  void Settle(int64_t now_ns);
  // The windows of the run: before the first process is seen.
  void SetWindows(const WindowPlan& plan, int64_t epoch_utc_ns);
  // Others from now on; windows under way end as they began.
  void ChangeWindows(const WindowPlan& plan);
  // Another automatic window would be of use; `why`: shift or rule.
  void SuggestWindow(const char* why);
  // Sends the words that are due to the training processes.
  void SendCaptures(int64_t now_ns);
  // Asks the training processes of those ranks (none: all) for a capture; what becomes of it.
  CaptureProgress Ask(const CaptureDemand& demand, const std::set<int32_t>& ranks);
  CaptureProgress ProgressOf(uint64_t demand) const;
  // Nobody waits for it any more.
  void Withdraw(uint64_t demand);

  // No more will come: ends everything.
  void Finish(int64_t end_ns);

  // Is shown every step that is settled.
  using StepObserver = std::function<void(const store::StepRow& row)>;
  void SetStepObserver(StepObserver observer) { step_observer_ = std::move(observer); }

  // Is shown every session once more when its process is gone, before it is ended.
  using EndObserver = std::function<void(ProcessSession& session)>;
  void SetEndObserver(EndObserver observer) { end_observer_ = std::move(observer); }
  // Is shown the events of processes that train or work for one, in the order of each thread.
  using EventObserver =
      std::function<void(const ProcessSession& session, std::span<const analyze::Event> events)>;
  void SetEventObserver(EventObserver observer) { event_observer_ = std::move(observer); }

  // Is shown what torch counts of a device's memory.
  using MemoryObserver = std::function<void(int32_t pid, const DeviceMemorySample& sample)>;
  void SetMemoryObserver(MemoryObserver observer) { memory_observer_ = std::move(observer); }

  // Is shown the stacks that a process told of itself, in the order of each thread.
  using StackObserver =
      std::function<void(ProcessSession& session, std::span<const ToldStack> stacks)>;
  void SetStackObserver(StackObserver observer) { stack_observer_ = std::move(observer); }

  // The session of that process; nullptr: it has none (any more).
  ProcessSession* SessionOf(const JobRoot& process) const;
  // Counts up when a process comes or goes.
  int64_t process_changes() const { return process_changes_; }

  // The living processes with a ring.
  std::vector<RingProcess> LivingProcesses(int64_t now_ns);
  // Until when a process that trains, or works for one, was last known to live; 0: none has ended.
  int64_t trained_until_ns() const { return trained_until_ns_; }

  // Frugal: the script's own ranges are counted as lost, for this cause.
  void SetFrugal(bool frugal, LossCause cause);
  // The processes with rings, for those who follow the job's process tree.
  std::vector<JobRoot> Roots() const;
  bool HasProcess(int32_t pid) const;
  // The DataLoader workers, as rank and pid.
  std::vector<std::pair<int32_t, int32_t>> Workers() const;
  // The processes that train, or have.
  std::vector<analyze::RankProcess> RankProcesses() const;
  // As the training processes tell; 1: none does.
  int32_t world_size() const;
  // Whether the last pass left nothing in the rings.
  bool all_drained() const { return all_drained_; }
  int ranks() const { return static_cast<int>(rank_infos_.size()); }
  bool saw_ring() const { return saw_ring_; }
  // kNoRing, of the processes whose ring found no room: that is a loss of its own.
  const HooksMarks& without_room() const { return without_room_; }
  int64_t records() const { return records_; }
  int wake_fd() const { return watch_.fd(); }
  LossBook& losses() { return losses_; }
  TrackRegistry& tracks() { return tracks_; }
  const ClockCalibration& calibration() const { return calibration_; }
  // Whether Describe() has more to say than at the last call of this.
  bool TakeNews() { return std::exchange(news_, false); }
  // Ranks and versions, for the manifest.
  void Describe(store::Manifest& manifest) const;

 private:
  struct Pending {
    RingFileSeen seen;
    int64_t since_ns = 0;
    int64_t next_ns = INT64_MIN;  // it is tried again
    int64_t wait_ns = 0;          // 0: its writer is not waited for
  };
  void Discover(int64_t now_ns, bool forced);
  void NoteSeen(const RingFileSeen& seen, int64_t now_ns);
  bool TryOpen(Pending& pending, int64_t now_ns);
  bool WaitForWriter(Pending& pending, int64_t now_ns) const;
  void GiveUp(const Pending& pending, const std::string& why, int64_t now_ns);
  void EndSession(ProcessSession& session, int64_t now_ns);
  void Write(ProcessSession& session, RowBatch& batch, int64_t now_ns);
  void WriteSlices(const ProcessSession& session, const RowBatch& batch, int64_t now_ns);
  void WriteTracks(int64_t now_ns);
  void TakeSteps();
  void NoteFact(const store::FactRow& fact);
  void NoteWindows(ProcessSession& session, const RowBatch& batch);
  void CountOperators(ProcessSession& session, const RowBatch& batch) const;
  void WriteOutcomes(ProcessSession& session, int64_t now_ns);
  void WriteWindow(const ProcessSession& session, const CaptureOutcome& outcome, int64_t now_ns);
  void NoteDemand(const ProcessSession& session, const CaptureOutcome& outcome, int64_t now_ns);
  void TellMissing(const ProcessSession& session, const CaptureOutcome& outcome, int64_t now_ns);
  void NoteStep(const store::StepRow& row);
  void NoteRank(const ProcessSession& session);
  analyze::RankDeriver& DeriverOf(const ProcessSession& session);
  int32_t ParentOf(int32_t pid) const;

  store::RunWriter& writer_;
  RingWatch watch_;
  TrackRegistry tracks_;
  LossBook losses_;
  RankAssigner ranks_;
  ClockCalibration calibration_;
  std::vector<wire::Record> buffer_;
  SessionContext context_;
  WindowBytes window_bytes_;
  std::vector<Pending> pending_;
  std::vector<std::unique_ptr<ProcessSession>> sessions_;
  std::map<int32_t, analyze::RankDeriver> derivers_;
  std::map<int32_t, store::RankInfo> rank_infos_;
  std::map<std::string, std::string> versions_;
  RowBatch batch_;
  StepObserver step_observer_;
  EndObserver end_observer_;
  EventObserver event_observer_;
  MemoryObserver memory_observer_;
  StackObserver stack_observer_;
  int64_t process_changes_ = 0;
  std::map<uint64_t, CaptureProgress> demands_;
  CaptureRows capture_rows_;
  store::StringId train_kind_;
  store::StringId eval_kind_;
  store::StringId user_category_;
  store::StringId operator_category_;
  store::StringId primitive_category_;
  bool frugal_ = false;
  LossCause frugal_cause_ = LossCause::kAgentMemoryLimit;
  bool saw_ring_ = false;
  HooksMarks without_room_;
  std::set<int32_t> pids_without_room_;
  bool news_ = false;
  bool backward_on_host_ = true;  // no accelerator, or a framework that was built for none
  bool all_drained_ = false;
  int64_t records_ = 0;
  int64_t pass_began_ns_ = 0;
  int64_t trained_until_ns_ = 0;
};

}  // namespace steptrace::agent
