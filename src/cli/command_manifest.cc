// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <memory>
#include <string>

#include "cli/commands.h"
#include "cli/terminal.h"
#include "store/manifest.h"

namespace steptrace::cli {

// What the writers of a run say together: one object, in the form of each one's own.
void AddManifestCommand(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("manifest", "Print a run's manifest as JSON")->group("");
  auto run = std::make_shared<std::string>();
  command->add_option("RUN", *run, "A run's path")->type_name("")->required();
  command->callback([&session, run] {
    session.action = [run] {
      const auto manifest = store::ReadManifest(*run);
      if (!manifest.ok()) return Fail(manifest.error());
      std::fputs(store::ManifestToJson(*manifest).c_str(), stdout);
      return FinishOutput(stdout);
    };
  });
}

}  // namespace steptrace::cli
