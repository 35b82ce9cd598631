// SPDX-License-Identifier: Apache-2.0
#include "analyze/distributed/blame.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <set>

namespace steptrace::analyze {
namespace {

BlameCause CauseOf(Doing doing) {
  switch (doing) {
    case Doing::kComputing:
      return BlameCause::kLongerKernels;
    case Doing::kCopying:
      return BlameCause::kCopies;
    case Doing::kCommunicating:
    case Doing::kWaitingForRanks:  // in one whose own blame is not known
      return BlameCause::kOtherCommunication;
    case Doing::kWaitingForData:
      return BlameCause::kDataWait;
    case Doing::kSynchronising:
      return BlameCause::kSynchronisation;
    case Doing::kWaitingOnDevice:
      return BlameCause::kWaitOnDevice;
    case Doing::kLaunching:
      return BlameCause::kLateLaunch;
    case Doing::kNotRecorded:
      return BlameCause::kNotRecorded;
    case Doing::kOnHost:
      return BlameCause::kHostWork;
  }
  return BlameCause::kUnknown;
}

// Time by label, twice: before the step began, and in it. Keeps its memory.
class Tally {
 public:
  void Reset(size_t labels) {
    for (size_t i : touched_) sums_[i] = 0;
    touched_.clear();
    sums_.resize(labels * 2);
  }
  void Add(size_t slot, int64_t ns) {
    if (sums_[slot] == 0) touched_.push_back(slot);
    sums_[slot] += ns;
  }
  int64_t At(size_t slot) const { return sums_[slot]; }
  const std::vector<size_t>& touched() const { return touched_; }

 private:
  std::vector<int64_t> sums_;
  std::vector<size_t> touched_;
};

// A part of one rank's wait, and whose it is.
struct BlameShare {
  int32_t rank = 0;
  BlamePart part;
  int64_t ns = 0;
};

// The largest parts by name and the rest by cause alone, so that what later waits refer to stays
// small. The sum stays.
std::vector<BlameShare> Condense(std::vector<BlameShare> guilts) {
  constexpr size_t kNamed = 8;
  if (guilts.size() <= kNamed) return guilts;
  std::stable_sort(guilts.begin(), guilts.end(),
                   [](const BlameShare& a, const BlameShare& b) { return a.ns > b.ns; });
  std::map<std::pair<int32_t, BlamePart>, int64_t> rest;
  for (size_t i = kNamed; i < guilts.size(); ++i) {
    const BlameShare& guilt = guilts[i];
    rest[{guilt.rank, {guilt.part.cause, guilt.part.before_step, {}, {}}}] += guilt.ns;
  }
  guilts.resize(kNamed);
  for (const auto& [whose, ns] : rest) guilts.push_back({whose.first, whose.second, ns});
  return guilts;
}

class BlameFinder {
 public:
  BlameFinder(const Trace& trace, const Matches& matches, const RankClocks& clocks, HostView host)
      : trace_(trace), matches_(matches), clocks_(clocks), host_(host) {
    not_recorded_ = labels_.Of({Doing::kNotRecorded, {}, {}});
    result_.resize(trace.ranks.size());
    known_.resize(matches.collectives.size());
  }

  std::vector<RankBlame> Find() {
    Measure();
    MakeLines();
    for (size_t c = 0; c < matches_.collectives.size(); ++c) {
      before_.push_back(Before(matches_.collectives[c]));
      latest_[RanksOf(matches_.collectives[c])].push_back(static_cast<int32_t>(c));
    }
    // A collective that made a rank late was complete before the rank came: whoever is judged by
    // the last begin finds the blame of those before it.
    std::vector<size_t> order(times_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
      return times_[a].last_begin_ns < times_[b].last_begin_ns;
    });
    for (size_t c : order) Judge(c);
    return std::move(result_);
  }

 private:
  void Measure() {
    for (const auto& collective : matches_.collectives) {
      times_.push_back(TimesOf(collective, clocks_.offset_ns));
    }
  }

