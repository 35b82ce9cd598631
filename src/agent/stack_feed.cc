// SPDX-License-Identifier: Apache-2.0
#include "agent/stack_feed.h"

#include <nlohmann/json.hpp>
#include <string>

#include "agent/utf8.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

// The sampling thread takes some 100 us for a round; a kernel that hangs must not hold the end up.
constexpr int64_t kLastStackMs = 200;
// Of one process: minutes of set-up. Then they are written with what is known of it.
constexpr size_t kMaxHeldSamples = 16'384;

}  // namespace

StackFeed::StackFeed(store::RunWriter& writer, Recorder& recorder, int64_t rate_per_s, int32_t node,
                     int64_t epoch_monotonic_ns)
    : writer_(writer),
      recorder_(recorder),
      node_(node),
      epoch_monotonic_ns_(epoch_monotonic_ns),
      python_(writer.strings().Intern("python")),
      running_(writer.strings().Intern("running")),
      waiting_(writer.strings().Intern("waiting")),
      thread_(kNsPerSecond / rate_per_s) {
  recorder_.SetEndObserver([this](ProcessSession& session) { EndProcess(session); });
}

void StackFeed::FollowProcesses() {
  if (process_changes_ == recorder_.process_changes()) return;
  process_changes_ = recorder_.process_changes();
  thread_.SetProcesses(recorder_.Roots());
}

void StackFeed::WriteStacks(const std::vector<NewStack>& stacks) {
  for (const NewStack& stack : stacks) {
    store::StackRow row;
    row.stack = stack.stack;
    row.parent = stack.parent;
    row.kind = python_;
    row.function = writer_.strings().Intern(stack.function);
    row.file = writer_.strings().Intern(stack.file);
    row.line = stack.line;
    writer_.Append(row);
  }
}

void StackFeed::WriteSample(ProcessSession& session, const StackSample& sample) {
  store::SampleRow row;
  row.ts_ns = sample.monotonic_ns - epoch_monotonic_ns_;
  row.track = session.TrackOf(sample.tid);
  row.stack = sample.stack;
  row.state = sample.running ? running_ : waiting_;
  row.interval_ns = sample.interval_ns;
  writer_.Append(row);
}

void StackFeed::WriteHeld(ProcessSession& session, std::vector<StackSample>& samples) {
  for (const StackSample& sample : samples) WriteSample(session, sample);
  samples.clear();
}

void StackFeed::TakeReadings(int64_t now_ns) {
  const StackReadings readings = thread_.Take();
  WriteStacks(readings.stacks);
  for (const StackSample& sample : readings.samples) {
    // One that has ended since has been written as far as it was known then.
    if (recorder_.SessionOf(sample.process) == nullptr) continue;
    held_[{sample.process.pid, sample.process.start_ticks}].push_back(sample);
  }
  for (const UnreadProcess& unread : readings.unread) TellUnread(unread, now_ns);
  for (const LimiterEvent& event : readings.limits) {
    store::FindingRow row;
    row.ts_ns = event.at_ns - epoch_monotonic_ns_;
    const bool worse = event.kind == LimiterEventKind::kSlowed;
    row.severity = writer_.strings().Intern(worse ? "warning" : "info");
    row.kind = writer_.strings().Intern("alert");
    row.subject = "agent";
    row.text = event.text;
    writer_.Append(row);
  }
  TellLosses(readings, now_ns);
}

void StackFeed::TellUnread(const UnreadProcess& unread, int64_t now_ns) {
  const ProcessSession* session = recorder_.SessionOf(unread.process);
  nlohmann::json fact = {{"source", "stacks"}, {"reason", ToValidUtf8(unread.reason)}};
  if (!unread.remedy.empty()) fact["remedy"] = unread.remedy;
  store::FactRow row;
  row.ts_ns = now_ns;
  row.node = node_;
  row.rank = session != nullptr ? session->rank() : -1;
  row.pid = unread.process.pid;
  row.kind = writer_.strings().Intern("source");
  row.json = fact.dump();
  writer_.Append(row);
}

void StackFeed::TellLosses(const StackReadings& readings, int64_t now_ns) {
  LossBook& book = recorder_.losses();
  for (const ProcessStackLosses& told : readings.losses) {
    const ProcessSession* session = recorder_.SessionOf(told.process);
    if (session == nullptr) continue;  // its losses were closed with it
    const LossSubject subject{session->rank(), told.process.pid};
    book.Set(subject, loss::kStackTorn, told.losses.torn, now_ns);
    book.Set(subject, loss::kStackCut, told.losses.cut, now_ns);
    book.Set(subject, loss::kStackThreads, told.losses.too_many_threads, now_ns);
  }
  book.Set({}, loss::kTooManyStacks, readings.too_many_stacks, now_ns);
  book.Set({}, loss::kSamplesNotTaken, readings.not_taken, now_ns);
}

void StackFeed::Write(int64_t now_ns) {
  TakeReadings(now_ns);
  for (auto held = held_.begin(); held != held_.end();) {
    ProcessSession* session = recorder_.SessionOf({held->first.first, held->first.second});
    const bool known =
        session != nullptr && (session->settled() || held->second.size() > kMaxHeldSamples);
    if (known) WriteHeld(*session, held->second);
    held = known || session == nullptr ? held_.erase(held) : std::next(held);
  }
}

// Its tracks are known for the last time.
void StackFeed::EndProcess(ProcessSession& session) {
  TakeReadings(MonotonicNowNs() - epoch_monotonic_ns_);
  const auto held = held_.find({session.pid(), session.file().parts.start_time_ticks});
  if (held == held_.end()) return;
  WriteHeld(session, held->second);
  held_.erase(held);
}

void StackFeed::Finish(int64_t now_ns) {
  thread_.Stop(kLastStackMs);
  Write(now_ns);
}

}  // namespace steptrace::agent
