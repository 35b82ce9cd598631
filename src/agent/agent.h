// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "agent/agent_options.h"
#include "agent/capture_port.h"
#include "agent/control_channel.h"
#include "agent/drain_pace.h"
#include "agent/hang_watch.h"
#include "agent/hookless_watch.h"
#include "agent/kineto_captures.h"
#include "agent/left_watch.h"
#include "agent/live_rules.h"
#include "agent/memory_watch.h"
#include "agent/own_cost.h"
#include "agent/process_handle.h"
#include "agent/recorder.h"
#include "agent/stack_feed.h"
#include "agent/step_watch.h"
#include "agent/system/self_reader.h"
#include "agent/system_feed.h"
#include "agent/trace_intake.h"
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
  void Turn();
  void HandleMessages(int64_t now_ns);
  void OnMessage(const ControlMessage& message, int64_t now_ns);
  void ChangeSettings(const std::string& changes, int64_t now_ns);
  void StartStacks();
  void CheckProcesses(int64_t now_ns);
  void WatchForHangs(int64_t now_ns);
  void FollowJob();
  void Flush(int64_t now_ns);
  bool ReadyToClose(int64_t now_ns);
  bool CommandEnded(int64_t now_ns);
  void LookWhoIsLeft(int64_t now_ns);
  void TellWhoIsLeft(int64_t now_ns);
  void TellWhyNoHooks();
  void AppendFact(store::MetadataKind kind, const nlohmann::ordered_json& told, int64_t ts_ns = 0);
  void Close();
  void Wait(int64_t wait_ms);
  CaptureService Captures();
  CaptureProgress Ask(const CaptureDemand& demand, const std::set<int32_t>& ranks);
  void TurnKineto(int64_t now_ns);
  void TellRefusedKineto();
  void TakeTraces(bool partial_too);
  void MergeImported(const TraceIntake::Imported& imported);
  void FinishTraces();
  int64_t NowNs() const;
  int64_t EpochUtcNow() const;

  AgentOptions options_;
  ControlChannel& channel_;
  store::RunWriter writer_;
  store::Manifest manifest_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<SystemFeed> system_;
  std::unique_ptr<StackFeed> stacks_;  // nullptr: none are sampled
  std::unique_ptr<HangWatch> hangs_;   // nullptr: not watched for
  DrainPace pace_;
  std::unique_ptr<OwnCost> cost_;
  SelfReader self_{"/proc"};
  LiveRules rules_;
  StepWatch steps_;
  MemoryWatch memory_;
  HooklessWatch hookless_;
  LeftWatch left_;
  Survivors survivors_;  // of a command that has ended
  bool ends_with_launcher_ = false;
  CapturePort port_;
  CaptureService captures_;
  std::unique_ptr<KinetoCaptures> kineto_;  // nullptr: not asked for
  std::unique_ptr<TraceIntake> traces_;
  int64_t trace_merged_ns_ = 0;
  std::string trace_failed_;  // the last one that could not be merged
  int64_t flushed_ns_ = 0;    // what was settled until then is in the journal
  State state_ = State::kRecording;
  int32_t command_pid_ = 0;
  uint64_t command_start_ticks_ = 0;
  ProcessHandle command_;
  std::optional<int> wait_status_;
  std::optional<int64_t> end_ns_;  // of the command
  int64_t went_on_ns_ = 0;         // when the run last went on for somebody
  int64_t next_check_ns_ = 0;
  int64_t next_flush_ns_ = 0;
  int64_t next_look_ns_ = 0;
  std::string flush_error_;  // the first one, for the launcher
};

}  // namespace steptrace::agent
