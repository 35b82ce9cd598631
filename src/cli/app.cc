// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <utility>

#include "base/redactor.h"
#include "cli/commands.h"
#include "cli/render/display_text.h"
#include "cli/settings_limits.h"
#include "cli/settings_privacy.h"
#include "cli/version.h"

namespace steptrace::cli {
namespace {

constexpr size_t kShownBytes = 40;  // of what was typed, in an error
constexpr int kHelpColumns = 80;
constexpr int kNameColumns = 30;  // of options and commands; what they do stands next to them

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
  // The other names are those that people guess; they work and need no line.
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override {
    if (is_positional) return CLI::Formatter::make_option_name(option, is_positional);
    std::string name;
    if (!option->get_snames().empty()) name = "-" + option->get_snames().front();
    if (option->get_lnames().empty()) return name;
    return name + (name.empty() ? "--" : ",--") + option->get_lnames().front();
  }
  // Options that help does not show leave empty lines.
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (size_t at; (at = text.find("\n\n\n")) != text.npos;) text.erase(at, 1);
    return text;
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return HelpEntry(make_option_name(option, is_positional) + make_option_opts(option),
                     make_option_desc(option));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return HelpEntry(command->get_name(), command->get_description());
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
  command->footer(fmt::format("\nExamples:\n  {}\nExit codes: {}{}{}",
                              fmt::join(text.examples, "\n  "), text.exit_codes,
                              text.more.empty() ? "" : "\n", text.more));
  return command;
}

CLI::Validator AtLeast(int64_t least) {
  return CLI::Validator(
      [least](std::string& text) {
        int64_t number = 0;
        bool good = CLI::detail::lexical_cast(text, number) && number >= least;
        return good ? std::string()
                    : fmt::format("'{}' is not a whole number of {} or more",
                                  text.substr(0, kShownBytes), least);
      },
      "");
}

void AddPriceOption(CLI::App* command, Session& session) {
  command
      ->add_option("--price-per-hour", session.settings.price_per_hour,
                   "Cost of one hour of the training")
      ->type_name("PRICE")
      ->check(CLI::Validator(
          [](std::string& text) {
            double price = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, price);
            const bool good =
                error == std::errc() && stop == end && price >= 0 && price <= kMaxPricePerHour;
            if (good) return std::string();
            return fmt::format("'{}' is not a price (a number from 0 to {:.0f})",
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
  command
      ->add_option("--folder,--dir", session.settings.folder,
                   "Folder of runs (default: ./steptrace-runs)")
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
                                "Also redact values of this name, such as my-secret (repeatable). "
                                "Known secrets are always redacted")
                            ->type_name("NAME")
                            ->allow_extra_args(false)
                            ->check(Sound(AddRedact));
  command
      ->add_flag_callback(
          "--no-redact", [&settings] { settings.redact = {std::string(kRedactNothing)}; },
          "Store commands and messages with their secrets")
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
          "Who may read the run: owner (default) or group")
      ->type_name("WHO")
      ->check(Sound(SetReadableBy));
}

void AddJsonFlag(CLI::App* command, bool& json) {
  command->add_flag("--json", json, "Print JSON");
  command
      ->add_option_function<std::string>(
          "--format", [&json](const std::string& format) { json = json || format == "json"; })
      ->check(CLI::Validator(
          [](std::string& text) {
            if (text == "json" || text == "text") return std::string();
            return fmt::format("--format: '{}' is not json or text", text.substr(0, kShownBytes));
          },
          ""))
      ->group("");  // a guess that works
}

void AddRunArgument(CLI::App* command, std::string& run) {
  command->add_option("RUN", run, "Path, name or id of a run (default: the newest)")->type_name("");
}

namespace {

// How many letters have to be added, left out or changed.
size_t Distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = std::exchange(row[0], i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string Nearest(std::string_view word, const std::vector<std::string>& known) {
  constexpr size_t kLongest = 40;  // nobody means an option by more
  constexpr size_t kLeastStart = 3;
  if (word.size() < kLeastStart || word.size() > kLongest) return {};
  std::string best;
  size_t least = word.size() < 5 ? 2 : 3;  // so many letters are another word
  for (const std::string& one : known) {
    if (one.starts_with(word)) return one;
    const size_t distance = Distance(word, one);
    if (distance < least) {
      least = distance;
      best = one;
    }
  }
  return best;
}

std::string NearestOption(const CLI::App& command, std::string_view word) {
  if (!word.starts_with("--")) return {};
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  const std::string near = Nearest(word.substr(2, word.find('=') - 2), names);
  return near.empty() ? "" : "--" + near;
}

namespace {

// "$RUN" of a variable that is not set is none of the runs, and not the newest either.
void RefuseEmptyRuns(CLI::App& app) {
  const CLI::Validator named(
      [](std::string& text) {
        return text.empty() ? "'' is not a run; give its path, name or id" : std::string();
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
  app.set_version_flag("-V,-v,--version", fmt::format("steptrace {}", kVersion));
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>("COMMAND [OPTIONS]"));
  app.footer(
      "\nExamples:\n  steptrace run -- python train.py\n  steptrace report\n  steptrace ui\n"
      "Precedence: flags, then STEPTRACE_* variables, then steptrace.toml.\n"
      "`steptrace doctor --settings` prints the settings in force, and\n"
      "`steptrace COMMAND --help` the options of a command.");
#define STEPTRACE_ADD_COMMAND(Name) Add##Name##Command(app, session);
  STEPTRACE_FOR_EACH_COMMAND(STEPTRACE_ADD_COMMAND)
#undef STEPTRACE_ADD_COMMAND
  RefuseEmptyRuns(app);
}

}  // namespace steptrace::cli
