// SPDX-License-Identifier: Apache-2.0
#include "agent/run/unrecorded_processes.h"

#include <unistd.h>

#include <optional>
#include <utility>

#include "agent/rows/finding_row.h"
#include "base/time.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {
namespace {

// Nothing: neither lost nor absent.
std::optional<Loss> LossOf(NoHooks::Kind kind) {
  switch (kind) {
    case NoHooks::Kind::kLoss:
      return LossCause::kNoHooks;
    case NoHooks::Kind::kRefused:
      return LossCause::kCannotRecord;
    case NoHooks::Kind::kAside:
      return LossCause::kScriptProfiler;
    case NoHooks::Kind::kNothingThere:
      return Loss(LossCause::kUnavailable, "steps");
    case NoHooks::Kind::kIdle:
    case NoHooks::Kind::kOff:
      break;
  }
  return std::nullopt;
}

}  // namespace

Unrecorded::Unrecorded(const std::string& run_id, std::filesystem::path ring_dir,
                       Recorder& recorder)
    : ring_dir_(std::move(ring_dir)), recorder_(recorder), left_(run_id, ring_dir_) {}

void Unrecorded::CheckForHooks(Command& command, int64_t now_ns) {
  if (!recorder_.rings().saw_ring() && command.Alive() && hookless_.TakeDue(now_ns)) {
    hookless_.Check(command.pid());
  }
}

const Survivors& Unrecorded::FindSurvivors(const Command& command, const std::vector<JobRoot>& job,
                                           int64_t now_ns) {
  survivors_ = left_.Check({now_ns, ClockNowNs(CLOCK_BOOTTIME)}, {command.start_ticks(), job},
                           recorder_.sessions().Living(now_ns));
  const std::vector<int32_t> found = left_.TakeFound();
  if (recorder_.rings().saw_ring()) return survivors_;
  for (int32_t pid : found) hookless_.Check(pid);
  return survivors_;
}

void Unrecorded::RecordSurvivors(int64_t now_ns) const {
  std::vector<std::string> may_record = survivors_.training;
  for (const auto* more : {&survivors_.may_train, &survivors_.late}) {
    may_record.insert(may_record.end(), more->begin(), more->end());
  }
  const auto tell = [&](const Loss& loss, const std::vector<std::string>& names) {
    if (names.empty()) return;
    recorder_.losses().Once({}, loss, static_cast<int64_t>(names.size()), now_ns,
                            OutlivesFinding(names));
  };
  tell(LossCause::kUnrecordedProcess, may_record);
  tell(Loss(LossCause::kUnrecordedProcess, "counters"), survivors_.others);
}

std::string Unrecorded::RecordMissingHooks() const {
  HooksMarks marks = HooksMarks::Read(ring_dir_);
  marks.Remove(recorder_.rings().without_room());
  if (recorder_.rings().saw_ring()) {
    const auto refused = RefusedHooks({}, marks);
    if (refused) recorder_.losses().Once({}, LossCause::kCannotRecord, -1, 0, *refused);
    return {};
  }
  const NoHooks why = ExplainNoHooks(hookless_.Seen(), geteuid(), marks);
  // Who still may record is no proof of its absence.
  const bool proven = survivors_.may_train.empty() && survivors_.late.empty();
  if (why.kind == NoHooks::Kind::kNothingThere && !proven) return {};
  if (const auto loss = LossOf(why.kind); loss && why.what) {
    const bool unavailable = loss->cause == LossCause::kUnavailable;
    const auto what = unavailable ? Make(model::finding::LossUnavailable{
                                        .source = "steps", .reason = FindingRowText(*why.what)})
                                  : *why.what;
    recorder_.losses().Once({}, *loss, -1, 0, what);
    return {};
  }
  return why.kind == NoHooks::Kind::kOff ? "off" : "idle";
}

}  // namespace steptrace::agent
