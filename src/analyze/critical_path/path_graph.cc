// SPDX-License-Identifier: Apache-2.0
#include "analyze/critical_path/path_graph.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "analyze/critical_path/host_points.h"
#include "analyze/critical_path/stable_order.h"
#include "analyze/ranks/matched_collectives.h"
#include "analyze/ranks/rank_activity.h"
#include "analyze/ranks/rank_clocks.h"
#include "analyze/trace/waiting_calls.h"
#include "base/large_memory.h"
#include "base/text_hash.h"

namespace steptrace::analyze {
namespace {

// Work that begins soon after another stream's end, and later than its own launch and the work
// before it account for, is taken to have waited for it: profiles without cuda_sync events show no
// waits. Between an event and what waits for it lie 2 us on NVIDIA's devices, up to 20 on AMD's.
constexpr int64_t kInferredWithinNs = 50'000;
constexpr int64_t kUnaccountedNs = 10'000;

// cuda_sync events by what they tell.
struct DeviceWait {
  int32_t event = 0;
  int64_t on_stream = kNone;
  int64_t record = kNone;  // correlation of the cudaEventRecord
};

DeviceWait WaitOf(const std::string& details) {
  DeviceWait wait;
  const auto json = nlohmann::json::parse(details, nullptr, false);
  if (!json.is_object()) return wait;
  auto integer = [&](const char* key) -> int64_t {
    auto found = json.find(key);
    return found != json.end() && found->is_number_integer() ? found->get<int64_t>() : kNone;
  };
  wait.on_stream = integer("wait_on_stream");
  wait.record = integer("wait_on_cuda_event_record_corr_id");
  return wait;
}

bool IsWork(const TraceEvent& event) {
  return event.role != DeviceRole::kNone;
}

PathCause CauseOf(DeviceRole role) {
  switch (role) {
    case DeviceRole::kCommunication:
      return PathCause::kCommunication;
    case DeviceRole::kMemory:
      return PathCause::kMemory;
    default:
      return PathCause::kCompute;
  }
}

}  // namespace

class PathGraphBuilder {
 public:
  explicit PathGraphBuilder(const Trace& trace) : trace_(trace) {}

  PathGraph Build() {
    const Collectives calls = ReadCollectives(trace_);
    Matches matches = MatchCollectives(calls, {});
    RankClocks clocks = AlignClocks(trace_, calls, matches);
    if (clocks.corrected) matches = MatchCollectives(calls, clocks.offset_ns);
    graph_.offset_ns = clocks.offset_ns;
    MarkMatched(matches);
    for (size_t r = 0; r < trace_.ranks.size(); ++r) Rank(static_cast<int32_t>(r));
    for (const auto& collective : matches.collectives) Join(collective);
    ranks_ = std::vector<RankNodes>();
    Finish();
    return std::move(graph_);
  }

 private:
  // What is known of a rank while its nodes are made.
  struct RankNodes {
    std::vector<int32_t> begin;      // by device event; kNone: no work
    std::vector<int64_t> joined_ns;  // by device event: since when all took part; INT64_MIN: alone.
                                     // Empty: all are
    HostPoints host;                 // its points become nodes
    uint32_t first_line = 0;
    int32_t first_point = 0;
    std::vector<int32_t> ends;                      // events that are work, by end
    std::unordered_map<int32_t, int64_t> copy_end;  // by the call that launched it
  };

  void MarkMatched(const Matches& matches) {
    ranks_.resize(trace_.ranks.size());
    for (const auto& collective : matches.collectives) {
      int64_t last = INT64_MIN;
      for (const auto& call : collective.members) {
        last = std::max(last, call.begin_ns - Offset(call.rank));
      }
      for (const auto& call : collective.members) {
        if (last > call.end_ns - Offset(call.rank)) continue;  // impossible: left out of the join
        const auto rank = static_cast<size_t>(call.rank);
        auto& joined_ns = ranks_[rank].joined_ns;
        if (joined_ns.empty()) joined_ns.assign(trace_.ranks[rank].device.size(), INT64_MIN);
        joined_ns[static_cast<size_t>(call.event)] = last;
      }
    }
  }
  static bool IsJoined(const RankNodes& nodes, size_t event) {
    return !nodes.joined_ns.empty() && nodes.joined_ns[event] != INT64_MIN;
  }

  int64_t Offset(int32_t rank) const { return graph_.offset_ns[static_cast<size_t>(rank)]; }

