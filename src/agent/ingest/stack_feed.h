// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "agent/ingest/recorder.h"
#include "agent/stacks/reported_stacks.h"
#include "agent/stacks/stack_thread.h"
#include "model/finding.h"
#include "store/run_writer.h"

namespace steptrace::agent {

// Has the stacks of the processes with rings sampled and writes them as rows, on the tracks of
// their threads. A process that cannot be read is asked to sample itself, and not any more once it
// can. Samples of a process of which is not known yet whether it trains or works for one
// that does wait until it is, or has ended: its tracks are named by that. One thread; never waits
// but at the end.
class StackFeed : public RingListener {
 public:
  // `rate_per_s`: how often each thread is sampled.
  StackFeed(store::RunWriter& writer, Recorder& recorder, int64_t rate_per_s, int32_t node,
            int64_t epoch_monotonic_ns, const StackLimits& limits = {});

  // Tells the sampling thread which processes there are, when that changed.
  void FollowProcesses();
  // The training has begun with an optimizer's first step, long before rows of steps are known:
  // those wait for the warm-up's end. Without hooks in it, with the first row.
  void OnEvents(const ProcessSession& session, std::span<const analyze::Event> events) override;
  void OnStep(const store::StepRow& row) override;
  void OnStacks(ProcessSession& session, std::span<const ReportedStack> stacks) override;
  void OnEnd(ProcessSession& session) override;
  // From now on so often; 0: not at all.
  void SetRate(int64_t rate_per_s, int64_t now_ns);
  // Writes what was sampled since.
  void Write(int64_t now_ns);
  // The last look; before Recorder::Finish.
  void Finish(int64_t now_ns);

 private:
  using ProcessKey = std::pair<int32_t, uint64_t>;  // pid, start
  void TrainingBegan();
  void TakeReadings(int64_t now_ns);
  void WriteStacks(const std::vector<NewStack>& stacks);
  bool TakeReported(ProcessSession& session, ReportedStacks& reported, const ReportedStack& one);
  void Follow(const ProcessSession& session, ReportedStacks& reported,
              const ReportedStacks::Pace& pace, int64_t ts_ns);
  void Request(const JobRoot& process, int64_t period_ns);
  void WriteSample(ProcessSession& session, const StackSample& sample);
  void WriteHeld(ProcessSession& session, std::vector<StackSample>& samples);
  void RecordUnread(const UnreadProcess& unread, int64_t now_ns);
  void RecordPace(const model::Finding& pace, bool sparse, int64_t ts_ns);
  void RecordLosses(const StackReadings& readings, int64_t now_ns);

  store::RunWriter& writer_;
  Recorder& recorder_;
  int32_t node_;
  int64_t epoch_monotonic_ns_;
  StackLimits limits_;
  int64_t process_changes_ = -1;
  bool training_began_ = false;
  int64_t period_ns_;
  std::map<ProcessKey, std::vector<StackSample>> held_;
  // Losses so far, and those of threads before this one, of which it knows nothing.
  std::map<ProcessKey, StackLosses> counted_;
  std::map<ProcessKey, StackLosses> before_;
  struct Unplaced {
    int64_t too_many_stacks = 0;
    int64_t not_taken = 0;
  };
  Unplaced unplaced_;         // samples of all processes, so far
  Unplaced unplaced_before_;  // … and by threads before this one
  // What processes tell of themselves.
  std::shared_ptr<StackNumbers> numbers_ = std::make_shared<StackNumbers>(0);
  CodeTexts reported_texts_;
  StackTable reported_stacks_;
  std::map<ProcessKey, ReportedStacks> reported_;
  store::StringId python_;
  store::StringId native_;
  store::StringId running_;
  store::StringId waiting_;
  std::optional<StackThread> thread_;  // none: the rate is 0
};

}  // namespace steptrace::agent
