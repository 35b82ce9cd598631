// SPDX-License-Identifier: Apache-2.0
#include "agent/capture/profile_feed.h"

#include <poll.h>

#include <utility>

#include "agent/capture/trace_merge.h"
#include "agent/rows/finding_row.h"
#include "agent/system/process.h"
#include "base/time.h"
#include "model/finding_kinds.h"

namespace steptrace::agent {

ProfileFeed::ProfileFeed(TraceIntake& intake, const Run& run, RankWithoutHooks rank_without_hooks)
    : intake_(intake), run_(run), rank_without_hooks_(std::move(rank_without_hooks)) {}

int64_t ProfileFeed::NowNs() const {
  return MonotonicNowNs() - run_.epoch_monotonic_ns;
}

void ProfileFeed::Poll(bool partial_too) {
  intake_.Poll(partial_too);
  if (const auto imported = intake_.TakeImported()) Merge(*imported);
}

// By the wall clock of this moment, which may have been set since the run began. The reading that
// was interrupted least counts.
int64_t ProfileFeed::EpochUtcNow() const {
  constexpr int kReadings = 8;
  int64_t epoch_ns = 0;
  int64_t least_ns = INT64_MAX;
  for (int i = 0; i < kReadings; ++i) {
    const int64_t before_ns = NowNs();
    const int64_t utc_ns = UtcNowNs();
    const int64_t took_ns = NowNs() - before_ns;
    if (took_ns >= least_ns) continue;
    least_ns = took_ns;
    epoch_ns = utc_ns - before_ns - took_ns / 2;
  }
  return epoch_ns;
}

// Empty: it is in the run.
std::string ProfileFeed::FailureOf(const TraceIntake::Imported& imported, int64_t now_ns) {
  if (!imported.failed.empty()) return imported.failed;
  TraceOwner owner;
  owner.pid = imported.name.pid;
  owner.epoch_utc_ns = EpochUtcNow();
  owner.now_ns = now_ns;
  const auto rank = rank_without_hooks_(owner.pid);
  if (rank && !run_.tracks.ProcessOf(owner.pid)) {
    const auto identity = ReadProcessIdentity(owner.pid);
    run_.tracks.AddProcess(store::TrackKind::kProcess, *rank, owner.pid,
                           identity ? identity->comm : "");
  }
  const auto merged = MergeTrace(imported.run, owner, run_.writer, run_.tracks, run_.losses);
  return merged.ok() ? std::string() : merged.error().text();
}

void ProfileFeed::Merge(const TraceIntake::Imported& imported) {
  const int64_t now_ns = NowNs();
  const std::string failed = FailureOf(imported, now_ns);
  if (!failed.empty()) {
    const auto what =
        Make(model::finding::LossProfileUnread{.pid = imported.name.pid, .reason = failed});
    failed_ = FindingRowText(what);
    run_.losses.Once({-1, imported.name.pid}, LossCause::kProfile, -1, now_ns, what);
  }
  intake_.Settle(imported, failed.empty());
  merged_ns_ = NowNs();
}

void ProfileFeed::Finish() {
  constexpr int64_t kPatienceNs = 60 * kNsPerSecond;
  constexpr int kPauseMs = 10;
  const int64_t until_ns = NowNs() + kPatienceNs;
  do {
    Poll(true);
    if (busy()) poll(nullptr, 0, kPauseMs);
  } while (busy() && NowNs() < until_ns);
  if (!busy()) return intake_.RemoveFolder();
  run_.losses.Once({}, LossCause::kProfile, -1, NowNs(), Make(model::finding::LossProfilesLeft{}));
}

}  // namespace steptrace::agent
