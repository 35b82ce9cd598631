// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "agent/run/agent_options.h"
#include "cli/commands.h"
#include "cli/hook_words.h"
#include "cli/run.h"
#include "cli/run_environment.h"
#include "cli/settings_alerts.h"
#include "cli/settings_limits.h"
#include "cli/tensor_words.h"

namespace steptrace::cli {
namespace {

// What the command line leaves for the command: the first words that are no options of ours, and
// all that stood after `--`.
Result<std::vector<std::string>> CommandOf(const CLI::App& command, const Session& session) {
  std::vector<std::string> words = command.remaining();
  if (!words.empty() && words.front().starts_with("-")) {
    const std::string near = NearestOption(command, words.front());
    return Error{"run: unknown option " + words.front(),
                 near.empty() ? "see steptrace run --help" : fmt::format("did you mean {}?", near)};
  }
  words.insert(words.end(), session.passed_on.begin(), session.passed_on.end());
  if (words.empty() || words.front().empty()) {
    return Error{"run: no command", "for example: steptrace run -- python train.py"};
  }
  return words;
}

// The windows that flags choose, else those of the settings.
Result<agent::WindowPlan> PlanOf(const std::vector<std::string>& flags, const Settings& settings) {
  STEPTRACE_ASSIGN_OR_RETURN(agent::WindowPlan plan,
                             flags.empty()
                                 ? agent::ParsePlan({settings.window}, settings.window_fields)
                                 : agent::ParsePlan(flags, {}));
  STEPTRACE_ASSIGN_OR_RETURN(plan.kinds, agent::ParseKinds(settings.capture));
  plan.budget = settings.window_budget;
  return plan;
}

// What the settings say now; flags of the command line stand above them as they did.
std::function<Result<LiveSettings>()> Rereader(const CLI::App& command, const Settings& at_start,
                                               const std::vector<std::string>& windows) {
  const auto given = [&command](const char* flag) { return command.get_option(flag)->count() > 0; };
  const auto capture = given("--capture") ? std::optional(at_start.capture) : std::nullopt;
  const auto stack_rate = given("--stack-rate") ? std::optional(at_start.stack_rate) : std::nullopt;
  return [windows, capture, stack_rate]() -> Result<LiveSettings> {
    STEPTRACE_ASSIGN_OR_RETURN(Settings settings, LoadSettings(ProcessEnvironment()));
    if (capture) settings.capture = *capture;
    LiveSettings live;
    STEPTRACE_ASSIGN_OR_RETURN(live.windows, PlanOf(windows, settings));
    live.stack_rate = stack_rate.value_or(settings.stack_rate);
    return live;
  };
}

// Unlike an unknown key of the file it stops nothing: it may be another program's, or of a
// Steptrace of another version in the same job.
void NoteUnknownVariables() {
  const std::vector<std::string> unknown = UnknownVariables(OwnEnvironment());
  if (unknown.empty()) return;
  PrintError(Error{fmt::format("{}: no such {}", fmt::join(unknown, ", "),
                               unknown.size() == 1 ? "setting" : "settings"),
                   fmt::format("the variables are {}", KnownVariables())});
}

// The probe takes what it cannot read for nothing said: who says it learns that here.
Status CheckRingBudget() {
  const auto given = ProcessEnvironment()("STEPTRACE_RING_BUDGET_BYTES");
  if (!given || given->empty() || given->find_first_not_of("0123456789") == given->npos) return {};
  return Error{
      fmt::format("STEPTRACE_RING_BUDGET_BYTES: {} is not a whole number of bytes", *given),
      "give one, or unset it"};
}

// Who switched the recording off: a variable or the file.
std::string PlaceOfDisable(const Settings& settings) {
  for (const SettingInForce& one : SettingsInForce(settings, ProcessEnvironment())) {
    if (one.key == "disable") return one.from;
  }
  return {};
}

int RunDisabled(const std::vector<std::string>& command, const Settings& settings) {
  if (!settings.quiet) {
    PrintMessage(
        fmt::format("switched off by {}: the command runs unrecorded", PlaceOfDisable(settings)));
  }
  return RunUntouched(command);
}

// What was typed for this run stops it where it is wrong; what lies elsewhere (the file of
// settings, variables) may be somebody else's and is no reason to keep a training from running.
int Run(const CLI::App& command, const Session& session, RunOptions options,
        const std::vector<std::string>& windows) {
  auto words = CommandOf(command, session);
  if (!words.ok()) return Fail(words.error());
  if (session.settings_error) return RunUnrecorded(*words, *session.settings_error);
  const Settings& settings = session.settings;
  if (settings.disable) return RunDisabled(*words, settings);
  if (command.get_option("--capture")->count() > 0) {
    if (auto kinds = agent::ParseKinds(settings.capture); !kinds.ok()) return Fail(kinds.error());
  }
  auto plan = PlanOf(windows, settings);
  if (!plan.ok() && !windows.empty()) return Fail(plan.error());
  if (!plan.ok()) return RunUnrecorded(*words, plan.error());
  if (Status sound = CheckRingBudget(); !sound.ok()) return RunUnrecorded(*words, sound.error());
  options.windows = *std::move(plan);
  options.command = *std::move(words);
  options.folder = settings.folder;
  options.quiet = settings.quiet;
  options.report = settings.report && !settings.quiet;
  options.hooks = settings.hooks;
  options.tensors = settings.tensors;
  options.system_interval_ms = settings.system_interval_ms;
  options.stack_rate = settings.stack_rate;
  options.hang_watch = settings.hang_watch;
  options.alerts = settings.alerts;
  options.keep_traces = settings.keep_traces;
  options.kineto = settings.kineto;
  options.redact = settings.redact;
  options.folder_mode = settings.folder_mode;
  options.shm = settings.shm;
  options.price_per_hour = settings.price_per_hour;
  options.tensor_cores = settings.tensor_cores;
  options.stages = settings.stages;
  options.color = session.color();
  options.settings_file = SettingsFile(ProcessEnvironment());
  options.reread = Rereader(command, settings, windows);
  if (!settings.quiet) NoteUnknownVariables();
  return RunCommand(options);
}

// As CLI11 asks: what is wrong with it, or nothing.
std::string CheckTag(const std::string& text) {
  constexpr size_t kMostBytes = 1024;
  const size_t equals = text.find('=');
  const bool good = equals != text.npos && equals > 0 && text.size() <= kMostBytes;
  if (good) return {};
  return fmt::format("'{}' is not a tag; give KEY=VALUE of at most {} bytes", text.substr(0, 40),
                     kMostBytes);
}

void AddPlaces(CLI::App* command, Session& session, RunOptions& options) {
  command
      ->add_option("-o,--output,--out", options.output,
                   "Folder of this run (default: a new one in --folder)")
      ->type_name("PATH");
  AddFolderOption(command, session);
  command->add_option("--name", options.name, "Name of the run (default: that of the script)")
      ->type_name("TEXT");
  command
      ->add_option_function<std::vector<std::string>>(
          "--tag",
          [&options](const std::vector<std::string>& tags) {
            for (const std::string& tag : tags) {
              const size_t equals = tag.find('=');
              options.tags[tag.substr(0, equals)] = tag.substr(equals + 1);
            }
          },
          "Tag to store with the run, such as team=vision (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(CheckTag, ""));
  command
      ->add_option("--shm", session.settings.shm,
                   "Shared-memory folder for the rings (default: /dev/shm)")
      ->type_name("PATH");
}

// As CLI11 asks: what is wrong with it, or nothing.
std::string CheckAlert(const std::string& text) {
  model::AlertSettings ignored;
  const Status sound = SetAlert(text, ignored);
  return sound.ok() ? std::string() : sound.error().text();
}

std::string AlertHelp() {
  std::string names;
  for (const model::AlertThreshold& one : model::kAlertThresholds) {
    const double value = model::AlertThresholds().*one.value;
    names += fmt::format("{}{} ({:g})", names.empty() ? "" : ", ", one.id, value);
  }
  return "Threshold of what is reported during the run (repeatable). NAME (default): " + names +
         ", or Rule.parameter of a profiler rule";
}

void AddAlerts(CLI::App* command, Settings& settings) {
  command
      ->add_option_function<std::vector<std::string>>(
          "--alert",
          [&settings](const std::vector<std::string>& alerts) {
            for (const std::string& one : alerts) {
              (void)SetAlert(one, settings.alerts).ok();  // was checked
            }
          },
          AlertHelp())
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->check(CLI::Validator(CheckAlert, ""));
}

void AddCollection(CLI::App* command, Session& session) {
  Settings& settings = session.settings;
  command
      ->add_option(
          "--hooks", settings.hooks,
          fmt::format("Hooks in the training: all (default), off, or a comma-separated list "
                      "of {}. Steps need optimizer",
                      fmt::join(HookWords(), ", ")))
      ->type_name("LIST")
      ->check(CLI::Validator(
          [](std::string& text) {
            const Status sound = CheckHooks(text);
            return sound.ok() ? std::string() : sound.error().text();
          },
          ""));
  command
      ->add_option("--system-interval-ms", settings.system_interval_ms,
                   "Time between system samples (default: 500)")
      ->type_name("MS")
      ->check(CLI::Range(kMinSystemIntervalMs, kMaxSystemIntervalMs).description(""));
  command
      ->add_option("--stack-rate", settings.stack_rate,
                   "Stack samples per second of each Python thread (default: 20; 0: none)")
      ->type_name("N")
      ->check(CLI::Range(int64_t{0}, agent::kMaxStackRate).description(""));
  command->add_flag_callback(
      "--no-hang-watch", [&settings] { settings.hang_watch = false; }, "Do not detect hangs");
  AddAlerts(command, settings);
}

void AddTensors(CLI::App* command, Session& session) {
  command
      ->add_option(
          "--tensors", session.settings.tensors,
          "Tensor statistics: all, or a comma list of gradients, weights, loss; after @ when: "
          "every=10, 100:200 (steps). Without every=, at an interval that costs 0.5 % of "
          "the time at most")
      ->type_name("[WHAT]")
      ->expected(0, 1)
      ->default_str("all")
      ->transform(CLI::Validator(
          [](std::string& text) {
            auto words = TensorWords(text.empty() ? "all" : text);
            if (!words.ok()) return words.error().text();
            text = *std::move(words);
            return std::string();
          },
          ""));
}

void AddWindows(CLI::App* command, Session& session, std::vector<std::string>& windows) {
  CLI::Option* window =
      command
          ->add_option(
              "--window", windows,
              "Record details during WINDOW (repeatable): START:STEPS (1000:500), "
              "TIME:DURATION (90s:10s after the start; :10s from the first step that can be "
              "captured), auto (default: short windows at step 6, once steps are steady and when "
              "they change) or none. Append =KINDS to choose what this window records "
              "(5:1=stacks+shapes)")
          ->type_name("WINDOW")
          ->allow_extra_args(false);
  command
      ->add_flag_callback(
          "--no-window", [&windows] { windows.assign({"none"}); }, "Same as --window none")
      ->excludes(window);
  command
      ->add_option("--capture", session.settings.capture,
                   "What windows record, with commas: operators (default), kernels; by PyTorch's "
                   "profiler stacks, shapes, memory, or profile (operators without these)")
      ->type_name("LIST");
  command->add_flag("--kineto", session.settings.kineto,
                    "Let `steptrace capture` also reach processes without hooks, such as C++ "
                    "programs: their PyTorch profiler asks the agent every 5 s");
  command->add_flag("--keep-traces", session.settings.keep_traces,
                    "Keep the profile files after they were read into the run");
}

void AddPresentation(CLI::App* command, Session& session) {
  Settings& settings = session.settings;
  command->add_flag("-q,--quiet", settings.quiet,
                    "Print only Steptrace's own errors: no alerts, no report");
  command->add_flag_callback(
      "--no-report", [&settings] { settings.report = false; }, "Print no report at the end");
  AddPriceOption(command, session);
  AddColorOption(command, session);
}

}  // namespace

void AddRunCommand(CLI::App& app, Session& session) {
  CLI::App* command = AddCommand(
      app, {.name = "run",
            .sentence = "Run a training and record it",
            .usage = "[OPTIONS] -- COMMAND...",
            .examples = {"steptrace run -- python train.py",
                         "steptrace run --name big-batch --tag team=vision -- python train.py",
                         "steptrace run -- torchrun --nproc-per-node 2 train.py --lr 0.1",
                         "steptrace run --window 1000:20=kernels -- python train.py"},
            .exit_codes = "those of the command (128 + n: killed by signal n), also if the\n"
                          "  run cannot be recorded, which a line on stderr says;\n"
                          "  2: nothing was started, because an option is wrong or the folder\n"
                          "  of --output is taken; 126, 127: the command could not be started",
            .more = "Settings: most flags are also STEPTRACE_* variables and keys of\n"
                    "  steptrace.toml; a flag wins over a variable, a variable over the file.\n"
                    "  `steptrace doctor --settings` prints those in force. All of them:\n"
                    "  docs/reference/cli.md#settings, thresholds of --alert:\n"
                    "  docs/reference/alerts.md"});
  command->prefix_command();
  auto options = std::make_shared<RunOptions>();
  auto windows = std::make_shared<std::vector<std::string>>();
  AddPlaces(command, session, *options);
  AddPrivacyOptions(command, session);
  AddCollection(command, session);
  AddTensors(command, session);
  AddWindows(command, session, *windows);
  AddPresentation(command, session);
  command->callback([command, &session, options, windows] {
    session.action = [command, &session, options, windows] {
      return Run(*command, session, *options, *windows);
    };
  });
}

}  // namespace steptrace::cli
