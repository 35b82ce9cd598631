// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

#include "agent/capture/capture_port.h"
#include "agent/capture/kineto_run.h"
#include "agent/capture/profile_feed.h"
#include "agent/capture/run_captures.h"
#include "agent/capture/trace_intake.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace steptrace::agent {

// Takes what `steptrace capture` asks for while the run goes on, has it carried out, and brings the
// profiles of windows into the run. One thread.
class CaptureDesk {
 public:
  struct Options {
    std::filesystem::path run_dir;
    bool keep_traces = false;
    UniqueFd kineto;  // its endpoint; none: processes without hooks are not captured
    std::filesystem::path kineto_dir;
    int32_t node = 0;
  };
  // `hooks` and what `run` names must outlive it.
  CaptureDesk(Options options, RunCaptures& hooks, const ProfileFeed::Run& run);

  // Where the port is. An error: nobody can ask.
  Status OpenPort(const std::filesystem::path& ring_dir);
  // Descriptors that may have something to say.
  void AddTo(std::vector<pollfd>& waits);
  // Takes what has come and answers. `durable_ns`: up to which time the journal holds everything.
  void Poll(int64_t now_ns, int64_t durable_ns);
  void TakeProfiles() { profiles_.Poll(false); }

  // At the end: whom Kineto's endpoint refused.
  void RecordRefused();
  // The trainings are gone: what they left is taken now, as far as that goes in a while.
  void Finish(int64_t now_ns);
  // The run is closed: whoever waits for a capture has all there is of it now.
  void AnswerAll() { port_.Poll(service_, INT64_MAX); }
  // Kineto's folder is not needed any more.
  void RemoveFolder();

 private:
  int64_t epoch_monotonic_ns_;
  std::filesystem::path kineto_dir_;
  std::unique_ptr<KinetoRun> kineto_;  // nullptr: not asked for
  TraceIntake traces_;
  ProfileFeed profiles_;
  CapturePort port_;
  CaptureService service_;
};

}  // namespace steptrace::agent
