// SPDX-License-Identifier: Apache-2.0
#include "agent/ingest/process_session.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "agent/ingest/drain_pace.h"
#include "agent/system/process.h"
#include "base/time.h"

namespace steptrace::agent {
namespace {

// So that one ring that is filled as fast as it is drained does not starve the others.
constexpr int64_t kMaxRecordsOfARingInAPass = 1 << 17;
// Between the clock of a record and ours: processors of one machine differ by far less.
constexpr int64_t kClockSlackNs = kNsPerSecond;
// Two steps of a slow training that cannot be seen; see MayWrite.
constexpr int64_t kUnseenQuietNs = 120 * kNsPerSecond;

// Of a process that has not shown whether it trains: set-up of minutes with ranges of the user's
// own.
constexpr size_t kMaxHeldEvents = 16'384;

int64_t ToCount(uint64_t count) {
  return static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX));
}

}  // namespace

Result<std::unique_ptr<ProcessSession>> ProcessSession::Open(const RingFileSeen& seen,
                                                             int folder_fd,
                                                             const SessionContext& context) {
  STEPTRACE_ASSIGN_OR_RETURN(
      auto ring, transport::UntrustedRingFile::Open(folder_fd, seen.name.c_str(), geteuid()));
  if (ring.identity().pid != seen.parts.pid ||
      ring.identity().start_time_ticks != seen.parts.start_time_ticks) {
    return Error{seen.name + ": its header names another process", "it is not read"};
  }
  return std::unique_ptr<ProcessSession>(new ProcessSession(std::move(ring), seen, context));
}

ProcessSession::ProcessSession(transport::UntrustedRingFile ring, const RingFileSeen& seen,
                               const SessionContext& context)
    : ring_(std::move(ring)),
      seen_(seen),
      context_(context),
      captures_(context.captures->NewSchedule()) {
  FindProcess();
  last_record_ns_ = MonotonicNowNs() - context_.epoch_monotonic_ns;
  RecordConverter::Settings settings;
  settings.node = context_.node;
  settings.pid = pid();
  settings.process_name = identity().comm;
  settings.name_of = [this](uint32_t id) -> std::optional<RecordConverter::Name> {
    auto entry = ring_.Name(id);
    if (!entry) return std::nullopt;
    return RecordConverter::Name{std::move(entry->text), entry->category};
  };
  settings.rank = identity().rank;
  settings.world_size = identity().world_size;
  settings.rank_of = [this](int32_t reported_rank, bool trains) {
    return context_.ranks->Assign(pid(), reported_rank, trains);
  };
  settings.thread_name_of = [this](int32_t tid) { return ThreadName(tid); };
  converter_ =
      std::make_unique<RecordConverter>(std::move(settings), *context_.strings, *context_.tracks);
}

void ProcessSession::FindProcess() {
  const uint32_t its = identity().pid_namespace;
  const bool foreign = its != 0 && its != OwnPidNamespace();
  const uint64_t start_ticks = seen_.parts.start_time_ticks;
  outer_pid_ = foreign ? FindOuterPid({its, pid(), start_ticks}).value_or(0) : pid();
  if (outer_pid_ > 0) process_ = ProcessHandle(outer_pid_, start_ticks);
  // One of our own namespace that is not alive has ended, however short it lived.
  can_be_seen_ = process_.Alive() || (its != 0 && !foreign);
}

// In another pid namespace only its first thread has an id that we know.
std::string ProcessSession::ThreadName(int32_t tid) const {
  std::string name;
  if (outer_pid_ == pid()) {
    name = ReadThreadComm(outer_pid_, tid);
  } else if (outer_pid_ > 0 && tid == pid()) {
    name = ReadThreadComm(outer_pid_, outer_pid_);
  }
  return name.empty() ? "thread " + std::to_string(tid) : name;
}

ProcessSession::Pass ProcessSession::Drain(RowBatch& out) {
  Pass pass;
  const int rings = ring_.thread_count();
  for (int ring = 0; ring < rings; ++ring) {
    const int64_t records = DrainRing(ring, out);
    pass.records += records;
    pass.most_of_a_ring = std::max(pass.most_of_a_ring, records);
    if (ring >= int{wire::kLargeRings}) {
      pass.of_small_rings += DrainPace::Talk(records, is_worker());
    }
    pass.drained &= records < kMaxRecordsOfARingInAPass;
    if (rings_.count(ring) != 0 && ring_.ThreadEnded(ring)) {
      converter_->EndThread(rings_[ring].thread, rings_[ring].thread.stack.newest_ns(), out);
    }
  }
  if (pass.records > 0) last_record_ns_ = MonotonicNowNs() - context_.epoch_monotonic_ns;
  return pass;
}

