// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/compare.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "serve/rpc/report.h"
#include "serve/rpc/timeline_parts.h"

namespace steptrace::rpc {
namespace {

using Json = nlohmann::ordered_json;
using analyze::StepPart;
using Key = std::pair<std::string, std::string>;  // kind, name

int64_t Round(double ns) {
  return std::llround(ns);
}

Json SideJson(const StepPart& part) {
  return {{"ns", Round(part.ns)},
          {"share", part.share},
          {"share_low", part.share_low},
          {"share_high", part.share_high}};
}

// Two runs are drawn independently: the half widths of an interval of their difference add in
// quadrature, each side by itself (MOVER: Zou & Donner 2008, Statistics in Medicine 27, 1693).
Json ChangeJson(const Key& key, const StepPart& a, const StepPart& b) {
  const double change = b.ns - a.ns;
  const double down = std::hypot(b.ns - b.ns_low, a.ns_high - a.ns);
  const double up = std::hypot(b.ns_high - b.ns, a.ns - a.ns_low);
  return {{"kind", key.first},
          {"name", key.second},
          {"a", SideJson(a)},
          {"b", SideJson(b)},
          {"change_ns", Round(b.ns) - Round(a.ns)},
          {"change_low_ns", Round(change - down)},
          {"change_high_ns", Round(change + up)}};
}

}  // namespace

Result<std::string> CompareJson(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::vector<Key> order;
  std::map<Key, std::pair<StepPart, StepPart>> rows;
  for (const bool second : {false, true}) {
    STEPTRACE_ASSIGN_OR_RETURN(const auto parts, LoadStepParts(second ? b : a));
    for (const StepPart& part : parts) {
      const auto [row, added] = rows.try_emplace({part.kind, part.name});
      if (added) order.push_back(row->first);
      (second ? row->second.second : row->second.first) = part;
    }
  }
  Json list = Json::array();
  // Kinds in their order: what only the second run has stands with its kind.
  for (const char* kind : {"step", "phase", "suspect", "sub_stage"}) {
    for (const Key& key : order) {
      if (key.first == kind) list.push_back(ChangeJson(key, rows[key].first, rows[key].second));
    }
  }
  Json json = {{"runs", {a.filename().string(), b.filename().string()}}};
  json["rows"] = std::move(list);
  return ToText(json);
}

}  // namespace steptrace::rpc
