// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/stack_feed.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/rows/finding_row.h"
#include "agent/system/limit_finding.h"
#include "base/time.h"
#include "base/utf8.h"
#include "model/finding_kinds.h"
#include "store/metadata_keys.h"
#include "store/stored_words.h"

namespace steptrace::agent {

using Key = store::MetadataKey;
using store::NameOf;
namespace {

// The sampling thread takes some 100 us for a round; a kernel that hangs must not hold the end up.
constexpr int64_t kLastStackMs = 200;
// Of one process: minutes of set-up. Then they are written with what is known of it.
constexpr size_t kMaxHeldSamples = 16'384;
// Keeping to its budget is the sampler's own affair, told in a row, until a minute has fewer than
// 300 samples of a thread: then shares get intervals that a reader notices.
constexpr int64_t kOftenEnoughNs = 200 * kNsPerMs;

}  // namespace

StackFeed::StackFeed(store::RunWriter& writer, Recorder& recorder, int64_t rate_per_s, int32_t node,
                     int64_t epoch_monotonic_ns, const StackLimits& limits)
    : writer_(writer),
      recorder_(recorder),
      node_(node),
      epoch_monotonic_ns_(epoch_monotonic_ns),
      limits_(limits),
      period_ns_(kNsPerSecond / rate_per_s),
      reported_stacks_(reported_texts_, numbers_, limits.max_stacks),
      python_(writer.strings().Intern("python")),
      native_(writer.strings().Intern("native")),
      running_(writer.strings().Intern(store::NameOf(store::SampleState::kRunning))),
      waiting_(writer.strings().Intern(store::NameOf(store::SampleState::kWaiting))) {
  thread_.emplace(period_ns_, numbers_, limits_);
  recorder_.AddListener(*this);
}

void StackFeed::FollowProcesses() {
  if (process_changes_ == recorder_.sessions().changes()) return;
  process_changes_ = recorder_.sessions().changes();
  if (thread_) thread_->SetProcesses(recorder_.sessions().Roots());
}

void StackFeed::OnEvents(const ProcessSession&, std::span<const analyze::Event> events) {
  if (training_began_) return;
  const auto steps = [](const analyze::Event& event) {
    return event.name == analyze::HookName::kOptimizer;
  };
  if (std::any_of(events.begin(), events.end(), steps)) TrainingBegan();
}

void StackFeed::OnStep(const store::StepRow&) {
  TrainingBegan();
}

void StackFeed::TrainingBegan() {
  if (std::exchange(training_began_, true)) return;
  if (thread_) thread_->TrainingBegan();
}

void StackFeed::SetRate(int64_t rate_per_s, int64_t now_ns) {
  if (thread_) thread_->Stop(kLastStackMs);
  TakeReadings(now_ns);
  thread_.reset();
  period_ns_ = rate_per_s > 0 ? kNsPerSecond / rate_per_s : 0;
  if (period_ns_ > 0) thread_.emplace(period_ns_, numbers_, limits_);
  process_changes_ = -1;  // the new thread knows of none
  before_ = counted_;
  unplaced_before_ = unplaced_;
  // Nobody samples itself until the new thread has found that it cannot read it.
  for (auto& [key, reported] : reported_) reported.SetPeriod(0);
  for (const JobRoot& process : recorder_.sessions().Roots()) Request(process, 0);
}

void StackFeed::WriteStacks(const std::vector<NewStack>& stacks) {
  for (const NewStack& stack : stacks) {
    store::StackRow row;
    row.stack = stack.stack;
    row.parent = stack.parent;
    row.kind = stack.file.starts_with(kBuiltInFile) ? native_ : python_;
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
  if (!thread_) return;
  const StackReadings readings = thread_->Take();
  WriteStacks(readings.stacks);
  for (const StackSample& sample : readings.samples) {
    // One that has ended since has been written as far as it was known then.
    if (recorder_.sessions().Of(sample.process) == nullptr) continue;
    held_[{sample.process.pid, sample.process.start_ticks}].push_back(sample);
  }
  for (const ReadChange& change : readings.changes) {
    Request(change.process, change.read ? 0 : period_ns_);
  }
  for (const UnreadProcess& unread : readings.unread) RecordUnread(unread, now_ns);
  for (const LimiterEvent& event : readings.limits) {
    const bool sparse =
        event.kind == LimiterEventKind::kSlowed && event.interval_ns > kOftenEnoughNs;
    RecordPace(LimitFinding(event, Limited::kStacks), sparse, event.at_ns - epoch_monotonic_ns_);
  }
  RecordLosses(readings, now_ns);
}

void StackFeed::RecordPace(const model::Finding& pace, bool sparse, int64_t ts_ns) {
  writer_.Append(MakeFindingRow(ts_ns, sparse ? store::Severity::kWarning : store::Severity::kInfo,
                                kAgentSubject, pace, writer_.strings()));
}

void StackFeed::Request(const JobRoot& process, int64_t period_ns) {
  if (ProcessSession* session = recorder_.sessions().Of(process)) session->RequestStacks(period_ns);
}

void StackFeed::OnStacks(ProcessSession& session, std::span<const ReportedStack> stacks) {
  const ProcessKey key{session.pid(), session.file().parts.start_time_ticks};
  ReportedStacks& reported =
      reported_.try_emplace(key, reported_texts_, reported_stacks_).first->second;
  if (reported.period_ns() == 0) reported.SetPeriod(period_ns_);
  for (const ReportedStack& one : stacks) {
    if (TakeReported(session, reported, one)) continue;
    recorder_.losses().Add({session.rank(), session.pid()}, LossCause::kInvalidSamples, 1,
                           one.ts_ns);
  }
  WriteStacks(reported_stacks_.TakeNew());
}

// False: it is not as it should be.
bool StackFeed::TakeReported(ProcessSession& session, ReportedStacks& reported,
                             const ReportedStack& one) {
  const auto text_of = [&session](uint32_t id) { return session.StackText(id); };
  if (one.tid == 0) {
    const auto pace = reported.PaceOf(one.text, text_of);
    if (pace) Follow(session, reported, *pace, one.ts_ns);
    return pace.has_value();
  }
  const auto stack = reported.StackOf(one.text, text_of);
  if (!stack || !reported.TakesThread(one.tid)) return false;
  const JobRoot process{session.pid(), session.file().parts.start_time_ticks};
  held_[{process.pid, process.start_ticks}].push_back(
      {process, one.tid, one.ts_ns + epoch_monotonic_ns_, *stack, one.running,
       reported.IntervalOf(one.tid, one.ts_ns)});
  return true;
}

void StackFeed::Follow(const ProcessSession& session, ReportedStacks& reported,
                       const ReportedStacks::Pace& pace, int64_t ts_ns) {
  const bool slower = pace.period_ns > reported.period_ns();
  const bool changed = pace.period_ns != reported.period_ns();
  reported.SetPeriod(pace.period_ns);
  if (pace.threads_left_out) {
    recorder_.losses().Add({session.rank(), session.pid()}, LossCause::kTooManyThreads, 1, ts_ns);
  }
  if (pace.wall_ns == 0 || !changed || !reported.TakePaceChange()) return;
  const double used = static_cast<double>(pace.cpu_ns) / static_cast<double>(pace.wall_ns);
  RecordPace(Make(model::finding::LiveOwnStacksPace{
                 .used = used, .pid = session.pid(), .interval = pace.period_ns}),
             slower && pace.period_ns > kOftenEnoughNs, ts_ns);
}

void StackFeed::RecordUnread(const UnreadProcess& unread, int64_t now_ns) {
  const ProcessSession* session = recorder_.sessions().Of(unread.process);
  nlohmann::json fact = {{NameOf(Key::kSource), "stacks"},
                         {NameOf(Key::kReason), CleanUtf8(unread.reason)}};
  if (!unread.remedy.empty()) fact[NameOf(Key::kRemedy)] = unread.remedy;
  fact["instead"] = "the process is asked to sample itself";
  store::RunMetadataRow row;
  row.ts_ns = now_ns;
  row.node = node_;
  row.rank = session != nullptr ? session->rank() : -1;
  row.pid = unread.process.pid;
  row.kind = writer_.strings().Intern(store::NameOf(store::MetadataKind::kSource));
  row.json = fact.dump();
  writer_.Append(row);
}

void StackFeed::RecordLosses(const StackReadings& readings, int64_t now_ns) {
  LossBook& book = recorder_.losses();
  for (const ProcessStackLosses& reported : readings.losses) {
    const ProcessSession* session = recorder_.sessions().Of(reported.process);
    if (session == nullptr) continue;  // its losses were closed with it
    const LossSubject subject{session->rank(), reported.process.pid};
    const ProcessKey key{reported.process.pid, reported.process.start_ticks};
    const StackLosses& before = before_[key];
    StackLosses& counted = counted_[key];
    counted = {before.torn + reported.losses.torn, before.cut + reported.losses.cut,
               before.too_many_threads + reported.losses.too_many_threads};
    book.Set(subject, LossCause::kStackChanged, counted.torn, now_ns);
    book.Set(subject, LossCause::kStackTooDeep, counted.cut, now_ns);
    book.Set(subject, LossCause::kTooManyThreads, counted.too_many_threads, now_ns);
  }
  unplaced_ = {unplaced_before_.too_many_stacks + readings.too_many_stacks,
               unplaced_before_.not_taken + readings.not_taken};
  book.Set({}, LossCause::kTooManyStacks, unplaced_.too_many_stacks + reported_stacks_.too_many(),
           now_ns);
  book.Set({}, LossCause::kAgentBehind, unplaced_.not_taken, now_ns);
}

void StackFeed::Write(int64_t now_ns) {
  TakeReadings(now_ns);
  for (auto held = held_.begin(); held != held_.end();) {
    ProcessSession* session = recorder_.sessions().Of({held->first.first, held->first.second});
    const bool known =
        session != nullptr && (session->settled() || held->second.size() > kMaxHeldSamples);
    if (known) WriteHeld(*session, held->second);
    held = known || session == nullptr ? held_.erase(held) : std::next(held);
  }
}

// Its tracks are known for the last time.
void StackFeed::OnEnd(ProcessSession& session) {
  TakeReadings(MonotonicNowNs() - epoch_monotonic_ns_);
  const ProcessKey key{session.pid(), session.file().parts.start_time_ticks};
  reported_.erase(key);
  before_.erase(key);
  counted_.erase(key);
  const auto held = held_.find(key);
  if (held == held_.end()) return;
  WriteHeld(session, held->second);
  held_.erase(held);
}

void StackFeed::Finish(int64_t now_ns) {
  if (thread_) thread_->Stop(kLastStackMs);
  Write(now_ns);
}

}  // namespace steptrace::agent
