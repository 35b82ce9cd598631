// SPDX-License-Identifier: Apache-2.0
#include "serve/pages/notebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "serve/export/output.h"

namespace steptrace::pages {
namespace {

using Json = nlohmann::ordered_json;

struct ViewOfRun {
  const char* call;  // of a method of run.plot
  const char* question;
  const char* how_to_read;
};

// Cells are numbered, so that the same run gives the same file.
class Cells {
 public:
  void Text(const std::string& text) {
    cells_.push_back(
        {{"cell_type", "markdown"}, {"id", Id()}, {"metadata", Json::object()}, {"source", text}});
  }
  void Code(const std::string& code) {
    cells_.push_back({{"cell_type", "code"},
                      {"id", Id()},
                      {"execution_count", nullptr},
                      {"metadata", Json::object()},
                      {"outputs", Json::array()},
                      {"source", code}});
  }
  // A question, how to read its answer, and the figure of that run that answers it.
  void View(const std::string& run, const ViewOfRun& view) {
    Text(fmt::format("{} {}\n\n{}", heading_, view.question, view.how_to_read));
    Code(fmt::format("{}.plot.{}", run, view.call));
  }
  const std::string& heading() const { return heading_; }
  void ToSubsections() { heading_ = "###"; }
  Json Take() && { return std::move(cells_); }

 private:
  std::string Id() const { return fmt::format("steptrace-{}", cells_.size()); }