  void MakeLines() {
    std::vector<std::vector<RankWait>> waits(trace_.ranks.size());
    for (size_t c = 0; c < times_.size(); ++c) {
      const auto& members = matches_.collectives[c].members;
      for (size_t m = 0; m < members.size(); ++m) {
        const int64_t wait_ns = times_[c].wait_ns[m];
        if (wait_ns == 0) continue;
        waits[static_cast<size_t>(members[m].rank)].push_back(
            {members[m].begin_ns, members[m].begin_ns + wait_ns, static_cast<int32_t>(c)});
      }
    }
    for (size_t r = 0; r < trace_.ranks.size(); ++r) {
      lines_.push_back(CutWaits(ActivitiesOf(trace_.ranks[r], *trace_.strings, labels_, host_),
                                std::move(waits[r]), labels_));
    }
  }

  int64_t Offset(int32_t rank) const { return clocks_.offset_ns[static_cast<size_t>(rank)]; }

  static std::vector<int32_t> RanksOf(const MatchedCollective& collective) {
    std::vector<int32_t> ranks;
    for (const auto& call : collective.members) ranks.push_back(call.rank);
    return ranks;
  }

  static const CollectiveCall* MemberOf(const MatchedCollective& collective, int32_t rank) {
    for (const auto& call : collective.members) {
      if (call.rank == rank) return &call;
    }
    return nullptr;
  }

  // The last collective that all members of this one have behind them when they come to it.
  const MatchedCollective* Before(const MatchedCollective& collective) const {
    const MatchedCollective* best = nullptr;
    const std::vector<int32_t> ranks = RanksOf(collective);
    for (const auto& [group, collectives] : latest_) {
      if (!std::includes(group.begin(), group.end(), ranks.begin(), ranks.end())) continue;
      // Of those on other streams a few may still run.
      constexpr size_t kLookBack = 16;
      size_t looked = 0;
      for (auto c = collectives.rbegin(); c != collectives.rend() && looked < kLookBack;
           ++c, ++looked) {
        const auto& earlier = matches_.collectives[static_cast<size_t>(*c)];
        if (!IsBehind(earlier, collective)) continue;
        if (best == nullptr || earlier.members[0].end_ns - Offset(earlier.members[0].rank) >
                                   best->members[0].end_ns - Offset(best->members[0].rank)) {
          best = &earlier;
        }
        break;
      }
    }
    return best;
  }

  static bool IsBehind(const MatchedCollective& earlier, const MatchedCollective& later) {
    return std::all_of(later.members.begin(), later.members.end(), [&](const auto& call) {
      return MemberOf(earlier, call.rank)->end_ns <= call.begin_ns;
    });
  }

  void Judge(size_t number) {
    const MatchedCollective& collective = matches_.collectives[number];
    const CollectiveTimes& times = times_[number];
    if (times.total_wait_ns == 0) return;
    const CollectiveCall& late = collective.members[times.last];
    result_[static_cast<size_t>(late.rank)].collectives += 1;
    const MatchedCollective* before = before_[number];
    const int64_t from = before ? 0 : FirstCommonMoment(collective);
    for (size_t m = 0; m < collective.members.size(); ++m) {
      if (times.wait_ns[m] == 0) continue;
      const CollectiveCall& waiter = collective.members[m];
      const ArrivalRanges time_ranges =
          before
              ? Since(*MemberOf(*before, late.rank), *MemberOf(*before, waiter.rank), late, waiter)
              : ArrivalRanges{{from + Offset(late.rank), from + Offset(waiter.rank)},
                              {late.begin_ns, waiter.begin_ns},
                              0};
      std::vector<BlameShare> guilts = ShareOut(times.wait_ns[m], late, waiter, time_ranges);
      for (const BlameShare& guilt : guilts) {
        RankBlame& blame = result_[static_cast<size_t>(guilt.rank)];
        blame.caused_wait_ns += guilt.ns;
        blame.waiters[waiter.rank] += guilt.ns;
        blame.parts[guilt.part] += guilt.ns;
      }
      known_[number].emplace_back(waiter.rank, Condense(std::move(guilts)));
    }
  }

