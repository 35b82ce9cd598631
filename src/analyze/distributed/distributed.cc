// SPDX-License-Identifier: Apache-2.0
#include "analyze/distributed/distributed.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "analyze/distributed/blame.h"
#include "analyze/distributed/host_collectives.h"
#include "analyze/ranks/drift.h"
#include "analyze/ranks/matched_collectives.h"
#include "analyze/ranks/overlap.h"
#include "analyze/ranks/rank_clocks.h"
#include "analyze/stats/distribution.h"
#include "analyze/trace/world_size.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace finding = model::finding;

namespace {

std::optional<int64_t> Known(int64_t value) {
  return value == kNone ? std::nullopt : std::optional(value);
}

const char* NameOf(MatchedBy by) {
  switch (by) {
    case MatchedBy::kSequence:
      return "sequence";
    case MatchedBy::kGroupIndex:
      return "group_index";
    case MatchedBy::kStreamOrder:
      return "stream_order";
  }
  return "";
}

// What the calls of a row share.
struct Totals {
  int64_t calls = 0, total_ns = 0, transfer_ns = 0, wait_ns = 0, unmatched_ns = 0;
  int64_t matched_bytes = 0, matched_transfer_ns = 0;  // by collective
  int64_t bytes = 0;
};

using OperationKey = std::tuple<std::string, std::string, std::string, int64_t, int64_t>;

NodeClock NodeClockOf(const DistributedOptions& options) {
  return options.live ? NodeClock::kShared : NodeClock::kUnknown;
}

class SectionBuilder {
 public:
  // `host`: the trace is made of a job that communicates on the host; null: it is as it was read.
  SectionBuilder(const Trace& trace, const DistributedOptions& options, const HostJob* host)
      : trace_(trace),
        options_(options),
        on_host_(host != nullptr),
        calls_(ReadCollectives(trace)) {
    if (host == nullptr) return;
    for (CollectiveInfo& info : calls_.infos) {
      info.group = host->group;
      info.ranks = host->ranks;
      if (!host->ranks.empty()) info.group_size = static_cast<int64_t>(host->ranks.size());
    }
  }

  ProfileDistributed Build() {
    section_.world_size = WorldSizeOf(trace_);
    Ranks();
    if (AllCalls() == 0) {
      section_.notes.push_back(
          options_.live ? Make(finding::NoteNoGroupReported{})
                        : Make(finding::NoteNoCollectives{.groups = HasSeveralGroups(trace_)}));
      return std::move(section_);
    }
    Match();
    Rows();
    Waits();
    Unmatched();
    Operations();
    Blame();
    Status();
    return std::move(section_);
  }

 private:
  size_t AllCalls() const {
    size_t count = 0;
    for (const auto& of_rank : calls_.of_rank) count += of_rank.size();
    return count;
  }

  // Of a live run whose devices, if any, were watched in no step or in few, only communication is
  // known.
  bool ComputingKnown() const {
    if (!options_.live) return true;
    constexpr size_t kMost = 9, kOf = 10;
    size_t steps = 0, watched = 0;
    bool any = false;
    for (const RankTrace& rank : trace_.ranks) {
      any = any || std::any_of(rank.device.begin(), rank.device.end(), [](const auto& event) {
              return event.role == DeviceRole::kCompute;
            });
      const OverlapOf overlap(rank);
      for (const TimeRange& time_range : StepTimeRanges(rank)) {
        const OverlapTimes times = overlap.Within(time_range);
        ++steps;
        watched += times.computation_ns + times.overlap_ns > 0 ? 1 : 0;
      }
    }
    return any && watched * kOf >= steps * kMost;
  }
  // Without the computing of some steps where it is not known of the others.
  OverlapTimes KnownTimes(const OverlapOf& overlap, const TimeRange& window) const {
    OverlapTimes times = overlap.Within(window);
    if (section_.computing_known) return times;
    times.exposed_ns += std::exchange(times.overlap_ns, 0);
    times.other_ns += std::exchange(times.computation_ns, 0);
    return times;
  }

