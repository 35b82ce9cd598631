// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <memory>
#include <utility>

#include "cli/commands.h"
#include "cli/damaged_files.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "serve/export/export.h"
#include "serve/rpc/run_path.h"
#include "serve/rpc/table.h"
#include "store/manifest.h"

namespace steptrace::cli {
namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  std::string run;
  std::string format;
  fs::path output;
  std::string table;
  std::vector<std::string> columns;
  std::string where;
  std::optional<int64_t> limit;
};

const std::map<std::string, store::ScanFormat>& Formats() {
  static const std::map<std::string, store::ScanFormat> formats = {
      {"parquet", store::ScanFormat::kParquet},
      {"csv", store::ScanFormat::kCsv},
      {"arrow", store::ScanFormat::kArrowStream}};
  return formats;
}

// Formats that hold a run's timeline, for viewers.
const std::map<std::string, exporter::TraceFormat>& TraceFormats() {
  static const std::map<std::string, exporter::TraceFormat> formats = {
      {"perfetto", exporter::TraceFormat::kPerfetto},
      {"chrome", exporter::TraceFormat::kChrome},
      {"speedscope", exporter::TraceFormat::kSpeedscope},
      {"folded", exporter::TraceFormat::kFolded}};
  return formats;
}

std::vector<std::string> FormatNames() {
  std::vector<std::string> names;
  for (const auto& [name, format] : Formats()) names.push_back(name);
  for (const auto& [name, format] : TraceFormats()) names.push_back(name);
  return names;
}

// What viewers, and readers that go by the name, expect each format's file to end with.
std::string ExtensionOf(const std::string& format) {
  static const std::map<std::string, std::string> others = {{"arrow", "arrows"},
                                                            {"perfetto", "pftrace"},
                                                            {"chrome", "pt.trace.json"},
                                                            {"speedscope", "speedscope.json"}};
  const auto other = others.find(format);
  return other == others.end() ? format : other->second;
}

// Whether the format and the run make it a folder of files.
bool WritesFolder(const ExportArguments& arguments, const fs::path& run) {
  if (Formats().contains(arguments.format)) return arguments.table.empty();
  if (arguments.format != "chrome") return false;
  const auto manifest = store::ReadManifest(run);  // what is wrong with it, the export says
  return manifest.ok() && manifest->ranks.size() > 1;
}

// The place that is named; without a name, or in a folder that is to hold one file, the run's name
// with the ending of the format.
fs::path OutputOf(const ExportArguments& arguments, const fs::path& run) {
  std::error_code ignored;
  const bool folder = WritesFolder(arguments, run);
  const bool inside = !folder && fs::is_directory(arguments.output, ignored);
  if (!arguments.output.empty() && !inside) return arguments.output;
  std::string name = (fs::absolute(run) / "").lexically_normal().parent_path().filename().string();
  if (!arguments.table.empty()) name += "-" + arguments.table;
  name += folder ? "-" + arguments.format : "." + ExtensionOf(arguments.format);
  return arguments.output / name;
}

using Damaged = std::vector<store::DamagedSegment>;

rpc::TableQuery QueryOf(const ExportArguments& arguments, const fs::path& run, Damaged* damaged) {
  return {run, arguments.table, arguments.columns, arguments.where, arguments.limit, damaged};
}

Status ExportOne(const ExportArguments& arguments, const fs::path& run) {
  Damaged damaged;
  {
    ProgressBar progress("export " + arguments.table, 0);
    STEPTRACE_RETURN_IF_ERROR(rpc::WriteTable(QueryOf(arguments, run, &damaged),
                                              Formats().at(arguments.format), arguments.output));
  }
  PrintDamaged(damaged, "the export");
  return {};
}