  std::string heading_ = "##";  // of what stands next
  Json cells_ = Json::array();
};

// Names of a run are data: they stand in the code as literals and nowhere in the text. A literal of
// JSON in ASCII is one of Python.
std::string Literal(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);
}

// Where the run lies, alone in a cell, so that a reader with the run elsewhere changes one line.
void AddPlaces(const std::vector<std::pair<std::string, const NotebookRun*>>& places,
               Cells& cells) {
  std::string code = "import steptrace\n";
  for (const auto& [variable, run] : places) {
    code += fmt::format("\n{} = {}", variable, Literal(run->path.string()));
  }
  cells.Code(code);
}

void AddProfile(const analyze::Profile& profile, const std::string& run, Cells& cells) {
  if (!profile.devices.devices.empty()) {
    cells.View(run, {"devices()", "What do the devices do?",
                     "Each bar is the captured time of one device. Communication and copies count "
                     "only where no kernel computes at the same time."});
  }
  if (!profile.operators.rows.empty()) {
    cells.View(run, {"operators()", "Which operators take the time?",
                     "Self time: without the operators that an operator calls."});
  }
  if (!profile.kernels.rows.empty()) {
    cells.View(run, {"kernels()", "Which kernels take the time?",
                     "All calls of a kernel together; communication has a colour of its own."});
  }
  const auto& ranks = profile.modules.ranks;
  if (std::any_of(ranks.begin(), ranks.end(),
                  [](const auto& rank) { return !rank.rows.empty(); })) {
    cells.View(run, {"modules()", "Which modules take the time?",
                     "Own time: without the modules inside a module."});
  }
  if (!profile.critical_path.rows.empty()) {
    cells.View(run, {"critical_path()", "What is on the critical path?",
                     "Only a shorter critical path makes the step shorter. Work that is not on it "
                     "overlaps with work that is."});
  }
  if (!profile.memory.devices.empty()) {
    cells.View(run, {"memory()", "Where does the memory go?",
                     "Memory that the framework's allocator had handed out, over time."});
  }
}

// From the verdict to the views that show it. `run`: the variable that holds the run.
void AddRun(const analyze::Report& report, const std::string& run, Cells& cells) {
  if (report.steps.count > 0) {
    cells.View(run, {"breakdown()", "Where does a step go?",
                     "The mean steady step, by suspect. The six parts sum to the step."});
    cells.View(run, {"steps()", "How long do the steps take?",
                     "Each dot is a step. Warm-up and evaluation steps are grey."});
    cells.View(run, {"histogram()", "How are the durations distributed?",
                     "Two peaks mean two kinds of steps: select one of each on the timeline."});
  }
  if (report.data_pipeline.applicable) {
    cells.View(run, {"data_pipeline()", "What does the step wait for in the data pipeline?",
                     "The share of the step in which the training waits for a batch, by what makes "
                     "it late."});
  }
  if (!report.system.empty()) {
    cells.View(run, {"system()", "How busy is the machine?",
                     "A curve that stays at its limit is a resource that is used up."});
  }
  if (report.profile) AddProfile(*report.profile, run, cells);
  if (report.distributed.applicable) {
    cells.View(run,
               {"distributed()", "How do the ranks compare?",
                "A rank with little exposed communication and long other parts is the one that "
                "the others wait for."});
  }
  cells.View(run, {"timeline()", "What happens within a step?",
                   "Three steps from the middle of the training. `timeline(from_ns, to_ns)` shows "
                   "another time range."});
  if (report.rules != nullptr && !report.rules->empty()) {
    cells.View(run, {"rules()", "Which profiler rules found an issue?",
                     "Rules check single resources; the verdict weighs them all."});
  }
}

void AddRows(const analyze::Report& report, const std::string& run, Cells& cells) {
  if (report.steps.count > 0) {
    cells.Text(cells.heading() +
               " Down to the rows\n\nEvery figure comes from rows of the run's tables. `steptrace "
               "schema` lists their columns.");
    cells.Code(fmt::format(
        "for step in {}.rows(\"steps\", limit=5):\n"
        "    kind = steptrace.inert(step[\"kind\"])\n"
        "    print(step[\"rank\"], step[\"step\"], kind, step[\"dur_ns\"] / 1e6, \"ms\")",
        run));
  }
  if (!report.data_loss.empty()) {
    cells.Text(cells.heading() +
               " What is missing\n\nRecords that could not be kept, by table and cause.");
    cells.Code(
        fmt::format("for loss in {}.report().data_loss.rows:\n"
                    "    print(steptrace.inert(f\"{{loss.table}} {{loss.cause}}: "
                    "{{loss.detail}}\"))",
                    run));
  }
}

constexpr const char* kAboutPlaces =
    "The path is relative to this notebook. To compute the figures again, run all cells; they need "
    "Steptrace and the run's folder.";

void AddOne(const NotebookRun& run, Cells& cells) {
  cells.Text(
      "# Where does the time of this training go?\n\nMade by `steptrace report --notebook`. " +
      std::string(kAboutPlaces));
  AddPlaces({{"RUN", &run}}, cells);
  cells.Text("## Verdict\n\nWhat to blame, the evidence, and what to change.");
  cells.Code("run = steptrace.open(RUN)\nrun");
  AddRun(run.report, "run", cells);
  AddRows(run.report, "run", cells);
}

// Both together, then each by itself.
void AddTwo(const NotebookRun& a, const NotebookRun& b, Cells& cells) {
  cells.Text(
      "# What changed between these two trainings?\n\nMade by `steptrace report --compare "
      "--notebook`. " +
      std::string(kAboutPlaces));
  AddPlaces({{"RUN_A", &a}, {"RUN_B", &b}}, cells);
  cells.Text("## Conclusion");
  cells.Code("a, b = steptrace.open(RUN_A), steptrace.open(RUN_B)\nsteptrace.compare(a, b)");
  if (a.report.steps.count > 0 && b.report.steps.count > 0) {
    cells.View("a", {"compare(b)", "Where does a step go in each?",
                     "The mean steady step of each run, by suspect."});
  }
  cells.ToSubsections();
  for (const auto& [variable, title, run] :
       {std::tuple{"a", "## Run A", &a}, std::tuple{"b", "## Run B", &b}}) {
    cells.Text(title);
    cells.Code(variable);
    AddRun(run->report, variable, cells);
    AddRows(run->report, variable, cells);
  }
}

}  // namespace

std::string NotebookOf(const std::vector<NotebookRun>& runs) {
  Cells cells;
  if (runs.size() == 1) AddOne(runs.front(), cells);
  if (runs.size() == 2) AddTwo(runs.front(), runs.back(), cells);
  const Json notebook = {
      {"cells", std::move(cells).Take()},
      {"metadata",
       {{"kernelspec", {{"display_name", "Python 3"}, {"language", "python"}, {"name", "python3"}}},
        {"language_info", {{"name", "python"}}}}},
      {"nbformat", 4},
      {"nbformat_minor", 5}};
  return notebook.dump(1) + "\n";
}

Status WriteNotebook(const std::string& notebook, const std::filesystem::path& destination) {
  STEPTRACE_ASSIGN_OR_RETURN(exporter::Output output, exporter::Output::To(destination));
  STEPTRACE_RETURN_IF_ERROR(output.Write(notebook));
  return output.Commit();
}

}  // namespace steptrace::pages