  void Ranks() {
    section_.computing_known = ComputingKnown();
    for (size_t r = 0; r < trace_.ranks.size(); ++r) {
      const RankTrace& rank = trace_.ranks[r];
      const OverlapOf overlap(rank);
      ProfileRank row;
      row.rank = rank.rank;
      row.node = rank.node;
      row.times = KnownTimes(overlap, overlap.window());
      row.collectives = static_cast<int64_t>(calls_.of_rank[r].size());
      section_.ranks.push_back(row);
      const auto time_ranges = StepTimeRanges(rank);
      first_step_.push_back(section_.steps.size());
      for (size_t s = 0; s < time_ranges.size(); ++s) {
        ProfileStep step;
        step.rank = rank.rank;
        step.step = rank.steps[s].number;
        step.times = KnownTimes(overlap, time_ranges[s]);
        section_.steps.push_back(step);
      }
    }
  }

  // Twice where clocks differ: what they differ by is known once most calls found each other.
  void Match() {
    matches_ = MatchCollectives(calls_, {});
    clocks_ = AlignClocks(trace_, calls_, matches_, NodeClockOf(options_));
    if (clocks_.corrected) {
      const RankClocks measured = clocks_;
      Matches again_matched = MatchCollectives(calls_, measured.offset_ns);
      again_matched.ambiguous_ranks.merge(matches_.ambiguous_ranks);  // told by the clocks as told
      matches_ = std::move(again_matched);
      RankClocks again = AlignClocks(trace_, calls_, matches_, NodeClockOf(options_));
      if (again.corrected) clocks_ = std::move(again);
    }
    for (const ClockRow& row : clocks_.rows) {
      section_.clocks.push_back({.is_node = row.is_node,
                                 .unit = row.unit,
                                 .offset_ns = row.offset_ns,
                                 .measured_ns = row.measured_ns,
                                 .residual_ns = row.residual_ns,
                                 .drift_ppb = 0,
                                 .pairs = row.pairs,
                                 .reference = row.reference});
    }
    section_.clocks_corrected = clocks_.corrected;
    section_.impossible_starts = clocks_.impossible_after;
  }

  std::string GroupName(const MatchGroup& group) const {
    if (!group.name.empty()) return group.name;
    if (group.stream != kNone) return fmt::format("stream {}", group.stream);
    return group.ranks.empty() ? "" : fmt::format("ranks {}", fmt::join(group.ranks, ","));
  }

  bool IsComplete(const MatchedCollective& collective, const MatchGroup& group) const {
    const auto members = static_cast<int64_t>(collective.members.size());
    if (group.size != kNone) return members >= group.size;
    const auto present = static_cast<int64_t>(trace_.ranks.size());
    return members == present && (!section_.world_size || *section_.world_size <= present);
  }

  void Rows() {
    section_.collective_count = static_cast<int64_t>(matches_.collectives.size());
    for (const MatchedCollective& collective : matches_.collectives) {
      times_.push_back(TimesOf(collective, clocks_.offset_ns));
      const MatchGroup& group = matches_.groups[static_cast<size_t>(collective.group)];
      section_.incomplete_count += IsComplete(collective, group) ? 0 : 1;
      section_.wait_ns += times_.back().total_wait_ns;
    }
    std::vector<size_t> order(times_.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      return times_[a].total_wait_ns > times_[b].total_wait_ns;
    });
    if (order.size() > options_.top) order.resize(options_.top);
    for (size_t i : order) section_.collectives.push_back(RowOf(i));
  }

  // Of the member that tells most: not every rank's profile has arguments.
  const CollectiveInfo& InfoOf(const MatchedCollective& collective) const {
    const CollectiveInfo* best = &calls_.info(collective.members.front());
    for (const auto& call : collective.members) {
      const CollectiveInfo& info = calls_.info(call);
      if (info.bytes() > best->bytes()) best = &info;
    }
    return *best;
  }