  // Whose a rank's wait in a collective was; null: not judged. Where clocks contradict each other
  // one may begin before what it waited for.
  const std::vector<BlameShare>* GuiltsOf(int32_t collective, int32_t rank) const {
    for (const auto& [waiter, guilts] : known_[static_cast<size_t>(collective)]) {
      if (waiter == rank) return &guilts;
    }
    return nullptr;
  }

  // Without a collective before: from when all of them are in the profile.
  int64_t FirstCommonMoment(const MatchedCollective& collective) const {
    int64_t from = INT64_MIN;
    int64_t first = INT64_MAX;
    for (const auto& call : collective.members) {
      const auto& line = lines_[static_cast<size_t>(call.rank)];
      if (!line.empty()) from = std::max(from, line.front().begin_ns - Offset(call.rank));
      first = std::min(first, call.begin_ns - Offset(call.rank));
    }
    return std::min(from, first);
  }

  // From the last common point to each one's arrival, by its own clock: late rank, waiting rank.
  struct ArrivalRanges {
    std::array<int64_t, 2> from_ns;
    std::array<int64_t, 2> to_ns;
    int64_t left_later_ns = 0;  // the late rank left the common point so much later
  };

  ArrivalRanges Since(const CollectiveCall& late_before, const CollectiveCall& waiter_before,
                      const CollectiveCall& late, const CollectiveCall& waiter) const {
    return {
        {late_before.end_ns, waiter_before.end_ns},
        {late.begin_ns, waiter.begin_ns},
        (late_before.end_ns - Offset(late.rank)) - (waiter_before.end_ns - Offset(waiter.rank))};
  }

  // Where the step that the collective is part of began, when that lies in the time range of both.
  std::optional<std::array<int64_t, 2>> StepBegins(const CollectiveCall& late,
                                                   const CollectiveCall& waiter,
                                                   const ArrivalRanges& time_ranges) const {
    auto begin_of = [&](const CollectiveCall& call, size_t who) -> std::optional<TraceStep> {
      const auto& steps = trace_.ranks[static_cast<size_t>(call.rank)].steps;
      auto after =
          std::upper_bound(steps.begin(), steps.end(), time_ranges.to_ns[who],
                           [](int64_t ts, const TraceStep& step) { return ts < step.ts_ns; });
      if (after == steps.begin()) return std::nullopt;
      const TraceStep& step = *std::prev(after);
      if (step.ts_ns <= time_ranges.from_ns[who]) return std::nullopt;
      return step;
    };
    const auto of_late = begin_of(late, 0);
    const auto of_waiter = begin_of(waiter, 1);
    if (!of_late || !of_waiter || of_late->number != of_waiter->number) return std::nullopt;
    return std::array<int64_t, 2>{of_late->ts_ns, of_waiter->ts_ns};
  }

  // Adds up what a rank did from `from` to `to`; slot = 2 x label + (1: in the step).
  void AddUp(int32_t rank, int64_t from, int64_t to, bool in_step, int64_t sign) {
    const auto& line = lines_[static_cast<size_t>(rank)];
    auto slot = [&](int32_t label) { return static_cast<size_t>(label) * 2 + (in_step ? 1 : 0); };
    int64_t at = from;
    auto activity = std::upper_bound(line.begin(), line.end(), from,
                                     [](int64_t ts, const auto& a) { return ts < a.end_ns; });
    for (; activity != line.end() && at < to; ++activity) {
      const int64_t begin = std::max(at, activity->begin_ns);
      if (begin >= to) break;
      if (begin > at) tally_.Add(slot(not_recorded_), sign * (begin - at));
      at = std::min(to, activity->end_ns);
      tally_.Add(slot(activity->label), sign * (at - begin));
    }
    if (at < to) tally_.Add(slot(not_recorded_), sign * (to - at));
  }

