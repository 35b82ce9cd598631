// SPDX-License-Identifier: Apache-2.0
#include "cli/run_signals.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "base/time.h"

namespace steptrace::cli {
namespace {

constexpr int kForwarded[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
                              SIGALRM, SIGTSTP, SIGCONT, SIGTTIN, SIGTTOU};
// A signal to the group reaches all its processes within one system call; the rest is for the
// witness to be scheduled on a busy machine.
constexpr int kWitnessWaitMs = 100;

[[noreturn]] void BeWitness(int report_fd, pid_t launcher) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NAME, "steptrace-sig");
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  // Whatever else it held open (the script's pipes, a lock) would keep somebody waiting.
  if (getppid() != launcher || dup2(report_fd, 0) != 0) _exit(0);
  close_range(1, ~0u, 0);
  for (;;) {
    const int signal = sigwaitinfo(&all, nullptr);
    const auto byte = static_cast<unsigned char>(signal);
    if (signal > 0 && write(0, &byte, 1) != 1) _exit(0);
  }
}

}  // namespace

RunSignals::RunSignals() {
  sigemptyset(&taken_);
  for (int signal : kForwarded) sigaddset(&taken_, signal);
  sigaddset(&taken_, SIGCHLD);
  sigset_t blocked = taken_;
  sigaddset(&blocked, SIGPIPE);  // a line of ours on a closed stderr must not end the training
  sigprocmask(SIG_BLOCK, &blocked, &original_mask_);
  // A parent that ignores SIGCHLD would make the command's status unreadable.
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &by_default, &original_child_action_);
  // A limit on files must fail our writes, not end us.
  struct sigaction ignored {};
  ignored.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &ignored, &original_size_action_);
  signals_ = UniqueFd(signalfd(-1, &taken_, SFD_CLOEXEC | SFD_NONBLOCK));
}

RunSignals::~RunSignals() {
  if (witness_ > 0) {
    kill(witness_, SIGKILL);
    waitpid(witness_, nullptr, 0);
  }
}

void RunSignals::StartWitness() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return;
  witness_reports_ = UniqueFd(ends[0]);
  UniqueFd report(ends[1]);
  const pid_t launcher = getpid();
  witness_ = fork();
  if (witness_ == 0) BeWitness(report.get(), launcher);
}

std::optional<RunSignals::Taken> RunSignals::Take() {
  signalfd_siginfo info;
  if (read(signals_.get(), &info, sizeof info) != sizeof info) return std::nullopt;
  Taken taken;
  taken.signal = static_cast<int>(info.ssi_signo);
  if (taken.signal == SIGCHLD) return taken;
  const bool from_kernel = info.ssi_code > 0;
  // Asked in any case: a report that nobody takes would later hide a signal sent to us alone.
  const bool sent_to_all = WitnessHasSeen(taken.signal);
  taken.pass_on = !from_kernel && !sent_to_all;
  return taken;
}

bool RunSignals::WitnessHasSeen(int signal) {
  if (witness_ <= 0 || signal >= kSignals) return false;
  const int64_t until_ns = MonotonicNowNs() + kWitnessWaitMs * kNsPerMs;
  for (;;) {
    unsigned char byte;
    // Several signals may reach the two of us in different order: each report waits for its own.
    while (read(witness_reports_.get(), &byte, 1) == 1) {
      if (byte < kSignals) reported_[byte] = true;
    }
    if (std::exchange(reported_[signal], false)) return true;
    const int64_t left_ms = (until_ns - MonotonicNowNs()) / kNsPerMs;
    pollfd wait{witness_reports_.get(), POLLIN, 0};
    if (left_ms <= 0 || poll(&wait, 1, static_cast<int>(left_ms)) <= 0) return false;
    if ((wait.revents & POLLIN) == 0) return false;
  }
}

void RunSignals::RestoreForExec() const {
  sigaction(SIGCHLD, &original_child_action_, nullptr);
  sigaction(SIGXFSZ, &original_size_action_, nullptr);
  sigprocmask(SIG_SETMASK, &original_mask_, nullptr);
}

void RunSignals::StopLike(int signal) const {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &one, nullptr);  // stops here
  sigprocmask(SIG_BLOCK, &one, nullptr);
}

void RunSignals::DieLike(int signal) const {
  const rlimit no_core{0, 0};  // the command has left one if it was to
  setrlimit(RLIMIT_CORE, &no_core);
  struct sigaction by_default {};
  by_default.sa_handler = SIG_DFL;
  sigaction(signal, &by_default, nullptr);
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &one, nullptr);
}

}  // namespace steptrace::cli