  CollectiveRow RowOf(size_t index) const {
    const MatchedCollective& collective = matches_.collectives[index];
    const MatchGroup& group = matches_.groups[static_cast<size_t>(collective.group)];
    const CollectiveTimes& times = times_[index];
    const CollectiveInfo& info = InfoOf(collective);
    const CollectiveCall& late = collective.members[times.last];
    CollectiveRow row;
    row.begin_ns = times.begin_ns;
    row.dur_ns = times.end_ns - times.begin_ns;
    row.name = info.name;
    row.reported_name = info.reported_name;
    row.group = GroupName(group);
    row.matched_by = NameOf(group.by);
    if (group.by == MatchedBy::kSequence) row.sequence = Known(late.sequence);
    if (late.step != kNone) row.step = StepNumber(late);
    row.dtype = info.dtype;
    row.in_elements = Known(info.in_elements);
    row.out_elements = Known(info.out_elements);
    row.bytes = Known(info.bytes());
    row.ranks = static_cast<int32_t>(collective.members.size());
    row.group_size = Known(group.size);
    row.complete = IsComplete(collective, group);
    row.transfer_ns = times.transfer_ns;
    row.wait_ns = times.total_wait_ns;
    row.last_rank = trace_.ranks[static_cast<size_t>(late.rank)].rank;
    row.late_by_ns = times.late_by_ns;
    if (row.bytes && times.transfer_ns > 0) {
      row.algorithm_bytes_per_s = PerSecond(*row.bytes, times.transfer_ns);
      const double factor = BusFactor(info.name, row.group_size.value_or(row.ranks));
      if (factor > 0) row.bus_bytes_per_s = *row.algorithm_bytes_per_s * factor;
    }
    return row;
  }

  int64_t StepNumber(const CollectiveCall& call) const {
    return trace_.ranks[static_cast<size_t>(call.rank)]
        .steps[static_cast<size_t>(call.step)]
        .number;
  }

  ProfileStep* StepOf(const CollectiveCall& call) {
    if (call.step == kNone) return nullptr;
    return &section_.steps[first_step_[static_cast<size_t>(call.rank)] +
                           static_cast<size_t>(call.step)];
  }

  Totals& TotalsOf(const CollectiveCall& call, const MatchGroup* group) {
    const CollectiveInfo& info = calls_.info(call);
    std::string name = group ? GroupName(*group) : info.group;
    if (name.empty()) name = fmt::format("stream {}", call.stream);
    Totals& totals = operations_[{info.name, name, info.dtype, info.bytes(), info.group_size}];
    totals.calls += 1;
    totals.total_ns += call.dur_ns();
    AddSaturating(totals.bytes, std::max<int64_t>(0, info.bytes()));
    return totals;
  }

  void Waits() {
    for (size_t i = 0; i < times_.size(); ++i) {
      const MatchedCollective& collective = matches_.collectives[i];
      const MatchGroup& group = matches_.groups[static_cast<size_t>(collective.group)];
      for (size_t m = 0; m < collective.members.size(); ++m) {
        const CollectiveCall& call = collective.members[m];
        const int64_t wait = times_[i].wait_ns[m];
        const int64_t transfer = call.dur_ns() - wait;
        ProfileRank& rank = section_.ranks[static_cast<size_t>(call.rank)];
        rank.wait_ns += wait;
        rank.transfer_ns += transfer;
        if (ProfileStep* step = StepOf(call)) {
          step->wait_ns += wait;
          step->transfer_ns += transfer;
        }
        Totals& totals = TotalsOf(call, &group);
        totals.wait_ns += wait;
        totals.transfer_ns += transfer;
        AddSaturating(totals.matched_bytes, std::max<int64_t>(0, calls_.info(call).bytes()));
        totals.matched_transfer_ns += times_[i].transfer_ns;
      }
    }
  }

