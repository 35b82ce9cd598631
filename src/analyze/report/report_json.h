// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analyze/report/report.h"
#include "analyze/report/report_words.h"

namespace steptrace::analyze {

inline constexpr size_t kWholeTexts = std::numeric_limits<size_t>::max();

// The report as JSON (docs/reference/report.md), indented by two, ended by a line break. Times are
// whole nanoseconds. Bytes that are no UTF-8 become U+FFFD. Texts over `most_text_bytes` are cut
// (cut_texts.h).
std::string ReportToJson(const Report& report, size_t most_text_bytes = kWholeTexts);
// The text of the report's JSON that has this number (TextId in cut_texts.h).
std::optional<std::string> FindText(const Report& report, uint64_t id);

// The rows of `findings`.
nlohmann::ordered_json FindingsJson(const std::vector<FindingLine>& findings);

// The member `comparability` but for what each section has.
nlohmann::ordered_json ComparabilityJson(const Comparability& one);

// A section as `--section` names it, and the members of the report that it is.
struct SectionName {
  const char* name;
  std::span<const char* const> members;
};
std::span<const SectionName> SectionNames();
// Null: there is no such section.
const SectionName* FindSection(std::string_view name);

// `schema`, `run`, the members of one section, and `notes`. Of lists the first `top` rows of each
// rank and device alone: every section has its most important rows first.
std::string SectionToJson(const Report& report, const SectionName& section,
                          std::optional<int64_t> top, size_t most_text_bytes = kWholeTexts);

}  // namespace steptrace::analyze
