// SPDX-License-Identifier: Apache-2.0
#include "serve/pages/notebook.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "serve/export/output.h"

namespace steptrace::pages {
namespace {

using Json = nlohmann::ordered_json;

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
  // A question and the figure of the run of that variable that answers it.
  void View(const std::string& question, const std::string& run, const std::string& view) {
    Text(heading_ + " " + question);
    Code(fmt::format("{}.plot.{}()", run, view));
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

std::string OpenLine(const std::string& variable, const NotebookRun& run) {
  return fmt::format("{} = steptrace.open({})", variable, Literal(run.path.string()));
}

void AddProfile(const analyze::Report& report, const std::string& run, Cells& cells) {
  if (!report.profile) return;
  cells.View("What do the devices do?", run, "devices");
  cells.View("Which operators take the time?", run, "operators");
  cells.View("Which kernels?", run, "kernels");
  const auto& ranks = report.profile->modules.ranks;
  if (std::any_of(ranks.begin(), ranks.end(),
                  [](const auto& rank) { return !rank.rows.empty(); })) {
    cells.View("Which modules?", run, "modules");
  }
  cells.View("What is on the critical path?", run, "critical_path");
  cells.View("Where does the memory go?", run, "memory");
}

// From the verdict to the views that show it. `run`: the variable that holds the run.
void AddRun(const analyze::Report& report, const std::string& run, Cells& cells) {
  cells.Code(
      fmt::format("report = {}.report()\nprint(steptrace.inert(report.verdict.headline))\n"
                  "for evidence in report.verdict.evidence:\n"
                  "    print(\"-\", steptrace.inert(evidence.text))\n"
                  "for advice in report.verdict.advice:\n"
                  "    print(\"try:\", steptrace.inert(advice.text))",
                  run));
  cells.View("Where does a step go?", run, "breakdown");
  cells.View("How long do steps take?", run, "steps");
  cells.View("How are they distributed?", run, "histogram");
  if (report.data_pipeline.applicable) {
    cells.View("What does the data pipeline do meanwhile?", run, "data_pipeline");
  }
  if (!report.system.empty()) cells.View("How busy are the machines?", run, "system");
  AddProfile(report, run, cells);
  if (report.distributed.applicable) cells.View("How do the ranks compare?", run, "distributed");
  cells.View("What happened when?", run, "timeline");
  cells.View("Which rules found something?", run, "rules");
}

void AddRows(const std::string& run, Cells& cells) {
  cells.Text(
      cells.heading() +
      " Down to the rows\n\nEvery figure above comes from rows of the run's tables: `steptrace "
      "schema` lists them.");
  cells.Code(
      fmt::format("for step in {}.rows(\"steps\", limit=5):\n"
                  "    kind = steptrace.inert(step[\"kind\"])\n"
                  "    print(step[\"rank\"], step[\"step\"], kind, step[\"dur_ns\"] / 1e6, \"ms\")",
                  run));
  cells.Code(
      "for loss in report.data_loss.rows:\n"
      "    print(steptrace.inert(f\"{loss.table} {loss.cause}: {loss.detail}\"))");
}

void AddOne(const NotebookRun& run, Cells& cells) {
  cells.Text("# Why is this training slow?\n\nMade by `steptrace report --notebook`.");
  cells.Code("import steptrace\n\n" + OpenLine("run", run) + "\nrun");
  AddRun(run.report, "run", cells);
  AddRows("run", cells);
}

// Both beside each other, then each by itself.
void AddTwo(const NotebookRun& a, const NotebookRun& b, Cells& cells) {
  cells.Text(
      "# What changed between these two trainings?\n\n"
      "Made by `steptrace report --compare --notebook`.");
  cells.Code("import steptrace\n\n" + OpenLine("a", a) + "\n" + OpenLine("b", b) +
             "\nsteptrace.compare(a, b)");
  cells.Text("## Where does a step go in each?");
  cells.Code("a.plot.compare(b)");
  cells.ToSubsections();
  cells.Text("## Run A");
  cells.Code("a");
  AddRun(a.report, "a", cells);
  AddRows("a", cells);
  cells.Text("## Run B");
  cells.Code("b");
  AddRun(b.report, "b", cells);
  AddRows("b", cells);
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

Status WriteNotebook(const std::vector<NotebookRun>& runs,
                     const std::filesystem::path& destination) {
  STEPTRACE_ASSIGN_OR_RETURN(exporter::Output output, exporter::Output::To(destination));
  STEPTRACE_RETURN_IF_ERROR(output.Write(NotebookOf(runs)));
  return output.Commit();
}

}  // namespace steptrace::pages