  std::vector<BlameShare> ShareOut(int64_t wait_ns, const CollectiveCall& late,
                                   const CollectiveCall& waiter, const ArrivalRanges& time_ranges) {
    tally_.Reset(labels_.all().size());
    const auto step = StepBegins(late, waiter, time_ranges);
    const std::array<int32_t, 2> ranks = {late.rank, waiter.rank};
    for (size_t who = 0; who < 2; ++who) {
      const int64_t sign = who == 0 ? 1 : -1;
      const int64_t split = step ? (*step)[who] : time_ranges.from_ns[who];
      AddUp(ranks[who], time_ranges.from_ns[who], split, false, sign);
      AddUp(ranks[who], split, time_ranges.to_ns[who], true, sign);
    }
    // First by what was done, then by name: jitter of many kernels evens out before it counts.
    constexpr size_t kHeads = 2 * (kDoings + 1);
    std::vector<int64_t> heads(kHeads, 0);
    for (size_t slot : touched()) heads[HeadOf(slot)] += tally_.At(slot);
    const size_t left_later = 2 * static_cast<size_t>(kDoings) + (step ? 0 : 1);
    heads[left_later] += time_ranges.left_later_ns;
    for (int64_t& head : heads) head = std::max<int64_t>(0, head);
    const std::vector<int64_t> shares = Apportion(wait_ns, heads);
    if (std::accumulate(shares.begin(), shares.end(), int64_t{0}) == 0) {
      return {{late.rank, {BlameCause::kUnknown, false, {}, {}}, wait_ns}};
    }
    std::vector<BlameShare> guilts;
    for (size_t head = 0; head < kHeads; ++head) {
      if (shares[head] == 0) continue;
      if (head == left_later) {
        guilts.push_back(
            {late.rank, {BlameCause::kPreviousCollective, step.has_value(), {}, {}}, shares[head]});
      } else {
        ShareByName(head, shares[head], late.rank, guilts);
      }
    }
    return guilts;
  }

  // A slot that fell back to 0 and rose again stands twice in the list.
  std::vector<size_t> touched() const {
    std::vector<size_t> slots = tally_.touched();
    std::sort(slots.begin(), slots.end());
    slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
    return slots;
  }

  size_t HeadOf(size_t slot) const {
    return 2 * static_cast<size_t>(labels_.all()[slot / 2].doing) + slot % 2;
  }

  void ShareByName(size_t head, int64_t ns, int32_t late, std::vector<BlameShare>& guilts) const {
    std::vector<size_t> slots;
    std::vector<int64_t> weights;
    for (size_t slot : touched()) {
      if (HeadOf(slot) != head || tally_.At(slot) <= 0) continue;
      slots.push_back(slot);
      weights.push_back(tally_.At(slot));
    }
    const std::vector<int64_t> shares = Apportion(ns, weights);
    for (size_t i = 0; i < slots.size(); ++i) {
      if (shares[i] == 0) continue;
      const Label& label = labels_.all()[slots[i] / 2];
      const std::vector<BlameShare>* others =
          label.collective == kNone ? nullptr : GuiltsOf(label.collective, late);
      if (others != nullptr) {
        PassOn(*others, shares[i], guilts);
      } else {
        guilts.push_back({late,
                          {CauseOf(label.doing), slots[i] % 2 == 0, label.name, label.operator_},
                          shares[i]});
      }
    }
  }

  // To those who made the late rank wait, in proportion.
  static void PassOn(const std::vector<BlameShare>& others, int64_t ns,
                     std::vector<BlameShare>& guilts) {
    std::vector<int64_t> weights;
    for (const BlameShare& other : others) weights.push_back(other.ns);
    const std::vector<int64_t> shares = Apportion(ns, weights);
    for (size_t i = 0; i < others.size(); ++i) {
      if (shares[i] != 0) guilts.push_back({others[i].rank, others[i].part, shares[i]});
    }
  }

