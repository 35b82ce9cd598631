// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "agent/process.h"
#include "agent/ring_folder.h"
#include "agent/run_end.h"
#include "agent/run_manifest.h"
#include "agent/trace_merge.h"
#include "base/inert_text.h"
#include "base/time.h"
#include "store/metadata_keys.h"
#include "store/unavailable.h"

namespace steptrace::agent {
namespace {

constexpr int64_t kCheckIntervalNs = 100 * kNsPerMs;  // liveness: what a zombie's ring waits
constexpr int64_t kFlushIntervalNs = 500 * kNsPerMs;  // durable within a second, with room to spare
constexpr int64_t kLookIntervalNs = kNsPerSecond;     // for files that no notice told of
// Without inotify a new process would otherwise wait a second for its reader.
constexpr int64_t kBlindLookIntervalNs = 50 * kNsPerMs;

uint64_t StartTicksOf(int32_t pid) {
  const auto stat = ReadProcessIdentity(pid);
  return stat ? stat->start_time_ticks : 0;
}

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

LimiterOptions LimitsOf(const AgentOptions& options, const store::Manifest& manifest) {
  LimiterOptions limits;
  limits.interval_ns = options.sample_interval_ms * kNsPerMs;
  limits.cpu_budget_cores = DefaultCpuBudgetCores(manifest.nodes[0].cpus);
  return limits;
}

}  // namespace

Result<std::unique_ptr<Agent>> Agent::Create(AgentOptions options, ControlChannel& channel) {
  store::Manifest manifest = NewManifest(options);
  store::WriterOptions writing;
  writing.redactor = Redactor(options.redact);
  STEPTRACE_ASSIGN_OR_RETURN(auto writer,
                             store::RunWriter::Create(options.run_dir, manifest, writing));
  auto agent = std::unique_ptr<Agent>(
      new Agent(std::move(options), channel, std::move(writer), std::move(manifest)));
  STEPTRACE_RETURN_IF_ERROR(agent->Begin());
  return agent;
}

Agent::Agent(AgentOptions options, ControlChannel& channel, store::RunWriter writer,
             store::Manifest manifest)
    : options_(std::move(options)),
      channel_(channel),
      writer_(std::move(writer)),
      manifest_(std::move(manifest)),
      rules_(manifest_.nodes[0].node, manifest_.nodes[0].cpus),
      memory_(manifest_.nodes[0].node),
      left_(options_.run_id, options_.ring_dir),
      // The end of a pid namespace's first process is everybody's in it.
      ends_with_launcher_(getppid() == 1) {}

Agent::~Agent() = default;

Status Agent::Begin() {
  STEPTRACE_ASSIGN_OR_RETURN(auto watch, RingWatch::Open(options_.ring_dir));
  recorder_ = std::make_unique<Recorder>(writer_, std::move(watch), manifest_.nodes[0].node,
                                         manifest_.epoch_monotonic_ns);
  recorder_->SetWindows(options_.windows, manifest_.epoch_utc_ns);
  system_ = std::make_unique<SystemFeed>(writer_, recorder_->tracks(), recorder_->losses(),
                                         options_.sample_interval_ms * kNsPerMs,
                                         manifest_.epoch_monotonic_ns);
  cost_ = std::make_unique<OwnCost>(LimitsOf(options_, manifest_), writer_, *recorder_, *system_);
  system_->SetObserver([this](const MetricSample& sample, int64_t ts_ns) {
    const auto device = sample.device >= 0 ? std::optional(sample.device) : std::nullopt;
    rules_.AddSample(sample.metric, device, ts_ns, sample.value);
    memory_.AddSample(sample.metric, sample.device, sample.pid, ts_ns, sample.value);
  });
  if (options_.stack_rate > 0) {
    StartStacks();
  } else {
    AppendFact(store::MetadataKind::kSource, {{"source", "stacks"},
                                              {"reason", "--stack-rate is 0"},
                                              {"remedy", "leave --stack-rate at 20"}});
  }
  if (options_.hang_watch) hangs_ = std::make_unique<HangWatch>(*recorder_, writer_.strings());
  recorder_->SetEventObserver([this](const ProcessSession& session, auto events) {
    if (hangs_) hangs_->OnEvents(session, events);
    if (stacks_) stacks_->OnEvents(events);
  });
  recorder_->SetStepObserver([this](const store::StepRow& row) {
    rules_.AddStep(row, writer_.strings());
    steps_.Add(row, writer_.strings());
    memory_.AddStep(row, writer_.strings());
    if (stacks_) stacks_->OnStep();
  });
  recorder_->SetMemoryObserver([this](int32_t pid, const DeviceMemorySample& sample) {
    memory_.AddDeviceSample(writer_.strings().Text(sample.metric), sample.device, pid, sample.ts_ns,
                            sample.value);
  });
  captures_ = Captures();
  traces_ = std::make_unique<TraceIntake>(options_.run_dir, "/proc/self/exe", options_.keep_traces);
  if (options_.kineto_fd >= 0) {
    kineto_ = std::make_unique<KinetoCaptures>(
        KinetoEndpoint(UniqueFd(options_.kineto_fd), options_.kineto_dir),
        options_.run_dir / kProfilesName);
  }
  if (auto port = CapturePort::Open(options_.ring_dir); port.ok()) {
    port_ = *std::move(port);
  } else {
    fprintf(stderr, "%s\n", InertText(port.error().message).c_str());
  }
  SweepStaleRingFolders(options_.ring_dir);
  recorder_->DrainAll(NowNs(), true);
  channel_.Say(kSayReady);
  return {};
}

CaptureService Agent::Captures() {
  CaptureService service;
  service.ask = [this](const CaptureDemand& demand, const std::set<int32_t>& ranks) {
    trace_failed_.clear();
    return Ask(demand, ranks);
  };
  service.progress = [this](uint64_t demand) {
    CaptureProgress progress = recorder_->ProgressOf(demand);
    if (kineto_) kineto_->AddProgress(demand, progress);
    // A trace lies there before its window's end is told: not seen yet is no reason to go on.
    if (progress.done()) traces_->Turn(false);
    progress.traces_wait = traces_->busy();
    progress.durable_from_ns = trace_merged_ns_;
    progress.traces_failed = trace_failed_;
    return progress;
  };
  service.withdraw = [this](uint64_t demand) {
    recorder_->Withdraw(demand);
    if (kineto_) kineto_->Withdraw(demand);
  };
  return service;
}

int64_t Agent::NowNs() const {
  return MonotonicNowNs() - manifest_.epoch_monotonic_ns;
}

void Agent::Run() {
  while (!ReadyToClose(NowNs())) Turn();
  Close();
}

void Agent::Turn() {
  const int64_t now_ns = NowNs();
  const bool look = now_ns >= next_look_ns_;
  if (look) {
    next_look_ns_ = now_ns + (recorder_->wake_fd() >= 0 ? kLookIntervalNs : kBlindLookIntervalNs);
  }
  const Recorder::Pass pass = recorder_->DrainAll(now_ns, look);
  if (kineto_) TurnKineto(now_ns);
  port_.Turn(captures_, flushed_ns_);
  recorder_->SendCaptures(now_ns);
  if (now_ns >= next_check_ns_) {
    next_check_ns_ = now_ns + kCheckIntervalNs;
    CheckProcesses(now_ns);
  }
  system_->Turn(now_ns);
  if (stacks_) stacks_->FollowProcesses();
  WatchForHangs(now_ns);
  if (now_ns >= next_flush_ns_) {
    next_flush_ns_ = now_ns + kFlushIntervalNs;
    Flush(now_ns);
  }
  const int64_t wait_ms = pace_.NextWaitMs(pass.load, now_ns);
  // Who waits for the run's end waits for our looks at its processes too.
  Wait(state_ == State::kRecording ? wait_ms : std::min(wait_ms, DrainPace::kIdleMs));
  HandleMessages(NowNs());
}

void Agent::Wait(int64_t wait_ms) {
  const bool listening = !channel_.at_end();
  std::vector<pollfd> waits = {{listening ? channel_.fd() : -1, POLLIN, 0},
                               {recorder_->wake_fd(), POLLIN, 0}};
  port_.AddTo(waits);
  if (kineto_) waits.push_back({kineto_->endpoint().fd(), POLLIN, 0});
  poll(waits.data(), waits.size(), static_cast<int>(wait_ms));
}

void Agent::HandleMessages(int64_t now_ns) {
  if (channel_.at_end()) return;
  channel_.Receive();
  while (auto message = channel_.Next()) OnMessage(*message, now_ns);
  if (channel_.at_end() && state_ == State::kRecording) {
    state_ = State::kOrphaned;
    recorder_->losses().Once({}, LossCause::kLauncherGone, -1, now_ns, "");
  }
}

void Agent::OnMessage(const ControlMessage& message, int64_t now_ns) {
  const int number = atoi(message.argument.c_str());
  if (message.verb == kSayCommand && number > 0) {
    command_pid_ = number;
    command_ = ProcessHandle(number, 0);
    command_start_ticks_ = StartTicksOf(number);
    hookless_.Expect(number, options_.command);
    FollowJob();
  } else if (message.verb == kSayExited && state_ == State::kRecording) {
    wait_status_ = number;
    end_ns_ = now_ns;
    state_ = State::kEnding;
    channel_.Say(kSayClosing);
    next_check_ns_ = 0;
  } else if (message.verb == kSaySettings) {
    ChangeSettings(message.argument, now_ns);
  }
}

void Agent::StartStacks() {
  stacks_ = std::make_unique<StackFeed>(writer_, *recorder_, options_.stack_rate,
                                        manifest_.nodes[0].node, manifest_.epoch_monotonic_ns);
}

// A fact tells from when on they hold: what is seen of a step depends on them.
void Agent::ChangeSettings(const std::string& changes, int64_t now_ns) {
  const AgentOptions before = options_;
  if (!ApplyChanges(changes, options_)) return;
  const bool other_windows = !(options_.windows == before.windows);
  const bool other_rate = options_.stack_rate != before.stack_rate;
  if (!other_windows && !other_rate) return;  // something else in the file
  if (other_windows) recorder_->ChangeWindows(options_.windows);
  if (other_rate) {
    if (stacks_) {
      stacks_->SetRate(options_.stack_rate, now_ns);
    } else {
      StartStacks();
    }
  }
  AppendFact(store::MetadataKind::kSettings,
             {{"window", ToText(options_.windows)},
              {"capture", KindsText(options_.windows.kinds)},
              {"stack_rate", options_.stack_rate}},
             now_ns);
}

void Agent::AppendFact(store::MetadataKind kind, const nlohmann::ordered_json& told,
                       int64_t ts_ns) {
  store::FactRow fact;
  fact.ts_ns = ts_ns;
  fact.node = manifest_.nodes[0].node;
  fact.kind = writer_.strings().Intern(NameOf(kind));
  fact.json = told.dump();
  writer_.Append(fact);
}

void Agent::CheckProcesses(int64_t now_ns) {
  recorder_->EndGoneProcesses(now_ns);
  TakeTraces(false);
  if (!recorder_->saw_ring() && command_.Alive() && hookless_.TakeDue(now_ns)) {
    hookless_.Look(command_pid_);
  }
  FollowJob();
}

// What is found is on disk at once: the job may be killed for it.
void Agent::WatchForHangs(int64_t now_ns) {
  if (!hangs_ || state_ == State::kEnding) return;
  const HangWatch::News news = hangs_->Turn(now_ns, recorder_->all_drained());
  for (const store::FindingRow& row : news.findings) writer_.Append(row);
  if (!news.findings.empty()) next_flush_ns_ = now_ns;
  if (!news.notice.empty()) channel_.Say(kSayNotice, news.notice);
}

void Agent::TakeTraces(bool partial_too) {
  traces_->Turn(partial_too);
  if (const auto imported = traces_->TakeImported()) MergeImported(*imported);
}

// By the wall clock of this moment, which may have been set since the run began. The reading that
// was interrupted least counts.
int64_t Agent::EpochUtcNow() const {
  constexpr int kReadings = 8;
  int64_t epoch_ns = 0;
  int64_t least_ns = INT64_MAX;
  for (int i = 0; i < kReadings; ++i) {
    const int64_t before_ns = NowNs();
    const int64_t utc_ns = UtcNowNs();
    const int64_t took_ns = NowNs() - before_ns;
    if (took_ns >= least_ns) continue;
    least_ns = took_ns;
    epoch_ns = utc_ns - before_ns - took_ns / 2;
  }
  return epoch_ns;
}

void Agent::MergeImported(const TraceIntake::Imported& imported) {
  const int64_t now_ns = NowNs();
  std::string failed = imported.failed;
  if (failed.empty()) {
    TraceOwner owner;
    owner.pid = imported.name.pid;
    owner.epoch_utc_ns = EpochUtcNow();
    owner.now_ns = now_ns;
    // One without hooks has no track yet.
    if (kineto_ && !recorder_->tracks().ProcessOf(owner.pid)) {
      const auto identity = ReadProcessIdentity(owner.pid);
      recorder_->tracks().AddProcess("process", kineto_->RankOf(owner.pid), owner.pid,
                                     identity ? identity->comm : "");
    }
    const auto merged =
        MergeTrace(imported.run, owner, writer_, recorder_->tracks(), recorder_->losses());
    if (!merged.ok()) failed = merged.error().message;
  }
  if (!failed.empty()) {
    trace_failed_ = "profile of process " + std::to_string(imported.name.pid) + ": " + failed;
    recorder_->losses().Once({-1, imported.name.pid}, LossCause::kProfile, -1, now_ns,
                             trace_failed_);
  }
  traces_->Settle(imported, failed.empty());
  trace_merged_ns_ = NowNs();
}

// The trainings are gone: what they left is taken now, as far as that goes in a while.
void Agent::FinishTraces() {
  constexpr int64_t kPatienceNs = 60 * kNsPerSecond;
  constexpr int kPauseMs = 10;
  const int64_t until_ns = NowNs() + kPatienceNs;
  do {
    TakeTraces(true);
    if (traces_->busy()) poll(nullptr, 0, kPauseMs);
  } while (traces_->busy() && NowNs() < until_ns);
  if (!traces_->busy()) return traces_->RemoveFolder();
  recorder_->losses().Once({}, LossCause::kProfile, -1, NowNs(),
                           "profiles that were left at the end are not in the run; they lie in its "
                           "folder profiles");
}

void Agent::Flush(int64_t now_ns) {
  if (stacks_) stacks_->Write(now_ns);
  recorder_->Settle(now_ns);
  cost_->Observe(now_ns, self_.Read());
  for (const store::FindingRow& row : rules_.Turn(now_ns, writer_.strings())) {
    if (writer_.strings().Text(row.severity) == "warning") recorder_->SuggestWindow("rule");
    writer_.Append(row);
  }
  for (const store::FindingRow& row :
       memory_.Turn(now_ns, recorder_->RankProcesses(), writer_.strings())) {
    writer_.Append(row);
  }
  for (const store::FindingRow& row : steps_.Take(now_ns, writer_.strings())) {
    recorder_->SuggestWindow("shift");
    writer_.Append(row);
  }
  if (recorder_->TakeNews()) {
    recorder_->Describe(manifest_);
    // A reader of the live run knows less if the disk refuses; the flush below says so.
    (void)writer_.UpdateManifest(manifest_).ok();
  }
  if (Status flushed = writer_.Flush(); !flushed.ok()) {
    if (flush_error_.empty()) {
      fprintf(stderr, "%s\n", InertText(flushed.error().message).c_str());
    }
    flush_error_ = flushed.error().message;
  }
  flushed_ns_ = now_ns;
}

void Agent::FollowJob() {
  std::vector<JobRoot> roots = recorder_->Roots();
  if (command_pid_ > 0) roots.insert(roots.begin(), {command_pid_, command_start_ticks_});
  system_->SetRoots(std::move(roots));
}

bool Agent::CommandEnded(int64_t now_ns) {
  if (state_ == State::kRecording) return false;
  if (state_ == State::kOrphaned && command_pid_ > 0 && command_.Alive()) return false;
  if (!end_ns_) end_ns_ = now_ns;
  return true;
}

bool Agent::ReadyToClose(int64_t now_ns) {
  if (!CommandEnded(now_ns)) return false;
  recorder_->EndGoneProcesses(now_ns);
  LookWhoIsLeft(now_ns);
  const AfterCommand next = NextOf(survivors_, now_ns - std::max(*end_ns_, went_on_ns_));
  if (next != AfterCommand::kGoOn) return next == AfterCommand::kClose;
  if (ends_with_launcher_) return true;
  went_on_ns_ = now_ns;
  if (state_ == State::kEnding) {
    channel_.Say(kSayRunning, GoesOnText(survivors_));
    state_ = State::kLingering;
  }
  return false;
}

void Agent::LookWhoIsLeft(int64_t now_ns) {
  const std::vector<RingProcess> rings = recorder_->LivingProcesses(now_ns);
  survivors_ =
      left_.Look({now_ns, ClockNowNs(CLOCK_BOOTTIME)},
                 {command_pid_ > 0 ? command_start_ticks_ : kNoCommand, system_->job()}, rings);
  const std::vector<int32_t> found = left_.TakeFound();
  if (recorder_->saw_ring()) return;
  for (int32_t pid : found) hookless_.Look(pid);
}

void Agent::TellWhoIsLeft(int64_t now_ns) {
  std::vector<std::string> may_record = survivors_.training;
  for (const auto* more : {&survivors_.may_train, &survivors_.late}) {
    may_record.insert(may_record.end(), more->begin(), more->end());
  }
  const auto tell = [&](const Loss& loss, const std::vector<std::string>& names) {
    if (names.empty()) return;
    recorder_->losses().Once({}, loss, static_cast<int64_t>(names.size()), now_ns,
                             OutlivesText(names));
  };
  tell(LossCause::kUnrecordedProcess, may_record);
  tell(Loss(LossCause::kUnrecordedProcess, "counters"), survivors_.others);
}

void Agent::TellWhyNoHooks() {
  HooksMarks marks = HooksMarks::Read(options_.ring_dir);
  marks.Remove(recorder_->without_room());
  if (recorder_->saw_ring()) {
    const std::string refused = RefusedHooks({}, marks);
    if (!refused.empty()) recorder_->losses().Once({}, LossCause::kCannotRecord, -1, 0, refused);
    return;
  }
  const NoHooks why = ExplainNoHooks(hookless_.Seen(), geteuid(), marks);
  // Who still may record is no proof of its absence.
  const bool proven = survivors_.may_train.empty() && survivors_.late.empty();
  if (why.kind == NoHooks::Kind::kNothingThere && !proven) return;
  if (const auto loss = LossOf(why.kind)) {
    const bool unavailable = loss->cause == LossCause::kUnavailable;
    recorder_->losses().Once({}, *loss, -1, 0,
                             unavailable ? store::WriteUnavailable({"steps", why.text}) : why.text);
    return;
  }
  AppendFact(store::MetadataKind::kHook,
             {{"hook", "all"}, {"state", why.kind == NoHooks::Kind::kOff ? "off" : "idle"}});
}

void Agent::Close() {
  const int64_t now_ns = NowNs();
  TellWhoIsLeft(now_ns);
  TellWhyNoHooks();
  TellRefusedKineto();
  cost_->Observe(now_ns, self_.Read());
  if (hangs_ && wait_status_ == 0) {
    if (const auto row = hangs_->EndWell(now_ns)) writer_.Append(*row);
  }
  system_->Finish();
  if (stacks_) stacks_->Finish(now_ns);
  if (kineto_) TurnKineto(now_ns);  // a process that ended in its capture wrote what it had
  FinishTraces();
  recorder_->Finish(now_ns);
  // Silence and waiting are no part of the run: it ends with what was seen of it last.
  const int64_t end_ns = std::max(end_ns_.value_or(now_ns), recorder_->trained_until_ns());
  for (const store::FindingRow& row :
       memory_.Look(now_ns, recorder_->RankProcesses(), writer_.strings())) {
    writer_.Append(row);
  }
  FinishManifest(manifest_, DescribeRunEnd(wait_status_), end_ns, recorder_->calibration());
  recorder_->Describe(manifest_);
  Status closed = writer_.Close(manifest_);
  // Whoever waits for a capture has all there is of it now.
  if (closed.ok()) port_.Turn(captures_, INT64_MAX);
  RemoveRingFolder(options_.ring_dir);
  if (kineto_) RemoveKinetoFolder(options_.kineto_dir);
  if (!closed.ok()) fprintf(stderr, "%s\n", InertText(closed.error().message).c_str());
  channel_.Say(kSayClosed, closed.ok() ? "" : closed.error().message);
}

}  // namespace steptrace::agent
