// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/cell_text.h"
#include "cli/commands.h"
#include "cli/doctor.h"
#include "cli/render/display_text.h"

namespace steptrace::cli {
namespace {

const char* NameOf(Health health) {
  switch (health) {
    case Health::kOk:
      return "ok";
    case Health::kLimited:
      return "limited";
    case Health::kMissing:
      return "missing";
  }
  return "";
}

const char* ColorOf(Health health) {
  switch (health) {
    case Health::kOk:
      return "\x1b[32m";
    case Health::kLimited:
      return "\x1b[33m";
    case Health::kMissing:
      return "\x1b[31m";
  }
  return "";
}

constexpr int kDetailColumn = 34;
constexpr int kLeastColumns = 60;  // in fewer a line of the detail would be but a word
constexpr int kUsualColumns = 80;  // where no terminal tells

void PrintText(const std::vector<HealthCheck>& findings, bool color) {
  const int columns = TerminalColumns(stdout);
  const int width = std::max(columns > 0 ? columns : kUsualColumns, kLeastColumns);
  for (const auto& finding : findings) {
    std::string health = fmt::format("{:<8}", NameOf(finding.health));
    if (color) health = ColorOf(finding.health) + health + "\x1b[0m";
    std::string before = fmt::format("{} {:<24} ", health, Printable(finding.subject));
    for (const std::string& text : {Printable(finding.detail), Printable(finding.next_step)}) {
      if (text.empty()) continue;
      for (const std::string& line : Wrap(text, width - kDetailColumn)) {
        std::fputs((before + line + "\n").c_str(), stdout);
        before.assign(kDetailColumn, ' ');
      }
    }
  }
}

void PrintJson(const std::vector<HealthCheck>& findings) {
  std::string text = "[\n";
  for (size_t i = 0; i < findings.size(); ++i) {
    const HealthCheck& finding = findings[i];
    text += fmt::format(
        "  {{\"subject\": {}, \"health\": \"{}\", \"detail\": {}, \"next_step\": {}}}{}\n",
        JsonString(finding.subject), NameOf(finding.health), JsonString(finding.detail),
        JsonString(finding.next_step), i + 1 < findings.size() ? "," : "");
  }
  std::fputs((text + "]\n").c_str(), stdout);
}

void PrintSettings(const Settings& settings, bool json) {
  std::string text;
  for (const SettingInForce& one : SettingsInForce(settings, ProcessEnvironment())) {
    if (json) {
      text += fmt::format("{}  {{\"key\": {}, \"value\": {}, \"from\": {}}}",
                          text.empty() ? "[\n" : ",\n", JsonString(one.key), JsonString(one.value),
                          JsonString(one.from));
    } else {
      text += fmt::format("{:<20} {:<44} {}\n", one.key,
                          one.value.empty() ? "-" : Printable(one.value), Printable(one.from));
    }
  }
  std::fputs((json ? text + "\n]\n" : text).c_str(), stdout);
}

}  // namespace

void AddDoctorCommand(CLI::App& app, Session& session) {
  CLI::App* command =
      AddCommand(app, {.name = "doctor",
                       .sentence = "Check what can be recorded on this machine, and why not",
                       .usage = "[OPTIONS]",
                       .examples = {"steptrace doctor", "steptrace doctor --settings"}});
  auto json = std::make_shared<bool>(false);
  auto in_force = std::make_shared<bool>(false);
  AddJsonFlag(command, *json);
  command->add_flag("--settings", *in_force,
                    "Print the settings in force and where each comes from");
  AddColorOption(command, session);
  command->callback([&session, json, in_force] {
    session.action = [&session, json, in_force] {
      if (*in_force) {
        PrintSettings(session.settings, *json);
        return FinishOutput(stdout);
      }
      auto findings = Examine("/", session.settings.shm);
      if (*json) {
        PrintJson(findings);
      } else {
        PrintText(findings, UseColor(session.color(), stdout));
      }
      return FinishOutput(stdout);
    };
  });
}

}  // namespace steptrace::cli