  void Unmatched() {
    std::map<std::tuple<int32_t, std::string, std::string>, UnmatchedRow> rows;
    section_.unmatched_count = static_cast<int64_t>(matches_.unmatched.size());
    for (const CollectiveCall& call : matches_.unmatched) {
      const CollectiveInfo& info = calls_.info(call);
      ProfileRank& rank = section_.ranks[static_cast<size_t>(call.rank)];
      rank.unmatched += 1;
      rank.unmatched_ns += call.dur_ns();
      if (ProfileStep* step = StepOf(call)) step->unmatched_ns += call.dur_ns();
      TotalsOf(call, nullptr).unmatched_ns += call.dur_ns();
      const std::string name = info.name.empty() ? info.reported_name : info.name;
      const std::string group =
          info.group.empty() ? fmt::format("stream {}", call.stream) : info.group;
      UnmatchedRow& row = rows[{rank.rank, group, name}];
      row.rank = rank.rank;
      row.name = name;
      row.group = group;
      row.calls += 1;
      row.ns += call.dur_ns();
    }
    for (auto& [key, row] : rows) section_.unmatched.push_back(std::move(row));
  }

  void Operations() {
    for (const auto& [key, totals] : operations_) {
      OperationRow row;
      int64_t bytes = kNone;
      int64_t size = kNone;
      std::tie(row.name, row.group, row.dtype, bytes, size) = key;
      row.bytes = Known(bytes);
      row.group_size = Known(size);
      row.calls = totals.calls;
      row.total_ns = totals.total_ns;
      row.transfer_ns = totals.transfer_ns;
      row.wait_ns = totals.wait_ns;
      row.unmatched_ns = totals.unmatched_ns;
      const bool matched = totals.matched_transfer_ns > 0;
      const int64_t over_ns = matched ? totals.matched_transfer_ns : totals.total_ns;
      const int64_t moved = matched ? totals.matched_bytes : totals.bytes;
      if (bytes != kNone && over_ns > 0) {
        row.bandwidth_holds_wait = !matched;
        row.algorithm_bytes_per_s = PerSecond(moved, over_ns);
        const double factor = BusFactor(row.name, size);
        if (factor > 0) row.bus_bytes_per_s = *row.algorithm_bytes_per_s * factor;
      }
      section_.operations.push_back(std::move(row));
    }
    std::stable_sort(section_.operations.begin(), section_.operations.end(),
                     [](const auto& a, const auto& b) { return a.total_ns > b.total_ns; });
  }

  void Blame() {
    const auto found =
        FindBlame(trace_, matches_, clocks_,
                  options_.live || on_host_ ? HostView::kPhases : HostView::kOperators);
    for (size_t r = 0; r < found.size(); ++r) {
      section_.ranks[r].caused_wait_ns = found[r].caused_wait_ns;
      if (found[r].caused_wait_ns > 0) section_.blame.push_back(BlameOf(r, found[r]));
    }
    std::stable_sort(
        section_.blame.begin(), section_.blame.end(),
        [](const auto& a, const auto& b) { return a.caused_wait_ns > b.caused_wait_ns; });
  }

