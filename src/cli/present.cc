// SPDX-License-Identifier: Apache-2.0
#include "cli/present.h"

#include <algorithm>

#include "cli/render/text_report.h"
#include "serve/rpc/report.h"

namespace steptrace::cli {
namespace {

constexpr int64_t kDefaultTop = 10;  // rows of a table that fit a screen

}  // namespace

Status PrintReport(const std::filesystem::path& run, const PresentOptions& options,
                   std::FILE* stream) {
  STEPTRACE_ASSIGN_OR_RETURN(analyze::Report report,
                             rpc::LoadReport(run, {.price_per_hour = options.price_per_hour,
                                                   .last_steps = options.last_steps,
                                                   .tensor_cores = options.tensor_cores}));
  // A part of the run is not the run's report.
  if (!options.last_steps) STEPTRACE_RETURN_IF_ERROR(rpc::SaveReport(run, report));
  if (!options.print) return {};
  RenderOptions render;
  if (int columns = TerminalColumns(stream); columns > 0) {
    render.width = std::min(columns, render.width);
  }
  render.color = UseColor(options.color, stream);
  render.unicode = UseUnicode();
  const analyze::SectionName* section = analyze::FindSection(options.section);
  const std::string text =
      section == nullptr
          ? RenderText(report, render)
          : RenderSection(report, *section, options.top.value_or(kDefaultTop), render);
  std::fputs(text.c_str(), stream);
  return {};
}

}  // namespace steptrace::cli
