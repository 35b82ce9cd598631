// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <optional>
#include <sstream>
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

// Of the words that were left over, which CLI11 names from the last to the first.
std::string FirstOf(const std::string& words) {
  std::string first;
  std::istringstream all(words);
  for (std::string word; all >> word;) {
    if (word.starts_with('-') || !first.starts_with('-')) first = word;
  }
  return first;
}

// CLI11's text as our one line; its own ends with hints for several lines.
Error ParseErrorOf(const CLI::App& app, const CLI::ParseError& error) {
  std::string cause = error.what();
  std::string unexpected;
  std::replace(cause.begin(), cause.end(), '\n', ' ');
  if (cause.starts_with(": ")) cause.erase(0, 2);  // of an option that help does not show
  for (const std::string_view many : {"The following argument was not expected: ",
                                      "The following arguments were not expected: "}) {
    if (cause.starts_with(many)) {
      unexpected = FirstOf(cause.substr(many.size()));
      cause = fmt::format("unexpected argument '{}'", unexpected);
    }
  }
  std::string command = ChosenCommand(app);
  if (!command.empty()) {
    const std::string near = NearestOption(*app.get_subcommand(command), unexpected);
    if (!near.empty()) cause += fmt::format(" (did you mean {}?)", near);
  }
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
    const std::string near = NearestOption(app, option);
    return Error{fmt::format("{}: no such option", option),
                 near.empty() ? "see steptrace --help" : fmt::format("did you mean {}?", near)};
  }
  std::vector<std::string> known;
  for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->check_name(word)) return std::nullopt;
    if (command->get_group().empty()) continue;  // hidden
    known.push_back(command->get_name());
  }
  const std::string near = Nearest(word, known);
  return Error{fmt::format("{}: no such command", word),
               near.empty() ? fmt::format("the commands are {}", fmt::join(known, ", "))
                            : fmt::format("did you mean steptrace {}?", near)};
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
  if (!arguments.empty() && arguments.front() == "help") {  // help, help report
    arguments.erase(arguments.begin());
    arguments.push_back("--help");
  }
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
  CLI::App app("", "steptrace");
  Session session;
  auto settings = LoadSettings(ProcessEnvironment());
  if (settings.ok()) {
    session.settings = *std::move(settings);
  } else if (!arguments.empty() && arguments.front() == "run") {
    session.settings_error = settings.error();
  } else {
    return Fail(settings.error());
  }
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
    return steptrace::cli::Fail({"steptrace: out of memory", "free some memory and try again"});
  }
}