  int32_t AddNode(const PathNode& node) {
    graph_.nodes.push_back(node);
    graph_.binding_from_.push_back(0);
    graph_.binding_.emplace_back();
    return static_cast<int32_t>(graph_.nodes.size()) - 1;
  }
  int32_t AddNode(int64_t ns, int32_t event, uint32_t line, PathPlace place) {
    PathNode node;
    node.ns = ns;
    node.event = event;
    node.line = line & PathNode::kMostLines;
    node.place = place;
    return AddNode(node);
  }
  void HoldBack(int32_t from, int32_t to, PathCause cause) {
    if (from != kNone && to != kNone) AddEdge(from, to, {cause, false});
  }
  void Work(int32_t from, int32_t to, PathCause cause) { AddEdge(from, to, {cause, true}); }
  // The nodes' order to be. One that leads back is dropped: clocks of host and device differ by a
  // little.
  bool IsBefore(int32_t a, int32_t b) const { return std::pair(Ns(a), a) < std::pair(Ns(b), b); }
  void AddEdge(int32_t from, int32_t to, PathEdgeKind kind) {
    if (!IsBefore(from, to)) return;
    int32_t& binding_from = graph_.binding_from_[static_cast<size_t>(to)];
    PathEdgeKind& binding = graph_.binding_[static_cast<size_t>(to)];
    // Of those from one node the first counts.
    if (!binding.is_there() || IsBefore(binding_from, from)) {
      std::swap(binding_from, from);
      std::swap(binding, kind);
    }
    if (kind.is_there()) graph_.others_.push_back({to, from, kind});
  }

  void Rank(int32_t r) {
    const RankTrace& rank = trace_.ranks[static_cast<size_t>(r)];
    RankNodes& nodes = ranks_[static_cast<size_t>(r)];
    nodes.host = FindHostPoints(rank, *trace_.strings);
    Lines(r, rank, nodes);
    // Of each event two nodes, and edges from its launch, along its stream and from another: one of
    // them binds.
    const size_t nodes_more = rank.device.size() * 2 + nodes.host.points.size();
    ReserveLarge(graph_.nodes, graph_.nodes.size() + nodes_more);
    ReserveLarge(graph_.binding_from_, graph_.nodes.size() + nodes_more);
    ReserveLarge(graph_.binding_, graph_.nodes.size() + nodes_more);
    ReserveLarge(graph_.others_, graph_.others_.size() + 2 * rank.device.size());
    DeviceNodes(r, rank, nodes);
    HostNodes(r, nodes);
    Synchronisations(rank, nodes);
    Launches(rank, nodes);
    nodes.host.call_begin = std::vector<int32_t>();
    Streams(rank, nodes);
    if (!DeviceWaits(rank, nodes)) InferredWaits(rank, nodes);
  }

  void Lines(int32_t r, const RankTrace& rank, RankNodes& nodes) {
    nodes.first_line = static_cast<uint32_t>(graph_.lines.size());
    for (size_t lane = 0; lane < rank.lanes.size(); ++lane) {
      graph_.lines.push_back({r, static_cast<int32_t>(lane)});
    }
  }
  static uint32_t LineOf(const RankNodes& nodes, int32_t lane) {
    return nodes.first_line + static_cast<uint32_t>(lane);
  }

  void HostNodes(int32_t r, RankNodes& nodes) {
    nodes.first_point = static_cast<int32_t>(graph_.nodes.size());
    for (const HostPoint& point : nodes.host.points) {
      AddNode(point.ns - Offset(r), point.event, LineOf(nodes, point.lane), PathPlace::kThread);
    }
    nodes.host.points = std::vector<HostPoint>();
  }
  int32_t PointNode(const RankNodes& nodes, int32_t point) const {
    return point == kNone ? kNone : nodes.first_point + point;
  }
  int32_t CallBegin(const RankNodes& nodes, int32_t event) const {
    return PointNode(nodes, nodes.host.call_begin[static_cast<size_t>(event)]);
  }

