// SPDX-License-Identifier: Apache-2.0
#include "analyze/distributed/distributed.h"
#include "analyze/json/json_parts.h"
#include "analyze/json/sentence_json.h"

namespace steptrace::analyze {
namespace {

void PutTimes(Json& json, const OverlapTimes& times) {
  json["total_ns"] = times.total_ns;
  json["computation_ns"] = times.computation_ns;
  json["overlap_ns"] = times.overlap_ns;
  json["exposed_ns"] = times.exposed_ns;
  json["other_ns"] = times.other_ns;
}

// Figures that rest on waiting, null where nothing tells it.
class Waiting {
 public:
  explicit Waiting(const ProfileDistributed& section) : reported_(section.tells_waiting()) {}

  Json Figure(int64_t ns) const { return reported_ ? Json(ns) : Json(nullptr); }

  template <class Row>
  void Put(const Row& row, Json& json) const {
    json["transfer_ns"] = Figure(row.transfer_ns);
    json["wait_ns"] = Figure(row.wait_ns);
    json["unmatched_ns"] = row.unmatched_ns;
  }

 private:
  bool reported_;
};

Json ToJson(const ProfileRank& rank, const Waiting& waiting) {
  Json json = {{"rank", rank.rank}, {"node", rank.node}};
  PutTimes(json, rank.times);
  waiting.Put(rank, json);
  json["caused_wait_ns"] = waiting.Figure(rank.caused_wait_ns);
  json["collectives"] = rank.collectives;
  json["unmatched"] = rank.unmatched;
  return json;
}

Json ToJson(const ProfileStep& step, const Waiting& waiting) {
  Json json = {{"rank", step.rank}, {"step", step.step}};
  PutTimes(json, step.times);
  waiting.Put(step, json);
  return json;
}

Json ToJson(const CollectiveRow& row) {
  return {{"ts_ns", row.begin_ns},
          {"dur_ns", row.dur_ns},
          {"name", row.name},
          {"source_name", row.reported_name},
          {"group", row.group},
          {"group_size", OrNull(row.group_size)},
          {"ranks", row.ranks},
          {"complete", row.complete},
          {"matched_by", row.matched_by},
          {"sequence", OrNull(row.sequence)},
          {"step", OrNull(row.step)},
          {"dtype", row.dtype},
          {"in_elements", OrNull(row.in_elements)},
          {"out_elements", OrNull(row.out_elements)},
          {"bytes", OrNull(row.bytes)},
          {"transfer_ns", row.transfer_ns},
          {"wait_ns", row.wait_ns},
          {"last_rank", row.last_rank},
          {"late_by_ns", row.late_by_ns},
          {"algorithm_bytes_per_s", OrNull(row.algorithm_bytes_per_s)},
          {"bus_bytes_per_s", OrNull(row.bus_bytes_per_s)}};
}

Json ToJson(const OperationRow& row, const Waiting& waiting) {
  Json json = {{"name", row.name},
               {"group", row.group},
               {"group_size", OrNull(row.group_size)},
               {"dtype", row.dtype},
               {"bytes", OrNull(row.bytes)},
               {"calls", row.calls},
               {"total_ns", row.total_ns}};
  waiting.Put(row, json);
  json["algorithm_bytes_per_s"] = OrNull(row.algorithm_bytes_per_s);
  json["bus_bytes_per_s"] = OrNull(row.bus_bytes_per_s);
  json["bandwidth_holds_wait"] = row.bandwidth_holds_wait;
  return json;
}

Json ToJson(const ProfileBlame& blame) {
  Json json = {{"rank", blame.rank},
               {"caused_wait_ns", blame.caused_wait_ns},
               {"share", blame.share},
               {"cause", blame.cause},
               {"collectives", blame.collectives},
               {"steps", blame.steps},
               {"before_step_ns", blame.before_step_ns},
               {"in_step_ns", blame.in_step_ns}};
  json["waiters"] = Json::array();
  for (const auto& [rank, ns] : blame.waiters) {
    json["waiters"].push_back({{"rank", rank}, {"wait_ns", ns}});
  }
  json["parts"] = Json::array();
  for (const auto& part : blame.parts) {
    json["parts"].push_back({{"cause", part.cause},
                             {"when", part.before_step ? "before_step" : "in_step"},
                             {"name", part.name},
                             {"operator", part.op},
                             {"ns", part.ns}});
  }
  return json;
}

Json ToJson(const UnmatchedRow& row) {
  return {{"rank", row.rank},
          {"name", row.name},
          {"group", row.group},
          {"calls", row.calls},
          {"ns", row.ns}};
}

Json ToJson(const ClockOffset& row) {
  return {{row.is_node ? "node" : "rank", row.unit},
          {"offset_ns", row.offset_ns},
          {"measured_ns", row.measured_ns},
          {"residual_ns", row.residual_ns},
          {"drift_ppb", row.drift_ppb},
          {"pairs", row.pairs},
          {"reference", row.reference}};
}

template <class Row, class... More>
Json ListOf(const std::vector<Row>& rows, const More&... more) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(ToJson(row, more...));
  return list;
}

void AddNotes(const ProfileDistributed& section, Json& json) {
  json["notes"] = Each(section.notes, FindingJson);
}

}  // namespace

Json DistributedToJson(const ProfileDistributed& section) {
  const Waiting waiting(section);
  Json json;
  json["source"] = section.source == RankSource::kSteps ? "steps" : "calls";
  json["world_size"] = OrNull(section.world_size);
  json["ranks"] = ListOf(section.ranks, waiting);
  json["steps"] = ListOf(section.steps, waiting);
  json["wait_ns"] = waiting.Figure(section.wait_ns);
  json["collective_count"] = section.collective_count;
  json["incomplete_count"] = section.incomplete_count;
  json["collectives"] = ListOf(section.collectives);
  json["operations"] = ListOf(section.operations, waiting);
  json["blame"] = ListOf(section.blame);
  json["unmatched_count"] = section.unmatched_count;
  json["unmatched"] = ListOf(section.unmatched);
  json["clocks"] = ListOf(section.clocks);
  json["clocks_corrected"] = section.clocks_corrected;
  json["impossible_starts"] = section.impossible_starts;
  AddNotes(section, json);
  return json;
}

void AddDistributedJson(const ProfileDistributed& section, Json& report) {
  if (section.status == DistributedStatus::kNoCollectives) {
    AddNotes(section, report["distributed"]);
  } else {
    report["distributed"] = DistributedToJson(section);
  }
}

void AddLiveDistributedJson(const ProfileDistributed& section, Json& report) {
  if (section.status == DistributedStatus::kNoCollectives) return;
  const Json live = std::exchange(report["distributed"], DistributedToJson(section));
  for (Json& rank : report["distributed"]["ranks"]) {
    for (const Json& known : live.value("ranks", Json::array())) {
      if (known["rank"] != rank["rank"]) continue;
      for (const auto& [key, value] : known.items()) {
        if (!rank.contains(key)) rank[key] = value;
      }
    }
  }
}

}  // namespace steptrace::analyze
