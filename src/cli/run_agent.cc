// SPDX-License-Identifier: Apache-2.0
#include "cli/run_agent.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <utility>
#include <vector>

#include "base/inherited_mode.h"
#include "base/time.h"
#include "cli/package_dir.h"
#include "cli/run_folder.h"

namespace steptrace::cli {
namespace {

// A living agent answers within one turn of its loop; this is for a machine that swaps.
constexpr int64_t kAnswerMs = 10'000;
// Journals of hours become Parquet at some 100 MB/s; beyond this it hangs.
constexpr int64_t kCloseMs = 300'000;
// An agent that has ended, or was killed, is gone in a moment, unless a thread of it hangs in a
// driver or on a dead network file system: the command's end does not wait for that.
constexpr int64_t kBuryMs = 1'000;

void ClearCloseOnExec(int fd) {
  const int flags = fcntl(fd, F_GETFD);
  if (flags >= 0) fcntl(fd, F_SETFD, flags & ~FD_CLOEXEC);
}

// Its streams are not the script's: a pipe on stdout must end when the script ends.
void DetachStreams(const std::filesystem::path& run_dir) {
  const int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null_fd < 0) _exit(127);
  dup2(null_fd, 0);
  dup2(null_fd, 1);
  const std::filesystem::path log = run_dir / kAgentLog;
  const int log_fd = open(log.c_str(), O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC, FileModeAt(log));
  dup2(log_fd >= 0 ? log_fd : null_fd, 2);
}

[[noreturn]] void BeAgent(const agent::AgentOptions& options, const RunSignals& signals,
                          const std::string& self) {
  setsid();
  // While they are blocked: one that came before the session was its own is forgotten.
  for (int signal : {SIGINT, SIGHUP, SIGTERM, SIGQUIT, SIGTSTP}) ::signal(signal, SIG_IGN);
  signals.RestoreForExec();
  ::signal(SIGXFSZ, SIG_IGN);  // a limit on files must fail the journal, not end us
  // What the script was given by number (a lock, a pipe) is not held for longer than it runs.
  close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
  DetachStreams(options.run_dir);
  ClearCloseOnExec(options.control_fd);
  ClearCloseOnExec(options.lock_fd);
  if (options.kineto_fd >= 0) ClearCloseOnExec(options.kineto_fd);
  std::vector<std::string> arguments = agent::ToArguments(options);
  arguments.insert(arguments.begin(), {"steptrace", "agent"});
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  execv(self.c_str(), pointers.data());
  _exit(127);
}

}  // namespace

AgentProcess::~AgentProcess() {
  channel_.Close();
  Reap(0);
}

void AgentProcess::Reap(int64_t at_most_ms) {
  constexpr timespec kPause{0, kNsPerMs};
  const int64_t until_ns = MonotonicNowNs() + at_most_ms * kNsPerMs;
  while (pid_ > 0 && waitpid(pid_, nullptr, WNOHANG) == 0) {
    if (MonotonicNowNs() >= until_ns) return;
    nanosleep(&kPause, nullptr);
  }
  pid_ = -1;
}

Status AgentProcess::Start(agent::AgentOptions options, const RunSignals& signals) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    return Error{std::string("agent: ") + strerror(errno), "the command runs unrecorded"};
  }
  channel_ = agent::ControlChannel(UniqueFd(ends[0]));
  UniqueFd far_end(ends[1]);
  options.control_fd = far_end.get();
  const std::string self = ExecutablePath().string();
  pid_ = fork();
  if (pid_ == 0) BeAgent(options, signals, self);
  if (pid_ < 0) {
    return Error{std::string("agent: ") + strerror(errno), "the command runs unrecorded"};
  }
  state_ = State::kStarting;
  return {};
}

void AgentProcess::HandleMessages() {
  channel_.Receive();
  while (auto message = channel_.Next()) {
    if (message->verb == agent::kVerbReady) {
      state_ = State::kRecording;
    } else if (message->verb == agent::kVerbFailed) {
      reason_ = message->argument;
      state_ = State::kLost;
    } else if (message->verb == agent::kVerbNotice) {
      if (on_notice_) on_notice_(message->argument);
    } else if (message->verb == agent::kVerbClosing) {
      state_ = State::kClosing;
    } else if (message->verb == agent::kVerbRunning) {
      goes_on_for_ = message->argument;
      state_ = State::kLingering;
    } else if (message->verb == agent::kVerbClosed) {
      reason_ = message->argument;
      state_ = State::kDone;
    }
  }
  const bool final_state = state_ == State::kDone || state_ == State::kLingering;
  if (channel_.at_end() && !final_state) state_ = State::kLost;
  if (channel_.at_end() || state_ == State::kLost) channel_.Close();
  if (channel_.at_end()) Reap(0);
}

void AgentProcess::WaitWhile(State state, int64_t at_most_ms, const Patience& patience) {
  const int64_t until_ns = MonotonicNowNs() + at_most_ms * kNsPerMs;
  while (state_ == state && channel_.fd() >= 0 && !left_alone_) {
    const int64_t left_ms = (until_ns - MonotonicNowNs()) / kNsPerMs;
    if (left_ms <= 0) return;
    pollfd waits[2] = {{channel_.fd(), POLLIN, 0}, {patience.fd, POLLIN, 0}};
    if (poll(waits, 2, static_cast<int>(left_ms)) <= 0) continue;
    if (waits[0].revents != 0) HandleMessages();
    if (waits[1].revents != 0 && patience.asked()) left_alone_ = true;
  }
}

void AgentProcess::WaitUntilReady(int64_t at_most_ms) {
  WaitWhile(State::kStarting, at_most_ms);
}

void AgentProcess::SendCommand(pid_t command) {
  channel_.Send(agent::kVerbCommand, std::to_string(command));
}

bool AgentProcess::SendSettings(const agent::AgentOptions& options) {
  if (state_ != State::kStarting && state_ != State::kRecording) return true;  // nobody captures
  return channel_.Send(agent::kVerbSettings, agent::ChangesText(options));
}

void AgentProcess::SendExitAndWait(int wait_status, const Patience& patience) {
  // Until it is reaped it may hold the run's lock, which recovery needs.
  if (lost()) return Kill();
  const State before = state_;
  channel_.Send(agent::kVerbExited, std::to_string(wait_status));
  WaitWhile(before, kAnswerMs, patience);
  if (state_ == State::kRecording) WaitWhile(State::kRecording, kAnswerMs, patience);
  WaitWhile(State::kClosing, kCloseMs, patience);
  if (state_ == State::kLingering || left_alone_) return;
  // A container's first process may be one that buries nobody.
  if (state_ == State::kDone) return Reap(kBuryMs);
  Kill();
}

void AgentProcess::Kill() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    Reap(kBuryMs);
  }
  channel_.Close();
  state_ = State::kLost;
}

}  // namespace steptrace::cli
