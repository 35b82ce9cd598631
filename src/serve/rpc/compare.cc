// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/compare.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "analyze/report/make_run_card.h"
#include "analyze/report/report_json.h"
#include "serve/rpc/timeline_parts.h"

namespace steptrace::rpc {
namespace {

using Json = nlohmann::ordered_json;

Json SideJson(const analyze::StepPart& part) {
  return {{"ns", std::llround(part.ns)},
          {"share", part.share},
          {"share_low", part.share_low},
          {"share_high", part.share_high}};
}

Json EndOrNull(const std::optional<int64_t>& ns) {
  return ns ? Json(*ns) : Json();
}

Json RowJson(const analyze::ComparedPart& part) {
  return {{"kind", part.kind},
          {"name", part.name},
          {"a", SideJson(part.a)},
          {"b", SideJson(part.b)},
          {"change_ns", part.change_ns},
          {"change_low_ns", EndOrNull(part.change_low_ns)},
          {"change_high_ns", EndOrNull(part.change_high_ns)}};
}

}  // namespace

Result<analyze::Comparison> LoadComparison(const std::filesystem::path& a,
                                           const std::filesystem::path& b,
                                           const ReportOptions& options) {
  STEPTRACE_ASSIGN_OR_RETURN(const auto first, LoadStepParts(a, options));
  STEPTRACE_ASSIGN_OR_RETURN(const auto second, LoadStepParts(b, options));
  return analyze::Compare(first, second);
}

Result<std::string> CompareJson(const std::filesystem::path& a, const std::filesystem::path& b,
                                const ReportOptions& options) {
  STEPTRACE_ASSIGN_OR_RETURN(const auto comparison, LoadComparison(a, b, options));
  Json json = {{"runs", {a.filename().string(), b.filename().string()}},
               {"sentence", analyze::ComparisonSentence(comparison)},
               {"note", comparison.note.empty() ? Json() : Json(comparison.note)}};
  Json rows = Json::array();
  for (const auto& part : comparison.parts) rows.push_back(RowJson(part));
  json["rows"] = std::move(rows);
  json["comparability"] = {{"a", analyze::ComparabilityJson(comparison.of_a)},
                           {"b", analyze::ComparabilityJson(comparison.of_b)},
                           {"unlike", analyze::UnlikeParts(comparison.of_a, comparison.of_b)}};
  return ToText(json);
}

}  // namespace steptrace::rpc
