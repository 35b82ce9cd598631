// SPDX-License-Identifier: Apache-2.0
#include "agent/recorder.h"

#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/process.h"
#include "base/time.h"
#include "base/utf8.h"
#include "store/metadata_json.h"
#include "wire/vocabulary.h"

namespace steptrace::agent {

using Key = store::MetadataKey;

namespace {

// 128 KiB: amortises the reads, and stays in the second-level cache.
constexpr size_t kBufferRecords = 4096;
// A writer makes its file in microseconds; after this it is not being made but damaged, or its
// process is stopped.
constexpr int64_t kOpenPatienceNs = 2 * kNsPerSecond;
// A stopped process's file is looked at again: what it records once it goes on stays in its ring
// for longer.
constexpr int64_t kFirstWaitNs = 50 * kNsPerMs;
constexpr int64_t kLongestWaitNs = kNsPerSecond;
// A thread may be off its core between reading the clock and publishing the record.
constexpr int64_t kLatePublishNs = 100 * kNsPerMs;
constexpr size_t kMaxVersions = 64;

bool HasText(const nlohmann::json& object, store::MetadataKey key) {
  const nlohmann::json* found = store::Find(object, key);
  return found != nullptr && found->is_string();
}

// The device nodes of NVIDIA's and AMD's drivers.
bool HasAccelerator() {
  return access("/dev/nvidiactl", F_OK) == 0 || access("/dev/kfd", F_OK) == 0;
}

}  // namespace

Recorder::Recorder(store::RunWriter& writer, RingWatch watch, int32_t node,
                   int64_t epoch_monotonic_ns)
    : writer_(writer),
      watch_(std::move(watch)),
      tracks_(node, writer.strings()),
      losses_(node, writer.strings()),
      ranks_([this](int32_t pid) { return ParentOf(pid); }),
      calibration_(ReadClockAnchor()),
      buffer_(kBufferRecords),
      train_kind_(writer.strings().Intern("train")),
      eval_kind_(writer.strings().Intern("eval")),
      user_category_(writer.strings().Intern(CategoryText(wire::Category::kUser))),
      operator_category_(writer.strings().Intern(CategoryText(wire::Category::kOperator))),
      primitive_category_(writer.strings().Intern(CategoryText(wire::Category::kPrimitive))) {
  context_.node = node;
  context_.epoch_monotonic_ns = epoch_monotonic_ns;
  context_.strings = &writer_.strings();
  context_.tracks = &tracks_;
  context_.ranks = &ranks_;
  context_.calibration = &calibration_;
  context_.buffer = buffer_;
}

Recorder::~Recorder() = default;

int32_t Recorder::ParentOf(int32_t pid) const {
  for (const auto& session : sessions_) {
    // One that has just ended leaves its place empty until all that ended are taken out.
    if (session == nullptr || session->pid() != pid) continue;
    if (session->identity().ppid > 0) return session->identity().ppid;
  }
  const auto stat = ReadProcessIdentity(pid);
  return stat ? stat->ppid : 0;
}

void Recorder::Discover(int64_t now_ns, bool forced) {
  for (const RingFileSeen& seen : watch_.TakeNew(forced)) NoteSeen(seen, now_ns);
  std::vector<Pending> waiting;
  for (Pending& pending : pending_) {
    if (now_ns < pending.next_ns || !TryOpen(pending, now_ns)) waiting.push_back(pending);
  }
  pending_ = std::move(waiting);
}

void Recorder::NoteSeen(const RingFileSeen& seen, int64_t now_ns) {
  saw_ring_ = true;
  if (!seen.parts.no_space) {
    pending_.push_back({seen, now_ns, INT64_MIN, 0});
    return;
  }
  without_room_.Add(HooksMark::kNoRing, seen.parts.pid);
  pids_without_room_.insert(seen.parts.pid);
  losses_.Once(
      {-1, seen.parts.pid}, LossCause::kSharedMemoryFull, -1, now_ns,
      "process " + std::to_string(seen.parts.pid) + " found no room for its ring; " +
          "enlarge /dev/shm (docker: --shm-size), or name another place by --shm or STEPTRACE_SHM");
  watch_.Remove(seen);
}

// True: settled, as a session or as a loss.
bool Recorder::TryOpen(Pending& pending, int64_t now_ns) {
  auto session = ProcessSession::Open(pending.seen, watch_.folder_fd(), context_);
  if (session.ok()) {
    sessions_.push_back(*std::move(session));
    ++process_changes_;
    return true;
  }
  if (now_ns - pending.since_ns < kOpenPatienceNs) return false;
  if (WaitForWriter(pending, now_ns)) return false;
  GiveUp(pending, session.error().message, now_ns);
  return true;
}

// Of a process that lives and is not done with its file, as one that was stopped at it.
bool Recorder::WaitForWriter(Pending& pending, int64_t now_ns) const {
  const RingFileName& process = pending.seen.parts;
  const bool made = transport::UntrustedRingFile::IsBeingMade(watch_.folder_fd(),
                                                              pending.seen.name.c_str(), geteuid());
  if (made && IsAlive(process.pid, process.start_time_ticks)) {
    pending.wait_ns = std::clamp(2 * pending.wait_ns, kFirstWaitNs, kLongestWaitNs);
    pending.next_ns = now_ns + pending.wait_ns;
    return true;
  }
  // It went on, or was killed: as one that has just been seen.
  if (std::exchange(pending.wait_ns, 0) == 0) return false;
  pending.since_ns = now_ns;
  return true;
}

void Recorder::GiveUp(const Pending& pending, const std::string& why, int64_t now_ns) {
  const int32_t pid = pending.seen.parts.pid;
  // It took the file back that found no room, and says so in another.
  if (pids_without_room_.contains(pid)) return;
  losses_.Once(
      {-1, pid}, LossCause::kRingDamaged, -1, now_ns,
      "the records of process " + std::to_string(pid) + " cannot be read: " + CleanUtf8(why));
}

Recorder::Pass Recorder::DrainAll(int64_t now_ns, bool forced_look) {
  Discover(now_ns, forced_look);
  pass_began_ns_ = now_ns;
  all_drained_ = true;
  Pass pass;
  pass.load.processes = static_cast<int64_t>(sessions_.size() + pending_.size());
  for (const auto& session : sessions_) {
    batch_.Clear();
    const ProcessSession::Pass one = session->Drain(batch_);
    pass.records += one.records;
    pass.load.most_of_a_ring = std::max(pass.load.most_of_a_ring, one.most_of_a_ring);
    pass.load.of_small_rings += one.of_small_rings;
    all_drained_ &= one.drained;
    // The end of a thread brings rows without a record: of the ranges that it left open.
    if (one.records > 0 || !batch_.slices.empty()) Write(*session, batch_, now_ns);
    pass.load.in_window |= session->captures().in_operators();
  }
  records_ += pass.records;
  return pass;
}

void Recorder::EndGoneProcesses(int64_t now_ns) {
  for (auto& session : sessions_) {
    if (session->MayWrite(now_ns)) continue;
    EndSession(*session, now_ns);
    session.reset();
  }
  std::erase(sessions_, nullptr);
}

void Recorder::EndSession(ProcessSession& session, int64_t now_ns) {
  batch_.Clear();
  ProcessSession::Pass pass;
  do {
    pass = session.Drain(batch_);
    records_ += pass.records;
    Write(session, batch_, now_ns);
    batch_.Clear();
  } while (!pass.drained);
  if (end_observer_) end_observer_(session);
  ++process_changes_;
  const int64_t end_ns = session.LastSeenNs(now_ns);
  session.End(end_ns, batch_);
  Write(session, batch_, now_ns);
  if (session.trains()) session.captures().End(now_ns);
  WriteOutcomes(session, now_ns);
  session.ReportLosses(losses_, now_ns);
  if (!session.identity().disarm_reason.empty()) {
    losses_.Once({session.rank(), session.pid()}, LossCause::kDisarmed, -1, now_ns,
                 "recording ended early in process " + std::to_string(session.pid()) + ": " +
                     CleanUtf8(session.identity().disarm_reason));
  }
  if (session.EndsUnseen()) {
    losses_.Once({session.rank(), session.pid()}, LossCause::kUnseenProcess, -1, end_ns, "");
  }
  if (session.trains() || session.is_worker()) {
    trained_until_ns_ = std::max(trained_until_ns_, end_ns);
  }
  if (session.settled()) DeriverOf(session).ProcessEnded(session.pid(), end_ns);
  losses_.EndProcess(session.pid());
  ranks_.Forget(session.pid());
  watch_.Remove(session.file());
}

void Recorder::Write(ProcessSession& session, RowBatch& batch, int64_t now_ns) {
  if (session.trains() && rank_infos_.count(session.rank()) == 0) NoteRank(session);
  if (const auto events = session.SettledEvents(batch); !events.empty()) {
    analyze::RankDeriver& deriver = DeriverOf(session);
    for (const analyze::Event& event : events) deriver.Add(event);
    if (event_observer_) event_observer_(session, events);
  }
  WriteTracks(now_ns);
  WriteSlices(session, batch, now_ns);
  NoteWindows(session, batch);
  for (const store::CounterRow& row : batch.counters) writer_.Append(row);
  for (const DeviceMemorySample& sample : batch.device_memory) {
    if (memory_observer_) memory_observer_(session.pid(), sample);
  }
  if (stack_observer_ && !batch.stacks.empty()) stack_observer_(session, batch.stacks);
  for (const store::FactRow& row : batch.facts) {
    NoteFact(row);
    writer_.Append(row);
  }
}

void Recorder::WriteSlices(const ProcessSession& session, const RowBatch& batch, int64_t now_ns) {
  int64_t left_out = 0;
  for (const store::SliceRow& row : batch.slices) {
    if (frugal_ && row.category == user_category_) {
      ++left_out;
    } else {
      writer_.Append(row);
    }
  }
  if (left_out > 0) losses_.Add({session.rank(), session.pid()}, frugal_cause_, left_out, now_ns);
}

void Recorder::WriteTracks(int64_t now_ns) {
  for (const store::TrackRow& row : tracks_.TakeSettledRows(now_ns)) writer_.Append(row);
}

analyze::RankDeriver& Recorder::DeriverOf(const ProcessSession& session) {
  auto found = derivers_.find(session.rank());
  if (found == derivers_.end()) {
    analyze::RankDeriverOptions options;
    options.node = context_.node;
    options.rank = session.rank();
    options.world_size = std::max(1, session.world_size());
    options.backward_on_host = backward_on_host_;
    found =
        derivers_.emplace(session.rank(), analyze::RankDeriver(options, writer_.strings())).first;
  }
  return found->second;
}

void Recorder::TakeSteps() {
  for (auto& [rank, deriver] : derivers_) {
    for (const store::StepRow& row : deriver.TakeSteps()) {
      writer_.Append(row);
      NoteStep(row);
      if (step_observer_) step_observer_(row);
    }
  }
}

void Recorder::Settle(int64_t now_ns) {
  calibration_.Add(ReadClockAnchor());
  if (all_drained_) {
    for (auto& [rank, deriver] : derivers_) deriver.Advance(pass_began_ns_ - kLatePublishNs);
  }
  TakeSteps();
  for (const auto& session : sessions_) WriteOutcomes(*session, now_ns);
  for (const auto& session : sessions_) session->ReportLosses(losses_, now_ns);
  losses_.Set({}, LossCause::kStrangeFiles, watch_.strange_files(), now_ns);
  losses_.Set({}, LossCause::kTooManyProcesses, watch_.files_beyond_limit(), now_ns);
  for (const store::LossRow& row : losses_.TakeRows(now_ns, false)) writer_.Append(row);
  WriteTracks(now_ns);
}

void Recorder::Finish(int64_t end_ns) {
  DrainAll(end_ns, true);
  for (const Pending& pending : pending_) {
    auto session = ProcessSession::Open(pending.seen, watch_.folder_fd(), context_);
    if (session.ok()) {
      sessions_.push_back(*std::move(session));
    } else {
      GiveUp(pending, session.error().message, end_ns);
    }
  }
  pending_.clear();
  for (const auto& session : sessions_) EndSession(*session, end_ns);
  sessions_.clear();
  for (auto& [rank, deriver] : derivers_) deriver.Finish(end_ns);
  TakeSteps();
  if (ranks_.numbered() > 1) {
    store::FactRow fact;
    fact.ts_ns = end_ns;
    fact.node = context_.node;
    fact.kind = writer_.strings().Intern(wire::kFactJob);
    fact.json = nlohmann::json{{"numbered_trainings", ranks_.numbered()},
                               {"note",
                                "no RANK was set: the trainings are numbered in the order in "
                                "which they began"}}
                    .dump();
    writer_.Append(fact);
  }
  for (const store::LossRow& row : losses_.TakeRows(end_ns, true)) writer_.Append(row);
  for (const store::TrackRow& row : tracks_.TakeRows()) writer_.Append(row);
}

std::vector<RingProcess> Recorder::LivingProcesses(int64_t now_ns) {
  std::vector<RingProcess> living;
  for (const auto& session : sessions_) {
    if (!session->MayWrite(now_ns)) continue;
    living.push_back({session->outer_pid(), session->file().parts.start_time_ticks,
                      session->trains() || session->is_worker(), session->identity().comm});
  }
  return living;
}

ProcessSession* Recorder::SessionOf(const JobRoot& process) const {
  for (const auto& session : sessions_) {
    if (session && session->pid() == process.pid &&
        session->file().parts.start_time_ticks == process.start_ticks) {
      return session.get();
    }
  }
  return nullptr;
}

bool Recorder::HasProcess(int32_t pid) const {
  return std::any_of(sessions_.begin(), sessions_.end(),
                     [pid](const auto& session) { return session && session->pid() == pid; });
}

std::vector<std::pair<int32_t, int32_t>> Recorder::Workers() const {
  std::vector<std::pair<int32_t, int32_t>> workers;
  for (const auto& session : sessions_) {
    if (session && session->is_worker()) workers.emplace_back(session->rank(), session->pid());
  }
  return workers;
}

std::vector<analyze::RankProcess> Recorder::RankProcesses() const {
  std::vector<analyze::RankProcess> ranks;
  for (const auto& [rank, info] : rank_infos_) ranks.push_back({rank, info.node, info.pid});
  return ranks;
}

int32_t Recorder::world_size() const {
  int32_t most = 1;
  for (const auto& session : sessions_) {
    if (session && session->trains()) most = std::max(most, session->world_size());
  }
  return most;
}

std::vector<JobRoot> Recorder::Roots() const {
  std::vector<JobRoot> roots;
  for (const auto& session : sessions_) {
    roots.push_back({session->pid(), session->file().parts.start_time_ticks});
  }
  return roots;
}

void Recorder::SetFrugal(bool frugal, LossCause cause) {
  frugal_ = frugal;
  frugal_cause_ = cause;
}

void Recorder::NoteRank(const ProcessSession& session) {
  store::RankInfo info;
  info.rank = session.rank();
  info.node = context_.node;
  info.local_rank = session.identity().local_rank;
  info.world_size = session.world_size();
  info.pid = session.pid();
  rank_infos_[info.rank] = info;
  news_ = true;
}

// {"name": …, "version": …, "cuda": … or null}
void Recorder::NoteFact(const store::FactRow& fact) {
  if (writer_.strings().Text(fact.kind) != wire::kFactFramework) return;
  const nlohmann::json json = store::ParseMetadata(fact.json);
  const nlohmann::json* name = store::Find(json, Key::kName);
  const nlohmann::json* version = store::Find(json, Key::kVersion);
  if (name == nullptr || version == nullptr) return;
  if (!name->is_string() || !version->is_string() || versions_.size() >= kMaxVersions) return;
  if (*name == "torch" && (HasText(json, Key::kCuda) || HasText(json, Key::kHip))) {
    backward_on_host_ = !HasAccelerator();
  }
  versions_[name->get<std::string>()] = version->get<std::string>();
  news_ = true;
}

void Recorder::Describe(store::Manifest& manifest) const {
  manifest.ranks.clear();
  for (const auto& [rank, info] : rank_infos_) manifest.ranks.push_back(info);
  manifest.versions = versions_;
}

}  // namespace steptrace::agent
