// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/samples.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyze/json/cut_texts.h"
#include "serve/rpc/json_out.h"
#include "serve/rpc/stack_tree.h"
#include "store/run_reader.h"
#include "store/stored_words.h"

namespace steptrace::rpc {
namespace {

using Json = nlohmann::ordered_json;

struct NamedKind {
  ThreadKind kind;
  const char* name;
};
constexpr std::array<NamedKind, 3> kKinds = {{{ThreadKind::kTraining, "training"},
                                              {ThreadKind::kWorker, "worker"},
                                              {ThreadKind::kOther, "other"}}};

struct Thread {
  ThreadKind kind = ThreadKind::kOther;
  int32_t rank = -1;
};

// Whose each track is. A thread whose number is its process's is the one that the process began
// with: the loop of a training or of a worker runs there.
class Threads {
 public:
  Threads(const std::vector<store::TrackRow>& tracks, const store::StringTable& strings) {
    std::set<int32_t> workers;
    for (const auto& track : tracks) {
      if (store::TrackKindOf(strings.Text(track.kind)) == store::TrackKind::kWorker)
        workers.insert(track.track);
    }
    for (const auto& track : tracks) {
      const bool main = track.tid && track.tid == track.pid;
      const bool worker = track.parent && workers.contains(*track.parent);
      const ThreadKind kind = !main             ? ThreadKind::kOther
                              : worker          ? ThreadKind::kWorker
                              : track.rank >= 0 ? ThreadKind::kTraining
                                                : ThreadKind::kOther;
      threads_[track.track] = {kind, track.rank};
    }
  }
  Thread Of(int32_t track) const {
    const auto found = threads_.find(track);
    return found == threads_.end() ? Thread{} : found->second;
  }

 private:
  std::unordered_map<int32_t, Thread> threads_;
};

struct KindSums {
  std::set<int32_t> tracks;
  int64_t samples = 0;
  StateNs ns{};
};

// What is said of all samples of the time range, and the tree of those that were asked for.
struct Summed {
  StackTree tree;
  std::map<ThreadKind, KindSums> kinds;
  std::set<int32_t> ranks;
};

bool MatchesQuery(const SamplesQuery& query, const Thread& thread) {
  return (!query.threads || *query.threads == thread.kind) &&
         (!query.rank || *query.rank == thread.rank);
}

void AddSample(const SamplesQuery& query, const Thread& thread, store::SampleState state,
               const store::SampleRow& row, Summed& summed) {
  summed.ranks.insert(thread.rank);
  if (query.rank && *query.rank != thread.rank) return;
  KindSums& sums = summed.kinds[thread.kind];
  sums.tracks.insert(row.track);
  ++sums.samples;
  int64_t& ns = sums.ns[static_cast<size_t>(state)];
  if (row.interval_ns > 0 && __builtin_add_overflow(ns, row.interval_ns, &ns)) ns = INT64_MAX;
  if (MatchesQuery(query, thread)) summed.tree.Add(row.stack, state, row.interval_ns);
}

Result<Summed> Sum(store::RunReader& run, const SamplesQuery& query) {
  STEPTRACE_ASSIGN_OR_RETURN(const auto tracks, run.Read<store::TrackRow>());
  STEPTRACE_ASSIGN_OR_RETURN(auto stacks, run.Read<store::StackRow>());
  const Threads threads(tracks, run.strings());
  Summed summed{StackTree(std::move(stacks)), {}, {}};
  store::ReadOptions wanted;
  wanted.from_ns = query.from_ns;
  wanted.to_ns = query.to_ns;
  STEPTRACE_RETURN_IF_ERROR(run.ReadBatches<store::SampleRow>(
      wanted, [&](std::span<const store::SampleRow> rows) -> Status {
        for (const store::SampleRow& row : rows) {
          const bool running =
              store::SampleStateOf(run.Text(row.state)) == store::SampleState::kRunning;
          AddSample(query, threads.Of(row.track),
                    running ? store::SampleState::kRunning : store::SampleState::kWaiting, row,
                    summed);
        }
        return {};
      }));
  return summed;
}

Json TimesJson(const StateNs& ns) {
  return {{"running_ns", ns[0]}, {"waiting_ns", ns[1]}};
}

Json NodeJson(const StackTree::Node& node, const store::RunReader& run) {
  const auto text = [&run](store::StringId id) {
    return analyze::CutText(run.Text(id), analyze::kMaxPageTextBytes);
  };
  return {{"parent", node.parent},
          {"kind", text(node.kind)},
          {"function", text(node.function)},
          {"file", text(node.file)},
          {"line", node.line},
          {"running_ns", node.total_ns[0]},
          {"waiting_ns", node.total_ns[1]},
          {"self_running_ns", node.self_ns[0]},
          {"self_waiting_ns", node.self_ns[1]},
          {"running_samples", node.samples[0]},
          {"waiting_samples", node.samples[1]}};
}

Json KindsJson(const Summed& summed) {
  Json kinds = Json::array();
  for (const NamedKind& named : kKinds) {
    const auto found = summed.kinds.find(named.kind);
    if (found == summed.kinds.end()) continue;
    const KindSums& sums = found->second;
    Json json = {{"kind", named.name}, {"threads", sums.tracks.size()}, {"samples", sums.samples}};
    json.update(TimesJson(sums.ns));
    kinds.push_back(std::move(json));
  }
  return kinds;
}

}  // namespace

std::optional<ThreadKind> ParseThreadKind(std::string_view name) {
  for (const NamedKind& named : kKinds) {
    if (name == named.name) return named.kind;
  }
  return std::nullopt;
}

Result<std::string> SamplesJson(const std::filesystem::path& path, const SamplesQuery& query) {
  STEPTRACE_ASSIGN_OR_RETURN(store::RunReader run, store::RunReader::Open(path));
  STEPTRACE_ASSIGN_OR_RETURN(const Summed summed, Sum(run, query));
  Json json = {{"kinds", KindsJson(summed)}, {"ranks", summed.ranks}};
  json["unknown"] = TimesJson(summed.tree.unknown_ns());
  json["unknown"]["running_samples"] = summed.tree.unknown_samples()[0];
  json["unknown"]["waiting_samples"] = summed.tree.unknown_samples()[1];
  Json nodes = Json::array();
  for (const StackTree::Node& node : summed.tree.Nodes(kMaxFrames)) {
    nodes.push_back(NodeJson(node, run));
  }
  json["nodes"] = std::move(nodes);
  return ToText(json);
}

}  // namespace steptrace::rpc
