// SPDX-License-Identifier: Apache-2.0
#include "analyze/ranks/matched_collectives.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analyze/ranks/call_alignment.h"

namespace steptrace::analyze {
namespace {

using CallsByRank = std::vector<std::vector<CollectiveCall>>;

// The calls of one group, by index of the rank.
struct Bucket {
  MatchGroup group;
  CallsByRank calls;
  bool point_to_point = false;
};

using Ranks = std::vector<int32_t>;

// The ranks of a group where the call itself tells them in part or not at all, as others tell them.
class ReportedRanks {
 public:
  explicit ReportedRanks(const Collectives& calls) : calls_(calls) {
    for (const CollectiveInfo& info : calls.infos) {
      if (info.group.empty() || info.ranks.empty()) continue;
      Ranks sorted = info.ranks;
      std::sort(sorted.begin(), sorted.end());
      of_name_[info.group].try_emplace(info.ranks, std::move(sorted));
    }
  }

  // Empty: nobody tells them, or others may be meant as well.
  const Ranks& Of(const CollectiveCall& call) {
    const CollectiveInfo& info = calls_.info(call);
    if (!info.ranks.empty() || info.group.empty()) return info.ranks;
    auto [known, added] = known_.try_emplace({call.info, call.rank}, &info.ranks);
    if (added) known->second = &Find(info, calls_.rank_numbers[static_cast<size_t>(call.rank)]);
    return *known->second;
  }

 private:
  const Ranks& Find(const CollectiveInfo& info, int32_t own_rank) const {
    const Ranks* found = nullptr;
    const auto of_name = of_name_.find(info.group);
    if (of_name == of_name_.end()) return info.ranks;
    for (const auto& [ranks, sorted] : of_name->second) {
      const bool sized =
          info.group_size == kNone || info.group_size == static_cast<int64_t>(ranks.size());
      auto holds = [&sorted = sorted](int32_t rank) {
        return std::binary_search(sorted.begin(), sorted.end(), rank);
      };
      const bool fits = sized && holds(own_rank) &&
                        std::all_of(info.shown_ranks.begin(), info.shown_ranks.end(), holds);
      if (fits && found != nullptr) return info.ranks;
      if (fits) found = &ranks;
    }
    return found == nullptr ? info.ranks : *found;
  }

  const Collectives& calls_;
  std::map<std::string, std::map<Ranks, Ranks>> of_name_;  // as told, to sorted
  std::map<std::pair<int32_t, int32_t>, const Ranks*> known_;
};

std::string GroupKey(const CollectiveInfo& info, const Ranks& ranks) {
  // Ranks belong to the key: groups of different ranks may share a name ("dp" on every node).
  std::string key = info.group + "|";
  for (int32_t rank : ranks) key += std::to_string(rank) + ",";
  if (!ranks.empty()) return key;
  for (int32_t rank : info.shown_ranks) key += std::to_string(rank) + ",";
  return info.shown_ranks.empty() ? key : key + "...";
}

// Both ends of a transfer between two ranks; kNone where the profile does not tell.
std::pair<int64_t, int64_t> EndsOf(const CollectiveInfo& info, int32_t own_rank) {
  auto peer = [&]() -> int64_t {
    if (info.ranks.size() != 2) return kNone;
    return info.ranks[0] == own_rank ? info.ranks[1] : info.ranks[0];
  };
  if (info.name == "send") return {own_rank, info.target == kNone ? peer() : info.target};
  if (info.name == "recv") return {info.source == kNone ? peer() : info.source, own_rank};
  return {kNone, kNone};
}

// Streams of calls whose group is not reported: by their number where all ranks use the same ones,
// else by the place of the number among the rank's.
class StreamNames {
 public:
  explicit StreamNames(const Collectives& calls) {
    for (const auto& of_rank : calls.of_rank) {
      std::set<int64_t> streams;
      for (const auto& call : of_rank) {
        if (calls.info(call).group.empty()) streams.insert(call.stream);
      }
      of_rank_.push_back(std::move(streams));
    }
    const std::set<int64_t>* first = nullptr;
    for (const auto& streams : of_rank_) {
      if (streams.empty()) continue;
      if (first == nullptr) first = &streams;
      same_ = same_ && streams == *first;
    }
  }

  int64_t Of(const CollectiveCall& call) const {
    if (same_) return call.stream;
    const auto& streams = of_rank_[static_cast<size_t>(call.rank)];
    return std::distance(streams.begin(), streams.find(call.stream));
  }