// Every table, each in a file of its own in the folder.
Status ExportAll(ExportArguments arguments, const fs::path& run) {
  if (!arguments.columns.empty() || !arguments.where.empty()) {
    return Error{"export: --columns and --where are about one table", "name it with --table"};
  }
  if (arguments.output == "-") {
    return Error{"export: standard output holds one table", "name it with --table"};
  }
  STEPTRACE_ASSIGN_OR_RETURN(const rpc::OutputFolder made,
                             rpc::OutputFolder::Make(arguments.output));
  auto tables = store::AllTableSchemas();
  Damaged damaged;
  std::optional<ProgressBar> progress(std::in_place, "export", static_cast<int64_t>(tables.size()));
  fs::path folder = arguments.output;
  // None appears before all are whole: beside those of an older export it would be another run's.
  std::vector<rpc::PendingFile> written;
  for (size_t i = 0; i < tables.size(); ++i) {
    progress->Done(static_cast<int64_t>(i));
    arguments.table = tables[i].name;
    fs::path file = folder / fmt::format("{}.{}", tables[i].name, ExtensionOf(arguments.format));
    STEPTRACE_ASSIGN_OR_RETURN(rpc::PendingFile one,
                               rpc::WriteTablePending(QueryOf(arguments, run, &damaged),
                                                      Formats().at(arguments.format), file));
    written.push_back(std::move(one));
  }
  STEPTRACE_RETURN_IF_ERROR(rpc::CommitAll(written));
  progress.reset();
  PrintDamaged(damaged, "the export");
  return {};
}

Status ExportTimeline(const ExportArguments& arguments, const fs::path& run) {
  if (!arguments.table.empty() || !arguments.columns.empty() || !arguments.where.empty() ||
      arguments.limit) {
    return Error{"export: --table, --columns, --where and --limit are about tables",
                 fmt::format("leave them out with --format {}", arguments.format)};
  }
  Damaged damaged;
  {
    ProgressBar progress("export", 0);
    STEPTRACE_RETURN_IF_ERROR(exporter::ExportTrace(run, TraceFormats().at(arguments.format),
                                                    arguments.output, &damaged));
  }
  PrintDamaged(damaged, "the export");
  return {};
}

Status ExportAny(const ExportArguments& arguments, const fs::path& run) {
  if (TraceFormats().contains(arguments.format)) return ExportTimeline(arguments, run);
  return arguments.table.empty() ? ExportAll(arguments, run) : ExportOne(arguments, run);
}

int Export(ExportArguments arguments, const Session& session) {
  auto run = rpc::ResolveRun(arguments.run, session.settings.folder);
  if (!run.ok()) return Fail(run.error());
  arguments.output = OutputOf(arguments, *run);
  const CleanEnd clean_end;
  const Status status = ExportAny(arguments, *run);
  if (!status.ok()) return Fail(status.error());
  if (arguments.output != "-") PrintMessage("wrote " + arguments.output.string());
  return kExitOk;
}

}  // namespace

void AddExportCommand(CLI::App& app, Session& session) {
  CLI::App* command = AddCommand(
      app, {.name = "export",
            .sentence = "Write the tables, timeline or stacks of a run for other tools",
            .usage = "[RUN] --format FORMAT [OPTIONS]",
            .examples = {"steptrace export --format perfetto",
                         "steptrace export train-slow --format chrome -o train.pt.trace.json",
                         "steptrace export train-slow --format csv --table steps -o steps.csv",
                         "steptrace export train-slow --format parquet -o tables"},
            .exit_codes = "0: done; 2: bad input; 130, 143: stopped, nothing or all written"});
  auto arguments = std::make_shared<ExportArguments>();
  AddRunArgument(command, arguments->run);
  command
      ->add_option(
          "-f,--format", arguments->format,
          "parquet, csv or arrow (an IPC stream): tables; perfetto or chrome: the timeline; "
          "speedscope or folded: the sampled stacks")
      ->type_name("FORMAT")
      ->required()
      ->check(CLI::IsMember(FormatNames()).description(""));
  command
      ->add_option(
          "-o,--output,--out", arguments->output,
          "File for one table, the timeline or the stacks (- is stdout); folder for all tables, "
          "or for all ranks (chrome). Default: named after the run, in this folder")
      ->type_name("PATH");
  command->add_option("--table", arguments->table, "Only this table")->type_name("TABLE");
  command->add_option("--columns", arguments->columns, "Only these columns")
      ->type_name("A,B")
      ->delimiter(',');
  command
      ->add_option("--where", arguments->where,
                   "Only rows for which this holds: column op value [and ...]")
      ->type_name("FILTER");
  command->add_option("-n,--limit", arguments->limit, "At most N rows")
      ->type_name("N")
      ->check(AtLeast(0));
  AddFolderOption(command, session);
  command->callback([&session, arguments] {
    session.action = [&session, arguments] { return Export(*arguments, session); };
  });
}

}  // namespace steptrace::cli
