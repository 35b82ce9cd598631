// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/settings.h"
#include "cli/terminal.h"

namespace steptrace::cli {

// What the commands share while the line is parsed: the settings, over which flags write, and what
// the chosen command will do.
struct Session {
  Settings settings;
  std::optional<Error> settings_error;  // of `run` alone: no other command starts with one
  std::vector<std::string> passed_on;   // what stood after the first `--`
  std::function<int()> action;          // returns the status to exit with

  ColorMode color() const { return *ParseColorMode(settings.color); }
};

inline constexpr int kExitOk = 0;
inline constexpr int kExitBadInput = 2;

// The error in one line, and the status to exit with.
int Fail(const Error& error);

// What --help says of a command besides its options.
struct CommandText {
  std::string name;
  std::string sentence;
  std::string usage;  // what follows the name
  std::vector<std::string> examples;
  std::string exit_codes = "0: done; 2: bad input";
  std::string more{};  // below all; empty: nothing
};
CLI::App* AddCommand(CLI::App& app, const CommandText& text);
CLI::Validator AtLeast(int64_t least);
// The known word that was probably meant; empty: none is near.
std::string Nearest(std::string_view word, const std::vector<std::string>& known);
// Likewise of a command's options, "--word" as it was typed.
std::string NearestOption(const CLI::App& command, std::string_view word);
void AddPriceOption(CLI::App* command, Session& session);
void AddColorOption(CLI::App* command, Session& session);
void AddFolderOption(CLI::App* command, Session& session);
// --redact, --no-redact and --readable-by, of commands that make runs.
void AddPrivacyOptions(CLI::App* command, Session& session);
void AddReadableByOption(CLI::App* command, Session& session);
void AddJsonFlag(CLI::App* command, bool& json);
// RUN: a path, a name or an id; nothing is the newest.
void AddRunArgument(CLI::App* command, std::string& run);

// The commands, in the order of --help: each in a file of its own, command_<name>.cc (compare
// is a form of report). The last three are hidden: for `steptrace ui`, for the Python package, and
// to write docs/reference/cli.md.
// clang-format off
#define STEPTRACE_FOR_EACH_COMMAND(X) \
  X(Run) X(Capture) X(Report) X(Compare) X(Rules) X(Tensors) X(Ls) X(Show) X(Import) X(Join) X(Export) \
  X(Ui) X(Schema) X(Doctor) X(Recover) X(Helper) X(Manifest) X(Reference)
// clang-format on

#define STEPTRACE_DECLARE_COMMAND(Name) void Add##Name##Command(CLI::App& app, Session& session);
STEPTRACE_FOR_EACH_COMMAND(STEPTRACE_DECLARE_COMMAND)
#undef STEPTRACE_DECLARE_COMMAND

// The whole line: settings, all commands.
void BuildApp(CLI::App& app, Session& session);

}  // namespace steptrace::cli