 private:
  std::vector<std::set<int64_t>> of_rank_;
  bool same_ = true;
};

std::map<std::string, Bucket> BucketsOf(const Collectives& calls) {
  StreamNames streams(calls);
  ReportedRanks reported(calls);
  std::map<std::string, Bucket> buckets;
  for (const auto& of_rank : calls.of_rank) {
    for (const CollectiveCall& call : of_rank) {
      const CollectiveInfo& info = calls.info(call);
      const Ranks& ranks = reported.Of(call);
      std::string key = info.group.empty() && info.ranks.empty()
                            ? "stream|" + std::to_string(streams.Of(call))
                            : "group|" + GroupKey(info, ranks);
      auto [source, target] = EndsOf(info, calls.rank_numbers[static_cast<size_t>(call.rank)]);
      const bool between_two = source != kNone && target != kNone;
      if (between_two) key += "|" + std::to_string(source) + ">" + std::to_string(target);
      Bucket& bucket = buckets[key];
      if (bucket.calls.empty()) {
        bucket.calls.resize(calls.of_rank.size());
        bucket.group = {info.group, ranks, info.group_size, kNone, MatchedBy::kGroupIndex};
        bucket.point_to_point = between_two;
        if (between_two)
          bucket.group.ranks = {static_cast<int32_t>(source), static_cast<int32_t>(target)};
        if (between_two) bucket.group.size = 2;
        if (info.group.empty() && info.ranks.empty()) {
          bucket.group.stream = call.stream;
          bucket.group.by = MatchedBy::kStreamOrder;
        }
      }
      bucket.calls[static_cast<size_t>(call.rank)].push_back(call);
    }
  }
  return buckets;
}

class Matcher {
 public:
  Matcher(const Collectives& calls, std::span<const int64_t> offsets_ns)
      : calls_(calls), offsets_ns_(offsets_ns) {}

  Matches Match() {
    for (auto& [key, bucket] : BucketsOf(calls_)) {
      const bool sequenced = AllSequenced(bucket) && (!bucket.point_to_point || IsOneCount(bucket));
      if (sequenced) bucket.group.by = MatchedBy::kSequence;
      const auto group = static_cast<int32_t>(result_.groups.size());
      if (HoldsSeveralGroups(bucket)) {
        for (const Row& of_rank : bucket.calls) Leave(of_rank);
        result_.shared_name = bucket.group.name;
        result_.groups.push_back(std::move(bucket.group));
        continue;
      }
      auto rows = sequenced ? BySequence(bucket) : ByOrder(bucket);
      result_.groups.push_back(std::move(bucket.group));
      for (auto& row : rows) Keep(group, std::move(row));
    }
    std::stable_sort(result_.collectives.begin(), result_.collectives.end(),
                     [this](const auto& a, const auto& b) { return Begin(a) < Begin(b); });
    std::stable_sort(result_.unmatched.begin(), result_.unmatched.end(),
                     [](const auto& a, const auto& b) {
                       return std::tie(a.rank, a.begin_ns) < std::tie(b.rank, b.begin_ns);
                     });
    return std::move(result_);
  }

 private:
  using Row = std::vector<CollectiveCall>;  // members of one collective, by rank

  int64_t OffsetOf(int32_t rank) const {
    return offsets_ns_.empty() ? 0 : offsets_ns_[static_cast<size_t>(rank)];
  }
  int64_t Begin(const MatchedCollective& collective) const {
    const CollectiveCall& first = collective.members.front();
    return first.begin_ns - OffsetOf(first.rank);
  }
  TimedCall Timed(const CollectiveCall& call) const {
    const int64_t offset = OffsetOf(call.rank);
    return {call.begin_ns - offset, call.end_ns - offset};
  }

  // Whether more ranks call than the group has: groups of one name whose ranks nobody tells. Which
  // calls are one group's is not known then.
  bool HoldsSeveralGroups(const Bucket& bucket) const {
    if (bucket.group.by == MatchedBy::kStreamOrder) return false;  // holds groups of any size
    int64_t most = 0;
    int64_t ranks = 0;
    for (const Row& of_rank : bucket.calls) {
      ranks += of_rank.empty() ? 0 : 1;
      for (const auto& call : of_rank) {
        const int64_t size = calls_.info(call).group_size;
        if (size == kNone) return false;
        most = std::max(most, size);
      }
    }
    return ranks > most;
  }

