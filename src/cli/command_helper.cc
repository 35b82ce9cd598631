// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <memory>
#include <string>

#include "cli/command_ui.h"
#include "cli/commands.h"
#include "serve/http/api.h"
#include "serve/http/helper_main.h"

namespace steptrace::cli {

// `steptrace ui` starts it, with its own arguments; what it says goes to the server alone.
void AddHelperCommand(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("helper", "Answer for a server")->group("");
  auto arguments = std::make_shared<HelperArguments>();
  command->add_option("--shown-folder", arguments->shown.folder)->required();
  command->add_option("--shown-run", arguments->shown.only);
  command->add_option("--parent", arguments->parent)->required();
  AddPriceOption(command, session);
  command->callback([&session, arguments] {
    session.action = [&session, arguments] {
      http::BecomeHelper(arguments->parent);
      http::Api api(ApiOptionsOf(arguments->shown, session.settings));
      return http::AnswerRequests(api, STDIN_FILENO, STDOUT_FILENO);
    };
  });
}

}  // namespace steptrace::cli