  void DeviceNodes(int32_t r, const RankTrace& rank, RankNodes& nodes) {
    nodes.begin.assign(rank.device.size(), kNone);
    nodes.ends.reserve(rank.device.size());
    for (size_t i = 0; i < rank.device.size(); ++i) {
      const TraceEvent& event = rank.device[i];
      if (!IsWork(event)) continue;
      const auto index = static_cast<int32_t>(i);
      const uint32_t line = LineOf(nodes, event.lane);
      const int32_t begin = AddNode(event.ts_ns - Offset(r), index, line, PathPlace::kDeviceBegin);
      AddNode(event.end_ns() - Offset(r), index, line, PathPlace::kDeviceEnd);
      nodes.begin[i] = begin;
      nodes.ends.push_back(index);
      if (event.kind == EventKind::kMemcpy && event.launch != kNone) {
        nodes.copy_end.emplace(event.launch, event.end_ns());
      }
      if (IsJoined(nodes, i)) {
        HoldBack(begin, begin + 1, PathCause::kCommunication);
      } else {
        Work(begin, begin + 1, CauseOf(event.role));
      }
    }
    // Begins are in order, and so are nearly all ends.
    const auto by_end = [&rank](int32_t a, int32_t b) {
      return std::pair(EndOf(rank, a), a) < std::pair(EndOf(rank, b), b);
    };
    if (!std::is_sorted(nodes.ends.begin(), nodes.ends.end(), by_end)) {
      std::sort(nodes.ends.begin(), nodes.ends.end(), by_end);
    }
  }
  static int64_t EndOf(const RankTrace& rank, int32_t event) {
    return rank.device[static_cast<size_t>(event)].end_ns();
  }

  // The last device work that ended in (from, to], of one stream or of all.
  int32_t LastEndWithin(const RankTrace& rank, const RankNodes& nodes, int64_t from, int64_t to,
                        int32_t not_lane) const {
    auto at =
        std::upper_bound(nodes.ends.begin(), nodes.ends.end(), to,
                         [&rank](int64_t ns, int32_t event) { return ns < EndOf(rank, event); });
    while (at != nodes.ends.begin()) {
      --at;
      if (EndOf(rank, *at) <= from) return kNone;
      if (rank.device[static_cast<size_t>(*at)].lane != not_lane) return *at;
    }
    return kNone;
  }

  // Chains of the threads, with the calls that waited for the device, and hand-overs.
  void Synchronisations(const RankTrace& rank, RankNodes& nodes) {
    for (size_t i = 1; i < nodes.host.marks.size(); ++i) {
      const PointMark& mark = nodes.host.marks[i];
      const int32_t from = PointNode(nodes, static_cast<int32_t>(i) - 1);
      const int32_t to = from + 1;
      const PathNode& point = graph_.nodes[static_cast<size_t>(to)];
      if (graph_.nodes[static_cast<size_t>(from)].line != point.line) continue;
      int32_t waited_for = kNone;
      if (mark.kind == PointKind::kCallEnd && Blocks(rank, nodes, point.event)) {
        const TraceEvent& call = rank.host[static_cast<size_t>(point.event)];
        waited_for = LastEndWithin(rank, nodes, call.ts_ns, call.end_ns(), kNone);
      }
      if (waited_for != kNone) {
        HoldBack(from, to, PathCause::kSynchronisation);
        HoldBack(nodes.begin[static_cast<size_t>(waited_for)] + 1, to, PathCause::kSynchronisation);
      } else if (mark.idle_before) {
        HoldBack(from, to, PathCause::kHost);
      } else {
        Work(from, to, mark.cause);
      }
    }
    for (const HandOver& hand_over : nodes.host.hand_overs) {
      HoldBack(PointNode(nodes, hand_over.script_before), PointNode(nodes, hand_over.first),
               PathCause::kHost);
      HoldBack(PointNode(nodes, hand_over.last), PointNode(nodes, hand_over.script_after),
               PathCause::kHost);
    }
  }

  // A call that waits for the device: by its name, or because its own copy ended in it.
  bool Blocks(const RankTrace& rank, const RankNodes& nodes, int32_t event) const {
    const TraceEvent& call = rank.host[static_cast<size_t>(event)];
    const std::string& name = trace_.Text(call.name);
    if (IsWaitingCall(name)) return true;
    if (name.find("Memcpy") == std::string::npos) return false;
    auto copy = nodes.copy_end.find(event);
    return copy != nodes.copy_end.end() && copy->second <= call.end_ns();
  }

  void Launches(const RankTrace& rank, RankNodes& nodes) {
    for (size_t i = 0; i < rank.device.size(); ++i) {
      const TraceEvent& event = rank.device[i];
      if (nodes.begin[i] == kNone || event.launch == kNone) continue;
      HoldBack(CallBegin(nodes, event.launch), nodes.begin[i], PathCause::kLaunch);
    }
  }

  void Streams(const RankTrace& rank, const RankNodes& nodes) {
    std::vector<int32_t> previous(rank.lanes.size(), kNone);
    for (size_t i = 0; i < rank.device.size(); ++i) {
      const TraceEvent& event = rank.device[i];
      if (nodes.begin[i] == kNone) continue;
      int32_t& before = previous[static_cast<size_t>(event.lane)];
      if (before != kNone) {
        const TraceEvent& work = rank.device[static_cast<size_t>(before)];
        const int32_t begin = nodes.begin[static_cast<size_t>(before)];
        if (work.end_ns() <= event.ts_ns) {
          HoldBack(begin + 1, nodes.begin[i], PathCause::kDeviceGap);
        } else {  // overlaps it: came when so much of it was done
          HoldBack(begin, nodes.begin[i], CauseOf(work.role));
        }
      }
      before = static_cast<int32_t>(i);
    }
  }

