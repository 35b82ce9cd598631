// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <array>
#include <optional>

#include "base/unique_fd.h"

// Signals of the launcher: it takes them in its loop, and passes on to the command those that the
// command has not had already.
//
//   from the terminal (SI_KERNEL) ──────────► the whole group has it: not passed on
//   kill(launcher) ─────────────────────────► passed on
//   kill(-group), `timeout`, a shell's job ─► the witness had it too: not passed on
//
// The witness is a small process of our own in the same group: what reaches it was sent to all.
namespace steptrace::cli {

class RunSignals {
 public:
  // Blocks them and starts to take them. Call before any thread or child exists.
  RunSignals();
  ~RunSignals();
  RunSignals(const RunSignals&) = delete;
  RunSignals& operator=(const RunSignals&) = delete;

  // Forks the witness. Without it (no process to be had) every kill counts as sent to us alone.
  void StartWitness();

  int fd() const { return signals_.get(); }
  struct Taken {
    int signal = 0;
    bool pass_on = false;
  };
  // The next signal that has arrived; SIGCHLD is reported with pass_on false.
  std::optional<Taken> Take();

  // Before an exec, in a child or in the launcher's place: everything as it was given to us.
  void RestoreForExec() const;
  // Stops this process as the command was stopped; returns when it is continued.
  void StopLike(int signal) const;
  // Ends this process by a signal, as the command ended; returns if that was survived.
  void DieLike(int signal) const;

 private:
  static constexpr int kSignals = 65;

  void ReadReports();
  bool WitnessIsDone(int signal) const;
  bool WitnessHasSeen(int signal);

  sigset_t taken_;
  sigset_t original_mask_;
  struct sigaction original_child_action_;
  struct sigaction original_size_action_;
  UniqueFd signals_;
  UniqueFd witness_reports_;
  std::array<bool, kSignals> reported_{};  // by the witness, and not asked for yet
  pid_t witness_ = -1;
};

}  // namespace steptrace::cli
