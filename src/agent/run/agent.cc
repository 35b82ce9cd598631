// SPDX-License-Identifier: Apache-2.0
#include "agent/run/agent.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "agent/ingest/ring_folder.h"
#include "agent/rows/fact_row.h"
#include "agent/run/git_commit.h"
#include "agent/run/run_end.h"
#include "agent/run/run_manifest.h"
#include "base/inert_text.h"
#include "base/time.h"
#include "store/metadata_keys.h"

namespace steptrace::agent {
namespace {

constexpr int64_t kCheckIntervalNs = 100 * kNsPerMs;  // liveness: what a zombie's ring waits
constexpr int64_t kFlushIntervalNs = 500 * kNsPerMs;  // durable within a second, with room to spare
constexpr int64_t kScanIntervalNs = kNsPerSecond;     // for files that no notice told of
// Without inotify a new process would otherwise wait a second for its reader.
constexpr int64_t kBlindScanIntervalNs = 50 * kNsPerMs;

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
      // The end of a pid namespace's first process is everybody's in it.
      ends_with_launcher_(getppid() == 1) {}

Agent::~Agent() = default;

Status Agent::Begin() {
  STEPTRACE_ASSIGN_OR_RETURN(auto watch, RingWatch::Open(options_.ring_dir));
  recorder_ = std::make_unique<Recorder>(writer_, std::move(watch), manifest_.nodes[0].node,
                                         manifest_.epoch_monotonic_ns);
  recorder_->captures().SetPlan(options_.windows, manifest_.epoch_utc_ns);
  unrecorded_ = std::make_unique<Unrecorded>(options_.run_id, options_.ring_dir, *recorder_);
  system_ = std::make_unique<SystemFeed>(writer_, recorder_->tracks(), recorder_->losses(),
                                         options_.sample_interval_ms * kNsPerMs,
                                         manifest_.epoch_monotonic_ns);
  cost_ = std::make_unique<OwnCost>(LimitsOf(options_, manifest_), writer_, *recorder_, *system_);
  if (options_.stack_rate > 0) {
    StartStacks();
  } else {
    AppendFact(store::MetadataKind::kSource, {{"source", "stacks"},
                                              {"reason", "--stack-rate is 0"},
                                              {"remedy", "leave --stack-rate at 20"}});
  }
  Observe();
  OpenDesk();
  SweepStaleRingFolders(options_.ring_dir);
  recorder_->DrainAll(NowNs(), true);
  channel_.Send(kVerbReady);
  if (manifest_.identity.git_commit) {
    changes_ = std::make_unique<GitChanges>(ScriptFolder(options_.command), MonotonicNowNs());
  }
  return {};
}

// Observers are shown what comes from now on.
void Agent::Observe() {
  const store::NodeInfo& node = manifest_.nodes[0];
  observers_ = std::make_unique<ObserverFeed>(WatchOptions{.node = node.node,
                                                           .cpus = node.cpus,
                                                           .hangs = options_.hang_watch,
                                                           .alerts = options_.alerts},
                                              *recorder_, writer_.strings());
  system_->SetObserver(
      [this](const MetricSample& sample, int64_t ts_ns) { observers_->OnSample(sample, ts_ns); });
}

void Agent::OpenDesk() {
  CaptureDesk::Options options;
  options.run_dir = options_.run_dir;
  options.keep_traces = options_.keep_traces;
  if (options_.kineto_fd >= 0) options.kineto = UniqueFd(options_.kineto_fd);
  options.kineto_dir = options_.kineto_dir;
  options.node = manifest_.nodes[0].node;
  desk_ = std::make_unique<CaptureDesk>(
      std::move(options), recorder_->captures(),
      ProfileFeed::Run{writer_, recorder_->tracks(), recorder_->losses(),
                       manifest_.epoch_monotonic_ns});
  if (Status opened = desk_->OpenPort(options_.ring_dir); !opened.ok()) {
    fprintf(stderr, "%s\n", InertText(opened.error().text()).c_str());
  }
}

int64_t Agent::NowNs() const {
  return MonotonicNowNs() - manifest_.epoch_monotonic_ns;
}

void Agent::Run() {
  while (!ReadyToClose(NowNs())) Poll();
  Close();
}

void Agent::Poll() {
  const int64_t now_ns = NowNs();
  const bool look = now_ns >= next_scan_ns_;
  if (look) {
    next_scan_ns_ =
        now_ns + (recorder_->rings().wake_fd() >= 0 ? kScanIntervalNs : kBlindScanIntervalNs);
  }
  const Recorder::Pass pass = recorder_->DrainAll(now_ns, look);
  desk_->Poll(now_ns, flushed_ns_);
  recorder_->captures().Send(now_ns);
  if (now_ns >= next_check_ns_) {
    next_check_ns_ = now_ns + kCheckIntervalNs;
    CheckProcesses(now_ns);
  }
  system_->Poll(now_ns);
  if (stacks_) stacks_->FollowProcesses();
  if (state_ != State::kEnding) CheckObservers(Moment::kPoll, now_ns);
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
                               {recorder_->rings().wake_fd(), POLLIN, 0}};
  desk_->AddTo(waits);
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
  if (message.verb == kVerbCommand && number > 0) {
    command_.Began(number);
    unrecorded_->Expect(number, options_.command);
    FollowJob();
  } else if (message.verb == kVerbExited && state_ == State::kRecording) {
    wait_status_ = number;
    end_ns_ = now_ns;
    state_ = State::kEnding;
    channel_.Send(kVerbClosing);
    next_check_ns_ = 0;
  } else if (message.verb == kVerbSettings) {
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
  if (other_windows) recorder_->captures().ChangePlan(options_.windows);
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

void Agent::AppendFact(store::MetadataKind kind, const nlohmann::ordered_json& reported,
                       int64_t ts_ns) {
  writer_.Append(
      MakeFactRow(ts_ns, manifest_.nodes[0].node, kind, reported.dump(), writer_.strings()));
}

void Agent::RecordGitChanges(const GitChanges::Answer& answer) {
  nlohmann::ordered_json reported = {{"changed", nullptr}};
  if (answer.changed) reported["changed"] = *answer.changed;
  if (!answer.reason.empty()) reported["reason"] = answer.reason;
  AppendFact(store::MetadataKind::kGit, reported);
}

void Agent::CheckProcesses(int64_t now_ns) {
  if (changes_) {
    if (const auto answer = changes_->Take(MonotonicNowNs())) RecordGitChanges(*answer);
    if (changes_->IsOver()) changes_.reset();
  }
  recorder_->EndGoneProcesses(now_ns);
  desk_->TakeProfiles();
  unrecorded_->CheckForHooks(command_, now_ns);
  FollowJob();
}

// What is found is a row first, a message second.
void Agent::CheckObservers(Moment moment, int64_t now_ns) {
  for (const Alert& alert : observers_->Check(moment, now_ns)) {
    if (alert.suggests != nullptr) recorder_->captures().Suggest(alert.suggests);
    const store::FindingRow row = RowOf(alert, now_ns, writer_.strings());
    writer_.Append(row);
    if (alert.urgent) next_flush_ns_ = now_ns;
    if (alert.noticed) channel_.Send(kVerbNotice, alert.subject + ": " + row.text);
  }
}

void Agent::Flush(int64_t now_ns) {
  if (stacks_) stacks_->Write(now_ns);
  recorder_->Settle(now_ns);
  cost_->Observe(now_ns, self_.Read());
  CheckObservers(Moment::kSettled, now_ns);
  if (recorder_->facts().TakeNews()) {
    recorder_->facts().Describe(manifest_);
    system_->Describe(manifest_.nodes[0]);
    // A reader of the live run knows less if the disk refuses; the flush below says so.
    (void)writer_.UpdateManifest(manifest_).ok();
  }
  if (Status flushed = writer_.Flush(); !flushed.ok()) {
    if (flush_error_.empty()) {
      fprintf(stderr, "%s\n", InertText(flushed.error().text()).c_str());
    }
    flush_error_ = flushed.error().text();
  }
  flushed_ns_ = now_ns;
}

void Agent::FollowJob() {
  std::vector<JobRoot> roots = recorder_->sessions().Roots();
  if (command_.has_begun()) roots.insert(roots.begin(), command_.root());
  system_->SetRoots(std::move(roots));
}

bool Agent::CommandEnded(int64_t now_ns) {
  if (state_ == State::kRecording) return false;
  if (state_ == State::kOrphaned && command_.has_begun() && command_.Alive()) return false;
  if (!end_ns_) end_ns_ = now_ns;
  return true;
}

bool Agent::ReadyToClose(int64_t now_ns) {
  if (!CommandEnded(now_ns)) return false;
  recorder_->EndGoneProcesses(now_ns);
  const Survivors& left = unrecorded_->FindSurvivors(command_, system_->job(), now_ns);
  const AfterCommand next = NextOf(left, now_ns - std::max(*end_ns_, went_on_ns_));
  if (next != AfterCommand::kGoOn) return next == AfterCommand::kClose;
  if (ends_with_launcher_) return true;
  went_on_ns_ = now_ns;
  if (state_ == State::kEnding) {
    channel_.Send(kVerbRunning, GoesOnText(left));
    state_ = State::kLingering;
  }
  return false;
}

void Agent::Close() {
  const int64_t now_ns = NowNs();
  unrecorded_->RecordSurvivors(now_ns);
  if (const std::string state = unrecorded_->RecordMissingHooks(); !state.empty()) {
    AppendFact(store::MetadataKind::kHook, {{"hook", "all"}, {"state", state}});
  }
  desk_->RecordRefused();
  if (changes_) {
    if (const auto answer = changes_->Finish()) RecordGitChanges(*answer);
    changes_.reset();
  }
  cost_->Observe(now_ns, self_.Read());
  if (wait_status_ == 0) CheckObservers(Moment::kEndedWell, now_ns);
  system_->Finish();
  if (stacks_) stacks_->Finish(now_ns);
  desk_->Finish(now_ns);
  recorder_->Finish(now_ns);
  // Silence and waiting are no part of the run: it ends with what was seen of it last.
  const int64_t end_ns = std::max(end_ns_.value_or(now_ns), recorder_->trained_until_ns());
  CheckObservers(Moment::kFinished, now_ns);
  FinishManifest(manifest_, DescribeRunEnd(wait_status_), end_ns, recorder_->calibration());
  recorder_->facts().Describe(manifest_);
  system_->Describe(manifest_.nodes[0]);
  Status closed = writer_.Close(manifest_);
  if (closed.ok()) desk_->AnswerAll();
  RemoveRingFolder(options_.ring_dir);
  desk_->RemoveFolder();
  if (!closed.ok()) fprintf(stderr, "%s\n", InertText(closed.error().text()).c_str());
  channel_.Send(kVerbClosed, closed.ok() ? "" : closed.error().text());
}

}  // namespace steptrace::agent
