// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "cli/progress.h"
#include "serve/rpc/load_report.h"
#include "serve/rpc/run_path.h"
#include "store/recovery.h"

namespace steptrace::cli {
namespace {

// Closes the run, puts aside what cannot be read, then leaves the report that its end would have
// left. Returns the segments that were put aside.
Result<std::vector<store::DamagedSegment>> Recover(const std::filesystem::path& run,
                                                   const Settings& settings) {
  ProgressBar progress("recover", 0);
  STEPTRACE_RETURN_IF_ERROR(store::RecoverRun(run));
  STEPTRACE_ASSIGN_OR_RETURN(auto damaged, store::PutDamagedAside(run));
  STEPTRACE_ASSIGN_OR_RETURN(analyze::Report report,
                             rpc::LoadReport(run, {.price_per_hour = settings.price_per_hour,
                                                   .last_steps = {},
                                                   .tensor_cores = settings.tensor_cores,
                                                   .stages = settings.stages}));
  // The run is whole without it: whoever asks for the report makes it again.
  if (const Status saved = rpc::SaveReport(run, report); !saved.ok()) PrintError(saved.error());
  return damaged;
}

void PrintPutAside(const std::filesystem::path& run,
                   const std::vector<store::DamagedSegment>& damaged) {
  if (damaged.empty()) return;
  int64_t rows = 0;
  int64_t kept = 0;
  for (const store::DamagedSegment& segment : damaged) {
    rows += segment.segment.rows;
    kept += segment.kept_rows;
  }
  PrintMessage(fmt::format(
      "{} damaged {} moved to {}; {} of {} rows were kept, and the report counts what is "
      "missing",
      damaged.size(), damaged.size() == 1 ? "file" : "files",
      (run / store::kDamagedFolder).string(), kept, rows));
}

}  // namespace

void AddRecoverCommand(CLI::App& app, Session& session) {
  CLI::App* command =
      AddCommand(app, {.name = "recover",
                       .sentence = "Close a run whose agent died, and salvage damaged files",
                       .usage = "RUN [OPTIONS]",
                       .examples = {"steptrace recover steptrace-runs/train-20261121T093000Z"}});
  auto argument = std::make_shared<std::string>();
  command->add_option("RUN", *argument, "Path, name or id of a run")->type_name("")->required();
  AddFolderOption(command, session);
  command->callback([&session, argument] {
    session.action = [&session, argument] {
      auto run = rpc::ResolveRun(*argument, session.settings.folder);
      if (!run.ok()) return Fail(run.error());
      auto damaged = Recover(*run, session.settings);
      if (!damaged.ok()) return Fail(damaged.error());
      PrintPutAside(*run, *damaged);
      return kExitOk;
    };
  });
}

}  // namespace steptrace::cli
