// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "agent/capture/trace_intake.h"
#include "agent/rows/loss_book.h"
#include "agent/rows/track_registry.h"
#include "store/run_writer.h"

namespace steptrace::agent {

// Brings the profiles that processes wrote into the run; one that cannot be read is a loss. One
// thread, never blocks but in Finish().
class ProfileFeed {
 public:
  struct Run {
    store::RunWriter& writer;
    TrackRegistry& tracks;
    LossBook& losses;
    int64_t epoch_monotonic_ns = 0;
  };
  // The rank of a process without hooks, which has no track yet; nothing: it has hooks.
  using RankWithoutHooks = std::function<std::optional<int32_t>(int32_t pid)>;
  // `intake` and what `run` names must outlive it.
  ProfileFeed(TraceIntake& intake, const Run& run, RankWithoutHooks rank_without_hooks);

  // Looks for profiles; those that are read come into the run. `partial_too`: their processes are
  // gone.
  void Poll(bool partial_too);
  // Looks for profiles alone.
  void Check() { intake_.Poll(false); }
  // The trainings are gone: what they left is taken now, as far as that goes in a while.
  void Finish();

  bool busy() const { return intake_.busy(); }
  // When the last one came into the run; 0: none has.
  int64_t merged_ns() const { return merged_ns_; }
  // Of the last one that could not: why.
  const std::string& failed() const { return failed_; }
  void ForgetFailure() { failed_.clear(); }

 private:
  int64_t NowNs() const;
  int64_t EpochUtcNow() const;
  void Merge(const TraceIntake::Imported& imported);
  std::string FailureOf(const TraceIntake::Imported& imported, int64_t now_ns);

  TraceIntake& intake_;
  Run run_;
  RankWithoutHooks rank_without_hooks_;
  int64_t merged_ns_ = 0;
  std::string failed_;
};

}  // namespace steptrace::agent