  // Whether a collective of so many members can be.
  bool HasRoom(const Row& row) const {
    return std::all_of(row.begin(), row.end(), [&](const CollectiveCall& call) {
      const int64_t size = calls_.info(call).group_size;
      return size == kNone || static_cast<int64_t>(row.size()) <= size;
    });
  }

  static bool AllSequenced(const Bucket& bucket) {
    for (const auto& of_rank : bucket.calls) {
      for (const auto& call : of_rank) {
        if (call.sequence < 0) return false;
      }
    }
    return bucket.group.by != MatchedBy::kStreamOrder;
  }

  // Whether both ends of a transfer tell the same numbers, each once. Our hooks count it by itself;
  // where a rank counts all that it sends and receives, or one end has calls that it does not
  // count, they differ. Times tell less: clocks of nodes leave more than a short transfer takes.
  static bool IsOneCount(const Bucket& bucket) {
    std::optional<std::set<int64_t>> reported;
    for (const Row& of_rank : bucket.calls) {
      if (of_rank.empty()) continue;
      std::set<int64_t> numbers;
      for (const CollectiveCall& call : of_rank) numbers.insert(call.sequence);
      if (numbers.size() != of_rank.size() || (reported && *reported != numbers)) return false;
      reported = std::move(numbers);
    }
    return true;
  }

  std::vector<Row> BySequence(const Bucket& bucket) const {
    const std::string transfer;  // what one end sends the other receives
    // Calls that were coalesced share a number: the n-th of a name goes with the n-th.
    std::map<std::tuple<int64_t, std::string, int32_t>, Row> rows;
    for (const auto& of_rank : bucket.calls) {
      std::map<std::pair<int64_t, std::string>, int32_t> seen;
      for (const auto& call : of_rank) {
        const std::string& name = bucket.point_to_point ? transfer : calls_.info(call).name;
        const int32_t turn = seen[{call.sequence, name}]++;
        rows[{call.sequence, name, turn}].push_back(call);
      }
    }
    std::vector<Row> result;
    for (auto& [key, row] : rows) result.push_back(std::move(row));
    return result;
  }

  // Collectives of ranks whose lists could be set side by side, in order.
  struct Cluster {
    std::vector<Row> rows;
    std::vector<TimedCall> when;  // of each row, by the clock of the rank that was first here
    int64_t ranks = 1;
    std::vector<int64_t> offsets_ns;  // that clocks of those that joined are ahead
  };

  // The rank with most calls first; each further one is set beside what stands there, and what it
  // has more is put in at its time. What fits nowhere begins a cluster of its own.
  std::vector<Row> ByOrder(const Bucket& bucket) {
    constexpr size_t kMostClusters = 8;  // that a list is tried against
    std::vector<const Row*> lists;
    for (const auto& of_rank : bucket.calls) {
      if (!of_rank.empty()) lists.push_back(&of_rank);
    }
    std::stable_sort(lists.begin(), lists.end(),
                     [](const Row* a, const Row* b) { return a->size() > b->size(); });
    std::vector<Cluster> clusters;
    for (const Row* list : lists) {
      bool joined = false;
      for (size_t c = 0; c < std::min(clusters.size(), kMostClusters) && !joined; ++c) {
        joined = Join(clusters[c], *list, bucket);
      }
      if (joined) continue;
      Cluster& own = clusters.emplace_back();
      for (const auto& call : *list) {
        own.rows.push_back({call});
        own.when.push_back(Timed(call));
      }
    }
    std::vector<Row> rows;
    for (Cluster& cluster : clusters) {
      if (cluster.ranks == 1 && lists.size() > 1) {
        result_.unplaced_ranks.insert(cluster.rows[0][0].rank);
      }
      for (Row& row : cluster.rows) {
        std::sort(row.begin(), row.end(),
                  [](const auto& a, const auto& b) { return a.rank < b.rank; });
        rows.push_back(std::move(row));
      }
    }
    return rows;
  }

