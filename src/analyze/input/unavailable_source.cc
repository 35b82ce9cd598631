// SPDX-License-Identifier: Apache-2.0
#include "analyze/input/unavailable_source.h"

#include <string_view>

#include "analyze/json/stored_finding.h"
#include "model/finding_kinds.h"

namespace steptrace::analyze {
namespace {

constexpr std::string_view kMark = ": ";

}  // namespace

UnavailableSource UnavailableIn(const store::DataLossRow& row) {
  const auto found = ReadFinding(row.evidence);
  if (found && found->kind == model::FindingKind::kLossUnavailable) {
    return {found->texts.at(0), found->texts.at(1), found->texts.at(2)};
  }
  const size_t mark = row.detail.find(kMark);
  if (mark == std::string::npos) return {"", row.detail, ""};
  return {row.detail.substr(0, mark), row.detail.substr(mark + kMark.size()), ""};
}

}  // namespace steptrace::analyze
