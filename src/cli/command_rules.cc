// SPDX-License-Identifier: Apache-2.0
#include "cli/command_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "analyze/report/report_json.h"
#include "base/inert_text.h"
#include "cli/damaged_files.h"
#include "cli/render/report_blocks.h"
#include "cli/render/rules_section.h"
#include "serve/rpc/load_report.h"
#include "serve/rpc/rules.h"
#include "serve/rpc/run_path.h"

namespace steptrace::cli {
namespace {

constexpr const char* kTensorKind = "tensor";
constexpr int64_t kDefaultTop = 12;  // rows of a table that fit a screen

struct RulesArguments {
  std::string run;
  std::string kind = "profiler";
  std::string mode = "modern";
  std::optional<std::string> preset;  // of compat; else code
  std::vector<std::string> sets;
  RulesView view;
};

RenderOptions RenderFor(const Session& session) {
  RenderOptions render;
  if (int columns = TerminalColumns(stdout); columns > 0) {
    render.width = std::min(columns, render.width);
  }
  render.color = UseColor(session.color(), stdout);
  render.unicode = UseUnicode();
  return render;
}

Result<analyze::RuleSettings> SettingsOf(const RulesArguments& arguments) {
  STEPTRACE_ASSIGN_OR_RETURN(const analyze::RuleMode mode, analyze::ParseRuleMode(arguments.mode));
  STEPTRACE_ASSIGN_OR_RETURN(const analyze::RulePreset preset,
                             analyze::ParseRulePreset(arguments.preset.value_or("code")));
  if (arguments.preset && mode != analyze::RuleMode::kCompat) {
    return Error{fmt::format("--preset {}: presets need mode compat", *arguments.preset),
                 "add --mode compat, or leave it out"};
  }
  analyze::RuleSettings settings(mode, preset);
  for (const std::string& set : arguments.sets) {
    const Status status = settings.Set(set);
    if (!status.ok()) return Error{"--set " + status.error().cause, status.error().next_step};
  }
  return settings;
}

// Of what the report has of them.
Status PrintTensorRules(const std::filesystem::path& run, const Session& session,
                        const RulesView& view) {
  STEPTRACE_ASSIGN_OR_RETURN(const analyze::Report report, rpc::LoadReport(run, {}));
  if (view.json) {
    std::fputs(analyze::SectionToJson(report, *analyze::FindSection("tensors"), view.top).c_str(),
               stdout);
    return {};
  }
  Page page(RenderFor(session));
  RenderTensorRules(report, view.top.value_or(kDefaultTop), page);
  std::fputs(page.Take().c_str(), stdout);
  return {};
}

// Tensors have no modes and no price, and their rules have judged already: an option that says
// otherwise is a mistake.
Status CheckOfTensors(const CLI::App& command) {
  for (const char* option : {"--mode", "--preset", "--set", "--price-per-hour", "--instance"}) {
    if (command.count(option) == 0) continue;
    return Error{fmt::format("{}: the rules about tensors have no such option", option),
                 "leave it out, or --kind tensor"};
  }
  return {};
}

int Rules(const RulesArguments& arguments, const CLI::App& command, const Session& session) {
  if (arguments.kind == kTensorKind) {
    const Status fits = CheckOfTensors(command);
    if (!fits.ok()) return Fail(fits.error());
  }
  const auto settings = SettingsOf(arguments);
  if (!settings.ok()) return Fail(settings.error());
  const auto run = rpc::ResolveRun(arguments.run, session.settings.folder);
  if (!run.ok()) return Fail(run.error());
  const Status status = arguments.kind == kTensorKind
                            ? PrintTensorRules(*run, session, arguments.view)
                            : PrintRules(*run, *settings, session, arguments.view);
  return status.ok() ? FinishOutput(stdout) : Fail(status.error());
}

}  // namespace

Status PrintRules(const std::filesystem::path& run, const analyze::RuleSettings& rules,
                  const Session& session, const RulesView& view) {
  const Settings& settings = session.settings;
  STEPTRACE_RETURN_IF_ERROR(CheckInstance(settings));
  STEPTRACE_ASSIGN_OR_RETURN(const rpc::RulesAnswer answer,
                             rpc::LoadRules(run, rules,
                                            {.price_per_hour = settings.price_per_hour,
                                             .instance = settings.instance,
                                             .types = settings.instances,
                                             .tensor_cores = settings.tensor_cores,
                                             .stages = settings.stages}));
  PrintDamaged(answer.damaged, "the rules");
  if (view.json) {
    nlohmann::ordered_json json = analyze::ProfilingReportJson(answer.report);
    json["findings"] = analyze::FindingsJson(answer.findings);
    json["cost"] = analyze::CostJson(answer.cost);
    std::string text =
        json.dump(2, ' ', /*ensure_ascii=*/false, nlohmann::json::error_handler_t::replace);
    std::fputs((InertJson(std::move(text)) + "\n").c_str(), stdout);
    return {};
  }
  Page page(RenderFor(session));
  RenderRules(answer.report, view.top.value_or(kDefaultTop), page);
  RenderFindings(answer.findings, view.top.value_or(kDefaultTop), page);
  RenderCost(answer.cost, page);
  std::fputs(page.Take().c_str(), stdout);
  return {};
}

void AddRulesCommand(CLI::App& app, Session& session) {
  CLI::App* command = AddCommand(
      app, {.name = "rules",
            .sentence = "Evaluate the profiler rules of SageMaker Debugger on a run",
            .usage = "[RUN] [OPTIONS]",
            .examples = {"steptrace rules", "steptrace rules train --kind tensor",
                         "steptrace rules train --mode compat --preset sdk",
                         "steptrace rules train --set LowGPUUtilization.threshold_p95=60"}});
  auto arguments = std::make_shared<RulesArguments>();
  AddRunArgument(command, arguments->run);
  command
      ->add_option("--kind", arguments->kind,
                   "profiler (default): rules about performance; tensor: rules about the model's "
                   "tensors, as they judged while it trained")
      ->type_name("KIND")
      ->check(CLI::IsMember({"profiler", kTensorKind}).description(""));
  command
      ->add_option("--mode", arguments->mode,
                   "modern (default): corrected rules, training phase only; compat: as published, "
                   "with the counts of a Debugger report")
      ->type_name("MODE");
  command
      ->add_option("--preset", arguments->preset,
                   "Defaults of mode compat: code (default; what ran), sdk or aws-docs")
      ->type_name("NAME");
  command->add_option("--set", arguments->sets, "Set a parameter: Rule.param=value (repeatable)")
      ->type_name("SETTING")
      ->take_all()
      ->allow_extra_args(false);
  command->add_option("--top", arguments->view.top, "Print at most N rows of each table")
      ->type_name("N")
      ->check(AtLeast(1));
  AddJsonFlag(command, arguments->view.json);
  AddPriceOption(command, session);
  command
      ->add_option("--instance", session.settings.instance,
                   "Machine type of the run, one of [[instances]] in steptrace.toml")
      ->each([&session](const std::string&) { session.settings.instance_place = "--instance"; })
      ->type_name("NAME");
  AddFolderOption(command, session);
  AddColorOption(command, session);
  command->callback([&session, arguments, command] {
    session.action = [&session, arguments, command] {
      return Rules(*arguments, *command, session);
    };
  });
}

}  // namespace steptrace::cli
