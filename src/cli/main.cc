// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "agent/run/agent_main.h"
#include "cli/commands.h"
#include "cli/interrupt.h"

namespace steptrace::cli {
namespace {

// The command's name goes into the error: "report: …".
std::string ChosenCommand(const CLI::App& app) {
  auto chosen = app.get_subcommands();
  return chosen.empty() ? "" : chosen.front()->get_name();
}

// CLI11's text as our one line; its own ends with hints for several lines.
Error ParseErrorOf(const CLI::App& app, const CLI::ParseError& error) {
  std::string cause = error.what();
  std::replace(cause.begin(), cause.end(), '\n', ' ');
  for (const std::string_view many : {"The following argument was not expected: ",
                                      "The following arguments were not expected: "}) {
    if (cause.starts_with(many)) {
      cause = fmt::format("'{}' is too much", cause.substr(many.size()));
    }
  }
  std::string command = ChosenCommand(app);
  std::string help = command.empty() ? "steptrace --help" : "steptrace " + command + " --help";
  std::string thing = command.empty() ? "command line" : command;
  return Error{fmt::format("{}: {}", thing, cause), fmt::format("see {}", help)};
}

// The first word when it should be a command and is none.
std::optional<Error> UnknownCommand(const CLI::App& app,
                                    const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    return Error{"no command", "write for example steptrace run -- python train.py"};
  }
  const std::string& word = arguments.front();
  if (word.starts_with('-')) {
    const std::string option = word.substr(0, word.find('='));
    if (app.get_option_no_throw(option) != nullptr) return std::nullopt;
    return Error{fmt::format("{}: no such option", option), "see steptrace --help"};
  }
  std::string known;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return std::nullopt;
    if (command->get_group().empty()) continue;  // hidden
    known += (known.empty() ? "" : ", ") + command->get_name();
  }
  return Error{fmt::format("{}: no such command", word), fmt::format("the commands are {}", known)};
}

// What follows the first `--` of `run` is nobody's to parse.
std::vector<std::string> SplitAtDashes(std::vector<std::string>& arguments) {
  if (arguments.empty() || arguments.front() != "run") return {};
  auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  if (dashes == arguments.end()) return {};
  std::vector<std::string> after(dashes + 1, arguments.end());
  arguments.erase(dashes, arguments.end());
  return after;
}

int Parse(CLI::App& app, Session& session, std::vector<std::string> arguments) {
  session.passed_on = SplitAtDashes(arguments);
  if (auto unknown = UnknownCommand(app, arguments)) return Fail(*unknown);
  std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
  try {
    app.parse(std::move(arguments));
  } catch (const CLI::CallForVersion& version) {
    std::puts(version.what());
    return FinishOutput(stdout);
  } catch (const CLI::CallForHelp&) {
    std::fputs(app.help().c_str(), stdout);
    return FinishOutput(stdout);
  } catch (const CLI::ParseError& error) {
    return Fail(ParseErrorOf(app, error));
  }
  return StatusAfter(session.action());
}

int Main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  // Before anything else: an agent is started often and must not depend on settings.
  if (!arguments.empty() && arguments.front() == "agent") {
    return agent::AgentMain({arguments.begin() + 1, arguments.end()});
  }
  auto settings = LoadSettings(ProcessEnvironment());
  if (!settings.ok()) return Fail(settings.error());
  CLI::App app("", "steptrace");
  Session session;
  session.settings = *std::move(settings);
  BuildApp(app, session);
  return Parse(app, session, std::move(arguments));
}

}  // namespace
}  // namespace steptrace::cli

int main(int argc, char** argv) {
  try {
    return steptrace::cli::Main(argc, argv);
  } catch (const std::bad_alloc&) {
    // Caught, so that what was begun is taken back on the way here.
    return steptrace::cli::Fail(
        {"steptrace: the memory is not enough", "free some memory and try again"});
  }
}
