// SPDX-License-Identifier: Apache-2.0
#include "analyze/json/json_parts.h"
#include "analyze/operators/modules_section.h"

namespace steptrace::analyze {
namespace {

const char* SourceName(ModuleSource source) {
  switch (source) {
    case ModuleSource::kRanges:
      return "ranges";
    case ModuleSource::kHierarchy:
      return "hierarchy";
    case ModuleSource::kStacks:
      return "stacks";
    case ModuleSource::kNothing:
      return "none";
  }
  return "";
}

Json TimesJson(const ModuleTimes& times) {
  return {{"operators", times.operators},
          {"host_total_ns", times.host_total_ns},
          {"host_self_ns", times.host_self_ns},
          {"device_total_ns", times.device_total_ns},
          {"device_self_ns", times.device_self_ns}};
}

// Means over the steps, to the nearest ns.
Json PerStep(const ModuleRow& row, int64_t steps) {
  if (steps == 0) return nullptr;
  const auto mean = [steps](int64_t sum) { return (sum + steps / 2) / steps; };
  return {{"host_total_ns", mean(row.forward.host_total_ns)},
          {"device_total_ns", mean(row.forward.device_total_ns)},
          {"backward_host_total_ns", mean(row.backward.host_total_ns)},
          {"backward_device_total_ns", mean(row.backward.device_total_ns)}};
}

}  // namespace

Json ModulesJson(const ModulesSection& section) {
  Json rows = Json::array();
  for (const RankModules& rank : section.ranks) {
    for (const ModuleRow& row : rank.rows) {
      Json json = {{"rank", rank.rank},
                   {"name", row.name},
                   {"module", row.module},
                   {"parent", row.parent == kNone ? Json(nullptr) : Json(row.parent)},
                   {"depth", row.depth},
                   {"source", SourceName(rank.source)},
                   {"occurrences", OrNull(row.occurrences)}};
      json.update(TimesJson(row.forward));
      json["backward"] = rank.has_backward ? TimesJson(row.backward) : Json(nullptr);
      json["per_step"] = PerStep(row, rank.steps);
      rows.push_back(std::move(json));
    }
  }
  return rows;
}

}  // namespace steptrace::analyze
