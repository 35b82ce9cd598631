// SPDX-License-Identifier: Apache-2.0
#include "cli/run.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "agent/capture/kineto_endpoint.h"
#include "agent/ingest/ring_folder.h"
#include "agent/run/run_end.h"
#include "agent/stacks/stack_rights.h"
#include "base/shell_word.h"
#include "base/time.h"
#include "cli/file_watch.h"
#include "cli/package_dir.h"
#include "cli/present_options.h"
#include "cli/run_agent.h"
#include "cli/run_command.h"
#include "cli/run_environment.h"
#include "cli/run_folder.h"
#include "cli/run_signals.h"
#include "cli/terminal.h"
#include "store/recovery.h"

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

// An agent starts in some 20 ms; a machine too busy for that must not hold the training up.
constexpr int64_t kAgentReadyMs = 2'000;
constexpr int kExitUsage = 2;

// What went wrong, with what becomes of the command or the run: the next step stays the next step.
Error Remarked(Error error, const char* remark) {
  std::string& last = error.next_step.empty() ? error.cause : error.next_step;
  last += fmt::format(" ({})", remark);
  return error;
}

// The launcher of one run, in the order of its life: Prepare, Start, Wait, Finish.
class Launcher {
 public:
  explicit Launcher(const RunOptions& options)
      : options_(options), settings_(options.settings_file) {}

  int Run() {
    if (auto prepared = Prepare(); !prepared.ok()) {
      PrintError(prepared.error());
      return RunUnrecorded();
    }
    signals_.emplace();
    signals_->StartWitness();
    StartAgent();
    const std::vector<std::string> environment = Environment();
    StartedCommand command = StartCommand(options_.command, environment, *signals_);
    if (command.failure.before_exec) return GiveUp(command.failure);
    if (command.pid < 0) return NotStarted(command.failure);
    command_ = command.pid;
    agent_.SendCommand(command_);
    const int wait_status = WaitForCommand();
    Finish(wait_status);
    return ExitLike(wait_status);
  }

  // The folder that was asked for by name must be there before anything runs.
  Status MakeFolder() {
    STEPTRACE_ASSIGN_OR_RETURN(folder_, MakeRunFolder(options_, UtcNowNs()));
    return {};
  }

  int RunUnrecorded() {
    if (signals_) signals_->RestoreForExec();
    signals_.reset();
    return RunUntouched(options_.command);
  }

 private:
  Status Prepare() {
    const char* from_environment = getenv("STEPTRACE_SHM");
    fs::path wished = options_.shm;
    if (wished.empty() && from_environment != nullptr) wished = from_environment;
    auto ring = agent::MakeRingFolder(agent::ShmCandidates(wished, folder_.path), folder_.id);
    if (!ring.ok()) {
      DropFolder();
      return Remarked(ring.error(), "the command runs unrecorded");
    }
    ring_ = std::move(*ring);
    return {};
  }

  // The launcher holds the socket as the agent does: it lives as long as the command.
  void MakeKineto() {
    if (!options_.kineto) return;
    if (const std::string own = OwnKinetoDaemon(OwnEnvironment()); !own.empty()) {
      PrintError({own + ": is set already, so Kineto goes on asking the daemon that it names",
                  "unset it for --kineto"});
      return;
    }
    if (const std::string run = folder_.path.string(); run.find_first_of("#\n\r") != run.npos) {
      PrintError({run + ": '#' in its name ends a line of Kineto's settings",
                  "name another place with --output for --kineto"});
      return;
    }
    auto folder = agent::MakeKinetoFolder(ring_.path.parent_path());
    if (!folder.ok()) {
      PrintError(Remarked(folder.error(), "Kineto cannot ask for captures"));
      return;
    }
    kineto_dir_ = folder->path;
    kineto_.emplace(std::move(folder->socket), folder->path);
  }

