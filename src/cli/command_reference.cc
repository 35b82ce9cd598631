// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/commands.h"
#include "import/importers.h"

namespace steptrace::cli {
namespace {

std::string Section(const CLI::App& command, const std::string& name) {
  return fmt::format("## {}\n\n```text\n{}```\n\n", name, command.help());
}

// docs/reference/cli.md, from the same declarations as --help: a test proves it current.
std::string CliMarkdown() {
  CLI::App app("", "steptrace");
  Session session;
  BuildApp(app, session);
  std::string text =
      "# Command line\n\nWritten by `steptrace reference`; do not edit.\n\n"
      "An error is one line on stderr: the thing, the cause, the next step. Colour is used on a "
      "terminal\n"
      "without `NO_COLOR`, unless `--color` or the setting says otherwise.\n\n"
      "Spellings that people guess work, too: `--format json` for `--json`, `--out` for "
      "`--output`,\n"
      "`--dir` for `--folder`, `-v` for `--version`, `diff` for `compare`, `help COMMAND`.\n\n" +
      Section(app, "steptrace");
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;  // hidden
    text += Section(*command, "steptrace " + command->get_name());
  }
  return text +
         "## Settings\n\nFlags win over the environment, which wins over `steptrace.toml` in the "
         "current\nfolder (`STEPTRACE_CONFIG` names another file).\n\n" +
         SettingsMarkdown() +
         "\nTwo more variables are read, which the file does not have: "
         "`STEPTRACE_RING_BUDGET_BYTES`, the shared\nmemory for the rings of one process (default: "
         "22 MiB), and "
         "`STEPTRACE_EXECUTABLE`, the command that\nthe Python package calls. `STEPTRACE_PROBE` "
         "and others are set by `steptrace run` for the\nprocesses of the run: leave them alone.\n";
}

}  // namespace

void AddReferenceCommand(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("reference", "Write docs/reference/cli.md")->group("");
  auto formats = std::make_shared<bool>(false);
  command->add_flag("--formats", *formats, "Write the table of docs/reference/import.md");
  command->callback([&session, formats] {
    session.action = [formats] {
      const std::string text = *formats ? import::ImporterMarkdown() : CliMarkdown();
      std::fputs(text.c_str(), stdout);
      return FinishOutput(stdout);
    };
  });
}

}  // namespace steptrace::cli