  bool Join(Cluster& cluster, const Row& list, const Bucket& bucket) {
    std::vector<TimedCall> times;
    for (const auto& call : list) times.push_back(Timed(call));
    auto alike = [&](int32_t i, int32_t j) {
      return AreAlike(calls_.info(cluster.rows[static_cast<size_t>(i)].front()),
                      calls_.info(list[static_cast<size_t>(j)]));
    };
    const OrderTrust trust =
        bucket.group.by == MatchedBy::kStreamOrder ? OrderTrust::kWithClocks : OrderTrust::kAlone;
    const Alignment alignment = AlignCalls(cluster.when, times, alike, trust, cluster.offsets_ns);
    if (alignment.certainty == Certainty::kNothingFits) return false;
    if (alignment.certainty == Certainty::kAmbiguous) {
      result_.ambiguous_ranks.insert(list.front().rank);
    }
    Merge(cluster, list, times, alignment);
    NoteOffset(cluster.offsets_ns, alignment.offset_ns);
    return true;
  }

  // Ranks of one node share a clock: what it differs by is worth trying for the others.
  static void NoteOffset(std::vector<int64_t>& offsets_ns, int64_t offset_ns) {
    constexpr size_t kMostOffsets = 256;
    constexpr int64_t kSameNs = 5'000;  // the ends of collectives tell no more
    const bool known = std::any_of(offsets_ns.begin(), offsets_ns.end(), [&](int64_t other) {
      return std::abs(static_cast<double>(other) - static_cast<double>(offset_ns)) <= kSameNs;
    });
    if (!known && offsets_ns.size() < kMostOffsets) offsets_ns.push_back(offset_ns);
  }

  static void Merge(Cluster& cluster, const Row& list, const std::vector<TimedCall>& times,
                    const Alignment& alignment) {
    const auto& pairs = alignment.pairs;
    Cluster merged;
    merged.ranks = cluster.ranks + 1;
    merged.offsets_ns = std::move(cluster.offsets_ns);
    size_t i = 0;
    size_t j = 0;
    for (size_t p = 0; p <= pairs.size(); ++p) {
      const bool end = p == pairs.size();
      const size_t to_i = end ? cluster.rows.size() : static_cast<size_t>(pairs[p].first);
      const size_t to_j = end ? list.size() : static_cast<size_t>(pairs[p].second);
      // What the list's clock is ahead, by the pair beside it.
      const auto& beside = pairs[end ? p - 1 : p];
      const int64_t ahead_ns = times[static_cast<size_t>(beside.second)].end_ns -
                               cluster.when[static_cast<size_t>(beside.first)].end_ns;
      while (i < to_i || j < to_j) {
        const bool take_row =
            j == to_j || (i < to_i && cluster.when[i].begin_ns <= times[j].begin_ns - ahead_ns);
        if (take_row) {
          merged.when.push_back(cluster.when[i]);
          merged.rows.push_back(std::move(cluster.rows[i++]));
        } else {
          merged.when.push_back({times[j].begin_ns - ahead_ns, times[j].end_ns - ahead_ns});
          merged.rows.push_back({list[j++]});
        }
      }
      if (end) break;
      merged.when.push_back(cluster.when[i]);
      merged.rows.push_back(std::move(cluster.rows[i++]));
      merged.rows.back().push_back(list[j++]);
    }
    cluster = std::move(merged);
  }

  void Keep(int32_t group, Row row) {
    if (row.size() < 2 || !HasRoom(row)) return Leave(row);
    result_.collectives.push_back({group, std::move(row)});
  }

  void Leave(const Row& row) {
    result_.unmatched.insert(result_.unmatched.end(), row.begin(), row.end());
  }

  const Collectives& calls_;
  std::span<const int64_t> offsets_ns_;
  Matches result_;
};

}  // namespace

bool AreAlike(const CollectiveInfo& a, const CollectiveInfo& b) {
  const bool ends =
      (a.name == "send" && b.name == "recv") || (a.name == "recv" && b.name == "send");
  if (ends) return true;
  if (!a.name.empty() && !b.name.empty() && a.name != b.name) return false;
  if (!a.dtype.empty() && !b.dtype.empty() && a.dtype != b.dtype) return false;
  // Sizes are the same on every rank but where each sends what it has.
  const std::string& name = a.name.empty() ? b.name : a.name;
  const bool same_sizes = name == "all_reduce" || name == "all_gather" || name == "broadcast" ||
                          name == "reduce_scatter" || name == "reduce";
  if (!same_sizes) return true;
  return a.in_elements == kNone || b.in_elements == kNone || a.in_elements == b.in_elements ||
         a.out_elements == b.out_elements;
}

Matches MatchCollectives(const Collectives& calls, std::span<const int64_t> offsets_ns) {
  return Matcher(calls, offsets_ns).Match();
}

}  // namespace steptrace::analyze