  void StartAgent() {
    MakeKineto();
    agent::AgentOptions options;
    if (kineto_) options.kineto_fd = kineto_->fd();
    options.kineto_dir = kineto_dir_;
    options.run_dir = folder_.path;
    options.ring_dir = ring_.path;
    options.run_id = folder_.id;
    options.run_name = folder_.name;
    options.sample_interval_ms = options_.system_interval_ms;
    options.stack_rate = options_.stack_rate;
    options.hang_watch = options_.hang_watch;
    options.alerts = options_.alerts;
    options.windows = options_.windows;
    if (!options_.quiet) {
      agent_.SetNoticeObserver([](const std::string& text) { PrintMessage(text); });
    }
    options.redact = options_.redact;
    options.tags = options_.tags;
    options.keep_traces = options_.keep_traces;
    options.lock_fd = ring_.lock.get();
    options.command = options_.command;
    Status started = agent_.Start(options, *signals_);
    if (started.ok()) agent_.WaitUntilReady(kAgentReadyMs);
    if (agent_.lost()) {
      const std::string reason = !started.ok() ? started.error().text() : agent_.reason();
      PrintError({"the agent could not start: " + (reason.empty() ? "it died" : reason),
                  "the command runs unrecorded"});
      CleanUp();
      DropFolder();
    } else if (!options_.quiet) {
      PrintMessage(fmt::format("recording to {}  (report: steptrace report {})",
                               folder_.shown.string(), RunToType()));
    }
  }

  std::vector<std::string> Environment() {
    if (agent_.lost()) return OwnEnvironment();
    RunEnvironment run;
    run.run_id = folder_.id;
    run.run_dir = folder_.path;
    run.ring_dir = ring_.path;
    run.hooks = options_.hooks;
    run.tensors = options_.tensors;
    run.kineto_dir = kineto_dir_;
    const bool reads_stacks = options_.stack_rate > 0 || options_.hang_watch;
    if (reads_stacks && agent::NeedsNamedTracer()) run.agent_pid = agent_.pid();
    if (auto package = PackageDir(); package.ok()) {
      run.package_dir = *package;
    } else {
      PrintError(package.error());
    }
    return EnvironmentForCommand(OwnEnvironment(), run);
  }

  // No descriptor or process is left for a launcher that stays: the command takes its place.
  int GiveUp(const StartFailure& failure) {
    PrintError({failure.error.text() + " (it runs unrecorded)"});
    agent_.Kill();
    CleanUp();
    std::error_code ignored;
    fs::remove_all(folder_.path, ignored);  // was empty when it became ours
    return RunUnrecorded();
  }

  int NotStarted(const StartFailure& failure) {
    PrintError(failure.error);
    agent_.SendExitAndWait(failure.exit_status << 8, {});
    CleanUp();
    return failure.exit_status;
  }

  int WaitForCommand() {
    // Twice as often as needed: a change is told by two looks.
    constexpr int64_t kPollMs = 250;
    int64_t next_look_ns = MonotonicNowNs();
    for (;;) {
      // Kineto would try for seconds to reach an agent that is gone, at the command's end too.
      const bool stands_in = kineto_ && agent_.lost();
      pollfd waits[3] = {{signals_->fd(), POLLIN, 0},
                         {agent_.fd(), POLLIN, 0},
                         {stands_in ? kineto_->fd() : -1, POLLIN, 0}};
      if (poll(waits, 3, options_.reread ? kPollMs : -1) < 0 && errno != EINTR) break;
      if (waits[1].revents != 0) agent_.HandleMessages();
      if (waits[2].revents != 0) kineto_->Poll(MonotonicNowNs());
      if (options_.reread && MonotonicNowNs() >= next_look_ns) {
        next_look_ns = MonotonicNowNs() + kPollMs * kNsPerMs;
        if (settings_.Poll()) SendSettings();
      }
      while (auto taken = signals_->Take()) {
        if (taken->pass_on) kill(command_, taken->signal);
      }
      if (auto ended = CheckCommand()) return *ended;
    }
    int status = 0;
    waitpid(command_, &status, 0);
    return status;
  }

  // What the file of settings says now; where it says nothing that can be read, all stays as it is.
  void SendSettings() {
    auto live = options_.reread();
    if (!live.ok()) {
      PrintError(Remarked(live.error(), "the run goes on with the settings that it has"));
      return;
    }
    agent::AgentOptions changed;
    changed.windows = std::move(live->windows);
    changed.stack_rate = live->stack_rate;
    if (agent_.SendSettings(changed)) return;
    PrintError({options_.settings_file.string() +
                ": the changes could not be sent to the agent; name fewer windows (the run goes "
                "on with its current settings)"});
  }

  std::optional<int> CheckCommand() {
    int status = 0;
    if (waitpid(command_, &status, WNOHANG | WUNTRACED) != command_) return std::nullopt;
    if (!WIFSTOPPED(status)) return status;
    signals_->StopLike(WSTOPSIG(status));  // so that the shell sees its job stopped
    return std::nullopt;
  }

