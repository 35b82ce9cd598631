// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>

#include "agent/run/agent_options.h"
#include "agent/run/control_channel.h"
#include "base/result.h"
#include "cli/run_signals.h"

namespace steptrace::cli {

// What may cut a wait short: whenever `fd` is readable, `asked` says whether it does.
struct Patience {
  int fd = -1;
  std::function<bool()> asked;
};

// The agent as the launcher sees it: a process of its own session that must never stand in the
// command's way. Every wait for it is bounded.
//
//   Start ─► starting ─ ready ─► recording ─ exited ─► closing ─ closed ─► done
//               │ failed, end       │ end                 │ end or too late
//               └───────────────────┴─────────────────────┴──► lost
class AgentProcess {
 public:
  enum class State { kStarting, kRecording, kClosing, kLingering, kDone, kLost };

  AgentProcess() = default;
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;
  ~AgentProcess();

  // Forks and executes this program as `steptrace agent …`. `options.lock_fd` goes along.
  Status Start(agent::AgentOptions options, const RunSignals& signals);
  // Until it is ready or lost, at most so long; a slow one may become ready later.
  void WaitUntilReady(int64_t at_most_ms);
  void SendCommand(pid_t command);
  // What else is to be captured from now on. False: it cannot be told.
  bool SendSettings(const agent::AgentOptions& options);
  // Tells the status and waits until the run is closed; kills an agent that gives no answer. Where
  // the patience ends first, the agent is left to close the run alone.
  void SendExitAndWait(int wait_status, const Patience& patience);

  // Ends it at once: nothing will be recorded.
  void Kill();

  // To be called when fd() is readable.
  void HandleMessages();
  // What it has to say while the command runs.
  void SetNoticeObserver(std::function<void(const std::string&)> observer) {
    on_notice_ = std::move(observer);
  }
  int fd() const { return channel_.fd(); }
  State state() const { return state_; }
  pid_t pid() const { return pid_; }  // -1: it does not run
  bool lost() const { return state_ == State::kLost; }
  // Nobody waits for it any more; it closes the run by itself.
  bool left_alone() const { return left_alone_; }
  const std::string& reason() const { return reason_; }  // of being lost, where it said one
  const std::string& goes_on_for() const { return goes_on_for_; }  // who lingers

 private:
  void WaitWhile(State state, int64_t at_most_ms, const Patience& patience = {});
  // Takes the exit status, if it ends within the time, so that no zombie is left.
  void Reap(int64_t at_most_ms);

  agent::ControlChannel channel_;
  std::function<void(const std::string&)> on_notice_;
  pid_t pid_ = -1;
  State state_ = State::kLost;
  std::string reason_;
  std::string goes_on_for_;
  bool left_alone_ = false;
};

}  // namespace steptrace::cli
