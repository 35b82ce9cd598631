// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "agent/capture/capture_outcome.h"
#include "agent/capture/capture_progress.h"
#include "agent/capture/capture_rows.h"
#include "agent/capture/capture_schedule.h"
#include "agent/capture/captured_process.h"
#include "agent/rows/loss_book.h"
#include "agent/rows/row_batch.h"
#include "store/run_writer.h"

namespace steptrace::agent {

// The windows of a run and the captures that are demanded of it: asks its processes for them, and
// writes down what became of each. One thread.
class RunCaptures {
 public:
  // `writer` and `losses` must outlive it.
  RunCaptures(store::RunWriter& writer, LossBook& losses, int32_t node, int64_t epoch_monotonic_ns);

  // The windows of the run: before the first process comes.
  void SetPlan(const WindowPlan& plan, int64_t epoch_utc_ns);
  // Others from now on; windows under way end as they began.
  void ChangePlan(const WindowPlan& plan);
  // Another automatic window would be of use; `why`: shift or rule.
  void Suggest(const char* why);

  // That of a process which is about to come. It must not outlive this.
  CaptureSchedule NewSchedule();
  void Add(CapturedProcess& process) { processes_.push_back(&process); }
  bool has_processes() const { return !processes_.empty(); }
  bool Has(int32_t pid) const;
  // Its last rows are written.
  void Remove(const CapturedProcess& process) { std::erase(processes_, &process); }

  // Sends the words that are due.
  void Send(int64_t now_ns);
  // What one of them has recorded.
  void OnBatch(CapturedProcess& process, const RowBatch& batch) const;
  void OnStep(const store::StepRow& row);
  // Of all, and of one.
  void WriteOutcomes(int64_t now_ns);
  void WriteOutcomes(CapturedProcess& process, int64_t now_ns);

  // Asks the training processes of those ranks (none: all) for a capture; what becomes of it.
  CaptureProgress Request(const CaptureDemand& demand, const std::set<int32_t>& ranks);
  CaptureProgress ProgressOf(uint64_t demand) const;
  // Nobody waits for it any more.
  void Withdraw(uint64_t demand);

 private:
  void CountOperators(CapturedProcess& process, const RowBatch& batch) const;
  void NoteDemand(const CapturedProcess& process, const CaptureOutcome& outcome, int64_t now_ns);
  void WriteOutcome(const CapturedProcess& process, const CaptureOutcome& outcome, int64_t now_ns);
  void WriteWindow(const CapturedProcess& process, const CaptureOutcome& outcome, int64_t now_ns);

  store::RunWriter& writer_;
  LossBook& losses_;
  int32_t node_;
  int64_t epoch_monotonic_ns_;
  int64_t epoch_utc_ns_ = 0;
  WindowPlan plan_;
  bool is_planned_ = false;  // no: automatic windows have no limit
  WindowBytes bytes_left_;
  std::vector<CapturedProcess*> processes_;
  std::map<uint64_t, CaptureProgress> demands_;
  CaptureRows rows_;
  store::StringId train_kind_;
  store::StringId eval_kind_;
  store::StringId operator_category_;
  store::StringId primitive_category_;
};

}  // namespace steptrace::agent