  void Finish(int wait_status) {
    const bool was_recording = !dropped_;
    (void)IsEndRequested();  // what came while the command lived was meant for it
    agent_.SendExitAndWait(wait_status, {signals_->fd(), [this] { return IsEndRequested(); }});
    if (!was_recording) return;
    if (agent_.left_alone()) return PrintLeftAlone();
    bool closed = agent_.state() == AgentProcess::State::kDone;
    if (agent_.state() == AgentProcess::State::kLingering) return PrintLingering();
    if (closed && !agent_.reason().empty()) PrintError({agent_.reason()});
    if (agent_.lost()) closed = Recover(wait_status);
    CleanUp();
    if (closed) Report();
  }

  // Takes what signals there are. The command is gone: one that asks to end asks us.
  bool IsEndRequested() {
    bool asked = false;
    while (auto taken = signals_->Take()) {
      const int signal = taken->signal;
      asked |= signal == SIGINT || signal == SIGTERM || signal == SIGQUIT || signal == SIGHUP;
    }
    return asked;
  }

  std::string RunToType() const { return ShellWord(folder_.shown.string()); }

  void PrintLeftAlone() {
    if (options_.quiet) return;
    PrintMessage(fmt::format("not waiting; the run is being closed (report: steptrace report {})",
                             RunToType()));
  }

  void PrintLingering() {
    if (options_.quiet) return;
    PrintMessage(
        fmt::format("{} (report: steptrace report {})", agent_.goes_on_for(), RunToType()));
  }

  bool Recover(int wait_status) {
    const agent::RunEnd end = agent::DescribeRunEnd(wait_status);
    store::RecoverOptions recovery;
    recovery.status = end.status;
    recovery.exit_code = end.exit_code;
    recovery.signal = end.signal;
    if (auto manifest = store::ReadManifest(folder_.path); manifest.ok()) {
      recovery.end_ns = MonotonicNowNs() - manifest->epoch_monotonic_ns;
    }
    Status recovered = store::RecoverRun(folder_.path, recovery);
    PrintError({"the agent was gone before the end" +
                (agent_.reason().empty() ? std::string() : ": " + agent_.reason()) +
                "; the report counts what is missing"});
    if (!recovered.ok()) PrintError(recovered.error());
    return recovered.ok();
  }

  void Report() {
    if (options_.quiet || !options_.report) return;
    PresentOptions present;
    present.price_per_hour = options_.price_per_hour;
    present.tensor_cores = options_.tensor_cores;
    present.stages = options_.stages;
    present.color = options_.color;
    if (Status printed = PrintReport(folder_.path, present, stderr); !printed.ok()) {
      PrintError(printed.error());
    }
  }

  // The agent does so itself when it closes a run.
  void CleanUp() {
    if (kineto_) agent::RemoveKinetoFolder(kineto_dir_);
    agent::RemoveRingFolder(ring_.path);
  }

  void DropFolder() {
    std::error_code ignored;
    fs::remove(folder_.path / kAgentLog, ignored);
    fs::remove(folder_.path, ignored);  // only if nothing is in it
    dropped_ = true;
  }

  int ExitLike(int wait_status) {
    if (!WIFSIGNALED(wait_status)) return WEXITSTATUS(wait_status);
    signals_->DieLike(WTERMSIG(wait_status));
    return 128 + WTERMSIG(wait_status);
  }

  const RunOptions& options_;
  FileWatch settings_;  // from before the command starts: what it changes at once is a change
  RunFolder folder_;
  agent::RingFolder ring_;
  std::optional<RunSignals> signals_;
  AgentProcess agent_;
  fs::path kineto_dir_;
  std::optional<agent::KinetoEndpoint> kineto_;  // read only where the agent is gone
  pid_t command_ = -1;
  bool dropped_ = false;  // nothing is recorded
};

}  // namespace

int RunCommand(const RunOptions& options) {
  if (StartFailure check = CheckProgram(options.command.front()); check.exit_status != 0) {
    PrintError(check.error);
    return check.exit_status;
  }
  Launcher launcher(options);
  if (Status made = launcher.MakeFolder(); !made.ok()) {
    if (!options.output.empty()) {
      PrintError(made.error());
      return kExitUsage;
    }
    return RunUnrecorded(options.command, made.error());
  }
  return launcher.Run();
}

int RunUntouched(const std::vector<std::string>& command) {
  const StartFailure failure = ExecCommand(command, OwnEnvironment());
  PrintError(failure.error);
  return failure.exit_status;
}

int RunUnrecorded(const std::vector<std::string>& command, const Error& why) {
  PrintError(Remarked(why, "the command runs unrecorded"));
  return RunUntouched(command);
}

}  // namespace steptrace::cli
