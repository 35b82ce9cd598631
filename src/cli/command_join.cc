// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "serve/rpc/join.h"

namespace steptrace::cli {
namespace {

int Join(rpc::JoinRequest request, const Session& session) {
  request.folder = session.settings.folder;
  request.folder_mode = session.settings.folder_mode;
  Interruptible interruptible;
  request.stopped = [] { return Interruptible::Signal() != 0; };
  std::unique_ptr<ProgressBar> bar;
  auto joined = rpc::JoinRuns(request, [&](int64_t done, int64_t total) {
    if (!bar) bar = std::make_unique<ProgressBar>("join rows", total);
    bar->Done(done);
  });
  bar.reset();
  if (!joined.ok()) {
    if (request.stopped()) NoteStoppedBy(Interruptible::Signal());
    return Fail(joined.error());
  }
  PrintLine(fmt::format("{}: {} rows, {} nodes, {} {}", joined->run.string(), joined->rows,
                        joined->nodes, joined->ranks, joined->ranks == 1 ? "rank" : "ranks"));
  return FinishOutput(stdout);
}

}  // namespace

void AddJoinCommand(CLI::App& app, Session& session) {
  CLI::App* command = AddCommand(
      app, {.name = "join",
            .sentence = "Join the runs of the nodes of a job into one",
            .usage = "RUN RUN... [-o RUN] [OPTIONS]",
            .examples = {"steptrace join /shared/runs/node0 /shared/runs/node1 -o job",
                         "steptrace join node{0..15} --name job && steptrace report job"},
            .exit_codes = "0: done; 2: bad input; 130, 143: stopped, nothing was written"});
  auto request = std::make_shared<rpc::JoinRequest>();
  command
      ->add_option("RUN", request->runs,
                   "Runs of one job, one for each node: paths, names or ids. The first is node 0, "
                   "the next node 1: a * of the shell puts 10 before 2")
      ->type_name("")
      ->required();
  command->add_option("-o,--output,--out", request->output, "Folder of the new run; must not exist")
      ->type_name("RUN");
  command->add_option("--name", request->name, "Name of the new run")->type_name("NAME");
  AddReadableByOption(command, session);
  AddFolderOption(command, session);
  command->callback([&session, request] {
    session.action = [&session, request] { return Join(*request, session); };
  });
}

}  // namespace steptrace::cli