  const Trace& trace_;
  const Matches& matches_;
  const RankClocks& clocks_;
  const HostView host_;
  Labels labels_;
  int32_t not_recorded_ = 0;
  std::vector<std::vector<Activity>> lines_;
  std::map<std::vector<int32_t>, std::vector<int32_t>> latest_;  // by members; in order
  std::vector<CollectiveTimes> times_;                           // by collective, as the next two
  std::vector<const MatchedCollective*> before_;
  std::vector<std::vector<std::pair<int32_t, std::vector<BlameShare>>>>
      known_;  // waiter, whose it is
  Tally tally_;
  std::vector<RankBlame> result_;
};

}  // namespace

const char* NameOf(BlameCause cause) {
  switch (cause) {
    case BlameCause::kLongerKernels:
      return "longer_kernels";
    case BlameCause::kCopies:
      return "copies";
    case BlameCause::kOtherCommunication:
      return "other_communication";
    case BlameCause::kDataWait:
      return "data_wait";
    case BlameCause::kSynchronisation:
      return "synchronisation";
    case BlameCause::kWaitOnDevice:
      return "wait_on_device";
    case BlameCause::kLateLaunch:
      return "late_launch";
    case BlameCause::kNotRecorded:
      return "not_recorded";
    case BlameCause::kPreviousCollective:
      return "previous_collective";
    case BlameCause::kUnknown:
      return "unknown";
    case BlameCause::kHostWork:
      return "host_work";
  }
  return "unknown";
}

CollectiveTimes TimesOf(const MatchedCollective& collective,
                        const std::vector<int64_t>& offset_ns) {
  CollectiveTimes times;
  times.begin_ns = INT64_MAX;
  times.last_begin_ns = INT64_MIN;
  times.end_ns = INT64_MIN;
  times.transfer_ns = INT64_MAX;
  int64_t second = INT64_MIN;
  for (size_t m = 0; m < collective.members.size(); ++m) {
    const CollectiveCall& call = collective.members[m];
    const int64_t begin = call.begin_ns - offset_ns[static_cast<size_t>(call.rank)];
    times.begin_ns = std::min(times.begin_ns, begin);
    times.end_ns = std::max(times.end_ns, begin + call.dur_ns());
    times.transfer_ns = std::min(times.transfer_ns, call.dur_ns());
    if (begin > times.last_begin_ns) {
      second = times.last_begin_ns;
      times.last_begin_ns = begin;
      times.last = m;
    } else {
      second = std::max(second, begin);
    }
  }
  times.late_by_ns = second == INT64_MIN ? 0 : times.last_begin_ns - second;
  for (const CollectiveCall& call : collective.members) {
    const int64_t begin = call.begin_ns - offset_ns[static_cast<size_t>(call.rank)];
    times.wait_ns.push_back(std::min(times.last_begin_ns - begin, call.dur_ns()));
    times.total_wait_ns += times.wait_ns.back();
  }
  return times;
}

std::vector<RankBlame> FindBlame(const Trace& trace, const Matches& matches,
                                 const RankClocks& clocks, HostView host) {
  // Nobody waited: what the ranks did need not be found out.
  if (matches.collectives.empty()) return std::vector<RankBlame>(trace.ranks.size());
  return BlameFinder(trace, matches, clocks, host).Find();
}

std::vector<int64_t> Apportion(int64_t total, const std::vector<int64_t>& weights) {
  __int128 sum = 0;
  for (int64_t weight : weights) sum += weight;
  std::vector<int64_t> shares(weights.size(), 0);
  if (sum == 0) return shares;
  __int128 passed = 0;
  int64_t given = 0;
  for (size_t i = 0; i < weights.size(); ++i) {
    passed += weights[i];
    const auto up_to = static_cast<int64_t>(passed * total / sum);
    shares[i] = up_to - given;
    given = up_to;
  }
  return shares;
}

}  // namespace steptrace::analyze
