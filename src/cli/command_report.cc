// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "analyze/report/report_json.h"
#include "base/unique_fd.h"
#include "cli/command_import.h"
#include "cli/command_rules.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/notebook_results.h"
#include "cli/package_dir.h"
#include "cli/present_options.h"
#include "cli/profile_run.h"
#include "cli/progress.h"
#include "cli/render/text_report.h"
#include "serve/pages/html_report.h"
#include "serve/pages/notebook.h"
#include "serve/pages/run_content.h"
#include "serve/rpc/compare.h"
#include "serve/rpc/load_report.h"
#include "serve/rpc/run_path.h"

namespace steptrace::cli {
namespace {

struct ReportArguments {
  std::string run;
  std::string other;  // the run it is compared with; empty: none
  bool json = false;
  std::optional<int64_t> last;
  std::string section;
  std::optional<int64_t> top;
  std::filesystem::path html;      // empty: none is written
  std::filesystem::path notebook;  // likewise
  rpc::ImportRequest limits;       // of a profile that is imported
};

Status PrintJson(const std::filesystem::path& run, const ReportArguments& arguments,
                 const rpc::ReportRequest& options) {
  STEPTRACE_ASSIGN_OR_RETURN(analyze::Report report, rpc::LoadReport(run, options));
  const analyze::SectionName* section = analyze::FindSection(arguments.section);
  const std::string text = section == nullptr
                               ? analyze::ReportToJson(report)
                               : analyze::SectionToJson(report, *section, arguments.top);
  std::fputs(text.c_str(), stdout);
  return {};
}

// A run, or two that are compared.
using ReportedRuns = std::vector<std::filesystem::path>;

Result<std::string> RunContent(const std::filesystem::path& run,
                               const rpc::ReportRequest& options) {
  STEPTRACE_ASSIGN_OR_RETURN(const analyze::Report report, rpc::LoadReport(run, options));
  return pages::RunContent(run, report);
}

// What a page holds: ui/README.md.
Result<std::string> PageContent(const ReportedRuns& runs, const rpc::ReportRequest& options) {
  STEPTRACE_ASSIGN_OR_RETURN(const std::string first, RunContent(runs.front(), options));
  if (runs.size() == 1) return first;
  STEPTRACE_ASSIGN_OR_RETURN(const std::string second, RunContent(runs.back(), options));
  STEPTRACE_ASSIGN_OR_RETURN(const std::string comparison,
                             rpc::CompareJson(runs.front(), runs.back(), options));
  return fmt::format("{{\"runs\":[{},{}],\"comparison\":{}}}", first, second, comparison);
}

// The folder that a file goes to; of standard output the one that we are in.
std::filesystem::path FolderOf(const std::filesystem::path& file) {
  if (file == "-" || !file.has_parent_path()) return std::filesystem::current_path();
  return file.parent_path();
}

// The run as seen from there, so that both can be moved together.
std::filesystem::path SeenFrom(const std::filesystem::path& folder,
                               const std::filesystem::path& run) {
  std::error_code failed;
  const std::filesystem::path seen = std::filesystem::relative(run, folder, failed);
  return failed || seen.empty() ? std::filesystem::absolute(run) : seen;
}

Status WriteNotebookOf(const ReportedRuns& runs, const std::filesystem::path& destination,
                       const rpc::ReportRequest& options) {
  const std::filesystem::path folder = FolderOf(destination);
  std::vector<pages::NotebookRun> cells;
  for (const std::filesystem::path& run : runs) {
    STEPTRACE_ASSIGN_OR_RETURN(analyze::Report report, rpc::LoadReport(run, options));
    cells.push_back({std::move(report), SeenFrom(folder, run)});
  }
  FilledNotebook filled;
  {
    const ProgressBar progress("notebook", 0);
    filled = WithResults(pages::NotebookOf(cells), folder);
  }
  STEPTRACE_RETURN_IF_ERROR(pages::WriteNotebook(filled.text, destination));
  if (!filled.complaint.empty()) PrintMessage("notebook: results are missing: " + filled.complaint);
  return {};
}

// Named after the runs where a folder is given.
std::filesystem::path FileFor(const ReportedRuns& runs, const std::filesystem::path& given,
                              std::string_view suffix) {
  std::error_code ignored;
  if (given.empty() || !std::filesystem::is_directory(given, ignored)) return given;
  std::string name;
  for (const std::filesystem::path& run : runs) {
    const auto folder = (std::filesystem::absolute(run) / "").lexically_normal().parent_path();
    name += (name.empty() ? "" : "-and-") + folder.filename().string();
  }
  return given / (name + std::string(suffix));
}

// The report as files; a line on stderr tells where they are.
Status WritePages(const ReportedRuns& runs, const ReportArguments& arguments,
                  const rpc::ReportRequest& options) {
  const std::filesystem::path html = FileFor(runs, arguments.html, ".html");
  const std::filesystem::path notebook = FileFor(runs, arguments.notebook, ".ipynb");
  if (!html.empty()) {
    STEPTRACE_ASSIGN_OR_RETURN(const std::filesystem::path package, PackageDir());
    STEPTRACE_ASSIGN_OR_RETURN(const std::string content, PageContent(runs, options));
    STEPTRACE_RETURN_IF_ERROR(pages::WriteHtmlReport(package, {{"report", content}}, html));
  }
  if (!notebook.empty()) STEPTRACE_RETURN_IF_ERROR(WriteNotebookOf(runs, notebook, options));
  for (const auto& path : {html, notebook}) {
    if (!path.empty() && path != "-") PrintMessage("wrote " + path.string());
  }
  return {};
}

std::vector<std::string> SectionChoices() {
  std::vector<std::string> names;
  for (const analyze::SectionName& section : analyze::SectionNames()) {
    names.emplace_back(section.name);
  }
  return names;
}

// The run that is meant; a profile is made one first.
Result<ProfileRun> RunOf(const ReportArguments& arguments, const Settings& settings) {
  if (arguments.run.empty() || !rpc::IsProfile(arguments.run)) {
    STEPTRACE_ASSIGN_OR_RETURN(std::filesystem::path run,
                               rpc::ResolveRun(arguments.run, settings.folder));
    return ProfileRun{std::move(run)};
  }
  rpc::ImportRequest request = arguments.limits;
  request.paths = {arguments.run};
  // A notebook names the run.
  const RunLasts lasts = arguments.notebook.empty() ? RunLasts::kForTheReport : RunLasts::kForGood;
  return RunOfProfile(std::move(request), settings, lasts);
}

struct RunsInUse {
  ReportedRuns paths;
  UniqueFd in_use;  // as ProfileRun's
};

// The run that is meant, and the one that it is compared with.
Result<RunsInUse> ReportedRunsOf(const ReportArguments& arguments, const Settings& settings) {
  STEPTRACE_ASSIGN_OR_RETURN(ProfileRun run, RunOf(arguments, settings));
  RunsInUse runs{.paths = {std::move(run.path)}, .in_use = std::move(run.in_use)};
  if (!arguments.other.empty()) {
    STEPTRACE_ASSIGN_OR_RETURN(std::filesystem::path other,
                               rpc::ResolveRun(arguments.other, settings.folder));
    runs.paths.push_back(std::move(other));
  }
  return runs;
}

Status PrintComparison(const ReportedRuns& runs, const ReportArguments& arguments,
                       const Session& session, const rpc::ReportRequest& options) {
  if (arguments.json) {
    STEPTRACE_ASSIGN_OR_RETURN(const std::string text,
                               rpc::CompareJson(runs.front(), runs.back(), options));
    std::fputs((text + "\n").c_str(), stdout);
    return {};
  }
  STEPTRACE_ASSIGN_OR_RETURN(const auto comparison,
                             rpc::LoadComparison(runs.front(), runs.back(), options));
  STEPTRACE_ASSIGN_OR_RETURN(const auto first, rpc::LoadReport(runs.front(), options));
  STEPTRACE_ASSIGN_OR_RETURN(const auto second, rpc::LoadReport(runs.back(), options));
  RenderOptions render;
  if (int columns = TerminalColumns(stdout); columns > 0) {
    render.width = std::min(columns, render.width);
  }
  render.color = UseColor(session.color(), stdout);
  render.unicode = UseUnicode();
  render.last_steps = arguments.last;
  std::fputs(RenderComparison(comparison, first, second, render).c_str(), stdout);
  return {};
}

int Report(const ReportArguments& arguments, const Session& session) {
  const Settings& settings = session.settings;
  const auto meant = ReportedRunsOf(arguments, settings);
  if (!meant.ok()) return Fail(meant.error());
  const ReportedRuns& runs = meant->paths;
  const std::filesystem::path& run = runs.front();
  const rpc::ReportRequest whole{.price_per_hour = settings.price_per_hour,
                                 .last_steps = arguments.last,
                                 .tensor_cores = settings.tensor_cores,
                                 .stages = settings.stages};
  if (!arguments.html.empty() || !arguments.notebook.empty()) {
    if (!arguments.section.empty() || arguments.json) {
      return Fail(Error{"report: --html and --notebook always write the whole report",
                        "leave out --section and --json, or --html and --notebook"});
    }
    const CleanEnd clean_end;
    const Status written = WritePages(runs, arguments, whole);
    return written.ok() ? FinishOutput(stdout) : Fail(written.error());
  }
  if (runs.size() > 1) {
    const Status compared = PrintComparison(runs, arguments, session, whole);
    return compared.ok() ? FinishOutput(stdout) : Fail(compared.error());
  }
  if (arguments.section == "rules") {  // they look at more than the report holds
    const analyze::RuleSettings rules(analyze::RuleMode::kModern);
    const Status shown = PrintRules(run, rules, session, {arguments.json, arguments.top});
    return shown.ok() ? FinishOutput(stdout) : Fail(shown.error());
  }
  Status status = arguments.json ? PrintJson(run, arguments, whole)
                                 : PrintReport(run,
                                               {.price_per_hour = settings.price_per_hour,
                                                .last_steps = arguments.last,
                                                .tensor_cores = settings.tensor_cores,
                                                .stages = settings.stages,
                                                .color = session.color(),
                                                .section = arguments.section,
                                                .top = arguments.top},
                                               stdout);
  return status.ok() ? FinishOutput(stdout) : Fail(status.error());
}

}  // namespace

void AddReportCommand(CLI::App& app, Session& session) {
  CLI::App* command = AddCommand(
      app, {.name = "report",
            .sentence = "Print where the time of a run goes, and the verdict",
            .usage = "[RUN] [OPTIONS]",
            .examples = {"steptrace report", "steptrace report train-slow --section distributed",
                         "steptrace report trace.json.gz --json",
                         "steptrace report train-slow --html report.html",
                         "steptrace report train-slow --notebook ."}});
  auto arguments = std::make_shared<ReportArguments>();
  AddRunArgument(command, arguments->run);
  command->get_option("RUN")->description(
      "Path, name or id of a run (default: the newest), or a profile, which is imported first");
  AddJsonFlag(command, arguments->json);
  AddPriceOption(command, session);
  command->add_option("--last", arguments->last, "Use only the newest N steady steps of each rank")
      ->type_name("N")
      ->check(AtLeast(1));
  CLI::Option* section = command
                             ->add_option("--section", arguments->section,
                                          "Print only this section, in full: " +
                                              fmt::format("{}", fmt::join(SectionChoices(), ", ")))
                             ->type_name("NAME")
                             ->check(CLI::IsMember(SectionChoices()).description(""));
  command->add_option("--top", arguments->top, "Print at most N rows of each table of --section")
      ->type_name("N")
      ->check(AtLeast(1))
      ->needs(section);
  command
      ->add_option("--compare", arguments->other,
                   "Compare with this run: steps, suspects and stages of both, and which changes "
                   "are more than chance")
      ->type_name("RUN")
      ->excludes(section);
  command
      ->add_option(
          "--html", arguments->html,
          "Write the report as one HTML file (- is stdout; in a folder it is named after the run)")
      ->type_name("FILE");
  command
      ->add_option("--notebook", arguments->notebook,
                   "Write a Jupyter notebook with its results (- is stdout)")
      ->type_name("FILE");
  AddImportLimits(command, arguments->limits);
  AddFolderOption(command, session);
  AddColorOption(command, session);
  command->callback([&session, arguments] {
    session.action = [&session, arguments] { return Report(*arguments, session); };
  });
}

void AddCompareCommand(CLI::App& app, Session& session) {
  CLI::App* command =
      AddCommand(app, {.name = "compare",
                       .sentence = "Compare two runs: what changed, and whether it may be chance",
                       .usage = "RUN_A RUN_B [OPTIONS]",
                       .examples = {"steptrace compare train-slow train-fixed",
                                    "steptrace compare train-slow train-fixed --html both.html"}});
  command->alias("diff");
  auto arguments = std::make_shared<ReportArguments>();
  command->add_option("RUN_A", arguments->run, "Path, name or id of the run before")
      ->type_name("")
      ->required();
  command->add_option("RUN_B", arguments->other, "... and of the run after")
      ->type_name("")
      ->required();
  AddJsonFlag(command, arguments->json);
  AddPriceOption(command, session);
  command->add_option("--last", arguments->last, "Use only the newest N steady steps of each rank")
      ->type_name("N")
      ->check(AtLeast(1));
  command
      ->add_option("--html", arguments->html,
                   "Write the comparison as one HTML file (- is stdout; in a folder it is named "
                   "after the runs)")
      ->type_name("FILE");
  command
      ->add_option("--notebook", arguments->notebook,
                   "Write a Jupyter notebook on both runs with its results (- is stdout)")
      ->type_name("FILE");
  AddFolderOption(command, session);
  AddColorOption(command, session);
  command->callback([&session, arguments] {
    session.action = [&session, arguments] { return Report(*arguments, session); };
  });
}

}  // namespace steptrace::cli
