// SPDX-License-Identifier: Apache-2.0
#include "cli/render/absent_section.h"

#include <fmt/format.h>

#include <algorithm>

namespace steptrace::cli {
namespace {

bool MayBeOfPytorch(const analyze::RunCard& card) {
  if (card.imported_as.empty()) return true;
  const auto by_pytorch = [](store::ProfileWriter writer) {
    return writer == store::ProfileWriter::kSagemaker || InfoOf(writer).framework == "pytorch";
  };
  const auto is_torch = [](const analyze::NamedText& one) { return one.first == "torch"; };
  return std::ranges::any_of(card.writers, by_pytorch) ||
         std::ranges::any_of(card.frameworks, is_torch);
}

}  // namespace

void RenderAbsent(const analyze::Report& report, const AbsentSection& section, Page& page) {
  if (!MayBeOfPytorch(report.card)) {
    return page.Paragraph("", 0, fmt::format("{} in this profile", section.what));
  }
  page.Paragraph("", 0,
                 fmt::format("{} in this run; capture some while it runs ({}), or import a "
                             "profile {}",
                             section.what, section.capture, section.torch));
}

}  // namespace steptrace::cli
