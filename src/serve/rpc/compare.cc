// SPDX-License-Identifier: Apache-2.0
#include "serve/rpc/compare.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "analyze/json/json_parts.h"
#include "analyze/json/sentence_json.h"
#include "analyze/report/make_run_card.h"
#include "analyze/report/report_json.h"
#include "serve/rpc/json_out.h"

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
  return {{"kind", NameOf(part.kind)},
          {"name", part.name},
          {"a", SideJson(part.a)},
          {"b", SideJson(part.b)},
          {"change_ns", part.change_ns},
          {"change_low_ns", EndOrNull(part.change_low_ns)},
          {"change_high_ns", EndOrNull(part.change_high_ns)}};
}

Json OperatorsJson(const std::optional<analyze::OperatorChanges>& changes) {
  if (!changes) return nullptr;
  return {{"measure", changes->device ? "device" : "host"},
          {"a_steps", changes->a_steps},
          {"b_steps", changes->b_steps},
          {"rows", analyze::Each(changes->rows,
                                 [](const analyze::OperatorChange& one) -> Json {
                                   return {{"name", one.name},
                                           {"a_ns", EndOrNull(one.a_ns)},
                                           {"b_ns", EndOrNull(one.b_ns)},
                                           {"change_ns", one.change_ns}};
                                 })},
          {"left_out", changes->left_out}};
}

// What is said of them, in this order of the two.
Json HeadlineAndNotes(const analyze::Comparison& comparison) {
  return {{"headline", analyze::FindingJson(analyze::HeadlineOf(comparison))},
          {"notes", analyze::Each(comparison.notes, analyze::FindingJson)}};
}

}  // namespace

Result<analyze::Comparison> LoadComparison(const std::filesystem::path& a,
                                           const std::filesystem::path& b,
                                           const ReportRequest& options) {
  STEPTRACE_ASSIGN_OR_RETURN(const auto first, LoadStepParts(a, options));
  STEPTRACE_ASSIGN_OR_RETURN(const auto second, LoadStepParts(b, options));
  return analyze::Compare(first, second);
}

Result<std::string> CompareJson(const std::filesystem::path& a, const std::filesystem::path& b,
                                const ReportRequest& options) {
  STEPTRACE_ASSIGN_OR_RETURN(const auto first, LoadStepParts(a, options));
  STEPTRACE_ASSIGN_OR_RETURN(const auto second, LoadStepParts(b, options));
  const analyze::Comparison comparison = analyze::Compare(first, second);
  Json json = {{"runs", {a.filename().string(), b.filename().string()}}};
  json.update(HeadlineAndNotes(comparison));
  json["back"] = HeadlineAndNotes(analyze::Compare(second, first));
  Json rows = Json::array();
  for (const auto& part : comparison.parts) rows.push_back(RowJson(part));
  json["rows"] = std::move(rows);
  json["operators"] = OperatorsJson(comparison.operators);
  json["comparability"] = {{"a", analyze::ComparabilityJson(comparison.of_a)},
                           {"b", analyze::ComparabilityJson(comparison.of_b)},
                           {"unlike", analyze::UnlikeParts(comparison.of_a, comparison.of_b)}};
  return ToText(json);
}

}  // namespace steptrace::rpc
