// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/inert_text.h"
#include "cli/cell_text.h"
#include "cli/commands.h"
#include "cli/text_table.h"
#include "serve/rpc/runs.h"
#include "store/run_list.h"

namespace steptrace::cli {
namespace {

struct LsArguments {
  std::string folder;
  bool json = false;
};

std::string Joined(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) line += (line.empty() ? "" : " ") + word;
  return line;
}

template <class T>
nlohmann::ordered_json OrNull(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

// The newest runs come first: what there is no time to make a report of are the oldest ones.
class Figures {
 public:
  // Of a run that cannot be read nobody could follow a verdict back to its rows.
  rpc::ListedFigures Of(const store::RunSummary& run) const {
    if (!run.problem.empty()) return {"", run.steps, run.duration_ns, ""};
    const bool in_time = std::chrono::steady_clock::now() < until_;
    rpc::ListedFigures listed =
        rpc::FiguresOf(run.path, in_time ? rpc::ReportSource::kMade : rpc::ReportSource::kKept);
    listed.steps = listed.steps.value_or(run.steps);
    if (run.duration_ns) listed.duration_ns = run.duration_ns;
    return listed;
  }

 private:
  static constexpr std::chrono::milliseconds kForReports{2000};
  const std::chrono::steady_clock::time_point until_ =
      std::chrono::steady_clock::now() + kForReports;
};

nlohmann::ordered_json ToJson(const store::RunSummary& run, const Figures& figures) {
  const rpc::ListedFigures listed = figures.Of(run);
  nlohmann::ordered_json json;
  json["id"] = run.id;
  json["name"] = run.name;
  json["status"] = run.status;
  json["path"] = run.path.string();
  json["command"] = run.command;
  json["started_utc"] = run.started_utc_ns > 0 ? UtcTime(run.started_utc_ns) : "";
  json["started_utc_ns"] = run.started_utc_ns;
  json["duration_ns"] = OrNull(listed.duration_ns);
  json["exit_code"] = OrNull(run.exit_code);
  json["signal"] = OrNull(run.signal);
  json["ranks"] = run.ranks;
  json["steps"] = OrNull(listed.steps);
  json["verdict"] = listed.verdict;
  json["suspect"] = listed.suspect;
  json["bytes"] = run.bytes;
  json["problem"] = run.problem;
  return json;
}

void PrintJson(const std::vector<store::RunSummary>& runs) {
  const Figures figures;
  auto list = nlohmann::ordered_json::array();
  for (const auto& run : runs) list.push_back(ToJson(run, figures));
  std::string text = list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
  std::fputs((InertJson(std::move(text)) + "\n").c_str(), stdout);
}

// On lines of their own: in the table they would be cut.
void PrintProblems(const std::vector<store::RunSummary>& runs) {
  constexpr int kMostLines = 10;
  int found = 0;
  for (const auto& run : runs) {
    if (run.problem.empty() || ++found > kMostLines) continue;
    PrintError(Error{run.problem});
  }
  if (found > kMostLines) {
    PrintError(Error{fmt::format("{} more cannot be read", found - kMostLines),
                     "steptrace ls --json has the reasons"});
  }
}

void PrintText(const std::vector<store::RunSummary>& runs) {
  // A name that is cut names no run.
  TextTable table({{"run", Align::kLeft, ShrinkOrder::kLast},
                   {"status"},
                   {"started", Align::kLeft, ShrinkOrder::kBeforeOthers},
                   {"took", Align::kRight},
                   {"steps", Align::kRight},
                   {"verdict"},
                   {"command", Align::kLeft, ShrinkOrder::kFirst}},
                  TerminalColumns(stdout), stdout);
  const Figures figures;
  for (const auto& run : runs) {
    const bool readable = run.problem.empty();
    const rpc::ListedFigures listed = figures.Of(run);
    const bool dated = readable && run.started_utc_ns > 0;
    table.Row({Printable(run.path.filename().string()),
               run.status.empty() ? "unknown" : Printable(run.status),
               dated ? UtcTime(run.started_utc_ns) : "",
               listed.duration_ns ? ShortDuration(*listed.duration_ns) : "",
               listed.duration_ns ? fmt::format("{}", *listed.steps) : "",
               Printable(listed.verdict), readable ? Printable(Joined(run.command)) : ""});
  }
  table.Finish();
  PrintProblems(runs);
}

int Ls(const LsArguments& arguments, const Session& session) {
  std::filesystem::path folder =
      arguments.folder.empty() ? session.settings.folder : arguments.folder;
  std::error_code error;
  if (!arguments.folder.empty() && !std::filesystem::is_directory(folder, error)) {
    const bool exists = std::filesystem::exists(folder, error);
    return Fail(Error{
        fmt::format("ls: {}: {}", folder.string(), exists ? "not a folder" : "no such folder"),
        "name a folder of runs"});
  }
  auto runs = store::ListRuns(folder);
  if (!runs.ok()) return Fail(runs.error());
  if (arguments.json) {
    PrintJson(*runs);
  } else if (runs->empty()) {
    PrintLine("no runs in " + folder.string() + "; make one: steptrace run -- python train.py",
              stderr);
  } else {
    PrintText(*runs);
  }
  return FinishOutput(stdout);
}

}  // namespace

void AddLsCommand(CLI::App& app, Session& session) {
  CLI::App* command = AddCommand(
      app, {.name = "ls",
            .sentence = "List runs, newest first",
            .usage = "[FOLDER] [OPTIONS]",
            .examples = {"steptrace ls", "steptrace ls /shared/runs", "steptrace ls --json"}});
  auto arguments = std::make_shared<LsArguments>();
  command->add_option("FOLDER", arguments->folder, "Folder of runs (default: ./steptrace-runs)")
      ->type_name("");
  command->add_option("--folder,--dir", arguments->folder, "The same")->type_name("PATH");
  AddJsonFlag(command, arguments->json);
  command->callback([&session, arguments] {
    session.action = [&session, arguments] { return Ls(*arguments, session); };
  });
}

}  // namespace steptrace::cli
