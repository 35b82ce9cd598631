// SPDX-License-Identifier: Apache-2.0
#include "cli/present_options.h"

#include <algorithm>

#include "analyze/report/report_json.h"
#include "base/shell_word.h"
#include "cli/render/text_report.h"
#include "cli/settings.h"
#include "serve/rpc/load_report.h"
#include "serve/rpc/run_path.h"

namespace steptrace::cli {
namespace {

constexpr int64_t kDefaultTop = 10;  // rows of a table that fit a screen

// Where the next command looks for runs, if it is given no flag.
std::string UsualFolder() {
  const auto settings = LoadSettings(ProcessEnvironment());
  return settings.ok() ? settings->folder : Settings().folder;
}

}  // namespace

std::string RunInCommands(const std::filesystem::path& run, const std::string& name) {
  return ShellWord(rpc::ShortestName(run, name, UsualFolder()));
}

Status PrintReport(const std::filesystem::path& run, const PresentOptions& options,
                   std::FILE* stream) {
  STEPTRACE_ASSIGN_OR_RETURN(analyze::Report report,
                             rpc::LoadReport(run, {.price_per_hour = options.price_per_hour,
                                                   .last_steps = options.last_steps,
                                                   .tensor_cores = options.tensor_cores,
                                                   .from_ns = options.from_ns,
                                                   .to_ns = options.to_ns,
                                                   .stages = options.stages,
                                                   .beside_run = options.section.empty()}));
  // A part of the run is not the run's report.
  // What is kept for `ls` may find no room: who reads the report has it all the same.
  if (!options.last_steps && !options.from_ns) (void)rpc::SaveReport(run, report);
  if (options.json) {
    std::fputs(analyze::ReportToJson(report).c_str(), stream);
    return {};
  }
  RenderOptions render;
  if (int columns = TerminalColumns(stream); columns > 0) {
    render.width = std::min(columns, render.width);
  }
  render.color = UseColor(options.color, stream);
  render.unicode = UseUnicode();
  render.run = RunInCommands(run, report.run.name);
  render.last_steps = options.last_steps;
  const analyze::SectionName* section = analyze::FindSection(options.section);
  const std::string text =
      section == nullptr
          ? RenderText(report, render)
          : RenderSection(report, *section, options.top.value_or(kDefaultTop), render);
  std::fputs(text.c_str(), stream);
  return {};
}

}  // namespace steptrace::cli
