// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyze/ranks/overlap.h"
#include "analyze/trace/trace.h"
#include "model/finding.h"

// The ranks of a job side by side: what they exchanged, who waited, and for whom. A value.
namespace steptrace::analyze {

struct ProfileRank {
  int32_t rank = 0;
  int32_t node = 0;
  OverlapTimes times;
  int64_t collectives = 0;
  // Sums over the rank's calls; together the time of all its communication kernels.
  int64_t transfer_ns = 0;
  int64_t wait_ns = 0;
  int64_t unmatched_ns = 0;  // nobody to compare with: may hold waiting
  int64_t unmatched = 0;
  int64_t caused_wait_ns = 0;
};

struct ProfileStep {
  int32_t rank = 0;
  int64_t step = 0;
  OverlapTimes times;
  int64_t transfer_ns = 0;
  int64_t wait_ns = 0;
  int64_t unmatched_ns = 0;
};

// A collective that was found on several ranks.
struct CollectiveRow {
  int64_t begin_ns = 0;  // of the first rank, in aligned time
  int64_t dur_ns = 0;    // to the end of the last
  std::string name;
  std::string reported_name;
  std::string group;  // or "stream 84" where groups are not reported
  std::string matched_by;
  std::optional<int64_t> sequence;
  std::optional<int64_t> step;
  std::string dtype;
  std::optional<int64_t> in_elements, out_elements, bytes;
  int32_t ranks = 0;                  // that are in the profile
  std::optional<int64_t> group_size;  // of them all
  bool complete = false;              // all of the group are in the profile
  int64_t transfer_ns = 0;            // of who waited least
  int64_t wait_ns = 0;                // summed over ranks
  int32_t last_rank = 0;
  int64_t late_by_ns = 0;
  std::optional<double> algorithm_bytes_per_s, bus_bytes_per_s;
};

// Calls that are alike, over all ranks.
struct OperationRow {
  std::string name;
  std::string group;
  std::string dtype;
  std::optional<int64_t> bytes, group_size;
  int64_t calls = 0;
  int64_t total_ns = 0;
  int64_t transfer_ns = 0;
  int64_t wait_ns = 0;
  int64_t unmatched_ns = 0;
  // Bytes of the matched ones over their transfer; without peers over their whole time, a lower
  // bound.
  std::optional<double> algorithm_bytes_per_s, bus_bytes_per_s;
  bool bandwidth_holds_wait = false;
};

struct BlamePartRow {
  std::string cause;
  bool before_step = false;  // the rank was late by it when the step began
  std::string name;
  std::string op;
  int64_t ns = 0;
};

struct ProfileBlame {
  int32_t rank = 0;
  int64_t caused_wait_ns = 0;
  double share = 0;         // of all waiting
  int64_t collectives = 0;  // by calls: in which it came last
  int64_t steps = 0;        // by steps: the same
  std::string cause;        // with most of it
  int64_t before_step_ns = 0;
  int64_t in_step_ns = 0;
  std::vector<std::pair<int32_t, int64_t>> waiters;  // rank, ns; most first
  std::vector<BlamePartRow> parts;                   // most first; sum to caused_wait_ns
};

struct UnmatchedRow {
  int32_t rank = 0;
  std::string name;
  std::string group;
  int64_t calls = 0;
  int64_t ns = 0;
};

struct ClockOffset {
  bool is_node = true;
  int32_t unit = 0;
  int64_t offset_ns = 0;  // taken off its times
  int64_t measured_ns = 0;
  int64_t residual_ns = 0;
  int64_t drift_ppb = 0;  // its clock runs faster than the first's by so many parts in 10^9: taken
                          // off before the offset is measured
  int64_t pairs = 0;
  bool reference = false;
};

// What the ranks' times, the waiting and the blame rest on.
enum class RankSource {
  kCalls,  // of collectives, as they were seen
  kSteps,  // the rows of the steady steps of a live run, where these explain more waiting
};

enum class DistributedStatus { kOk, kOneRank, kNothingMatched, kNoCollectives };

struct ProfileDistributed {
  DistributedStatus status = DistributedStatus::kNoCollectives;
  // Why nothing is compared, or what to know of what is: the next step with it.
  std::vector<model::Finding> notes;
  std::optional<int64_t> world_size;
  bool computing_known = true;  // false: of a live run on the host, whose phases tell of it alone
  RankSource source = RankSource::kCalls;
  std::vector<ProfileRank> ranks;
  std::vector<ProfileStep> steps;
  int64_t collective_count = 0;
  int64_t incomplete_count = 0;            // of them: of a group whose other ranks are not here
  int64_t wait_ns = 0;                     // of all ranks
  std::vector<CollectiveRow> collectives;  // those with most waiting, at most `top`
  std::vector<OperationRow> operations;    // most time first
  std::vector<ProfileBlame> blame;         // most first; sums to wait_ns
  int64_t unmatched_count = 0;
  std::vector<UnmatchedRow> unmatched;
  std::vector<ClockOffset> clocks;
  bool clocks_corrected = false;
  int64_t impossible_starts = 0;  // that the alignment leaves

  // Waiting is told by calls that were matched, or by the steps; else nobody knows of any.
  bool tells_waiting() const {
    return source == RankSource::kSteps ||
           (status != DistributedStatus::kOneRank && status != DistributedStatus::kNothingMatched);
  }
};

struct DistributedOptions {
  size_t top = 1000;
  bool live = false;  // a run that was recorded live (live_trace.h), no profile
};

ProfileDistributed BuildDistributed(const Trace& trace, const DistributedOptions& options = {});

// The JSON form, keys of `distributed` in the report.
nlohmann::ordered_json DistributedToJson(const ProfileDistributed& section);
// The same beside what the report already says of a live run's ranks, their steps and suspects.
// Without collectives nothing changes.
void AddLiveDistributedJson(const ProfileDistributed& section, nlohmann::ordered_json& report);
// Sets it in a report. Without collectives what the report already says of ranks stays.
void AddDistributedJson(const ProfileDistributed& section, nlohmann::ordered_json& report);

}  // namespace steptrace::analyze