  // The work of a stream in the order of its launches: launch's begin, event.
  using Launched = std::vector<std::pair<int64_t, int32_t>>;
  SeededMap<int64_t, Launched> ByStream(const RankTrace& rank) const {
    SeededMap<int64_t, Launched> streams;
    for (size_t i = 0; i < rank.device.size(); ++i) {
      const TraceEvent& event = rank.device[i];
      if (!IsWork(event) || event.launch == kNone) continue;
      streams[rank.lanes[static_cast<size_t>(event.lane)].stream].emplace_back(
          rank.host[static_cast<size_t>(event.launch)].ts_ns, static_cast<int32_t>(i));
    }
    for (auto& [stream, launched] : streams) std::sort(launched.begin(), launched.end());
    return streams;
  }

  // Stream Wait Event: what was launched on the other stream before the record comes before what is
  // launched on this one after the wait. False: the profile has no such events.
  bool DeviceWaits(const RankTrace& rank, const RankNodes& nodes) {
    std::vector<DeviceWait> waits;
    for (size_t i = 0; i < rank.device.size(); ++i) {
      if (rank.device[i].kind != EventKind::kSync) continue;
      DeviceWait wait = WaitOf(trace_.Text(rank.device[i].details));
      wait.event = static_cast<int32_t>(i);
      if (wait.record != kNone && rank.device[i].launch != kNone) waits.push_back(wait);
    }
    if (waits.empty()) return false;
    const auto streams = ByStream(rank);
    for (const DeviceWait& wait : waits) {
      const TraceEvent& event = rank.device[static_cast<size_t>(wait.event)];
      const int32_t record = rank.launches.Find(wait.record);
      auto source = streams.find(wait.on_stream);
      auto own = streams.find(rank.lanes[static_cast<size_t>(event.lane)].stream);
      if (record == kNone || source == streams.end() || own == streams.end()) continue;
      const int64_t record_ns = rank.host[static_cast<size_t>(record)].ts_ns;
      auto before = std::upper_bound(source->second.begin(), source->second.end(),
                                     std::pair<int64_t, int32_t>(record_ns, INT32_MAX));
      const int64_t call_ns = rank.host[static_cast<size_t>(event.launch)].ts_ns;
      auto after = std::lower_bound(own->second.begin(), own->second.end(),
                                    std::pair<int64_t, int32_t>(call_ns, 0));
      if (before == source->second.begin() || after == own->second.end()) continue;
      HoldBack(nodes.begin[static_cast<size_t>(std::prev(before)->second)] + 1,
               nodes.begin[static_cast<size_t>(after->second)], PathCause::kSynchronisation);
    }
    return true;
  }

  void InferredWaits(const RankTrace& rank, const RankNodes& nodes) {
    std::vector<int64_t> lane_end(rank.lanes.size(), INT64_MIN);
    for (size_t i = 0; i < rank.device.size(); ++i) {
      const TraceEvent& event = rank.device[i];
      if (nodes.begin[i] == kNone) continue;
      int64_t& end = lane_end[static_cast<size_t>(event.lane)];
      int64_t ready = end;
      end = std::max(end, event.end_ns());
      // A launch that the profile does not hold was before it began.
      if (event.launch != kNone) {
        ready = std::max(ready, rank.host[static_cast<size_t>(event.launch)].ts_ns);
      }
      if (ready >= event.ts_ns - kUnaccountedNs) continue;
      const int64_t from = std::max(ready, event.ts_ns - kInferredWithinNs);
      const int32_t other = LastEndWithin(rank, nodes, from, event.ts_ns, event.lane);
      if (other == kNone) continue;
      HoldBack(nodes.begin[static_cast<size_t>(other)] + 1, nodes.begin[i],
               PathCause::kSynchronisation);
    }
  }