  ProfileBlame BlameOf(size_t rank, const RankBlame& found) const {
    ProfileBlame row;
    row.rank = trace_.ranks[rank].rank;
    row.caused_wait_ns = found.caused_wait_ns;
    row.share = section_.wait_ns == 0 ? 0
                                      : static_cast<double>(found.caused_wait_ns) /
                                            static_cast<double>(section_.wait_ns);
    row.collectives = found.collectives;
    for (const auto& [waiter, ns] : found.waiters) {
      row.waiters.emplace_back(trace_.ranks[static_cast<size_t>(waiter)].rank, ns);
    }
    std::stable_sort(row.waiters.begin(), row.waiters.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    std::map<BlameCause, int64_t> causes;
    for (const auto& [part, ns] : found.parts) {
      causes[part.cause] += ns;
      (part.before_step ? row.before_step_ns : row.in_step_ns) += ns;
      row.parts.push_back({.cause = analyze::NameOf(part.cause),
                           .before_step = part.before_step,
                           .name = trace_.Text(part.name),
                           .op = trace_.Text(part.operator_),
                           .ns = ns});
    }
    std::stable_sort(row.parts.begin(), row.parts.end(),
                     [](const auto& a, const auto& b) { return a.ns > b.ns; });
    const auto most =
        std::max_element(causes.begin(), causes.end(),
                         [](const auto& a, const auto& b) { return a.second < b.second; });
    if (most != causes.end()) row.cause = analyze::NameOf(most->first);
    return row;
  }

  void NoteSharedName() {
    if (matches_.shared_name.empty()) return;
    section_.notes.push_back(Make(finding::NoteSharedGroupName{.group = matches_.shared_name}));
  }

  void Status() {
    section_.status = DistributedStatus::kOk;
    if (trace_.ranks.size() == 1) {
      section_.status = DistributedStatus::kOneRank;
      section_.notes.push_back(
          Make(finding::NoteOneRank{.world_size = section_.world_size, .live = options_.live}));
    } else if (matches_.collectives.empty()) {
      section_.status = DistributedStatus::kNothingMatched;
      NoteSharedName();
      if (section_.notes.empty()) {
        section_.notes.push_back(Make(finding::NoteNothingMatched{.profiles = !options_.live}));
      }
    } else if (section_.incomplete_count > 0) {
      section_.notes.push_back(Make(finding::NoteCollectivesLackRanks{
          .incomplete = section_.incomplete_count, .collectives = section_.collective_count}));
    } else {
      NoteSharedName();
    }
    if (trace_.ranks.size() > 1) Doubts();
  }

  // What is not known, or not surely, of calls without sequence numbers.
  void Doubts() {
    Doubt<finding::NoteCallsUnplaced>(matches_.unplaced_ranks);
    Doubt<finding::NoteCallsAmbiguous>(matches_.ambiguous_ranks);
  }

  template <class Kind>
  void Doubt(const std::set<int32_t>& ranks) {
    if (ranks.empty()) return;
    constexpr size_t kShown = 8;
    std::vector<typename Kind::Item> shown;
    for (const int32_t at : ranks) {
      if (shown.size() == kShown) break;
      shown.push_back({.rank = trace_.ranks[static_cast<size_t>(at)].rank});
    }
    std::optional<int64_t> more;
    if (ranks.size() > kShown) more = static_cast<int64_t>(ranks.size() - kShown);
    section_.notes.push_back(
        Make(Kind{.several = ranks.size() > 1, .more = more, .items = std::move(shown)}));
  }

  const Trace& trace_;
  const DistributedOptions& options_;
  const bool on_host_;
  Collectives calls_;
  Matches matches_;
  RankClocks clocks_;
  std::vector<CollectiveTimes> times_;
  std::vector<size_t> first_step_;  // of each rank, in section_.steps
  std::map<OperationKey, Totals> operations_;
  ProfileDistributed section_;
};

}  // namespace

ProfileDistributed BuildDistributed(const Trace& given, const DistributedOptions& options) {
  const std::optional<HostJob> host = options.live ? std::nullopt : HostJobOf(given);
  const HostJob* of_host = host ? &*host : nullptr;
  const Trace& trace = host ? host->trace : given;
  const std::optional<Undrifted> undrifted =
      options.live ? std::nullopt : RemoveDrift(trace);  // the agent keeps to the node's clock
  if (!undrifted) return SectionBuilder(trace, options, of_host).Build();
  ProfileDistributed section = SectionBuilder(undrifted->trace, options, of_host).Build();
  for (ClockOffset& clock : section.clocks) {
    const auto drift = undrifted->drift_ppb.find(clock.unit);
    if (clock.is_node && drift != undrifted->drift_ppb.end()) clock.drift_ppb = drift->second;
  }
  return section;
}

}  // namespace steptrace::analyze
