// SPDX-License-Identifier: Apache-2.0
#include "cli/command_import.h"

#include <fmt/format.h>

#include <memory>

#include "base/shell_word.h"
#include "cli/commands.h"
#include "cli/huge_heap.h"
#include "cli/interrupt.h"
#include "import/importers.h"

namespace steptrace::cli {
namespace {

struct ImportArguments {
  std::vector<std::string> paths;
  rpc::ImportRequest request;
};

int Import(ImportArguments arguments, const Session& session) {
  UseHugeHeap();
  arguments.request.paths = arguments.paths;
  UseSettings(session.settings, arguments.request);
  auto imported = ImportWithProgress(arguments.request);
  if (!imported.ok()) return Fail(imported.error());
  PrintLine(fmt::format("{}: {} {} from {} {}, {} {}", imported->run.string(), imported->events,
                        imported->events == 1 ? "row" : "rows", imported->files,
                        imported->files == 1 ? "file" : "files", imported->ranks,
                        imported->ranks == 1 ? "rank" : "ranks"));
  return FinishOutput(stdout);
}

}  // namespace

void AddImportLimits(CLI::App* command, rpc::ImportRequest& request) {
  command
      ->add_option(
          "--max-bytes", request.max_bytes,
          "Largest file to read, in bytes, also unpacked (default: 1 GiB, or 100 times its "
          "size on disk)")
      ->type_name("BYTES")
      ->check(AtLeast(1));
  command->add_option("--max-depth", request.max_depth, "Deepest nesting of JSON to read")
      ->type_name("N")
      ->check(AtLeast(1))
      ->capture_default_str();
}

void UseSettings(const Settings& settings, rpc::ImportRequest& request) {
  request.folder = settings.folder;
  request.redactor = Redactor(settings.redact);
  request.folder_mode = settings.folder_mode;
}

Result<import::ImportSummary> ImportWithProgress(rpc::ImportRequest request) {
  std::unique_ptr<ProgressBar> bar;
  Interruptible interruptible;
  request.stopped = [] { return Interruptible::Signal() != 0; };
  auto imported = rpc::ImportProfiles(request, [&](int64_t done, int64_t total) {
    constexpr int64_t kUnit = 1 << 20;
    if (!bar) bar = std::make_unique<ProgressBar>("import MiB", total / kUnit);
    bar->Done(done / kUnit);
  });
  bar.reset();
  if (!imported.ok() && request.stopped()) NoteStoppedBy(Interruptible::Signal());
  if (imported.ok()) {
    for (const std::string& note : imported->notes) PrintMessage(note);
    if (imported->losses > 0) {
      PrintMessage(
          fmt::format("parts of the input could not be used: see `steptrace show {} data_loss`",
                      ShellWord(imported->run.string())));
    }
  }
  return imported;
}

void AddImportCommand(CLI::App& app, Session& session) {
  CLI::App* command = AddCommand(
      app, {.name = "import",
            .sentence = "Import profiles of other tools",
            .usage = "PATH... [-o RUN] [OPTIONS]",
            .examples = {"steptrace import trace.json.gz", "steptrace import traces/ -o run",
                         "steptrace import rank*.json.gz --name job"},
            .exit_codes = "0: done; 2: bad input; 130, 143: stopped, nothing was written"});
  auto arguments = std::make_shared<ImportArguments>();
  command
      ->add_option("PATH", arguments->paths,
                   "Files, folders, .gz, .tar.gz, .zip: " + import::ImporterTitles())
      ->type_name("")
      ->required();
  command
      ->add_option("-o,--output,--out", arguments->request.output,
                   "Folder of the new run; must not exist")
      ->type_name("RUN");
  command->add_option("--name", arguments->request.name, "Name of the run")->type_name("NAME");
  AddImportLimits(command, arguments->request);
  AddPrivacyOptions(command, session);
  AddFolderOption(command, session);
  command->callback([&session, arguments] {
    session.action = [&session, arguments] { return Import(*arguments, session); };
  });
}

}  // namespace steptrace::cli