  // One moment for all: none ends before the last has begun.
  void Join(const MatchedCollective& collective) {
    int32_t last = kNone;
    std::vector<int32_t> begins;
    for (const auto& call : collective.members) {
      const RankNodes& nodes = ranks_[static_cast<size_t>(call.rank)];
      const auto event = static_cast<size_t>(call.event);
      const int32_t begin = nodes.begin[event];
      begins.push_back(begin);
      if (last == kNone || Ns(begin) > Ns(last)) last = begin;
    }
    PathNode node = graph_.nodes[static_cast<size_t>(last)];
    node.place = PathPlace::kJoin;
    const int32_t join = AddNode(node);
    for (size_t m = 0; m < begins.size(); ++m) {
      const auto& call = collective.members[m];
      const RankNodes& nodes = ranks_[static_cast<size_t>(call.rank)];
      HoldBack(begins[m], join, PathCause::kCommunication);
      if (!IsJoined(nodes, static_cast<size_t>(call.event))) continue;
      Work(join, begins[m] + 1, PathCause::kCommunication);
    }
  }
  int64_t Ns(int32_t node) const { return graph_.nodes[static_cast<size_t>(node)].ns; }

  void Finish() {
    const std::vector<uint32_t> order =
        StableOrder(graph_.nodes.size(), [this](size_t i) { return graph_.nodes[i].ns; });
    RenumberEdges(order);
    Reorder(order, graph_.binding_from_);
    Reorder(order, graph_.binding_);
    ReorderNodes(order);
    LinkTheRest();
  }

  void RenumberEdges(const std::vector<uint32_t>& order) {
    std::vector<int32_t> place(order.size());
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int32_t>(i);
    const auto place_of = [&place](int32_t node) { return place[static_cast<size_t>(node)]; };
    for (int32_t& from : graph_.binding_from_) from = place_of(from);
    for (auto& edge : graph_.others_) {
      edge.to = place_of(edge.to);
      edge.from = place_of(edge.from);
    }
    const auto by_to = [](const auto& a, const auto& b) { return a.to < b.to; };
    std::sort(graph_.others_.begin(), graph_.others_.end(), by_to);
  }

  // Into a list of its own: the order is of a few lists that are in order, each read from its begin
  // to its end. Moved from place to place within one list, every value would be fetched anew.
  template <class Value>
  static void Reorder(const std::vector<uint32_t>& order, std::vector<Value>& values) {
    std::vector<Value> ordered;
    ReserveLarge(ordered, values.size());
    for (const uint32_t from : order) ordered.push_back(values[from]);
    values = std::move(ordered);
  }

  // Four bytes of each at a time: a second list of whole nodes would be the most memory that a
  // report takes.
  void ReorderNodes(const std::vector<uint32_t>& order) {
    const auto move = [&](auto part_of, auto put) {
      std::vector<decltype(part_of(graph_.nodes[0]))> parts;
      ReserveLarge(parts, order.size());
      for (const uint32_t from : order) parts.push_back(part_of(graph_.nodes[from]));
      for (size_t i = 0; i < parts.size(); ++i) put(graph_.nodes[i], parts[i]);
    };
    constexpr int kHalf = 32;
    move([](const PathNode& node) { return static_cast<uint32_t>(node.ns); },
         [](PathNode& node, uint32_t low) { node.ns = node.ns >> kHalf << kHalf | low; });
    move([](const PathNode& node) { return static_cast<int32_t>(node.ns >> kHalf); },
         [](PathNode& node, int32_t high) {
           node.ns = int64_t{high} << kHalf | static_cast<uint32_t>(node.ns);
         });
    move([](const PathNode& node) { return node.event; },
         [](PathNode& node, int32_t event) { node.event = event; });
    move([](const PathNode& node) { return uint32_t{node.line}; },
         [](PathNode& node, uint32_t line) { node.line = line & PathNode::kMostLines; });
    move([](const PathNode& node) { return node.place; },
         [](PathNode& node, PathPlace place) { node.place = place; });
  }

  // Device work whose launch, and a thread whose start nobody tells: it came after what came last
  // on its rank. Without an edge it would be where every path through it ends.
  void LinkTheRest() {
    std::vector<int32_t> last(trace_.ranks.size(), kNone);  // by rank
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const PathNode& node = graph_.nodes[n];
      int32_t& before = last[static_cast<size_t>(graph_.LineOf(node).rank)];
      if (!graph_.binding_[n].is_there() && before != kNone) {
        graph_.binding_from_[n] = before;
        graph_.binding_[n] = {PathCause::kNotLinked, false};
      }
      const bool has_come = node.place == PathPlace::kThread || node.place == PathPlace::kDeviceEnd;
      if (has_come || before == kNone) before = static_cast<int32_t>(n);
    }
  }

  const Trace& trace_;
  PathGraph graph_;
  std::vector<RankNodes> ranks_;
};

PathGraph BuildPathGraph(const Trace& trace) {
  return PathGraphBuilder(trace).Build();
}

}  // namespace steptrace::analyze
