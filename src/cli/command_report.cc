// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "analyze/report/report_json.h"
#include "cli/command_import.h"
#include "cli/command_rules.h"
#include "cli/commands.h"
#include "cli/package_dir.h"
#include "cli/present.h"
#include "serve/pages/html_report.h"
#include "serve/pages/notebook.h"
#include "serve/pages/step_columns.h"
#include "serve/rpc/report.h"
#include "serve/rpc/run_path.h"

namespace steptrace::cli {
namespace {

struct ReportArguments {
  std::string run;
  bool json = false;
  std::optional<int64_t> last;
  std::string section;
  std::optional<int64_t> top;
  std::filesystem::path html;      // empty: none is written
  std::filesystem::path notebook;  // likewise
  rpc::ImportRequest limits;       // of a profile that is imported
};

Status PrintJson(const std::filesystem::path& run, const ReportArguments& arguments,
                 const rpc::ReportOptions& options) {
  STEPTRACE_ASSIGN_OR_RETURN(analyze::Report report, rpc::LoadReport(run, options));
  const analyze::SectionName* section = analyze::FindSection(arguments.section);
  const std::string text = section == nullptr
                               ? analyze::ReportToJson(report)
                               : analyze::SectionToJson(report, *section, arguments.top);
  std::fputs(text.c_str(), stdout);
  return {};
}

// A page with names of a megabyte stands still. Longer than in the server's pages, for nobody can
// be asked for the rest: what the page shows on hover.
constexpr size_t kMaxTextBytes = 4096;

// The report, and the steps one by one where they are not too many for a page to mail.
Result<std::string> PageContent(const std::filesystem::path& run, const analyze::Report& report) {
  STEPTRACE_ASSIGN_OR_RETURN(const std::string steps, pages::StepColumns(run));
  const std::string text = analyze::ReportToJson(report, kMaxTextBytes);
  if (steps.empty()) return text;
  return fmt::format("{{\"report\":{},\"steps\":{}}}", text, steps);
}

// The report as files; a line on stderr tells where they are.
Status WritePages(const std::filesystem::path& run, const ReportArguments& arguments,
                  const rpc::ReportOptions& options) {
  STEPTRACE_ASSIGN_OR_RETURN(const analyze::Report report, rpc::LoadReport(run, options));
  if (!arguments.html.empty()) {
    STEPTRACE_ASSIGN_OR_RETURN(const std::filesystem::path package, PackageDir());
    STEPTRACE_ASSIGN_OR_RETURN(const std::string content, PageContent(run, report));
    STEPTRACE_RETURN_IF_ERROR(
        pages::WriteHtmlReport(package, {{"report", content}}, arguments.html));
  }
  if (!arguments.notebook.empty()) {
    STEPTRACE_RETURN_IF_ERROR(
        pages::WriteNotebook(report, std::filesystem::absolute(run), arguments.notebook));
  }
  for (const auto& path : {arguments.html, arguments.notebook}) {
    if (!path.empty() && path != "-") fmt::print(stderr, "steptrace: wrote {}\n", path.string());
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

// The run that is meant; a profile is made one first, in the folder where runs are gathered.
Result<std::filesystem::path> RunOf(const ReportArguments& arguments, const Settings& settings) {
  if (arguments.run.empty() || !rpc::IsProfile(arguments.run)) {
    return rpc::ResolveRun(arguments.run, settings.folder);
  }
  rpc::ImportRequest request = arguments.limits;
  request.paths = {arguments.run};
  request.folder = settings.folder;
  STEPTRACE_ASSIGN_OR_RETURN(auto imported, ImportWithProgress(request));
  fmt::print(stderr, "steptrace: imported as {}\n", imported.run.string());
  return imported.run;
}

int Report(const ReportArguments& arguments, const Session& session) {
  const Settings& settings = session.settings;
  auto run = RunOf(arguments, settings);
  if (!run.ok()) return Fail(run.error());
  const rpc::ReportOptions whole{.price_per_hour = settings.price_per_hour,
                                 .last_steps = arguments.last,
                                 .tensor_cores = settings.tensor_cores,
                                 .stages = settings.stages};
  if (!arguments.html.empty() || !arguments.notebook.empty()) {
    if (!arguments.section.empty() || arguments.json) {
      return Fail(
          Error{"report: a page holds the whole report; leave out --section and --json, or "
                "--html and --notebook"});
    }
    const Status written = WritePages(*run, arguments, whole);
    return written.ok() ? FinishOutput(stdout) : Fail(written.error());
  }
  if (arguments.section == "rules") {  // they look at more than the report holds
    const analyze::RuleSettings rules(analyze::RuleMode::kModern);
    const Status shown = PrintRules(*run, rules, session, {arguments.json, arguments.top});
    return shown.ok() ? FinishOutput(stdout) : Fail(shown.error());
  }
  Status status = arguments.json ? PrintJson(*run, arguments, whole)
                                 : PrintReport(*run,
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
  CLI::App* command =
      AddCommand(app, {.name = "report",
                       .sentence = "Print where a run's time goes and its verdict",
                       .usage = "[RUN] [OPTIONS]",
                       .example = "steptrace report train-slow --price-per-hour 32.77"});
  auto arguments = std::make_shared<ReportArguments>();
  AddRunArgument(command, arguments->run);
  command->get_option("RUN")->description(
      "A run's path, name or id; without it the newest.\nA profile (see import) is imported first");
  AddJsonFlag(command, arguments->json);
  AddPriceOption(command, session);
  command->add_option("--last", arguments->last, "Only the newest N steps of each rank")
      ->type_name("N")
      ->check(AtLeast(1));
  CLI::Option* section =
      command->add_option("--section", arguments->section, "Only this section, in full")
          ->type_name("NAME")
          ->check(CLI::IsMember(SectionChoices()));
  command->add_option("--top", arguments->top, "With --section: at most N rows of each table")
      ->type_name("N")
      ->check(AtLeast(1))
      ->needs(section);
  command->add_option("--html", arguments->html, "Write it as one HTML file instead; - is stdout")
      ->type_name("FILE");
  command
      ->add_option("--notebook", arguments->notebook,
                   "Write a Jupyter notebook on this run instead;\n- is stdout")
      ->type_name("FILE");
  AddImportLimits(command, arguments->limits);
  AddFolderOption(command, session);
  AddColorOption(command, session);
  command->callback([&session, arguments] {
    session.action = [&session, arguments] { return Report(*arguments, session); };
  });
}

}  // namespace steptrace::cli
