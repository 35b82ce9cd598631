// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "agent/ingest/recorder.h"
#include "agent/run/command.h"
#include "agent/run/hookless_watch.h"
#include "agent/run/left_watch.h"
#include "agent/system/job_reader.h"

namespace steptrace::agent {

// Whom the run does not hold: processes of the command that show no ring, and those that outlive
// it. It follows them, and says at the end what is lost of them. One thread.
class Unrecorded {
 public:
  // `recorder` must outlive it.
  Unrecorded(const std::string& run_id, std::filesystem::path ring_dir, Recorder& recorder);

  // The command as it was asked for: it may end before the first look.
  void Expect(int32_t pid, const std::vector<std::string>& command) {
    hookless_.Expect(pid, command);
  }
  // While the command runs and nobody has shown a ring.
  void CheckForHooks(Command& command, int64_t now_ns);
  // Once it has ended: who is left. `job`: what was seen of its tree before.
  const Survivors& FindSurvivors(const Command& command, const std::vector<JobRoot>& job,
                                 int64_t now_ns);

  // What is lost of those that are left.
  void RecordSurvivors(int64_t now_ns) const;
  // Why nothing was recorded, where nothing was: a loss, or the state of the hooks (off, idle),
  // which is no loss. Empty: that is all.
  std::string RecordMissingHooks() const;

 private:
  std::filesystem::path ring_dir_;
  Recorder& recorder_;
  HooklessWatch hookless_;
  LeftWatch left_;
  Survivors survivors_;
};

}  // namespace steptrace::agent