int64_t ProcessSession::DrainRing(int ring, RowBatch& out) {
  RunClock clock;
  clock.epoch_monotonic_ns = context_.epoch_monotonic_ns;
  const bool ticks =
      identity().clock_source == static_cast<uint32_t>(wire::ClockSource::kInvariantTsc);
  if (ticks) clock.calibration = context_.calibration;
  int64_t records = 0;
  while (records < kMaxRecordsOfARingInAPass) {
    const size_t count = ring_.Drain(ring, context_.buffer);
    if (count == 0) break;
    // After the reading, so that every record lies before this anchor.
    if (ticks) context_.calibration->Add(ReadClockAnchor());
    clock.latest_ns = MonotonicNowNs() - context_.epoch_monotonic_ns + kClockSlackNs;
    converter_->Convert(StateOf(ring, out), context_.buffer.first(count), clock, out);
    records += static_cast<int64_t>(count);
  }
  return records;
}

ThreadState& ProcessSession::StateOf(int ring, RowBatch& out) {
  auto [found, added] = rings_.try_emplace(ring);
  Ring& state = found->second;
  if (added || state.generation != ring_.thread_generation(ring)) {
    if (!added) converter_->EndThread(state.thread, state.thread.stack.newest_ns(), out);
    state.generation = ring_.thread_generation(ring);
    state.thread = ThreadState{};
    state.thread.tid = ring_.thread_tid(ring);
  }
  return state.thread;
}

void ProcessSession::End(int64_t end_ns, RowBatch& out) {
  for (auto& [ring, state] : rings_) converter_->EndThread(state.thread, end_ns, out);
}

std::span<const analyze::Event> ProcessSession::SettledEvents(const RowBatch& batch) {
  if (!converter_->settled()) {
    if (held_.size() + batch.events.size() > kMaxHeldEvents) {
      held_.clear();
    } else {
      held_.insert(held_.end(), batch.events.begin(), batch.events.end());
    }
    return {};
  }
  if (is_worker()) held_.clear();  // of before it was known as one: too late for its deriver
  released_ = std::exchange(held_, {});
  if (released_.empty()) return batch.events;
  released_.insert(released_.end(), batch.events.begin(), batch.events.end());
  return released_;
}

void ProcessSession::SendCapture(int64_t now_ns) {
  if (is_worker()) return;
  const auto word = trains() ? captures_.Next(now_ns) : captures_.NextAhead();
  // A file that cannot be written is the next drain's to find.
  if (word) (void)ring_.WriteCapture(*word);
}

std::optional<std::string> ProcessSession::StackText(uint32_t id) {
  auto name = ring_.Name(id);
  const bool is_stack = name && name->category == static_cast<uint16_t>(wire::Category::kStack);
  return is_stack ? std::optional(std::move(name->text)) : std::nullopt;
}

void ProcessSession::ReportLosses(LossBook& book, int64_t now_ns) const {
  const LossSubject subject{rank() >= 0 ? rank() : identity().rank, pid()};
  const transport::DrainCounts& counts = ring_.counts();
  book.Set(subject, LossCause::kRingFull, ToCount(counts.dropped_full), now_ns);
  book.Set(subject, LossCause::kNamesFull, ToCount(counts.dropped_names), now_ns);
  book.Set(subject, LossCause::kThreadBudget, ToCount(counts.dropped_budget), now_ns);
  book.Set(subject, LossCause::kSharedMemoryFull, ToCount(counts.dropped_no_space), now_ns);
  book.Set(subject, LossCause::kTooDeep,
           ToCount(counts.dropped_nested) + converter_->too_deep_ranges(), now_ns);
  book.Set(subject, LossCause::kOpening, ToCount(counts.dropped_opening), now_ns);
  book.Set(subject, LossCause::kInvalidRecords,
           ToCount(counts.invalid) + converter_->invalid_records(), now_ns);
  static constexpr std::array kOfDevices = {LossCause::kCuptiDropped, LossCause::kDeviceBuffersFull,
                                            LossCause::kDeviceIncomplete,
                                            LossCause::kDeviceNamesFull, LossCause::kCuptiTaken};
  for (size_t i = 0; i < kOfDevices.size(); ++i) {
    book.Set(subject, kOfDevices[i], converter_->device_losses()[i], now_ns);
  }
  book.Set(subject, LossCause::kInvalidFacts, converter_->invalid_facts(), now_ns);
  book.Set(subject, LossCause::kScriptProfiler, converter_->asides(), now_ns);
}

bool ProcessSession::MayWrite(int64_t now_ns) {
  if (process_.Alive()) return true;
  return EndsUnseen() && now_ns - last_record_ns_ < kUnseenQuietNs;
}

}  // namespace steptrace::agent
