// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "cli/progress.h"
#include "serve/rpc/report.h"
#include "serve/rpc/run_path.h"
#include "store/recovery.h"

namespace steptrace::cli {
namespace {

// Closes the run, puts aside what cannot be read, then leaves the report that its end would have
// left. Returns how many segments were put aside.
Result<size_t> Recover(const std::filesystem::path& run, const Settings& settings) {
  Progress progress("recover", 0);
  STEPTRACE_RETURN_IF_ERROR(store::RecoverRun(run));
  STEPTRACE_ASSIGN_OR_RETURN(auto damaged, store::PutDamagedAside(run));
  STEPTRACE_ASSIGN_OR_RETURN(analyze::Report report,
                             rpc::LoadReport(run, {.price_per_hour = settings.price_per_hour,
                                                   .last_steps = {},
                                                   .tensor_cores = settings.tensor_cores,
                                                   .stages = settings.stages}));
  STEPTRACE_RETURN_IF_ERROR(rpc::SaveReport(run, report));
  return damaged.size();
}

}  // namespace

void AddRecoverCommand(CLI::App& app, Session& session) {
  CLI::App* command =
      AddCommand(app, {.name = "recover",
                       .sentence = "Close a run whose writer died, put damaged files aside",
                       .usage = "RUN [OPTIONS]",
                       .example = "steptrace recover steptrace-runs/train-20261121T093000Z"});
  auto argument = std::make_shared<std::string>();
  command->add_option("RUN", *argument, "A run's path, name or id")->type_name("")->required();
  AddFolderOption(command, session);
  command->callback([&session, argument] {
    session.action = [&session, argument] {
      auto run = rpc::ResolveRun(*argument, session.settings.folder);
      if (!run.ok()) return Fail(run.error());
      auto damaged = Recover(*run, session.settings);
      if (!damaged.ok()) return Fail(damaged.error());
      if (*damaged > 0) {
        Say(fmt::format("{} damaged {} put aside in {}; the report counts what is missing",
                        *damaged, *damaged == 1 ? "file" : "files", (*run / "damaged").string()));
      }
      return kExitOk;
    };
  });
}

}  // namespace steptrace::cli
