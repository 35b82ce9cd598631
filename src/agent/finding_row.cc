// SPDX-License-Identifier: Apache-2.0
#include "agent/finding_row.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "analyze/report/stored_finding.h"
#include "base/utf8.h"
#include "present/words/finding_sentence.h"

namespace steptrace::agent {
namespace {

constexpr size_t kMostTextBytes = 1200;

}  // namespace

std::string FindingRowText(const model::Finding& found) {
  return CleanUtf8(present::SentenceOf(found).text.substr(0, kMostTextBytes));
}

store::FindingRow MakeFindingRow(int64_t ts_ns, const char* severity, std::string subject,
                                 const model::Finding& found, store::StringTable& strings) {
  store::FindingRow row;
  row.ts_ns = ts_ns;
  row.severity = strings.Intern(severity);
  row.kind = strings.Intern("alert");
  row.subject = std::move(subject);
  row.text = FindingRowText(found);
  SetEvidence(found, nlohmann::ordered_json::object(), row);
  return row;
}

void SetEvidence(const model::Finding& found, nlohmann::ordered_json evidence,
                 store::FindingRow& row) {
  analyze::AddFinding(found, evidence);
  row.evidence = evidence.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace steptrace::agent
