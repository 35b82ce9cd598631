// SPDX-License-Identifier: Apache-2.0
#include "analyze/report/rank_ends.h"

#include <algorithm>

#include "analyze/input/report_input.h"
#include "store/metadata_keys.h"

namespace steptrace::analyze {
namespace {

// What a process raised so long before the end was somebody's to deal with.
constexpr int64_t kOfTheEndNs = 120'000'000'000;

bool Trained(const RunInfo& run, const UncaughtException& one) {
  return std::ranges::any_of(run.rank_processes, [&one](const RankProcess& rank) {
    return rank.node == one.node && rank.pid == one.pid;
  });
}

}  // namespace

bool IsNearTheEnd(const ReportInput& input, const UncaughtException& one) {
  return one.ts_ns >= input.run.duration_ns - kOfTheEndNs;
}

RankEnds::RankEnds(const ReportInput& input, const std::vector<UncaughtException>& all)
    : input_(input), all_(all) {
  for (const store::RunMetadataRow& row : input.facts) {
    if (row.rank < 0 || input.strings->Text(row.kind) != store::MetadataKind::kJob) continue;
    const Place reported = {row.rank, row.ts_ns};
    const auto [place, is_new] = places_.try_emplace({row.node, row.pid}, reported);
    if (!is_new && reported.since_ns < place->second.since_ns)
      place->second.since_ns = reported.since_ns;
  }
  const auto failed = std::ranges::find_if(
      all, [&](const auto& one) { return EndedAProcess(one) && Trained(input.run, one); });
  if (failed != all.end()) first_failure_ns_ = failed->ts_ns;
}

const UncaughtException* RankEnds::First() const {
  const auto found = std::ranges::find_if(all_, [this](const UncaughtException& one) {
    // The ranks that are left may wait for one that failed until a time limit of theirs is over.
    const bool at_the_end = IsNearTheEnd(input_, one) || PlaceOf(one) != nullptr;
    return at_the_end && EndedAProcess(one) && !IsOfALauncher(one) && EndedARank(one) &&
           !WasStartedAnew(one);
  });
  return found == all_.end() ? nullptr : &*found;
}

const RankEnds::Place* RankEnds::PlaceOf(const UncaughtException& one) const {
  const auto found = places_.find({one.node, one.pid});
  return found == places_.end() ? nullptr : &found->second;
}

// Tools and workers stand under a rank's number, too, and what nobody placed under one that it
// would have if it trained. The process that trained is known of the first attempt alone; what a
// later one began is told by its beginning.
bool RankEnds::EndedARank(const UncaughtException& one) const {
  if (Trained(input_.run, one)) return true;
  const Place* place = PlaceOf(one);
  if (place == nullptr) return false;
  const bool trained =
      std::ranges::any_of(input_.run.rank_processes,
                          [place](const RankProcess& rank) { return rank.rank == place->rank; });
  return !trained || (first_failure_ns_ && place->since_ns > *first_failure_ns_);
}

bool RankEnds::WasStartedAnew(const UncaughtException& one) const {
  return std::ranges::any_of(places_, [&one](const auto& process) {
    return process.second.rank == one.rank && process.second.since_ns > one.ts_ns;
  });
}

}  // namespace steptrace::analyze
