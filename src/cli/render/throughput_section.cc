// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/render/report_blocks.h"
#include "present/words/quantity.h"

namespace steptrace::cli {
namespace {

using analyze::CountedBy;
using analyze::Throughput;

// What is counted, with the word before it that says how sure it is.
struct Counted {
  const char* unit;
  const char* sureness;
  std::string text;  // empty: not known
};

std::string NumberOf(const std::optional<double>& value) {
  return value ? present::FormatNumber(*value) : "";
}

const char* SurenessOf(CountedBy by) {
  return by == CountedBy::kEstimated ? "about " : "";
}

std::vector<Counted> CountedOf(const Throughput& one) {
  const char* at_least = one.flops_at_least ? "at least " : "";
  return {
      {"samples/s", SurenessOf(one.samples_by), NumberOf(one.samples_per_s)},
      {"tokens/s", SurenessOf(one.tokens_by), NumberOf(one.tokens_per_s)},
      {"", at_least, one.flops_per_s ? present::FormatScaled(*one.flops_per_s, "FLOP/s") : ""},
      {"MFU", at_least, one.mfu ? present::FormatShare(*one.mfu) : ""},
  };
}

std::string TextOf(const Counted& one) {
  const char* space = *one.unit == '\0' ? "" : " ";
  return fmt::format("{}{}{}{}", one.sureness, one.text, space, one.unit);
}

}  // namespace

void RenderThroughput(const analyze::Report& report, Page& page) {
  std::string line;
  for (const Counted& one : CountedOf(report.throughput)) {
    if (one.text.empty()) continue;
    line += (line.empty() ? "" : page.separator()) + TextOf(one);
  }
  if (!line.empty()) page.Paragraph("Throughput: ", 12, line, Tint::kDim);
}

void RenderThroughputs(const analyze::Report& a, const analyze::Report& b, Page& page) {
  const std::vector<Counted> of_a = CountedOf(a.throughput), of_b = CountedOf(b.throughput);
  std::string line;
  for (size_t i = 0; i < of_a.size(); ++i) {
    if (of_a[i].text.empty() || of_b[i].text.empty()) continue;
    line += fmt::format("{}{} in A, {} in B", line.empty() ? "" : page.separator(), TextOf(of_a[i]),
                        TextOf(of_b[i]));
  }
  if (!line.empty()) page.Paragraph("Throughput: ", 12, line);
}

}  // namespace steptrace::cli
