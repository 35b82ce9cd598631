// SPDX-License-Identifier: Apache-2.0
#include "cli/run_signals.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/time.h"

namespace steptrace::cli {
namespace {

constexpr int kForwarded[] = {SIGHUP,  SIGINT,  SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2,
                              SIGALRM, SIGTSTP, SIGCONT, SIGTTIN, SIGTTOU};
// A signal to the group reaches all its processes within one system call, which may go on while we
// have it already. On a busy machine the witness gets a core late: while it has something to do it
// is waited for.
constexpr int kSystemCallMs = 2;
constexpr int64_t kWitnessWaitNs = 10 * kNsPerSecond;

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

void RunSignals::ReadReports() {
  unsigned char byte;
  // Several signals may reach the two of us in different order: each report waits for its own.
  while (read(witness_reports_.get(), &byte, 1) == 1) {
    if (byte < kSignals) reported_[byte] = true;
  }
}

// Whether the witness has nothing more to say of the signal: it sleeps, and none is pending; or it
// has ended, whoever killed it.
bool RunSignals::WitnessIsDone(int signal) const {
  char path[32], text[4096];
  snprintf(path, sizeof path, "/proc/%d/status", witness_);
  const UniqueFd file(open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t count = file.get() < 0 ? -1 : read(file.get(), text, sizeof text - 1);
  if (count <= 0) return true;
  text[count] = 0;
  const char* state = strstr(text, "\nState:");
  const char* pending = strstr(text, "\nShdPnd:");
  if (state == nullptr || pending == nullptr) return true;
  const uint64_t mask = strtoull(pending + strlen("\nShdPnd:"), nullptr, 16);
  const char at = state[strlen("\nState:\t")];
  if (at == 'Z' || at == 'X') return true;
  return at == 'S' && (mask >> (signal - 1) & 1) == 0;
}

bool RunSignals::WitnessHasSeen(int signal) {
  if (witness_ <= 0 || signal >= kSignals) return false;
  const int64_t until_ns = MonotonicNowNs() + kWitnessWaitNs;
  for (int looks = 0; looks < 2 && MonotonicNowNs() < until_ns;) {
    // It reports before it sleeps again: asked after that, nothing is still to come.
    const bool done = WitnessIsDone(signal);
    ReadReports();
    if (std::exchange(reported_[signal], false)) return true;
    if (done && ++looks == 2) break;
    pollfd wait{witness_reports_.get(), POLLIN, 0};
    poll(&wait, 1, kSystemCallMs);
  }
  return false;
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
