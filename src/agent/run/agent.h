// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "agent/capture/capture_desk.h"
#include "agent/ingest/drain_pace.h"
#include "agent/ingest/recorder.h"
#include "agent/ingest/stack_feed.h"
#include "agent/ingest/system_feed.h"
#include "agent/run/agent_options.h"
#include "agent/run/command.h"
#include "agent/run/control_channel.h"
#include "agent/run/git_changes.h"
#include "agent/run/observer_feed.h"
#include "agent/run/own_cost.h"
#include "agent/run/unrecorded_processes.h"
#include "agent/system/self_reader.h"
#include "store/manifest.h"
#include "store/metadata_keys.h"
#include "store/run_writer.h"

namespace steptrace::agent {

// The sidecar of one run: one loop in one thread.
//
//   recording ─ the launcher tells the exit ──────────────► closing ─► closed
//      │  │        └─ processes train or may ─► lingering ────┘ they end, or are late
//      │  └─ the launcher is gone ─► orphaned ─────────────────┘ and so are command and trainings
//      └─ every 1-32 ms: look for rings, drain; now and then: liveness, system, flush
class Agent {
 public:
  // `channel` must outlive the agent.
  static Result<std::unique_ptr<Agent>> Create(AgentOptions options, ControlChannel& channel);
  ~Agent();

  // Until the run is closed; says so to the launcher.
  void Run();

 private:
  enum class State { kRecording, kEnding, kLingering, kOrphaned };

  Agent(AgentOptions options, ControlChannel& channel, store::RunWriter writer,
        store::Manifest manifest);
  Status Begin();
  void Poll();
  void HandleMessages(int64_t now_ns);
  void OnMessage(const ControlMessage& message, int64_t now_ns);
  void ChangeSettings(const std::string& changes, int64_t now_ns);
  void StartStacks();
  void CheckProcesses(int64_t now_ns);
  void Observe();
  void OpenDesk();
  void CheckObservers(Moment moment, int64_t now_ns);
  void FollowJob();
  void Flush(int64_t now_ns);
  bool ReadyToClose(int64_t now_ns);
  bool CommandEnded(int64_t now_ns);
  void RecordGitChanges(const GitChanges::Answer& answer);
  void AppendFact(store::MetadataKind kind, const nlohmann::ordered_json& reported,
                  int64_t ts_ns = 0);
  void Close();
  void Wait(int64_t wait_ms);
  int64_t NowNs() const;

  AgentOptions options_;
  ControlChannel& channel_;
  store::RunWriter writer_;
  store::Manifest manifest_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<SystemFeed> system_;
  std::unique_ptr<StackFeed> stacks_;  // nullptr: none are sampled
  std::unique_ptr<ObserverFeed> observers_;
  DrainPace pace_;
  std::unique_ptr<OwnCost> cost_;
  SelfReader self_{"/proc"};
  std::unique_ptr<Unrecorded> unrecorded_;
  std::unique_ptr<GitChanges> changes_;  // nullptr: nobody is asked
  bool ends_with_launcher_ = false;
  std::unique_ptr<CaptureDesk> desk_;
  int64_t flushed_ns_ = 0;  // what was settled until then is in the journal
  State state_ = State::kRecording;
  Command command_;
  std::optional<int> wait_status_;
  std::optional<int64_t> end_ns_;  // of the command
  int64_t went_on_ns_ = 0;         // when the run last went on for somebody
  int64_t next_check_ns_ = 0;
  int64_t next_flush_ns_ = 0;
  int64_t next_scan_ns_ = 0;
  std::string flush_error_;  // the first one, for the launcher
};

}  // namespace steptrace::agent
