// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "base/redactor.h"
#include "cli/commands.h"
#include "cli/render/display_text.h"
#include "cli/version.h"

namespace steptrace::cli {
namespace {

constexpr size_t kShownBytes = 40;  // of what was typed, in an error
constexpr int kHelpColumns = 80;
constexpr int kNameColumns = 30;  // of options and commands; what they do stands beside them

// "  name    what it does": the text in lines that fit beside the name, below one that is long.
std::string HelpEntry(const std::string& name, std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  std::string entry = "  " + name;
  if (text.empty()) return entry + "\n";
  const size_t left = kNameColumns;
  if (entry.size() >= left) {
    entry += "\n" + std::string(left, ' ');
  } else {
    entry.resize(left, ' ');
  }
  bool first = true;
  for (const std::string& line : Wrap(text, kHelpColumns - kNameColumns)) {
    if (!first) entry += std::string(left, ' ');
    entry += line + "\n";
    first = false;
  }
  return entry;
}

// CLI11's help with a usage line that says what the command line looks like, and no line wider than
// a terminal.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::string usage) : usage_(std::move(usage)) {}
  std::string make_usage(const CLI::App*, std::string) const override {
    return "Usage: steptrace " + usage_ + "\n";
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return HelpEntry(make_option_name(option, is_positional) + make_option_opts(option),
                     make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return HelpEntry(command->get_display_name(true), command->get_description());
  }

 private:
  std::string usage_;
};

}  // namespace

int Fail(const Error& error) {
  PrintError(error);
  return kExitBadInput;
}

CLI::App* AddCommand(CLI::App& app, const CommandText& text) {
  CLI::App* command = app.add_subcommand(text.name, text.sentence);
  command->formatter(std::make_shared<HelpFormatter>(text.name + " " + text.usage));
  command->footer(fmt::format("\nExample:\n  {}\nExit codes: {}", text.example, text.exit_codes));
  return command;
}

CLI::Validator AtLeast(int64_t least) {
  return CLI::Validator(
      [least](std::string& text) {
        int64_t number = 0;
        bool good = CLI::detail::lexical_cast(text, number) && number >= least;
        return good ? std::string()
                    : fmt::format("'{}' is no whole number from {}", text.substr(0, kShownBytes),
                                  least);
      },
      "");
}

void AddPriceOption(CLI::App* command, Session& session) {
  command
      ->add_option("--price-per-hour", session.settings.price_per_hour,
                   "Cost of an hour of the training")
      ->type_name("PRICE")
      ->check(CLI::Validator(
          [](std::string& text) {
            double price = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, price);
            const bool good =
                error == std::errc() && stop == end && price >= 0 && price <= kMaxPricePerHour;
            if (good) return std::string();
            return fmt::format("'{}' is no price (a number from 0 to {:.0f})",
                               text.substr(0, kShownBytes), kMaxPricePerHour);
          },
          ""));
}

void AddColorOption(CLI::App* command, Session& session) {
  command->add_option("--color", session.settings.color, "auto (on a terminal), always or never")
      ->type_name("WHEN")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""));
}

void AddFolderOption(CLI::App* command, Session& session) {
  command->add_option("--folder", session.settings.folder, "Where runs are gathered")
      ->type_name("PATH");
}

namespace {

// What is wrong with a value, as its setting says it.
CLI::Validator Sound(Status (*set)(std::string_view, Settings&)) {
  return CLI::Validator(
      [set](std::string& text) {
        Settings ignored;
        const Status sound = set(text, ignored);
        return sound.ok() ? std::string() : sound.error().text();
      },
      "");
}

}  // namespace

void AddPrivacyOptions(CLI::App* command, Session& session) {
  Settings& settings = session.settings;
  CLI::Option* redact = command
                            ->add_option_function<std::vector<std::string>>(
                                "--redact",
                                [&settings](const std::vector<std::string>& names) {
                                  for (const std::string& one : names) {
                                    (void)AddRedact(one, settings).ok();  // was checked
                                  }
                                },
                                "A name whose values are secrets too, as my-secret; may be "
                                "repeated. Known ones are redacted in any case")
                            ->type_name("NAME")
                            ->allow_extra_args(false)
                            ->check(Sound(AddRedact));
  command
      ->add_flag_callback(
          "--no-redact", [&settings] { settings.redact = {std::string(kRedactNothing)}; },
          "Store commands and messages with the secrets in them")
      ->excludes(redact);
  AddReadableByOption(command, session);
}

void AddReadableByOption(CLI::App* command, Session& session) {
  command
      ->add_option_function<std::string>(
          "--readable-by",
          [&settings = session.settings](const std::string& who) {
            (void)SetReadableBy(who, settings).ok();  // was checked
          },
          "Who may read the run: owner (the default) or group")
      ->type_name("WHO")
      ->check(Sound(SetReadableBy));
}

void AddJsonFlag(CLI::App* command, bool& json) {
  command->add_flag("--json", json, "Print JSON");
}

void AddRunArgument(CLI::App* command, std::string& run) {
  command->add_option("RUN", run, "A run's path, name or id; without it the newest")->type_name("");
}

namespace {

// "$RUN" of a variable that is not set is none of the runs, and not the newest either.
void RefuseEmptyRuns(CLI::App& app) {
  const CLI::Validator named(
      [](std::string& text) {
        return text.empty() ? "'' names no run; give its path, name or id" : std::string();
      },
      "");
  for (CLI::App* command : app.get_subcommands({})) {
    for (CLI::Option* option : command->get_options()) {
      const std::string word = option->get_positional() ? option->get_name(true) : "";
      const bool is_run = word.starts_with("RUN") || word == "WHAT";
      if (is_run || option->check_lname("compare")) option->check(named);
    }
  }
}

}  // namespace

void BuildApp(CLI::App& app, Session& session) {
  app.description("Steptrace: where the time of a training goes, and what to do about it.");
  app.set_version_flag("--version", fmt::format("steptrace {}", kVersion));
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>("COMMAND [OPTIONS]"));
  app.footer(
      "\nExample:\n  steptrace run -- python train.py\n"
      "Settings: flags over STEPTRACE_* over steptrace.toml.\n"
      "`steptrace COMMAND --help` tells more.");
#define STEPTRACE_ADD_COMMAND(Name) Add##Name##Command(app, session);
  STEPTRACE_FOR_EACH_COMMAND(STEPTRACE_ADD_COMMAND)
#undef STEPTRACE_ADD_COMMAND
  RefuseEmptyRuns(app);
}

}  // namespace steptrace::cli
