// SPDX-License-Identifier: Apache-2.0
#include "agent/rows/finding_row.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "analyze/json/stored_finding.h"
#include "base/utf8.h"
#include "model/finding_kinds.h"
#include "present/words/finding_sentence.h"

namespace steptrace::agent {
namespace {

constexpr size_t kMostTextBytes = 1200;

}  // namespace

std::string EvidenceText(const model::Finding& found) {
  return EvidenceText(found, nlohmann::ordered_json::object());
}

std::string EvidenceText(const model::Finding& found, nlohmann::ordered_json more) {
  analyze::AddFinding(found, more);
  return more.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string FindingRowText(const model::Finding& found) {
  return CleanUtf8(present::SentenceOf(found).text.substr(0, kMostTextBytes));
}

store::FindingRow MakeFindingRow(int64_t ts_ns, store::Severity severity, std::string subject,
                                 const model::Finding& found, store::StringTable& strings) {
  store::FindingRow row;
  row.ts_ns = ts_ns;
  row.severity = strings.Intern(store::NameOf(severity));
  const bool of_rule = model::InfoOf(found.kind).topic == model::Topic::kRule;
  row.kind = strings.Intern(
      store::NameOf(of_rule ? store::FindingSource::kRule : store::FindingSource::kAlert));
  row.subject = std::move(subject);
  row.text = FindingRowText(found);
  row.evidence = EvidenceText(found);
  return row;
}

}  // namespace steptrace::agent
