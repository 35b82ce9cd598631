// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/profile.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace steptrace::rpc {
namespace {

// The agent tells of the sources of its metrics by facts of the same kind, without a format.
bool IsImport(const store::FactRow& fact) {
  const auto json = nlohmann::json::parse(fact.json, nullptr, false);
  return json.is_object() && json.contains("format");
}

}  // namespace

bool HoldsProfile(const std::vector<store::TrackRow>& tracks,
                  const std::vector<store::FactRow>& facts, const store::StringTable& strings) {
  const auto is = [&strings](store::StringId kind, std::string_view name) {
    return strings.Text(kind) == name;
  };
  return std::any_of(tracks.begin(), tracks.end(),
                     [&](const auto& track) { return is(track.kind, "stream"); }) ||
         std::any_of(facts.begin(), facts.end(),
                     [&](const auto& fact) { return is(fact.kind, "source") && IsImport(fact); });
}

Result<analyze::Trace> LoadTrace(store::RunReader& run, const std::vector<store::TrackRow>& tracks,
                                 const std::vector<store::FactRow>& facts,
                                 const TimeBounds& bounds) {
  std::map<int32_t, std::vector<store::TrackRow>> by_rank;
  for (const store::TrackRow& track : tracks) {
    const std::string& kind = run.Text(track.kind);
    if (kind == "thread" || kind == "stream") by_rank[track.rank].push_back(track);
  }
  analyze::Trace trace;
  trace.strings = &run.strings();
  trace.facts = facts;
  for (const auto& [rank, of_rank] : by_rank) {
    // All that the analysis reads; the rest of a row's arguments stays on disk.
    const store::ReadOptions slices_of = {
        .columns = {"ts_ns", "dur_ns", "track", "rank", "name", "category", "correlation",
                    "flow_out", "flow_in", "bytes", "group", "sequence", "external_id", "details"},
        .rank = rank,
        .from_ns = bounds.from_ns,
        .to_ns = bounds.to_ns};
    STEPTRACE_ASSIGN_OR_RETURN(auto slices, run.Read<store::SliceRow>(slices_of));
    STEPTRACE_ASSIGN_OR_RETURN(
        auto memory,
        run.Read<store::MemoryRow>(
            {.columns = {}, .rank = rank, .from_ns = bounds.from_ns, .to_ns = bounds.to_ns}));
    if (slices.empty() && memory.empty()) continue;
    trace.ranks.push_back(analyze::BuildRankTrace(rank, slices, of_rank, memory, run.strings()));
  }
  return trace;
}

}  // namespace steptrace::rpc
