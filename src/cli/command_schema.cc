// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "cli/commands.h"
#include "store/schema.h"

namespace steptrace::cli {

void AddSchemaCommand(CLI::App& app, Session& session) {
  CLI::App* command = AddCommand(
      app, {.name = "schema",
            .sentence = "Describe the tables of a run and their columns",
            .usage = "[OPTIONS]",
            .examples = {"steptrace schema", "steptrace schema --markdown > schema.md"}});
  auto json = std::make_shared<bool>(false);
  auto markdown = std::make_shared<bool>(false);
  AddJsonFlag(command, *json);
  command->add_flag("--markdown", *markdown, "Print Markdown")->excludes("--json");
  command->callback([&session, json, markdown] {
    session.action = [json, markdown] {
      std::string text = *json       ? store::SchemaAsJson()
                         : *markdown ? store::SchemaAsMarkdown()
                                     : store::SchemaAsText();
      std::fputs(text.c_str(), stdout);
      return FinishOutput(stdout);
    };
  });
}

}  // namespace steptrace::cli
